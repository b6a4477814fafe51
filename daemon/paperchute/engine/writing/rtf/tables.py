"""Tables as RTF rows (section "Table Definitions")."""

from __future__ import annotations

from paperchute.engine.document.model import Style
from paperchute.engine.writing.office.fonts import natural_pitch
from paperchute.engine.writing.office.grid import CELL_MARGIN
from paperchute.engine.writing.office.parts import Align, GridCell, GridRow, TablePart
from paperchute.engine.writing.rtf.text import Text, twips

_ROW_ALIGN = {"left": "", "center": "\\trqc", "right": "\\trqr", "both": ""}
_BORDERS = "".join(f"\\clbrdr{side}\\brdrs\\brdrw10" for side in "tlbr")


def table(part: TablePart, text: Text, look: Style, place: str = "") -> str:
    """Rows one after the other. look: of running text. place: control words for a fixed place on the page."""
    rows = []
    open_cells: dict[int, tuple[GridCell, int]] = {}  # by first column: a cell from above and the rows it still covers
    for row in part.rows:
        rows.append(_row(row, part, open_cells, text, look, place))
    return "".join(rows)


def alignment(align: Align, rtl: bool = False) -> str:
    """Control words of an alignment. RTF's left is the left hand's, so right-to-left text starts at its right."""
    if rtl:
        return "\\rtlpar" + {"left": "\\qr", "center": "\\qc", "right": "\\ql", "both": "\\qj"}[align]
    return {"left": "\\ql", "center": "\\qc", "right": "\\qr", "both": "\\qj"}[align]


def line_spacing(pitch: float, font: str) -> str:
    """`\\sl` for a pitch, as a multiple of what the font's own line takes; nothing for single."""
    multiple = max(200, min(round(240 * pitch / natural_pitch(font)), 720)) if pitch else 240
    return f"\\sl{multiple}\\slmult1" if multiple != 240 else ""


def _row(
    row: GridRow,
    part: TablePart,
    open_cells: dict[int, tuple[GridCell, int]],
    text: Text,
    look: Style,
    place: str,
) -> str:
    cells: dict[int, tuple[GridCell, str]] = {}
    for column, (cell, left) in list(open_cells.items()):
        cells[column] = cell, "\\clvmrg"
        if left > 1:
            open_cells[column] = (cell, left - 1)
        else:
            del open_cells[column]
    for cell in row.cells:
        cells[cell.column] = cell, "\\clvmgf" if cell.row_span > 1 else ""
        if cell.row_span > 1:
            open_cells[cell.column] = (cell, cell.row_span - 1)
    gap = twips(CELL_MARGIN)
    head = f"\\trowd\\trgaph{gap}\\trleft{twips(part.indent)}{_ROW_ALIGN[part.align]}\\trkeep{place}"
    head += f"\\trpaddl{gap}\\trpaddr{gap}\\trpaddfl3\\trpaddfr3"
    head += "\\trhdr" if row.header else ""
    head += f"\\trrh{twips(row.height)}" if row.height else ""
    content = ""
    for column in sorted(cells):
        cell, merge = cells[column]
        edge = part.indent + sum(part.widths[: cell.column + cell.column_span])
        shade = f"\\clcbpat{text.color(cell.shade)}" if cell.shade else ""
        head += f"{merge}\\clvertalc{_BORDERS if part.bordered else ''}{shade}\\cellx{twips(edge)}"
        own = "" if merge == "\\clvmrg" else text.runs(cell.runs, look)
        spacing = line_spacing(cell.pitch, look.font)
        content += f"\\pard\\plain\\intbl{alignment(cell.align, cell.rtl)}{spacing} {own}\\cell\n"
    return f"{head}\n{content}\\row\n"
