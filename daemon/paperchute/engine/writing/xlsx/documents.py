"""The workbook of receipts and invoices: a row a document, and below them a sum of each currency.

Sums are formulas over what is a number in a row of their currency. So what somebody writes into a cell that was open is
added at once, and nothing of one currency is ever added to another.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name

from paperchute.engine.extraction.rows import AMOUNTS, HEADS, Cell, Row
from paperchute.engine.writing.xlsx.sheet import AUTHOR, CELL_TEXT, FORMULA_STARTS, HEAD, RULE, cleaned
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class DocumentTableSettings:
    """How the table looks. Widths are characters, as spreadsheets count them."""

    widest: float = 40.0
    """Of a column: longer texts are wrapped, so that all columns are on a screen."""

    note: tuple[float, float] = (2.0, 1.5)
    """Of a comment's box, times Excel's own: so that the reasons and candidates are seen without scrolling."""


DOCUMENT_TABLE = DocumentTableSettings()

_OPEN = "#FFE699"
"""Behind what somebody has to look at: it is seen in print without colours, too."""
_DAY = "yyyy-mm-dd"
_LEFT = {"align": "left"}
_ALIGNED: Mapping[str, dict[str, Any]] = {
    **{name: {"align": "right"} for name in AMOUNTS},
    "currency": {"align": "left", "indent": 1},
}
"""How a column stands: figures end at its edge, so what is right of them keeps away from it."""
_COLUMNS = {name: number for number, name in enumerate(HEADS)}
_FILE = len(HEADS)
_REMARKS = _FILE + 1


def write_documents(path: Path, rows: Sequence[Row], links: Sequence[str]) -> None:
    """Write the workbook. links: of each row where its document lies, as the workbook has it; empty for none.

    Raises OSError.
    """
    book = xlsxwriter.Workbook(str(path), {"default_date_format": _DAY})
    try:
        _Table(book, book.add_worksheet(_("Documents"))).write(rows, links)
    finally:
        book.close()


@dataclass(slots=True)
class _Table:
    book: Any
    sheet: Any
    _formats: dict[tuple[tuple[str, Any], ...], Any] = field(default_factory=dict)
    _widths: dict[int, int] = field(default_factory=dict)
    _wrapped: dict[tuple[int, int], int] = field(default_factory=dict)

    def write(self, rows: Sequence[Row], links: Sequence[str]) -> None:
        for column, head in enumerate([*map(_, HEADS.values()), _("File"), _("To check")]):
            shape = _ALIGNED.get([*HEADS, "", ""][column], _LEFT)
            self._text(0, column, head, {"bold": True, "bg_color": HEAD} | shape)
        for number, (row, link) in enumerate(zip(rows, links, strict=True), start=1):
            self._row(number, row, link)
        last = len(rows) + 1  # and one that is empty, so that a document that is added there is in the sums
        self._sums(last + 1, rows, f"${last + 1}")
        self.sheet.autofilter(0, 0, len(rows), _REMARKS)
        self.sheet.freeze_panes(1, 0)
        self.sheet.repeat_rows(0)
        self.sheet.set_landscape()
        self.sheet.fit_to_pages(1, 0)
        self._fit()

    def _fit(self) -> None:
        """Set the widths of columns, and the heights of rows in which a text is wrapped: not every program does."""
        factor, more = CELL_TEXT.spare
        lines: dict[int, int] = {}
        for column, longest in self._widths.items():
            width = min(max(longest * factor + more, CELL_TEXT.least_column), DOCUMENT_TABLE.widest)
            self.sheet.set_column(column, column, width)
            for (row, place), length in self._wrapped.items():
                if place == column:
                    lines[row] = max(lines.get(row, 1), math.ceil(length * factor / width))
        for row, count in lines.items():
            if count > 1:
                self.sheet.set_row(row, min(count * CELL_TEXT.row_height, CELL_TEXT.tallest))

    def _row(self, number: int, row: Row, link: str) -> None:
        look: dict[str, Any] = {"valign": "top", "border": 1, "border_color": RULE}
        for name, column in _COLUMNS.items():
            cell = row.cells.get(name, Cell())
            self._cell(number, column, name, cell, look | self._marked(bool(cell.why or not row.cells)))
        self._link(number, row.name, link, look | self._marked(not row.cells))
        remarks = "; ".join(row.remarks)
        self._text(number, _REMARKS, remarks, look | self._marked(bool(remarks)) | {"text_wrap": True})

    def _marked(self, is_open: bool) -> dict[str, Any]:
        return {"bg_color": _OPEN} if is_open else {}

    def _cell(self, row: int, column: int, name: str, cell: Cell, look: dict[str, Any]) -> None:
        value = cell.value
        if isinstance(value, Decimal):
            shape = self._format(**look, num_format=_money(value))
            if cell.is_rest:
                tax, total = (f"{xl_col_to_name(_COLUMNS[other])}{row + 1}" for other in ("tax", "total"))
                self.sheet.write_formula(row, column, f"={total}-{tax}", shape, float(value))
            else:
                self.sheet.write_number(row, column, float(value), shape)
            self._widen(column, f"{value:,.2f}")
        elif isinstance(value, datetime.date):
            self.sheet.write_datetime(row, column, value, self._format(**look, num_format=_DAY, align="left"))
            self._widen(column, value.isoformat())
        else:
            shape = look | {"text_wrap": True} | _ALIGNED.get(name, _LEFT)
            self._text(row, column, value or cell.text, shape, cell.why)

    def _link(self, row: int, name: str, link: str, look: dict[str, Any]) -> None:
        if link and len(link) <= CELL_TEXT.longest_address:
            shape = self._format(**look, text_wrap=True, font_color="#0563C1", underline=1)
            self.sheet.write_url(row, _FILE, f"external:{link}", shape, cleaned(name)[: CELL_TEXT.longest_text])
            self._wrap(row, _FILE, name)
        else:
            self._text(row, _FILE, name, look | {"text_wrap": True})

    def _sums(self, first: int, rows: Sequence[Row], last: str) -> None:
        """A row for each currency, and how many documents somebody has to look at. last: row of the sums' ranges."""
        currencies = {row.value("currency"): None for row in rows if row.has_amounts}
        look: dict[str, Any] = {"bold": True, "top": 1, "border_color": RULE}
        added = [str(currency) for currency in currencies if currency]
        names = {place: name for name, place in _COLUMNS.items()}
        code = xl_col_to_name(_COLUMNS["currency"])
        for number, currency in enumerate(added, start=first):
            for column in range(_REMARKS + 1):
                self.sheet.write_blank(number, column, None, self._format(**look))
            self._text(number, _COLUMNS["sender"], _("Sum {currency}", currency=currency), look)
            self._text(number, _COLUMNS["currency"], currency, look | _ALIGNED["currency"])
            for column in (_COLUMNS[name] for name in AMOUNTS):
                values = [row.value(names[column]) for row in rows if row.value("currency") == currency]
                total = sum((value for value in values if isinstance(value, Decimal)), Decimal())
                letter = xl_col_to_name(column)
                formula = f"=SUMIFS({letter}$2:{letter}{last},${code}$2:${code}{last},${code}{number + 1})"
                shape = self._format(**look, num_format=_money(total))
                self.sheet.write_formula(number, column, formula, shape, float(total))
                self._widen(column, f"{total:,.2f}")
        if looked_at := sum(bool(row.remarks) for row in rows):
            letter, told = xl_col_to_name(_REMARKS), _("Documents to check")
            shape = self._format(bold=True, align="left", num_format=f'"{told.replace(chr(34), "")}: "0')
            self.sheet.write_formula(first, _REMARKS, f"=COUNTA({letter}$2:{letter}{last})", shape, looked_at)

    def _text(self, row: int, column: int, text: str, look: dict[str, Any], why: str = "") -> None:
        """A text, whatever it looks like; why: its comment, empty for none."""
        text = cleaned(text)[: CELL_TEXT.longest_text]
        shape = self._format(**look, **{"quote_prefix": True} if text.startswith(FORMULA_STARTS) else {})
        if text:
            self.sheet.write_string(row, column, text, shape)
        else:
            self.sheet.write_blank(row, column, None, shape)
        if why:
            across, down = DOCUMENT_TABLE.note
            size = {"author": AUTHOR, "x_scale": across, "y_scale": down}
            self.sheet.write_comment(row, column, cleaned(why)[: CELL_TEXT.longest_text], size)
        self._wrap(row, column, text)

    def _wrap(self, row: int, column: int, text: str) -> None:
        """Note a text that takes several lines where its column is too narrow."""
        self._wrapped[row, column] = len(text)
        self._widen(column, text)

    def _widen(self, column: int, text: str) -> None:
        self._widths[column] = max(self._widths.get(column, 0), len(text))

    def _format(self, **look: Any) -> Any:
        key = tuple(sorted(look.items()))
        if key not in self._formats:
            self._formats[key] = self.book.add_format(look)
        return self._formats[key]


def _money(value: Decimal) -> str:
    """The number format of an amount: two decimals, or as many as it has."""
    exponent = value.as_tuple().exponent
    decimals = max(2, -exponent if isinstance(exponent, int) else 0)
    digits = f"#,##0.{'0' * decimals}"
    return f"{digits};[Red]-{digits}"
