"""Tables as CSV (RFC 4180) that is safe to open in a spreadsheet.

- Cells that a spreadsheet would take for a formula (they begin with = + - @, their full-width forms, or a tab) get an
  apostrophe in front; plain numbers, negative ones too, and lone dashes stay as they are.
- What another separator could split is quoted, so that a list separator of semicolons makes no new cells.
- UTF-8; a byte order mark stands in front where there is anything beyond ASCII, since Excel takes UTF-8 for the
  system's old character set without it, while plain files need none.
- A cell that covers several rows is repeated in each, a head that covers several columns in each of them; numbers
  stand once, as repeated ones would be summed twice. Line breaks inside cells become spaces: one row is one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Cell, Table

_FORMULA = re.compile(r"^[=+\-@＝＋－＠\t\r]")
_NUMBER = re.compile(r"^[+\-−]?(?:\d[\d.,'\u00a0\u202f ]*|[.,]\d+)(?:[eE][+\-]?\d+)?\s*[%‰]?$")
_DASHES = re.compile(r"^[+\-–—]+$")
_QUOTED = re.compile(r'[,;\t|"\'\r\n]|^\s|\s$')
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")


def write_csv(path: Path, tables: Iterable[Table]) -> Path:
    """Write tables below each other, an empty row between them; the path. Raises OSError."""
    lines: list[str] = []
    for table in tables:
        if lines:
            lines.append("")
        lines += [",".join(map(_field, row)) for row in grid_of(table)]
    if lines and lines[0].startswith("ID"):  # Excel takes a file that begins so for one of its own old kind, SYLK
        first, comma, rest = lines[0].partition(",")
        lines[0] = f'"{first}"{comma}{rest}'
    text = "".join(f"{line}\r\n" for line in lines)
    path.write_text(("" if text.isascii() else "\ufeff") + text, encoding="utf-8", newline="")
    return path


def grid_of(table: Table) -> list[list[str]]:
    """The texts of a table, row by row, every row with all columns."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        text = safe(_text(cell))
        for row, column in _places(cell, text):
            grid[row][column] = text
    return grid


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    if _FORMULA.match(text) and not _NUMBER.match(text) and not _DASHES.match(text):
        return "'" + text
    return text


def _places(cell: Cell, text: str) -> Sequence[tuple[int, int]]:
    if _NUMBER.match(text):
        return [(cell.row, cell.column)]
    across = cell.column_span if cell.header else 1
    return [(cell.row + r, cell.column + c) for r in range(cell.row_span) for c in range(across)]


def _text(cell: Cell) -> str:
    return _CONTROL.sub(" ", flowed_text(cell.lines)).strip()


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
