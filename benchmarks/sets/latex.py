r"""Blocks as LaTeX, set by pdflatex; where each block came to stand tells the order of what floats.

Each block writes page and place when its page is made (`\place`), so the truth has floats and footnotes where a reader
of the page finds them: on top of the column or at its foot, before what begins after them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sets.documents import (
    Beside,
    Block,
    Cell,
    Code,
    Figure,
    Formula,
    Heading,
    Listing,
    Paragraph,
    References,
    Run,
    Table,
)

PROGRAM = "pdflatex"
_SECONDS = 120
_FITS = 42
_UNITS_A_POINT = 65536
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "∆": r"\ensuremath{\Delta}",
}
PLACE = r"""
\newwrite\placefile
\immediate\openout\placefile=\jobname.places
\newcommand{\place}[1]{\pdfsavepos
\write\placefile{#1 \the\ReadonlyShipoutCounter\space\the\pdflastxpos\space\the\pdflastypos}}
"""

Place = tuple[int, int, float]
"""Page, column (0 or 1), and how far below the page's top, in units of TeX."""


def escaped(text: str) -> str:
    """Plain text as LaTeX source."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def preamble(document: str, packages: Iterable[str], babel: str = "english") -> str:
    """What stands before the document's begin."""
    return "\n".join(
        (
            document,
            r"\usepackage[T1]{fontenc}",
            r"\usepackage{textcomp,booktabs,multirow,array,float,graphicx,amsmath}",
            rf"\usepackage[{babel}]{{babel}}" if babel != "english" else "",
            r"\usepackage{algorithm,algpseudocode}",
            *packages,
            PLACE,
        )
    )


def source(blocks: list[Block], columns: int = 1, run_in: int = 9, numbers: bool = True, look: str = "booktabs") -> str:
    """The body. Tables and figures float where there are two columns."""
    made: list[str] = []
    for number, block in enumerate(blocks):
        if isinstance(block, Heading):
            made.append(_heading(block, number, run_in, numbers))
        else:
            made.append("\n".join(_block(block, number, columns, look)))
    return "\n\n".join(made)


def places(written: str) -> dict[str, tuple[int, int, int]]:
    """Page, x and y of each block by what the blocks wrote."""
    found: dict[str, tuple[int, int, int]] = {}
    for line in written.splitlines():
        name, *values = line.split()
        if len(values) == 3:
            found[name] = (int(values[0]), int(values[1]), int(values[2]))
    return found


def ordered(blocks: list[Block], written: str, columns: int, width: float) -> list[Block]:
    """The blocks as the pages show them, notes apart and floats before what begins after them."""
    known = {name: _placed(values, columns, width) for name, values in places(written).items()}
    flow: list[tuple[Place, Block]] = []
    moved: list[tuple[Place, Block]] = []
    last: Place = (-1, 0, 0.0)
    notes = 0
    for number, block in enumerate(blocks):
        place = known.get(str(number))
        floats = columns > 1 and isinstance(block, Table | Figure)
        if floats and place:
            moved.append((place, block))
        else:
            last = max(last, place or last)
            flow.append((last, block))
        if isinstance(block, Paragraph):
            for run in block.runs:
                if run.kind == "note":
                    notes += 1
                    foot = Paragraph((Run(f"{notes} {run.text}"),))
                    moved.append((known.get(f"n{number}", last), foot))
    for place, block in sorted(moved, key=lambda pair: pair[0]):
        at = next((n for n, (other, _) in enumerate(flow) if other > place), len(flow))
        while at and isinstance(flow[at - 1][1], Heading):  # a heading stands with what follows it
            at -= 1
        flow.insert(at, (place, block))
    return [block for _, block in flow]


@dataclass(frozen=True, slots=True)
class Written:
    """What LaTeX writes beside the PDF: where blocks stand, and the lines of the table of contents."""

    places: str
    contents: tuple[str, ...]


def compiled(text: str, target: Path) -> Written:
    """The PDF at `target`.

    Raises RuntimeError when LaTeX fails, with its message.
    """
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "paper.tex").write_text(text, "utf-8")
        for _ in range(3 if r"\tableofcontents" in text else 2):
            done = subprocess.run(
                [PROGRAM, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                cwd=here,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "FORCE_SOURCE_DATE": "1"},
            )
            if done.returncode:
                log = done.stdout.decode("utf-8", "replace")
                raise RuntimeError("LaTeX: " + " ".join(re.findall(r"^(?:!|l\.\d+).*$", log, re.MULTILINE))[:300])
        shutil.move(here / "paper.pdf", target)
        written = here / "paper.toc"
        contents = _contents(written.read_text("utf-8")) if written.is_file() else ()
        return Written((here / "paper.places").read_text("utf-8", "replace"), contents)


def _contents(written: str) -> tuple[str, ...]:
    """Lines as `1.2 Results 7`."""
    lines = re.findall(r"\\contentsline \{\w+\}\{(?:\\numberline \{([\w.]*)\})?(.*?)\}\{(\w+)\}", written)
    return tuple(" ".join(filter(None, (number.strip(), words.strip(), page))) for number, words, page in lines)


def _placed(values: tuple[int, int, int], columns: int, width: float) -> Place:
    page, x, y = values
    return page, int(columns > 1 and x > width / 2 * _UNITS_A_POINT), -float(y)


def _heading(block: Heading, number: int, run_in: int, numbers: bool) -> str:
    names = ("section", "subsection", "subsubsection")
    star = "" if numbers and block.numbered else "*"
    name = "chapter" if block.level == 0 else names[block.level - 1]
    return rf"\{name}{star}{{{escaped(block.text)}}}" + ("" if block.level < run_in else rf"\place{{{number}}}")


def _block(block: Block, number: int, columns: int, look: str) -> Iterator[str]:
    place = rf"\place{{{number}}}"
    where = "" if columns > 1 else "[H]"
    match block:
        case Paragraph():
            lead = rf"\textbf{{{escaped(block.lead)}}} " if block.lead else ""
            yield rf"\leavevmode{place}{lead}{''.join(_run(run, number) for run in block.runs)}"
        case Listing():
            kind = "enumerate" if block.ordered else "itemize"
            yield rf"\begin{{{kind}}}"
            yield from (rf"\item {escaped(item)}" for item in block.items)
            yield rf"\end{{{kind}}}"
        case Formula():
            star = "" if block.numbered else "*"
            yield rf"\begin{{equation{star}}}{block.source}\end{{equation{star}}}"
        case Figure():
            yield rf"\begin{{figure}}{where}\centering{place}\rule{{40mm}}{{25mm}}"
            yield rf"\caption{{{escaped(block.caption)}}}\end{{figure}}"
        case Table():
            name = "table*" if columns > 1 and _wide(block) else "table"
            yield rf"\begin{{{name}}}{where}\centering\small{place}"
            yield rf"\caption{{{escaped(block.caption)}}}" if block.caption else ""
            yield tabular(block, look)
            yield rf"\end{{{name}}}"
        case Beside():
            yield r"\noindent\hfill " + r"\hfill ".join(tabular(each, look) for each in block.tables) + r"\hfill\mbox{}"
        case Code():
            yield rf"\begin{{algorithm}}[H]\caption{{{escaped(block.caption)}}}\begin{{algorithmic}}[1]"
            yield from (
                rf"\{kind}{f'{{{escaped(words)}}}' if kind in _LOOPS else f' {escaped(words)}'}"
                for kind, _, words in (line.partition("|") for line in block.lines)
            )
            yield r"\end{algorithmic}\end{algorithm}"
        case References():
            yield r"\begin{thebibliography}{99}"
            yield from (rf"\bibitem{{r{n}}} {escaped(entry)}" for n, entry in enumerate(block.entries))
            yield r"\end{thebibliography}"


_LOOPS = {"ForAll", "While", "If"}


def tabular(block: Table, style: str = "booktabs") -> str:
    """The table alone: `booktabs`, `grid`, `lines` below each row, or `bare`."""
    specs = [
        f"p{{{width}mm}}" if width else align
        for align, width in zip(block.aligns, block.widths or (0,) * block.columns, strict=True)
    ]
    grid = style == "grid"
    top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if style == "booktabs" else (r"\hline",) * 3
    top, middle, bottom = ("", "", "") if style == "bare" else (top, middle, bottom)
    lines = [rf"\begin{{tabular}}{{{'|' + '|'.join(specs) + '|' if grid else ''.join(specs)}}}", top]
    taken: dict[int, tuple[int, int]] = {}
    for number, row in enumerate(block.rows):
        line, spans = _row(row, block, taken, grid)
        lines.append(line + r" \\")
        if number + 1 == block.heads:
            lines.append(middle)
        elif number + 1 < block.heads and style == "booktabs":
            lines += [rf"\cmidrule(lr){{{a}-{b}}}" for a, b in spans]
        elif style in ("grid", "lines"):
            open_columns = [c for c in range(block.columns) if not taken.get(c, (0, 0))[0]]
            lines += [rf"\cline{{{c + 1}-{c + 1}}}" for c in open_columns]
    return "\n".join([*lines, bottom, r"\end{tabular}"])


def _wide(block: Table) -> bool:
    """Whether it does not fit in a column: by letters, two to each gap."""
    plain = [row for row in block.rows if len(row) == block.columns]
    widest = (max((len(row[n].text) for row in plain), default=0) for n in range(block.columns))
    limits = block.widths or (0,) * block.columns
    return sum(min(letters, limit or letters) + 2 for letters, limit in zip(widest, limits, strict=True)) > _FITS


def _row(
    row: tuple[Cell, ...], block: Table, taken: dict[int, tuple[int, int]], grid: bool
) -> tuple[str, list[tuple[int, int]]]:
    """One row's source, and from which to which column its spans go; cells from above keep their place empty."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    waiting = list(row)
    column = 0
    while column < block.columns:
        left, wide = taken.get(column, (0, 1))
        if left:
            taken[column] = (left - 1, wide)
            parts.append("" if wide == 1 else rf"\multicolumn{{{wide}}}{{c}}{{}}")
            column += wide
            continue
        cell = waiting.pop(0)
        shown = escaped(cell.text)
        shown = rf"\textbf{{{shown}}}" if cell.bold and shown else shown
        shown = rf"\hspace*{{{cell.indent * 3}mm}}{shown}" if cell.indent else shown
        if cell.rows > 1:
            shown = rf"\multirow{{{cell.rows}}}{{*}}{{{shown}}}"
            taken[column] = (cell.rows - 1, cell.columns)
        if cell.columns > 1:
            align = {"left": "l", "right": "r"}.get(cell.align, "c")
            bars = ("|" if column == 0 else "", "|") if grid else ("", "")
            shown = rf"\multicolumn{{{cell.columns}}}{{{bars[0]}{align}{bars[1]}}}{{{shown}}}"
            spans.append((column + 1, column + cell.columns))
        parts.append(shown)
        column += cell.columns
    return " & ".join(parts), spans


def _run(run: Run, number: int) -> str:
    match run.kind:
        case "emphasis":
            return rf"\emph{{{escaped(run.text)}}}"
        case "strong":
            return rf"\textbf{{{escaped(run.text)}}}"
        case "maths":
            return f"${run.source}$"
        case "note":
            return rf"\footnote{{\leavevmode\place{{n{number}}}{escaped(run.text)}}}"
    return escaped(run.text)
