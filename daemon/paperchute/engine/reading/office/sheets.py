"""Workbooks (XLSX) as HTML: a page for each sheet, a ruled table for its cells."""

from __future__ import annotations

import datetime
from html import escape
from pathlib import Path
from typing import Any

import openpyxl

from paperchute.engine.reading.office.markup import Cell, page, table
from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_CELLS = 500_000  # of a workbook: a bound on time and memory
_CHARACTER = 5.6  # points: column widths are in characters
_USUAL_WIDTH = 9.0  # characters of a column whose width the file does not say
_NARROWEST = 595.0  # points: ISO 216 A4
_WIDEST = 14_000.0  # points: PDF readers show no page beyond 14,400 (ISO 32000-1, annex C)


def workbook_html(path: Path, name: str) -> str:
    """All sheets that are shown; formulas as the values they had when saved. Raises Refused 02209: too many cells."""
    with path.open("rb") as file:  # of a path openpyxl asks the suffix, which files of a task do not have
        book = openpyxl.load_workbook(file, data_only=True)
    sheets = []
    widest = _NARROWEST
    room = _MOST_CELLS
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        room -= sheet.max_row * sheet.max_column
        if room < 0:
            raise Refused(
                "02209", _("{name} has more than {most} cells; split it first.", name=name, most=f"{_MOST_CELLS:,}")
            )
        sheets.append(f"<section><h1>{escape(sheet.title)}</h1>{_table(sheet)}</section>")
        widest = max(widest, _width(sheet))
    return page("".join(sheets), width=min(widest, _WIDEST), height=842.0)


def _table(sheet: Any) -> str:
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    covered: set[tuple[int, int]] = set()
    for area in sheet.merged_cells.ranges:
        top, left = area.min_row, area.min_col
        bottom, right = min(area.max_row, sheet.max_row), min(area.max_col, sheet.max_column)
        spans[top, left] = (bottom - top + 1, right - left + 1)
        covered |= {(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)} - {
            (top, left)
        }
    used = [row for row in sheet.iter_rows() if any(cell.value is not None for cell in row)]
    if not used:
        return ""
    first = min(next(n for n, cell in enumerate(row) if cell.value is not None) for row in used)
    last = max(n for row in used for n, cell in enumerate(row) if cell.value is not None)
    rows = []
    for row in used:
        cells = []
        for cell in row[first : last + 1]:
            place = (cell.row, cell.column)
            if place in covered:
                continue
            down, across = spans.get(place, (1, 1))
            cells.append(
                Cell(
                    escape(_shown(cell.value, cell.number_format)),
                    across,
                    down if down == 1 else _used(used, cell.row, down),
                )
            )
        rows.append(cells)
    return table(rows)


def _used(rows: list[Any], row: int, down: int) -> int:
    """How many of the rows that a merged cell covers are shown."""
    shown: list[int] = [other[0].row for other in rows]
    return max(sum(row <= number < row + down for number in shown), 1)


def _width(sheet: Any) -> float:
    """Points for all columns, the page's margins included."""
    own: list[float] = [sheet.column_dimensions[letter].width or _USUAL_WIDTH for letter in sheet.column_dimensions]
    columns = int(sheet.max_column)
    rest = max(columns - len(own), 0) * _USUAL_WIDTH
    return _CHARACTER * (sum(own) + rest) + 10.0 * columns + 72.0


def _shown(value: object, form: str) -> str:
    """A value as a person reads it."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case datetime.datetime():
            return f"{value:%Y-%m-%d}" if value.time() == datetime.time() else f"{value:%Y-%m-%d %H:%M}"
        case int() | float() if "%" in form:
            return f"{round(value * 100, 6):g}%"
        case float():
            return f"{round(value, 10):.15g}"
        case _:
            return str(value)
