"""Workbooks (XLSX) as HTML: a page for each sheet, ruled tables for its cells, then the words of its drawings."""

from __future__ import annotations

import mimetypes
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import openpyxl
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet import _reader
from openpyxl.worksheet.cell_range import CellRange, MultiCellRange

from paperchute.engine.reading.office.drawings import chart_words, diagram_html, has_shapes, paragraphs_of, parsed
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import MOST_CELLS, WIDEST, Cell, page, picture, table
from paperchute.engine.reading.office.number_formats import shown
from paperchute.engine.reading.office.package import Relationship, relationships
from paperchute.engine.reading.office.sheet_controls import controls_of
from paperchute.engine.reading.symbol_fonts import in_font, symbols_of
from paperchute.engine.work import Refused
from paperchute.language import N_, _

_MANY_LETTERS, _LETTERS_A_BYTE = 1_000_000, 50
"""Of all cells' text, by the size of the file: a text stands in it once, however many cells show it."""
_CHARACTER = 5.6  # points: column widths are in characters
_USUAL_WIDTH = 9.0  # characters of a column whose width the file does not say
_PADDING = 10.0  # points of a cell, its rules included
_MARGINS = 72.0  # points of a page
_NARROWEST = 595.0  # points: ISO 216 A4
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_UNKNOWN = re.compile(
    rb"""<c\b(?![^<>]*\bt="str")[^<>]*><f\b(?:[^<>]*/>|[^<>]*>[^<>]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"""
)
"""A formula without the value that it gave: what a program writes that does not calculate."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _moment(value: float, *how: Any, **more: Any) -> Any:
    """A day or time, or the number itself where it is beyond the calendar: a person looks for what was typed."""
    try:
        return from_excel(value, *how, **more)
    except (OverflowError, ValueError):
        return value


def _merge(reader: Any) -> None:
    """Note a sheet's merged areas, which may be the whole sheet; openpyxl itself makes a cell of each place in them."""
    found = reader.parser.merged_cells
    if found:
        reader.ws.merged_cells = MultiCellRange([CellRange(area.ref) for area in found.mergeCell])


_OWN = (
    (_reader, "from_excel", _moment),  # openpyxl itself writes #VALUE! in the place of such a number
    (_reader.WorksheetReader, "bind_merged_cells", _merge),
    # Links are not read; openpyxl itself makes a cell of each place that one covers, which may be the whole sheet.
    (_reader.WorksheetReader, "bind_hyperlinks", lambda _reader: None),
)
"""What openpyxl does otherwise while the engine reads a workbook."""


def _loaded(file: IO[bytes]) -> Any:
    """Read a workbook with `_OWN`; whatever else uses openpyxl in this process finds it as it is."""
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in _OWN]
    try:
        for owner, name, own in _OWN:
            setattr(owner, name, own)
        return openpyxl.load_workbook(file, data_only=True, rich_text=True)
    finally:
        for owner, name, theirs in kept:
            setattr(owner, name, theirs)


def workbook_html(path: Path, name: str, left: LeftOut) -> str:
    """All sheets that are shown; formulas as the values they had when saved.

    Raises Refused 02209: too many cells, or a text that far too many show.
    """
    with zipfile.ZipFile(path) as archive:
        _check_sheets(archive)
    with path.open("rb") as file:  # of a path openpyxl asks the suffix, which files of a task do not have
        book = _loaded(file)
    with zipfile.ZipFile(path) as archive:
        drawn = dict(_drawn(archive, left))
    sheets = []
    widest = _NARROWEST
    room, letters = MOST_CELLS, _MANY_LETTERS + _LETTERS_A_BYTE * path.stat().st_size
    for sheet in (book[title] for title in book.sheetnames):  # those that are a chart alone, too
        if sheet.sheet_state != "visible":
            left.aside(N_("hidden sheets"))
            continue
        grid = _grid(sheet)
        room -= len(grid.rows) * len(grid.columns)
        if room < 0:
            raise Refused(
                "02209", _("{name} has more than {most} cells; split it first.", name=name, most=f"{MOST_CELLS:,}")
            )
        letters -= sum(_length(cell.value) for cell in grid.cells.values())
        if letters < 0:
            raise Refused("02209", _("{name} unpacks to far more than a file of its size holds.", name=name))
        made = table(_rows(grid)) + drawn.get(sheet.title, "")
        sheets.append(f"<section><h1>{escape(sheet.title)}</h1>{made}</section>")
        widest = max(widest, sum(grid.widths.values()) + _MARGINS)
        if _hides(sheet, grid):
            left.seen_by_nobody(sheet.title)
    return page("".join(sheets), width=min(widest, WIDEST), height=842.0)


def _length(value: Any) -> int:
    """The letters of a text; each of its pieces in a font of its own takes as long as ten."""
    if isinstance(value, CellRichText):
        return len(str(value)) + 10 * len(value)
    return len(value) if isinstance(value, str) else 0


def _check_sheets(archive: zipfile.ZipFile) -> None:
    """Check that each sheet of a workbook is a part of its own.

    Raises ValueError: none but a damaged file names one twice, and openpyxl would read it as often.
    """
    named = [sheet.target for _, sheet in _sheets(archive)]
    if len(set(named)) < len(named):
        raise ValueError("a sheet is named twice")


def _sheets(archive: zipfile.ZipFile) -> Iterator[tuple[Any, Relationship]]:
    """The elements of a workbook that name sheets, and what they name, as far as that is there."""
    root = parsed(archive.read("xl/workbook.xml"))
    parts = relationships(archive, "xl/workbook.xml")
    for element in root.iter(f"{_MAIN}sheet") if root is not None else ():
        if (sheet := parts.get(element.get(f"{_RELATION}id", ""))) is not None:
            yield element, sheet


class _Grid(NamedTuple):
    """What a sheet holds: its cells with values by (row, column), and the rows and columns that have any.

    spans: the merged areas by their first cell, as (last row, last column). widths: of columns, in points. symbols: of
    the book's fonts, by number, those of signs.
    """

    cells: dict[tuple[int, int], Any]
    rows: list[int]
    columns: list[int]
    spans: dict[tuple[int, int], tuple[int, int]]
    widths: dict[int, float]
    symbols: Mapping[int, str]


def _grid(sheet: Any) -> _Grid:
    cells = {place: cell for place, cell in getattr(sheet, "_cells", {}).items() if cell.value is not None}
    spans = {}
    covered: set[tuple[int, int]] = set()
    places = np.array(list(cells)).reshape(-1, 2)
    for area in sheet.merged_cells.ranges if cells else ():
        start, end = (area.min_row, area.min_col), (area.max_row, area.max_col)
        if start in cells:
            spans[start] = end
        within = places[((places >= start) & (places <= end)).all(axis=1)]
        covered |= {place for place in map(tuple, within.tolist()) if place != start}
    cells = {place: cell for place, cell in cells.items() if place not in covered}
    columns = sorted({column for _, column in cells})
    widths = dict.fromkeys(columns, _USUAL_WIDTH)
    for dimension in getattr(sheet, "column_dimensions", {}).values():
        first, last = dimension.min or 0, dimension.max or 0
        if dimension.width:
            widths |= {column: float(dimension.width) for column in columns if first <= column <= last}
    points = {column: _CHARACTER * min(width, 255.0) + _PADDING for column, width in widths.items()}
    fonts = {number: font.name or "" for number, font in enumerate(sheet.parent._fonts)}
    symbols = {number: name for number, name in fonts.items() if symbols_of(name)}
    return _Grid(cells, sorted({row for row, _ in cells}), columns, spans, points, symbols)


def _rows(grid: _Grid) -> Iterator[list[Cell]]:
    covered: set[tuple[int, int]] = set()
    for at, row in enumerate(grid.rows):
        cells = []
        for number, column in enumerate(grid.columns):
            if (row, column) in covered:
                continue
            cell = grid.cells.get((row, column))
            down, across = 1, 1
            if (row, column) in grid.spans:
                bottom, right = grid.spans[row, column]
                under = _until(grid.rows, at, bottom)
                beside = _until(grid.columns, number, right)
                down, across = len(under), len(beside)
                covered |= {(r, c) for r in under for c in beside}
            text = escape(_text(cell, grid.symbols)) if cell is not None else ""
            cells.append(Cell(text.replace("\n", "<br>"), across, down))
        yield cells


def _text(cell: Any, symbols: Mapping[int, str]) -> str:
    """Return what a cell shows; words may be in fonts of signs, as in `µm` whose first letter is an m in Symbol."""
    usual = symbols.get(cell._style.fontId, "") if symbols else ""
    if isinstance(cell.value, CellRichText):
        return "".join(
            in_font(part.text, part.font.rFont or usual) if isinstance(part, TextBlock) else in_font(part, usual)
            for part in cell.value
        )
    text = shown(cell.value, cell.number_format)
    return in_font(text, usual) if isinstance(cell.value, str) else text


def _until(places: Sequence[int], at: int, last: int) -> Sequence[int]:
    """The places from `at` on, as far as `last`; one at least."""
    return places[at : max(bisect_right(places, last), at + 1)]


def _hides(sheet: Any, grid: _Grid) -> bool:
    """Decide whether rows or columns with values are hidden."""
    rows = getattr(sheet, "row_dimensions", {})
    if any(row in rows and rows[row].hidden for row in grid.rows):
        return True
    hidden = [d for d in getattr(sheet, "column_dimensions", {}).values() if d.hidden]
    return any((d.min or 0) <= column <= (d.max or 0) for d in hidden for column in grid.columns)


def _drawn(archive: zipfile.ZipFile, left: LeftOut) -> Iterator[tuple[str, str]]:
    """The words of text boxes, fields, charts and diagrams, by the titles of their sheets."""
    shown_ones = [named for named in _sheets(archive) if named[0].get("state", "visible") == "visible"]
    titles = {element.get("name", "") for element, _sheet in shown_ones}
    for element, sheet in shown_ones:
        left.place = element.get("name", "")
        if _UNKNOWN.search(archive.read(sheet.target)):
            left.without_values(element.get("name", ""))
        related = relationships(archive, sheet.target).values()
        controls = [
            control
            for relation in related
            if relation.kind == "vmlDrawing"
            for control in controls_of(archive, relation.target, left)
        ]
        made = "".join(
            _drawing(archive, relation.target, titles, {control.label for control in controls}, left)
            for relation in related
            if relation.kind == "drawing"
        )
        made += "".join(f"<p>{c.mark} {escape(c.label)}{c.picture}</p>" for c in controls)
        if made:
            yield element.get("name", ""), made


def _drawing(archive: zipfile.ZipFile, part: str, titles: set[str], labels: set[str], left: LeftOut) -> str:
    """Give what a drawing says. titles: of the sheets that are read. labels: of fields, which stand in it once more."""
    root = parsed(archive.read(part))
    named = relationships(archive, part)
    if root is None:
        left.unread_drawing()
        return ""
    made = ""
    for body in root.iter(f"{_DRAWING}txBody"):
        if not any(etree.QName(above).localname == "Fallback" for above in body.iterancestors()):
            made += "".join(f"<p>{escape(text)}</p>" for text in paragraphs_of(body) if text.strip() not in labels)
    for relation in named.values():
        if relation.kind == "image":
            kind = mimetypes.guess_type(relation.target)[0] or ""
            shown = picture(archive.read(relation.target), kind)
            if not shown:
                left.unread_picture()
            made += shown
        elif relation.kind == "chart":
            content = archive.read(relation.target)
            said, is_all = chart_words(content, titles)
            made += said
            if has_shapes(content) or not is_all:
                left.unread_drawing()
        elif relation.kind in ("diagramData", "chartEx"):
            said = diagram_html(archive.read(relation.target)) if relation.kind == "diagramData" else ""
            if not said:
                left.unread_drawing()
            made += said
    return made
