"""What stands side by side as a row without rules, and lines around paragraphs (RTF 1.9.1, "Table Definitions")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from paperchute.engine.document.model import Style
from paperchute.engine.writing.office.parts import (
    FlowPart,
    LayoutCell,
    LayoutPart,
    Paragraph,
    PicturePart,
    Sides,
    TablePart,
)
from paperchute.engine.writing.office.runs import Run
from paperchute.engine.writing.rtf.text import Text, twips

_SIDES: Final = {"top": "t", "left": "l", "bottom": "b", "right": "r"}


def bordered(sides: Sides, text: Text, cell: bool = False) -> str:
    """Control words of the lines around a paragraph, or around a cell of a table."""
    found = ""
    for name, letter in _SIDES.items():
        border = getattr(sides, name)
        if border is not None:
            start = f"\\clbrdr{letter}" if cell else f"\\brdr{letter}"
            found += f"{start}\\brdrs\\brdrw{max(twips(border.pen), 1)}\\brdrcf{text.color(border.color)}"
            found += "" if cell else f"\\brsp{twips(border.space)}"
    return found


def layout_row(part: LayoutPart, contents: Sequence[Sequence[str]], text: Text) -> str:
    """A row. contents: the paragraphs of its cells, each from its `pard` to its `par`."""
    head = f"\\trowd\\trleft{twips(part.indent)}\\trrh{twips(part.height)}"
    edge = part.indent
    content = ""
    for cell, paragraphs in zip(part.cells, contents, strict=True):
        edge += cell.width
        start, end = map(twips, cell.margins)
        head += bordered(cell.sides, text, cell=True)
        head += f"\\clcbpat{text.color(cell.shade)}" if cell.shade else ""
        # Readers take the one for the other: left is written as top (RTF 1.9.1, `clpadl`, as Word has it).
        head += f"\\clpadt{start}\\clpadft3\\clpadr{end}\\clpadfr3\\cellx{twips(edge)}"
        own = "".join(paragraphs) or "\\pard\\plain\\par\n"
        own = own.replace("\\pard\\plain", "\\pard\\plain\\s0\\intbl")
        content += own.removesuffix("\\par\n") + "\\cell\n"
    return f"{head}\n{content}\\row\n"


def flat_parts(cells: Iterable[LayoutCell], shade: str = "") -> Iterator[FlowPart]:
    """Yield what stands in cells, one after the other and without tables: a cell of RTF holds paragraphs.

    shade: what is behind them.
    """
    for cell in cells:
        behind = cell.shade or shade
        for one in cell.parts:
            match one:
                case LayoutPart():
                    yield from (part for own in one.cells for part in flat_parts([own], own.shade or behind))
                case TablePart():
                    for row in one.rows:
                        runs = [run for n, own in enumerate(row.cells) for run in (*_tab(n), *own.runs)]
                        yield Paragraph("text", tuple(runs), shade=behind)
                        for picture in (picture for own in row.cells for picture in own.pictures):
                            yield PicturePart(picture.image, picture.width, picture.height, picture.words)
                case Paragraph() if shade:  # of a panel in a cell
                    yield replace(one, shade=one.shade or behind)
                case _:
                    yield one


def _tab(number: int) -> tuple[Run, ...]:
    return (Run("\t", Style()),) if number else ()
