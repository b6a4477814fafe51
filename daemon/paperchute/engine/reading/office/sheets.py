"""Workbooks (XLSX) as HTML: a page for each sheet, ruled tables for its cells, then the words of its drawings."""

from __future__ import annotations

import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet import _reader

from paperchute.engine.reading.office.drawings import chart_titles, diagram_html, paragraphs_of, parsed
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import WIDEST, Cell, page, table
from paperchute.engine.reading.office.number_formats import shown
from paperchute.engine.reading.office.package import relationships
from paperchute.engine.reading.symbol_fonts import in_font, symbols_of
from paperchute.engine.work import Refused
from paperchute.language import N_, _

_MOST_CELLS = 500_000  # of a workbook: a bound on time and memory
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


vars(_reader)["from_excel"] = _moment  # openpyxl itself writes #VALUE! in the place of such a number


def workbook_html(path: Path, name: str, left: LeftOut) -> str:
    """All sheets that are shown; formulas as the values they had when saved. Raises Refused 02209: too many cells."""
    with path.open("rb") as file:  # of a path openpyxl asks the suffix, which files of a task do not have
        book = openpyxl.load_workbook(file, data_only=True, rich_text=True)
    with zipfile.ZipFile(path) as archive:
        drawn = dict(_drawn(archive, left))
    sheets = []
    widest = _NARROWEST
    room = _MOST_CELLS
    for sheet in (book[title] for title in book.sheetnames):  # those that are a chart alone, too
        if sheet.sheet_state != "visible":
            left.aside(N_("hidden sheets"))
            continue
        grid = _grid(sheet)
        room -= len(grid.rows) * len(grid.columns)
        if room < 0:
            raise Refused(
                "02209", _("{name} has more than {most} cells; split it first.", name=name, most=f"{_MOST_CELLS:,}")
            )
        bands = list(_bands(grid))
        tables = "".join(table(_rows(grid, band)) for band in bands)
        sheets.append(f"<section><h1>{escape(sheet.title)}</h1>{tables}{drawn.get(sheet.title, '')}</section>")
        widest = max(widest, *(_width(grid, band) for band in bands), 0.0)
        if _hides(sheet, grid):
            left.seen_by_nobody(sheet.title)
    return page("".join(sheets), width=widest, height=842.0)


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
    if cells:
        for area in sheet.merged_cells.ranges:
            if (area.min_row, area.min_col) in cells:
                spans[area.min_row, area.min_col] = (area.max_row, area.max_col)
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


def _bands(grid: _Grid) -> Iterator[list[int]]:
    """The columns, in as many tables under each other as pages are too narrow for."""
    band: list[int] = []
    for column in grid.columns:
        if band and _width(grid, [*band, column]) > WIDEST:
            yield band
            band = []
        band.append(column)
    if band:
        yield band


def _width(grid: _Grid, band: Sequence[int]) -> float:
    """Points for all columns, the page's margins included."""
    return sum(grid.widths[column] for column in band) + _MARGINS


def _rows(grid: _Grid, band: Sequence[int]) -> Iterator[list[Cell]]:
    covered: set[tuple[int, int]] = set()
    for at, row in enumerate(grid.rows):
        cells = []
        for number, column in enumerate(band):
            if (row, column) in covered:
                continue
            cell = grid.cells.get((row, column))
            down, across = 1, 1
            if (row, column) in grid.spans:
                bottom, right = grid.spans[row, column]
                under = _until(grid.rows, at, bottom)
                beside = _until(band, number, right)
                down, across = len(under), len(beside)
                covered |= {(r, c) for r in under for c in beside}
            text = escape(_text(cell, grid.symbols)) if cell is not None else ""
            cells.append(Cell(text.replace("\n", "<br>"), across, down))
        yield cells


def _text(cell: Any, symbols: Mapping[int, str]) -> str:
    """What a cell shows; words may be in fonts of signs, as in `µm` whose first letter is an m in Symbol."""
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
    """Whether rows or columns with values are hidden."""
    rows = getattr(sheet, "row_dimensions", {})
    if any(row in rows and rows[row].hidden for row in grid.rows):
        return True
    hidden = [d for d in getattr(sheet, "column_dimensions", {}).values() if d.hidden]
    return any((d.min or 0) <= column <= (d.max or 0) for d in hidden for column in grid.columns)


def _drawn(archive: zipfile.ZipFile, left: LeftOut) -> Iterator[tuple[str, str]]:
    """The words of text boxes, charts and diagrams, by the titles of their sheets."""
    root = parsed(archive.read("xl/workbook.xml"))
    parts = relationships(archive, "xl/workbook.xml")
    for element in root.iter(f"{_MAIN}sheet") if root is not None else ():
        sheet = parts.get(element.get(f"{_RELATION}id", ""))
        if sheet is None or element.get("state", "visible") != "visible":
            continue
        if _UNKNOWN.search(archive.read(sheet.target)):
            left.without_values(element.get("name", ""))
        made = "".join(
            _drawing(archive, relation.target, left)
            for relation in relationships(archive, sheet.target).values()
            if relation.kind == "drawing"
        )
        if made:
            yield element.get("name", ""), made


def _drawing(archive: zipfile.ZipFile, part: str, left: LeftOut) -> str:
    root = parsed(archive.read(part))
    named = relationships(archive, part)
    if root is None:
        left.unread_drawing()
        return ""
    made = ""
    for body in root.iter(f"{_DRAWING}txBody"):
        if not any(etree.QName(above).localname == "Fallback" for above in body.iterancestors()):
            made += "".join(f"<p>{escape(text)}</p>" for text in paragraphs_of(body))
    for relation in named.values():
        if relation.kind == "chart":
            made += chart_titles(archive.read(relation.target))
        elif relation.kind in ("diagramData", "chartEx"):
            said = diagram_html(archive.read(relation.target)) if relation.kind == "diagramData" else ""
            if not said:
                left.unread_drawing()
            made += said
    return made
