"""The lines of an invoice or receipt: a table under its head, or amounts beside words; sure where they add up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.extraction.amounts import Amount, amounts_in, as_printed, percents_in
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.entries import Role, role_of
from paperchute.engine.extraction.findings import Candidate, Evidence, Found, LineItem, sure, unsure
from paperchute.engine.extraction.lookup import COLUMNS, is_head
from paperchute.engine.extraction.measures import BOUNDS, ROUNDING
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.language import N_
from paperchute.notation.numbers import MOST_DIGITS, figure


@dataclass(frozen=True, slots=True)
class ItemSettings:
    """How the lines of a table are read."""

    gap: float = 5.0
    """Times the size of type between two rows of one table: more is a new part of the page."""

    wrapped: float = 0.7
    """Times the size of type between the lines of one description: more is none of it."""


ITEMS = ItemSettings()


_COUNTED = ("delivery_note", "order", "order_confirmation")
"""Kinds whose lines may have quantities and no amounts; any table of numbers beside names looks like them."""

_TIMES = re.compile(
    r"(?P<before>\d{1,4})\s*[x×*]\s+(?P<words>\S.*)|(?P<words2>\S.*?)\s+(?P<behind>\d{1,4})\s*[x×*@]\s*", re.IGNORECASE
)


_COUNT = re.compile(r"(?P<count>[1-9]\d{0,2})\s+(?P<words>[^\W\d].*)")


@dataclass(slots=True)
class _Column:
    role: str
    box: Box


@dataclass(slots=True)
class _Line:
    """What stands in a row of the table, by column."""

    pieces: dict[str, list[Piece]] = field(default_factory=dict)

    def text(self, role: str) -> str:
        return " ".join(piece.text.strip() for piece in self.pieces.get(role, ())).strip()


def lines_of(sheets: Iterable[Sheet], mark: str) -> list[LineItem]:
    """The lines of the tables of items. mark: the document's decimal mark, empty where it does not tell."""
    found: list[LineItem] = []
    for sheet in sheets:
        columns: list[_Column] = []
        below = last = 0.0
        for row in sheet.rows:
            if is_head(row):
                columns, below = _columns(row), row.whole.box.bottom
                continue
            if not columns or len(found) >= BOUNDS.lines:
                continue
            if row.whole.box.top - below > ITEMS.gap * row.whole.size or _ends(row):
                columns = []
                continue
            if _first_role(row) in ("adjustment", "paid"):  # what is carried forward, or taken off
                below = row.whole.box.bottom
                continue
            below = row.whole.box.bottom
            if _take(row, columns, mark, found, row.whole.box.top - last <= ITEMS.wrapped * row.whole.size):
                last = below
    return found


def _columns(row: Row) -> list[_Column]:
    """The columns that a head names, each with the place of its name; a name is that of one column."""
    found: list[_Column] = []
    taken: set[str] = set()
    for piece in row.pieces:
        for label in piece.labels:
            roles = [role for role in COLUMNS if label.means(role) and role not in taken]
            if not roles:
                continue
            last = piece is row.pieces[-1] and label is piece.labels[-1]
            role = "amount" if last and "amount" in roles else roles[0]
            taken.add(role)
            tokens = piece.tokens[label.first : label.after]
            found.append(_Column(role, hull(token.box for token in tokens)))
    return found


def _first_role(row: Row) -> Role | None:
    """Return what the labels at the beginning of a row make of it."""
    return role_of([label for label in row.pieces[0].labels if label.first <= 2])


def _ends(row: Row) -> bool:
    """Decide whether a row is the first of the sums."""
    role = _first_role(row)
    has_figures = any(map(str.isdecimal, row.whole.text))
    has_amounts = any(True for piece in row.pieces for _ in amounts_in(piece))
    return role not in (None, "adjustment", "paid") and (has_amounts or not has_figures)


def _take(row: Row, columns: Sequence[_Column], mark: str, found: list[LineItem], close: bool) -> bool:
    """One row of the table; whether it belongs to an item. close: it follows the last one as lines of a text do."""
    line = _Line()
    for piece in row.pieces:
        line.pieces.setdefault(_nearest(piece.box, columns), []).append(piece)
    amount = _money(line.pieces.get("amount", ()), mark)
    description = line.text("description")
    evidence = row.whole.evidence()
    quantity = _number(line.text("quantity").split(), mark)
    if amount is None and quantity is None:
        if close and found and description and len(line.pieces) == 1:  # a description that goes on
            before = found[-1]
            found[-1] = _with(before, f"{before.description} {description}", evidence)
            return True
        return False
    unit = line.text("unit") or " ".join(word for word in line.text("quantity").split()[1:] if word.isalpha())
    rate = next(iter(percents_in(line.text("rate"))), None)
    price = _money(line.pieces.get("price", ()), mark)
    found.append(LineItem(description, quantity, unit, price, rate, amount, (evidence,)))
    return True


def _with(item: LineItem, description: str, evidence: Evidence) -> LineItem:
    return LineItem(
        description, item.quantity, item.unit, item.price, item.rate, item.amount, (*item.evidence, evidence)
    )


def _nearest(box: Box, columns: Sequence[_Column]) -> str:
    """The column whose name stands over a piece, else the one whose edge is nearest."""

    def distance(column: _Column) -> tuple[float, float]:
        apart = max(column.box.left - box.right, box.left - column.box.right, 0.0)
        return apart, min(abs(column.box.left - box.left), abs(column.box.right - box.right))

    return min(columns, key=distance).role


def _money(pieces: Iterable[Piece], mark: str) -> Decimal | None:
    found: list[Amount] = [amount for piece in pieces for amount in amounts_in(piece)]
    chosen = [amount for amount in found if amount.is_money] or found
    return chosen[-1].value(mark) if chosen else None


def _number(words: Sequence[str], mark: str) -> Decimal | None:
    read = figure(words[0].rstrip("x×")) if words and len(words[0]) <= MOST_DIGITS else None
    if read is None:
        return None
    values = as_printed(read)
    return next(iter(values.values())) if len(set(values.values())) == 1 else values.get(mark)


def has_discounts(sheets: Iterable[Sheet]) -> bool:
    """Decide whether the head of a table has a column for what is taken off a price."""
    heads = (row for sheet in sheets for row in sheet.rows if is_head(row))
    return any(label.means("adjustment") for row in heads for piece in row.pieces for label in piece.labels)


def judged(
    lines: Sequence[LineItem], sums: Sequence[Decimal], discounted: bool, kind: str | None
) -> Found[tuple[LineItem, ...]]:
    """The lines as found: sure where they come to one of the sums, or without any each is its quantity times its price.

    discounted: a price may be taken off, so that only the sum proves them. kind: of the document, None for any.
    """
    if not lines:
        return Found()
    items = tuple(lines)
    evidence = tuple(e for item in items for e in item.evidence)
    amounts = [item.amount for item in items if item.amount is not None]
    right = [_multiplies(item) for item in items]
    if (False not in right or discounted) and len(amounts) == len(items):
        if abs(sum(amounts)) in {abs(one) for one in sums}:  # a credit note may have its minus at the sums alone
            return sure(Candidate(items, CONFIDENCE.proven, evidence))
        if all(right) and not sums:
            return sure(Candidate(items, CONFIDENCE.placed, evidence))
    counted = all(item.quantity is not None and item.description for item in items)
    if not amounts and not sums and counted and kind in _COUNTED:
        return sure(Candidate(items, CONFIDENCE.placed, evidence))
    return unsure([Candidate(items, CONFIDENCE.placed / 2, evidence)], N_("its lines do not add up"))


def _multiplies(item: LineItem) -> bool | None:
    """Return whether a line's amount is its quantity times its price; None where it does not show all three."""
    if item.quantity is None or item.price is None or item.amount is None:
        return None
    return abs(item.quantity * item.price - item.amount) <= ROUNDING.cent


def sum_of(lines: Sequence[LineItem]) -> Decimal | None:
    """Return what the lines come to, where each has an amount."""
    amounts = [item.amount for item in lines if item.amount is not None]
    return sum(amounts, Decimal()) if amounts and len(amounts) == len(lines) else None


def _receipt_line(text: str) -> LineItem:
    """The words of a line, with the quantity in front of or behind them: `2 x Coffee`, `Coffee 2 x`."""
    match = _TIMES.fullmatch(text.strip()) if len(text) <= BOUNDS.places else None
    if match is None:
        return LineItem(text.strip())
    return LineItem((match["words"] or match["words2"]).strip(), Decimal(match["before"] or match["behind"]))


def receipt_lines(sheets: Sequence[Sheet], mark: str, total: Decimal | None) -> Iterator[LineItem]:
    """Lines without a head, as on receipts: words with an amount at the end, above the sums, that come to the total."""
    if total is None or not sheets:
        return
    found: list[LineItem] = []
    for row in sheets[0].rows:
        amounts = [amount for amount in amounts_in(row.whole) if amount.is_money]
        if not amounts:
            continue
        if _ends(row):
            break
        value = amounts[-1].value(mark)
        item = _receipt_line(row.whole.text[: amounts[0].start])
        if value is not None and any(map(str.isalpha, item.description)):
            price = amounts[-2].value(mark) if len(amounts) > 1 else None
            found.append(replace(item, price=price, amount=value, evidence=(row.whole.evidence(),)))
    if sum_of(found) == total:
        yield from _counted(found)


def _counted(lines: Sequence[LineItem]) -> Sequence[LineItem]:
    """The lines with their quantities, where all begin with a number: `2 Milk  0.90  1.80`."""
    split = [_COUNT.fullmatch(line.description) for line in lines]
    found = []
    for match, line in zip(split, lines, strict=True):
        if match is None or line.quantity is not None:
            return lines
        found.append(replace(line, description=match["words"], quantity=Decimal(match["count"])))
    return found if all(_multiplies(line) is not False for line in found) else lines
