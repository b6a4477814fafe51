"""Papers set by LaTeX in the layouts of many classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pypdfium2

from benchmarks.sets import fronts, latex, papers, truth
from benchmarks.sets.documents import Block, Code, Figure, Formula, Front, Heading, Paragraph, References, Run, Table
from benchmarks.sets.languages import ENGLISH, Language
from benchmarks.sets.layouts import LAYOUTS, Layout, roman
from benchmarks.sets.prose import Prose

_ENGLISH_ONLY = {"acm", "ieee", "revtex", "mnras", "ams", "elsevier", "llncs"}


def paper(number: int, seed: str, pdf: Path) -> str:
    """One paper in the layout whose turn it is; its truth."""
    layout = LAYOUTS[number % len(LAYOUTS)]
    chance = Random(seed)
    prose = Prose(chance, ENGLISH if layout.front in _ENGLISH_ONLY else None)
    front = papers.front(prose)
    sections = chance.randint(3, 5)
    body = papers.body(prose, sections, layout.depth, layout.mathematical or chance.random() < 0.3)
    if layout.chapters:
        body = [replace(block, level=block.level - 1) if isinstance(block, Heading) else block for block in body]
    body.append(papers.references(prose, chance.randint(4, 12)))
    return typeset(front, body, layout, prose.language, pdf)


def typeset(front: Front, body: list[Block], layout: Layout, language: Language, pdf: Path) -> str:
    """The paper at `pdf`, and its truth."""
    setting = fronts.setting(front, layout, language.abstract)
    text = "\n".join(
        (
            latex.preamble(layout.document, layout.packages, language.babel),
            setting.source,
            r"\tableofcontents" if layout.contents else "",
            latex.source(body, layout.columns, layout.run_in),
            r"\end{document}",
        )
    )
    written = latex.compiled(text, pdf)
    blocks = latex.ordered(body, written.places, layout.columns, _width(pdf))
    contents: list[Block] = []
    if layout.contents:
        contents = [Heading(_CONTENTS[language.code], 2), *(Paragraph((Run(line),)) for line in written.contents)]
    return truth.markdown([*setting.shown, *contents, *as_shown(blocks, body, layout, language)])


def as_shown(blocks: list[Block], body: list[Block], layout: Layout, language: Language) -> list[Block]:
    """What the layout adds: numbers and capitals of headings, numbers of captions, formulas and entries.

    Numbers go by the order in the source.
    """
    labels = dict(_labels(body, layout, language))
    made: list[Block] = []
    for block in blocks:
        label = labels.get(id(block), "")
        match block:
            case Heading():
                words = block.text.upper() if block.level in layout.capitals else block.text
                whole = f"{label} {words}".strip()
                if block.level >= layout.run_in:
                    made.append(Paragraph((Run(whole + "."),)))
                else:
                    made.append(Heading(whole, block.level + layout.chapters + 1))
            case Table() | Figure():
                upper = layout.front == "ieee" and isinstance(block, Table)  # small capitals made of capitals
                words = block.caption.upper() if upper else block.caption
                made.append(replace(block, caption=f"{label} {words}".strip()) if block.caption else block)
            case Formula():
                source = block.source + (rf" \tag{{{label}}}" if label else "")
                made.append(Formula(source))
            case Code():
                made.append(_algorithm(block))
            case References():
                made.append(_literature(block, layout, language))
            case _:
                made.append(block)
    return made


def _labels(body: list[Block], layout: Layout, language: Language) -> list[tuple[int, str]]:
    counts = [0, 0, 0]
    tables = figures = formulas = 0
    found: list[tuple[int, str]] = []
    chapter = ""
    for block in body:
        if isinstance(block, Heading):
            level = block.level - 1 + layout.chapters
            counts[level] += 1
            counts[level + 1 :] = [0] * (2 - level)
            number = layout.numbers(tuple(counts[: level + 1]))
            if layout.chapters and level == 0:
                tables = figures = formulas = 0
                chapter = f"{counts[0]}."
                number = number if "scrreprt" in layout.document else f"{_CHAPTERS[language.code]} {number}"
            found.append((id(block), number))
        elif isinstance(block, Table) and block.caption:
            tables += 1
            found.append((id(block), _caption(layout, language.table, f"{chapter}{tables}", layout.numbers)))
        elif isinstance(block, Figure):
            figures += 1
            found.append((id(block), _caption(layout, language.figure, f"{chapter}{figures}", None)))
        elif isinstance(block, Formula) and block.numbered:
            formulas += 1
            found.append((id(block), f"{chapter}{formulas}"))
    return found


_CONTENTS = {
    "en": "Contents",
    "de": "Inhaltsverzeichnis",
    "fr": "Table des matières",
    "es": "Índice",
}
_CHAPTERS = {"en": "Chapter", "de": "Kapitel", "fr": "Chapitre", "es": "Capítulo"}


def _caption(layout: Layout, word: str, number: str, numbers: object) -> str:
    if layout.front in ("ieee", "revtex"):
        short = {"Figure": "Fig." if layout.front == "ieee" else "FIG."}.get(word, "TABLE")
        return f"{short} {roman(int(number)) + ('.' if layout.front == 'revtex' else '') if numbers else number + '.'}"
    if layout.front in ("ams", "mnras", "llncs"):
        return f"{'Fig.' if layout.front == 'llncs' and word == 'Figure' else word} {number}."
    return f"{word} {number}:"


def _algorithm(block: Code) -> Code:
    """Its lines as the package shows them."""
    shown: list[str] = []
    forms = {
        "State": "{}",
        "ForAll": "for all {} do",
        "While": "while {} do",
        "If": "if {} then",
        "EndIf": "end if",
        "EndFor": "end for",
        "EndWhile": "end while",
    }
    for number, line in enumerate(block.lines, 1):
        kind, _, words = line.partition("|")
        shown.append(f"{number}: {forms[kind].format(words)}")
    return Code(tuple(shown), f"Algorithm 1 {block.caption}")


def _literature(block: References, layout: Layout, language: Language) -> References:
    own = {"Bibliography": _BIBLIOGRAPHIES[language.code], "References": block.heading}
    heading = own.get(layout.literature, layout.literature)
    form = "{}. {}" if layout.front == "llncs" else "[{}] {}"
    return References(heading, tuple(form.format(n, entry) for n, entry in enumerate(block.entries, 1)))


_BIBLIOGRAPHIES = {"en": "Bibliography", "de": "Literaturverzeichnis", "fr": "Bibliographie", "es": "Bibliografía"}


def _width(pdf: Path) -> float:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return float(document[0].get_width())
    finally:
        document.close()
