"""The labelled amounts of a document: what its rows call net, tax, total, paid, or what is added and taken off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from paperchute.engine.extraction.amounts import Amount, amounts_in, currencies_in, percents_in
from paperchute.engine.extraction.findings import Evidence
from paperchute.engine.extraction.lookup import is_head, under
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.engine.extraction.vocabulary import Label, plain
from paperchute.notation.currencies import currencies_of

Role = Literal["net", "subtotal", "tax", "total", "paid", "adjustment"]

_CODE = 3
"""Letters of a currency's code (ISO 4217)."""
_FILLING = frozenset(map(plain, ("in", "en", "EU", "of", "de", "du", "di", "do", "da", "w", "z", "à", "a", "as", "=")))
"""Words beside a label that change nothing of what it means: `Total in EUR`."""

_LIMITED = re.compile(r"[~<>\u2264\u2265\u2248\u00b1]\s*$")
"""What makes an amount one of about or at most so much."""
_PARTED = re.compile(r"\s+[-\u2212\u2013](?!\S)")
"""A dash behind an amount, which may be its sign: `119,00 € -`."""

_SAYING: tuple[str, ...] = (
    *("net", "subtotal", "tax", "total", "paid", "adjustment", "net_mark", "gross_mark", "amount", "price", "rate"),
    "currency",
)
"""Roles of labels that may stand beside that of an amount and leave it one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A labelled amount. values: what it can be. rates: the percentages that stand in its row.

    is_plain: nothing but its label stands beside it, as it does in `Total last year`, `Total 12.50 per month` or
    `Total 100.00 1,200.00`. currency: the sign beside it, or the code in its label: `Total EUR`.
    """

    role: Role
    amount: Amount
    values: tuple[Decimal, ...]
    rates: tuple[Decimal, ...]
    is_plain: bool = True
    currency: str = ""

    @property
    def evidence(self) -> Evidence:
        """Where it stands."""
        return self.amount.piece.evidence(self.amount.start, self.amount.end)

    @property
    def certainty(self) -> float:
        """How sure it was read."""
        return self.amount.piece.certainty(self.amount.start, self.amount.end)


def entries(sheets: Iterable[Sheet], mark: str) -> list[Entry]:
    """The labelled amounts of a document. mark: its decimal mark, empty where it does not tell."""
    found: list[Entry] = []
    for sheet in sheets:
        for row in sheet.rows:
            if not is_head(row):
                found += (_checked(entry, sheet) for entry in _row_entries(row, sheet, mark))
    return found


def _checked(entry: Entry, sheet: Sheet) -> Entry:
    """A labelled amount; a total is not plain where sums go on below it under names that nobody knows."""
    piece = entry.amount.piece
    lower = next(under(piece, sheet), None) if entry.role == "total" else None
    if lower is None or lower.row != piece.row + 1:
        return entry
    if min(abs(lower.box.right - piece.box.right), abs(lower.box.left - piece.box.left)) > PLACES.same_edge:
        return entry
    row = sheet.rows[lower.row]
    goes_on = len(row.pieces) > 1 and not row.whole.labels and any(amount.is_money for amount in amounts_in(lower))
    return replace(entry, is_plain=False) if goes_on else entry


def role_of(labels: Sequence[Label]) -> Role | None:
    """Return what the labels in front of an amount make of it: `Total`, `Total net`, `Total VAT`, `incl. VAT`."""
    net = any(label.means("net_mark") for label in labels)
    gross = any(label.means("gross_mark") for label in labels)
    total = any(label.means("total") for label in labels)
    if any(label.means("adjustment", "paid") for label in labels):
        return "paid" if any(label.means("paid") for label in labels) else "adjustment"
    if any(label.means("net") and not label.means("total") for label in labels):
        return "net"
    if any(label.means("tax", "rate") and not label.means("net_mark", "gross_mark") for label in labels) and not (
        gross and total
    ):
        return "net" if net and total else "tax"
    if total:
        return "net" if net and not gross else "total"
    if any(label.means("tax") for label in labels):
        return "tax"
    return "subtotal" if any(label.means("subtotal") for label in labels) else None


def _row_entries(row: Row, sheet: Sheet, mark: str) -> Iterator[Entry]:
    """Each amount belongs to the labels between it and the amount before; of several the last is meant."""
    amounts = [amount for piece in row.pieces for amount in amounts_in(piece)]
    if not amounts:
        yield from _entries_below(row, sheet, mark)
        return
    amounts = [amount for amount in amounts if amount.is_money]
    if _is_sentence(row.pieces[0]):
        return
    places = sorted(_labels_of(row) + [(amount.piece.box.left, amount.start, amount) for amount in amounts], key=_place)
    labels: list[Label] = []
    behind: list[Amount] = []
    for _left, _start, one in places:
        if isinstance(one, Amount):
            behind.append(one)
            continue
        yield from _labelled(labels, behind, row, mark)
        labels, behind = [*(() if behind else labels), one], []
    yield from _labelled(labels, behind, row, mark)


def _labelled(labels: Sequence[Label], behind: Sequence[Amount], row: Row, mark: str) -> Iterator[Entry]:
    """The amount of some labels: the last behind them, but what stands in brackets as the same in another currency."""
    role = role_of(labels)
    if role is None or not behind:
        return
    meant = [amount for amount in behind if not amount.is_bracketed] or behind
    values = [amount.value(mark) for amount in meant]
    parts, last = [value for value in values[:-1] if value is not None], values[-1]
    is_one = not parts or set(parts) == {last} or sum(parts) == last
    yield _entry(role, meant[-1], row, is_one and _is_plain(row, meant[-1]), mark)


def _is_plain(row: Row, amount: Amount) -> bool:
    """Decide whether the words around an amount are labels and currencies and no more."""
    before = [piece for piece in row.pieces if piece.box.left <= amount.piece.box.left]
    after = next((piece for piece in row.pieces if piece.box.left > amount.piece.box.left), None)
    stops = [amount.piece.tokens[label.first].start for label in amount.piece.labels]
    stop = min((start for start in stops if start >= amount.end), default=len(amount.piece.text))
    if (
        _other_words(amount.piece, amount.end, stop)
        or (after is not None and len(after.tokens) == 1 and _is_unit(after))
        or _LIMITED.search(amount.piece.text[: amount.start])
        or _PARTED.match(amount.piece.text[amount.end :])
    ):
        return False
    if not any(amount.piece.tokens[label.first].start < amount.start for label in amount.piece.labels) and (
        _other_words(amount.piece, 0, amount.start)
    ):
        return False
    for piece in reversed(before):
        end = amount.start if piece is amount.piece else len(piece.text)
        if any(piece.tokens[label.first].start < end for label in piece.labels):
            return not _other_words(piece, 0, end)
    return True


def _is_unit(piece: Piece) -> bool:
    """Decide whether a word in a cell of its own may say what the figure before it counts: `kg`, `h`."""
    text = piece.text
    return text.isalpha() and text.islower() and len(text) <= LENGTHS.letters and not piece.labels


def _other_words(piece: Piece, start: int, end: int) -> list[str]:
    """The words in a part of a piece that are in no label of an amount, and no currency or single capital."""
    said = [label for label in piece.labels if label.phrase.kinds or label.means(*_SAYING)]
    named = {number for label in said for number in range(label.first, label.after)}
    return [
        token.text
        for number, token in enumerate(piece.tokens)
        if start <= token.start < end and number not in named and any(map(str.isalpha, token.text))
        and token.key not in _FILLING and not (len(token.key) == 1 and token.text.isupper())
        and not currencies_of(token.text.strip("()[]:"))
    ]  # fmt: skip


def _labels_of(row: Row) -> list[tuple[float, int, Label | Amount]]:
    return [(piece.box.left, piece.tokens[label.first].start, label) for piece in row.pieces for label in piece.labels]


def _place(item: tuple[float, int, Label | Amount]) -> tuple[float, int]:
    return item[:2]


def _is_sentence(piece: Piece) -> bool:
    """Decide whether words stand in front of the first label of a row: a sentence that comes to speak of an amount."""
    first = min((piece.tokens[label.first].start for label in piece.labels), default=0)
    return len(piece.text[:first].split()) > LENGTHS.sentence


def _entries_below(row: Row, sheet: Sheet, mark: str) -> Iterator[Entry]:
    """Amounts that stand below their labels, as in a box or a table of the sums."""
    for piece in row.pieces:
        role = role_of(piece.labels) if piece.first is not None else None
        if role is None or len(piece.tokens) > piece.labels[-1].after + 1:
            continue
        for lower in under(piece, sheet):
            found = [amount for amount in amounts_in(lower) if amount.is_money]
            if not found or lower.first is not None:
                break
            is_plain = len(found) == 1 and not _other_words(piece, 0, len(piece.text))
            yield _entry(role, found[-1], sheet.rows[lower.row], is_plain, mark)


def _entry(role: Role, amount: Amount, row: Row, is_plain: bool, mark: str) -> Entry:
    value = amount.value(mark)
    values = (value,) if value is not None else tuple(dict.fromkeys(amount.readings.values()))
    currency = amount.currency or _currency_before(row, amount)
    return Entry(role, amount, (*values, *amount.others), tuple(percents_in(row.whole.text)), is_plain, currency)


def _currency_before(row: Row, amount: Amount) -> str:
    """The one code of a currency in the words before an amount: `Total EUR`."""
    before = [piece.text for piece in row.pieces if piece.box.right <= amount.piece.box.left]
    text = " ".join([*before, amount.piece.text[: amount.start]])
    codes = {match[0] for match in currencies_in(text) if len(match[0]) == _CODE and match[0].isupper()}
    return codes.pop() if len(codes) == 1 else ""
