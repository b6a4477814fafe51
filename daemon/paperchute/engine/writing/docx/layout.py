"""What stands side by side as a table that shows no rules of its own, lines around text, and dropped initials."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.inline import Inline
from paperchute.engine.writing.docx.xml import element, flag, shading, twips
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import LayoutPart, Paragraph, Sides

_ORDER = ("top", "left", "bottom", "right")
"""In which the schema has the sides (ECMA-376 part 1, 17.3.1.24 and 17.4.66)."""
_EIGHTHS = 8
"""Of a point, in which `w:sz` counts."""


def bordered(tag: str, sides: Sides) -> list[_Element]:
    """`w:pBdr` or `w:tcBorders`; nothing where no side has a line."""
    named = sides._asdict()
    lines = [
        element(
            f"w:{side}",
            {
                "w:val": "single",
                "w:sz": max(round(border.pen * _EIGHTHS), 2),
                "w:space": round(border.space),
                "w:color": border.color.lstrip("#").upper(),
            },
        )
        for side in _ORDER
        if (border := named[side]) is not None
    ]
    return [element(tag, None, *lines)] if lines else []


def initial_paragraph(part: Paragraph, inline: Inline, look: Style, new_page: bool) -> _Element:
    """The large first letter of a paragraph: one of its own, in a frame beside its lines (ECMA-376 part 1, 17.3.1.11).

    look: of the paragraph's style.
    """
    frame: dict[str, object] = {"w:dropCap": "drop", "w:lines": part.initial, "w:wrap": "around"}
    frame |= {"w:vAnchor": "text", "w:hAnchor": "text"}
    line = twips(part.initial * part.place.leading.height)
    spacing = {"w:before": twips(part.place.before), "w:line": line, "w:lineRule": "exact"}
    properties = [
        *flag("w:keepNext", True),
        element("w:framePr", frame),
        *flag("w:pageBreakBefore", new_page),
        element("w:spacing", dict(spacing)),
        element("w:textAlignment", {"w:val": "baseline"}),
    ]
    return element("w:p", None, element("w:pPr", None, *properties), *inline.runs(part.runs[:1], look))


def layout_table(part: LayoutPart, contents: Sequence[Sequence[_Element]]) -> _Element:
    """`w:tbl` of one row. contents: of its cells, each with a paragraph at its end."""
    widths = [twips(cell.width) for cell in part.cells]
    properties = [element("w:tblW", {"w:w": sum(widths), "w:type": "dxa"})]
    if abs(part.indent) >= MEASURES.least:
        properties.append(element("w:tblInd", {"w:w": twips(part.indent), "w:type": "dxa"}))
    properties.append(element("w:tblLayout", {"w:type": "fixed"}))
    edges = [element(f"w:{side}", {"w:w": 0, "w:type": "dxa"}) for side in ("left", "right")]
    properties.append(element("w:tblCellMar", None, *edges))
    grid = element("w:tblGrid", None, *(element("w:gridCol", {"w:w": width}) for width in widths))
    cells = []
    for cell, width, content in zip(part.cells, widths, contents, strict=True):
        own = [element("w:tcW", {"w:w": width, "w:type": "dxa"}), *bordered("w:tcBorders", cell.sides)]
        if cell.shade:
            own.append(shading(cell.shade))
        margins = [
            element(f"w:{side}", {"w:w": twips(margin), "w:type": "dxa"})
            for side, margin in zip(("left", "right"), cell.margins, strict=True)
        ]
        own.append(element("w:tcMar", None, *margins))
        cells.append(element("w:tc", None, element("w:tcPr", None, *own), *content))
    height = element("w:trHeight", {"w:val": twips(part.height), "w:hRule": "atLeast"})
    row = element("w:tr", None, element("w:trPr", None, height), *cells)
    return element("w:tbl", None, element("w:tblPr", None, *properties), grid, row)
