"""Tables as CSV (RFC 4180) that is safe to open in a spreadsheet, and which tables go into which file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from paperchute.engine.document.flow import flowed_text, with_merged_tables
from paperchute.engine.document.model import Cell, Page, Table
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _

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


def written_tables(work: Work) -> list[Path]:
    """By excelWorksheetOption a file for each table, for each page that has any, or one for the document.

    Several files are named after page and table. Tables that a page end broke are one, save in files a page (and with
    isOutputDocumentPerPage). Raises Refused 190007 without any table, and as `document_of` does.
    """
    whole = work.folder / output_name(work, "csv")
    per = work.text("excelWorksheetOption") or "e_ForTable"
    parted = work.flag("isOutputDocumentPerPage")
    found: list[tuple[str, list[Table]]] = []
    with document_of(work) as document:
        digits = len(str(document.facts.page_count))
        pages: Iterator[Page] = document.pages
        if per != "e_ForPage" and not parted:
            pages = with_merged_tables(pages)
        for page in pages:
            tables = [block.table for block in page.blocks if block.table is not None]
            name = f"-{page.number:0{digits}}"
            if per == "e_ForTable":
                found += [(f"{name}-{place}", [table]) for place, table in enumerate(tables, start=1)]
            elif tables and (per == "e_ForPage" or parted):
                found.append((name, tables))
            elif tables and found:
                found[0][1].extend(tables)
            elif tables:
                found.append(("", tables))
    if not found:
        raise Refused("190007", _no_table(work))
    if len(found) == 1 and not parted:
        return [write_csv(whole, found[0][1])]
    paths = [write_csv(whole.with_name(f"{whole.stem}{name}.csv"), tables) for name, tables in found]
    return list(dict.fromkeys(paths))


def _no_table(work: Work) -> str:
    name = work.sources[0].name
    if work.operation.startswith("img-") and ocr_options(work) is None:
        return _("There is no table in {name}: enableOcr 0 reads no text from a picture; send 1.", name=name)
    if not work.parameters.get("enableAiLayout", True):
        return _("There is no table in {name}: enableAiLayout 0 turns off what finds tables; send 1.", name=name)
    return _("There is no table in {name}, and CSV holds only tables.", name=name)
