"""What stands in a cell of a table: its text, and the pictures over, under and beside it."""

from __future__ import annotations

from dataclasses import replace

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.inline import Inline
from paperchute.engine.writing.docx.xml import element, flag, twips
from paperchute.engine.writing.office.fonts import SINGLE
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import Align, GridCell, Leading


def line_spacing(leading: Leading) -> dict[str, object]:
    """From line to line, as attributes of `w:spacing`; nothing where the style has it."""
    if not leading.height:
        return {}
    return {"w:line": twips(leading.height), "w:lineRule": "exact" if leading.exact else "atLeast"}


def cell_content(cell: GridCell, inline: Inline, look: Style) -> list[_Element]:
    """The paragraphs of a cell. look: of running text."""
    over, before, behind, under = (
        [one for one in cell.pictures if one.place == place] for place in ("over", "before", "behind", "under")
    )
    leading = replace(cell.leading, exact=False) if before or behind else cell.leading
    runs = [*map(inline.cell_picture, before), *inline.runs(cell.runs, look), *map(inline.cell_picture, behind)]
    made = [_paragraph(cell, Leading(), one.align, [inline.cell_picture(one)]) for one in over]
    if runs or not cell.pictures:
        made.append(_paragraph(cell, leading, cell.align, runs))
    made += [_paragraph(cell, Leading(), one.align, [inline.cell_picture(one)]) for one in under]
    spacing = made[0].find(".//{*}spacing")
    assert spacing is not None
    spacing.set(spacing.tag.replace("}spacing", "}before"), str(twips(cell.before)))
    return made


def _paragraph(cell: GridCell, leading: Leading, align: Align, content: list[_Element]) -> _Element:
    line = {
        "w:before": 0,
        "w:after": 0,
        **(line_spacing(leading) or {"w:line": SINGLE, "w:lineRule": "auto"}),
    }
    properties = [*flag("w:bidi", cell.rtl), element("w:spacing", line)]
    sides = {"w:left": cell.indent, "w:right": cell.end}
    indent: dict[str, object] = {s: twips(points) for s, points in sides.items() if points >= MEASURES.least}
    if indent:
        properties.append(element("w:ind", indent))
    if align != "left":
        properties.append(element("w:jc", {"w:val": align}))
    return element("w:p", None, element("w:pPr", None, *properties), *content)
