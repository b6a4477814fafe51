"""A row of a table of receipts and invoices: what a document says of itself as cells, and what of it is open.

Only what is sure is a value. An amount that does not belong into a sum, since it is not sure itself, or its document
is no invoice, is text: no sum takes it for a number.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from paperchute.engine.extraction.findings import Findings, Found
from paperchute.engine.extraction.measures import BOUNDS
from paperchute.engine.extraction.vocabulary import plain
from paperchute.language import N_, _
from paperchute.notation.dates import FIRST_DAY
from paperchute.notation.document_kinds import DocumentKind
from paperchute.notation.numbers import MOST_DIGITS

AMOUNTS = ("net", "tax", "total")
HEADS: Mapping[str, str] = {
    "date": N_("Date"),
    "sender": N_("Sender"),
    "number": N_("Number"),
    "kind": N_("Kind"),
    "net": N_("Net"),
    "tax": N_("Tax"),
    "total": N_("Total"),
    "currency": N_("Currency"),
}
"""The columns of what a document says, by field, in their order."""

_KINDS: Mapping[DocumentKind, str] = {
    "invoice": N_("invoice"),
    "credit_note": N_("credit note"),
    "reminder": N_("reminder"),
    "receipt": N_("receipt"),
    "delivery_note": N_("delivery note"),
    "statement": N_("statement"),
    "contract": N_("contract"),
    "quotation": N_("quotation"),
    "order": N_("order"),
    "order_confirmation": N_("order confirmation"),
    "payslip": N_("payslip"),
    "insurance": N_("insurance document"),
    "letter": N_("letter"),
}
_ADDED = frozenset({"invoice", "credit_note", "receipt"})
"""Kinds whose amounts are added: a reminder, an order or a statement has those of another document."""

_NEEDED = ("date", "sender", "kind", "total", "currency")
"""What each such document has: where it was not found, somebody has to look. A receipt may have no number, and not
everybody charges tax."""


@dataclass(frozen=True, slots=True)
class RowSettings:
    """What a cell holds. Limits are those of spreadsheets."""

    most_candidates: int = 3
    """Values that a cell may have and shows; its comment has more of them."""


ROWS = RowSettings()


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, or what stands in its place. why: it is open, empty where it is not; then there is no value.

    is_rest: it is not printed, and is the total less the tax.
    """

    value: datetime.date | Decimal | str | None = None
    text: str = ""
    why: str = ""
    is_rest: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One document. remarks: why somebody should look at it, in sentences without an end; empty where nobody need."""

    name: str
    cells: Mapping[str, Cell] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def has_amounts(self) -> bool:
        """Whether it shows any, sure or open."""
        return any(self.cells[name] != Cell() for name in AMOUNTS if name in self.cells)

    def value(self, name: str) -> Any:
        """The value of a field, None for none."""
        return self.cells[name].value if name in self.cells else None


def row_of(name: str, found: Findings) -> Row:
    """Return what a document says. name: of its file."""
    cells = {field: _cell(field, getattr(found, field)) for field in HEADS}
    amounts = {field: cells[field] for field in AMOUNTS}
    remarks = []
    if why := _not_added(found, amounts):
        amounts = {field: _set_aside(cell, why) for field, cell in amounts.items()}
        remarks.append(_("not added: {why}", why=why))
    elif found.kind.value == "credit_note":
        amounts = {field: _taken_off(cell) for field, cell in amounts.items()}
    if found.kind.value not in (None, *_ADDED):  # which need have neither
        amounts = {field: cell if cell.text else Cell() for field, cell in amounts.items()}
        cells["currency"] = cells["currency"] if found.currency.candidates else replace(cells["currency"], why="")
    cells |= _with_rest(amounts, found.net)
    open_ = [field for field, cell in cells.items() if cell.why and getattr(found, field).value is None]
    unsure = [_(HEADS[field]) for field in open_ if cells[field].text]
    absent = [_(HEADS[field]) for field in open_ if not cells[field].text]
    if unsure:
        remarks.append(_("not sure: {fields}", fields=", ".join(unsure)))
    if absent:
        remarks.append(_("not found: {fields}", fields=", ".join(absent)))
    return Row(name, cells, tuple(remarks))


def unread_row(name: str, reason: str) -> Row:
    """The row of a document that could not be read."""
    return Row(name, remarks=(_("not read: {why}", why=reason[: BOUNDS.lines].rstrip(".")),))


def with_repeats(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows; of an invoice that is there twice, as paper and as data perhaps, only the first one is added."""
    added: dict[str, list[Row]] = {}
    for row in rows:
        number = plain(str(row.value("number") or ""))
        if not number or row.value("total") is None:
            yield row
            continue
        same = added.setdefault(number, [])
        first = next((one for one in same if _is_same(one, row)), None)
        if first is None:
            same.append(row)
            yield row
            continue
        why = _("it has the number of {name}", name=first.name)
        aside = {field: _set_aside(row.cells[field], why) for field in AMOUNTS}
        yield replace(row, cells={**row.cells, **aside}, remarks=(*row.remarks, _("not added: {why}", why=why)))


def _is_same(one: Row, other: Row) -> bool:
    """Tell whether two documents of one number, which have totals, are one: of one sender, or of one day and amount."""
    if (one.value("total") < 0) != (other.value("total") < 0):
        return False  # a credit note may have the number of what it takes back
    senders = [plain(str(row.value("sender") or "")) for row in (one, other)]
    said = [[row.value(field) for field in ("date", "total", "currency")] for row in (one, other)]
    return (bool(senders[0]) and senders[0] == senders[1]) or (None not in said[0] and said[0] == said[1])


def _cell(name: str, found: Found[Any]) -> Cell:
    if found.value is not None:
        value = _(_KINDS[found.value]) if name == "kind" else found.value
        why = _cannot_hold(value)
        return Cell(None, _shown([value]), why) if why else Cell(value)
    if found.candidates:
        values = [_(_KINDS[one.value]) if name == "kind" else one.value for one in found.candidates]
        return Cell(None, _shown(values), _(found.reason, **dict(found.said)))
    return Cell(None, "", _("nothing of the kind was found") if name in _NEEDED else "")


def _cannot_hold(value: object) -> str:
    """Return why a spreadsheet does not hold a value as it is; empty where it does."""
    if isinstance(value, Decimal) and len(value.as_tuple().digits) > MOST_DIGITS:
        return _("a workbook holds {most} digits", most=MOST_DIGITS)
    if isinstance(value, datetime.date) and value < FIRST_DAY:
        return _("a workbook knows days from {day} on", day=FIRST_DAY.isoformat())
    return ""


def _shown(values: Sequence[object]) -> str:
    """Return what a cell may have, as text that nobody takes for a value."""
    texts = list(dict.fromkeys(map(_written, values)))
    more = " …" if len(texts) > ROWS.most_candidates else ""
    return f"{' / '.join(texts[: ROWS.most_candidates])[: BOUNDS.lines]}{more} ?"


def _written(value: object) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _not_added(found: Findings, amounts: Mapping[str, Cell]) -> str:
    """Return why no amount of a document belongs into a sum; empty where they do."""
    kind = found.kind
    values = [cell.value for cell in amounts.values() if isinstance(cell.value, Decimal)]
    if kind.value is not None and kind.value not in _ADDED:
        return _("{kind}, no invoice", kind=_(_KINDS[kind.value]))
    if kind.value is None and values:
        return _("it is not sure what it is") if kind.candidates else _("nothing says what it is")
    if kind.value == "credit_note" and values and min(values) < 0 < max(values):
        return _("its amounts have both signs")
    return ""


def _set_aside(cell: Cell, why: str) -> Cell:
    return cell if cell.value is None else Cell(None, _shown([cell.value]), why)


def _taken_off(cell: Cell) -> Cell:
    """An amount of a credit note: some print their minus, others leave it to the title."""
    return replace(cell, value=-abs(cell.value)) if isinstance(cell.value, Decimal) else cell


def _with_rest(amounts: Mapping[str, Cell], net: Found[Decimal]) -> dict[str, Cell]:
    """The amounts; where tax and total are printed and no net is, as on most receipts, the net is what is left."""
    tax, total = amounts["tax"].value, amounts["total"].value
    if net.value is not None or net.candidates or not (isinstance(tax, Decimal) and isinstance(total, Decimal)):
        return dict(amounts)
    return {**amounts, "net": Cell(total - tax, is_rest=True)}
