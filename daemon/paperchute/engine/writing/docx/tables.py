"""Tables in Word's form (ECMA-376 part 1, 17.4)."""

from __future__ import annotations

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.inline import Inline
from paperchute.engine.writing.docx.styles import line_multiple
from paperchute.engine.writing.docx.xml import element, flag, shading, twips
from paperchute.engine.writing.office.grid import CELL_MARGIN
from paperchute.engine.writing.office.parts import GridCell, GridRow, TablePart

_SIDES = ("top", "left", "bottom", "right", "insideH", "insideV")


def table(part: TablePart, inline: Inline, look: Style) -> _Element:
    """`w:tbl`. look: of running text."""
    widths = [twips(width) for width in part.widths]
    properties = [element("w:tblW", {"w:w": sum(widths), "w:type": "dxa"})]
    if part.align != "left":
        properties.append(element("w:jc", {"w:val": "center" if part.align == "center" else "right"}))
    elif part.indent >= 1:
        properties.append(element("w:tblInd", {"w:w": twips(part.indent), "w:type": "dxa"}))
    if part.bordered:
        line = {"w:val": "single", "w:sz": 4, "w:space": 0, "w:color": "auto"}
        properties.append(element("w:tblBorders", None, *(element(f"w:{side}", dict(line)) for side in _SIDES)))
    properties.append(element("w:tblLayout", {"w:type": "fixed"}))
    edges = [element(f"w:{side}", {"w:w": twips(CELL_MARGIN), "w:type": "dxa"}) for side in ("left", "right")]
    properties.append(element("w:tblCellMar", None, *edges))
    grid = element("w:tblGrid", None, *(element("w:gridCol", {"w:w": width}) for width in widths))
    rows = []
    open_cells: dict[int, tuple[GridCell, int]] = {}  # by first column: a cell from above and the rows it still covers
    for row in part.rows:
        rows.append(_row(row, widths, open_cells, inline, look))
    return element("w:tbl", None, element("w:tblPr", None, *properties), grid, *rows)


def _row(
    row: GridRow, widths: list[int], open_cells: dict[int, tuple[GridCell, int]], inline: Inline, look: Style
) -> _Element:
    cells: dict[int, _Element] = {}
    for column, (cell, left) in list(open_cells.items()):
        cells[column] = _cell(cell, widths, [], "continue", look)
        if left > 1:
            open_cells[column] = (cell, left - 1)
        else:
            del open_cells[column]
    for cell in row.cells:
        content = inline.runs(cell.runs, look)
        cells[cell.column] = _cell(cell, widths, content, "restart" if cell.row_span > 1 else "", look)
        if cell.row_span > 1:
            open_cells[cell.column] = (cell, cell.row_span - 1)
    properties = [element("w:cantSplit")]
    if row.height:
        properties.append(element("w:trHeight", {"w:val": twips(row.height), "w:hRule": "atLeast"}))
    properties += flag("w:tblHeader", row.header)
    return element("w:tr", None, element("w:trPr", None, *properties), *(cells[column] for column in sorted(cells)))


def _cell(cell: GridCell, widths: list[int], content: list[_Element], merge: str, look: Style) -> _Element:
    properties = [element("w:tcW", {"w:w": sum(widths[cell.column : cell.column + cell.column_span]), "w:type": "dxa"})]
    if cell.column_span > 1:
        properties.append(element("w:gridSpan", {"w:val": cell.column_span}))
    if merge:
        properties.append(element("w:vMerge", {"w:val": "restart"} if merge == "restart" else {}))
    if cell.shade:
        properties.append(shading(cell.shade))
    properties.append(element("w:vAlign", {"w:val": "center"}))
    line = {"w:before": 0, "w:after": 0, "w:line": line_multiple(cell.pitch, look.font), "w:lineRule": "auto"}
    paragraph = [*flag("w:bidi", cell.rtl), element("w:spacing", dict(line))]
    if cell.align != "left":
        paragraph.append(element("w:jc", {"w:val": cell.align}))
    holder = element("w:pPr", None, *paragraph)
    return element("w:tc", None, element("w:tcPr", None, *properties), element("w:p", None, holder, *content))
