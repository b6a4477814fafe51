"""What a payslip pays out and what a statement ends with: totals of documents that have no total."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from paperchute.engine.extraction.amounts import Amount, amounts_in
from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.entries import Entry
from paperchute.engine.extraction.findings import Candidate, Found, opened, sure, unsure
from paperchute.engine.extraction.measures import ROUNDING
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.language import N_
from paperchute.notation.currencies import currencies_of

_COINS = re.compile(r"(?<![\w.,])[.,](\d\d)(?!\w)")
_ROLES = {"payslip": "take_home", "statement": "balance"}
"""The label of the amount, by the kind of document."""


def closing(sheets: Sequence[Sheet], kind: str | None, mark: str) -> Found[Decimal]:
    """The amount that a document of a kind comes to; not sure where its row has another one or a word.

    `Net pay  2,100.00  25,200.00` is of the month and of the year, `Closing balance  312.00 DR` is owed. mark: the
    document's decimal mark, empty where it does not tell.
    """
    role = _ROLES.get(kind or "")
    found: dict[Decimal, Candidate[Decimal]] = {}
    is_open = False
    for amount, is_plain in _amounts(sheets, role) if role else ():
        certain = amount.piece.certainty(amount.start, amount.end)
        value = amount.value(mark)
        is_open = is_open or not is_plain or value is None or certain < CERTAINTY.figures
        evidence = (amount.piece.evidence(amount.start, amount.end),)
        for one in (value,) if value is not None else amount.readings.values():
            found.setdefault(one, Candidate(one, CONFIDENCE.alone * certain, evidence))
    if len(found) == 1 and not is_open:
        return sure(*found.values())
    reason = N_("there are several amounts") if len(found) > 1 else N_("nothing confirms it")
    return unsure(list(found.values()), reason) if found else Found()


def handed_over(sheets: Sequence[Sheet], total: Found[Decimal], mark: str) -> Found[Decimal]:
    """The total of a receipt, told by what was paid in cash and what was given back: `CASH 50.00`, `CHANGE 16.10`.

    One of several amounts that this comes to is the total; one that it misses by a coin was rounded, and is not sure.
    """
    given, back = (
        {value for amount, is_plain in _amounts(sheets, role) if is_plain and (value := amount.value(mark)) is not None}
        for role in ("paid", "change")
    )
    comes_to = {one - other for one in given - back for other in back if one > other}
    if len(comes_to) != 1:
        return total
    (paid,) = comes_to
    if total.value is not None and total.value != paid and abs(total.value - paid) < ROUNDING.coin:
        both = [Candidate(one, CONFIDENCE.alone / 2, total.evidence) for one in (paid, total.value)]
        return unsure(both, N_("there are several amounts"))
    fitting = [one for one in total.candidates if one.value == paid]
    if total.value is not None or not fitting:
        return total
    return sure(Candidate(paid, CONFIDENCE.alone, fitting[0].evidence))


def rounded(sheets: Sequence[Sheet], total: Found[Decimal], labelled: Sequence[Entry], mark: str) -> Found[Decimal]:
    """The total of a receipt after its rounding to coins, where a row says by how much: `Rounding -0.01`.

    It is one of whole coins that the receipt shows; where it shows none, or the total was one before, nothing is sure.
    """
    parts = {abs(v) for entry in labelled if entry.role == "adjustment" for v in entry.values} - {Decimal()}
    parts = {part for part in (*parts, *_coins(sheets)) if part < ROUNDING.coin}
    known = {one.value for one in total.candidates} | ({total.value} if total.value is not None else set())
    uneven = {value for value in known if value % ROUNDING.coin}
    if not parts or not uneven or (total.value is not None and total.value not in uneven):
        return total
    ends = {one + sign * part for one in uneven for part in parts for sign in (1, -1)}
    shown: dict[Decimal, Amount] = {}
    for amount in _unpaid(sheets):
        value = amount.value(mark) if amount.is_money else None
        if value is not None and value in ends and not value % ROUNDING.coin:
            shown.setdefault(value, amount)
    if len(shown) == 1:
        ((value, amount),) = shown.items()
        certain = amount.piece.certainty(amount.start, amount.end)
        evidence = (amount.piece.evidence(amount.start, amount.end),)
        if certain >= CERTAINTY.figures:
            return sure(Candidate(value, CONFIDENCE.alone * certain, evidence))
    return opened(total, N_("there are several amounts"))


def _unpaid(sheets: Sequence[Sheet]) -> Iterator[Amount]:
    """The amounts in rows that are of no payment: cash may be any sum, and books may keep what was due before."""
    for sheet in sheets:
        for row in sheet.rows:
            if not any(label.means("paid", "change") for label in row.whole.labels[:1]):
                yield from amounts_in(row.whole)


def _coins(sheets: Sequence[Sheet]) -> Iterator[Decimal]:
    """Yield what a rounding is by where it is printed without its nought: `Rounding adjustment RM .02`."""
    for sheet in sheets:
        for row in sheet.rows:
            first = row.whole.labels[0] if row.whole.labels else None
            if first is not None and first.first == 0 and first.means("adjustment"):
                yield from (Decimal(f"0.{match[1]}") for match in _COINS.finditer(row.whole.text))


def _amounts(sheets: Sequence[Sheet], role: str) -> Iterator[tuple[Amount, bool]]:
    """The amounts in the rows of a label, and whether nothing else stands behind it."""
    for sheet in sheets:
        for row in sheet.rows:
            for number, piece in enumerate(row.pieces):
                first = piece.labels[0] if piece.labels else None
                if first is None or first.first > 0 or not first.means(role):
                    continue
                places = [(piece, piece.after(first)), *((other, 0) for other in row.pieces[number + 1 :])]
                amounts = [amount for place, start in places for amount in _money(place, start)]
                is_plain = len(amounts) == 1 and not any(_words(place, start) for place, start in places)
                yield from ((amount, is_plain) for amount in amounts)


def _money(piece: Piece, start: int) -> list[Amount]:
    """The amounts of money in a part of a piece that are no part of a date: `Solde au 31.03.2026`."""
    days = list(days_in(piece, start))
    found = (amount for amount in amounts_in(piece, start) if amount.is_money)
    return [one for one in found if not any(day.start <= one.start < day.end for day in days)]


def _words(piece: Piece, start: int) -> list[str]:
    """The words in a part of a piece that are no currency, and no part of a date."""
    days = list(days_in(piece, start))
    return [
        token.text
        for token in piece.tokens
        if token.start >= start and any(map(str.isalpha, token.text)) and not currencies_of(token.text.strip("()[]:"))
        and not any(day.start <= token.start < day.end for day in days)
    ]  # fmt: skip
