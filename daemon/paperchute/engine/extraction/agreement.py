"""What a page says against what the invoice's data in the same file say: sure where they agree, told where not.

People see the page, machines read the data, so two invoices in one file are a mistake or a fraud.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from paperchute.engine.document.geometry import hull
from paperchute.engine.extraction.amounts import Amount, amounts_in
from paperchute.engine.extraction.bundles import SEVERAL
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Candidate, Evidence, Findings, Found, LineItem, opened, unsure
from paperchute.engine.extraction.measures import LENGTHS
from paperchute.engine.extraction.printed import Sheet
from paperchute.engine.extraction.vocabulary import plain, words_in
from paperchute.language import N_

T = TypeVar("T")

_ALIKE = ({"invoice", "receipt"},)
"""Kinds that go by the name of either."""


class Shown(NamedTuple, Generic[T]):
    """A value as a page shows it, and where."""

    value: T
    place: Evidence


@dataclass(frozen=True, slots=True)
class _Field(Generic[T]):
    """One field of both.

    same: what is told where two values mean one, None where they differ. shown: where the pages have a value. written:
    it as people read it. always: every such document shows it.
    """

    page: Found[T]
    data: Found[T]
    same: Callable[[T, T], T | None]
    shown: Callable[[T], Shown[T] | None]
    written: Callable[[T], str] = str
    always: bool = False

    def told(self, empty: bool) -> Found[T]:
        """The field. empty: the pages have no words."""
        page, data = self.page, self.data
        if page.reason == SEVERAL:
            return page  # the data are of one of them
        if data.value is None:
            return self._open() if data.candidates else page
        if page.value is not None:
            value = self.same(page.value, data.value)
            if value is None:
                return self._disputed(*page.possible)
            return Found(value, CONFIDENCE.proven, (*page.evidence, *data.evidence))
        for candidate in page.candidates:
            value = self.same(candidate.value, data.value)
            if value is not None:
                return Found(value, CONFIDENCE.labelled, (*candidate.evidence, *data.evidence))
        if len({self.written(one.value) for one in page.candidates}) == 1:
            return self._disputed(page.candidates[0])
        unshown = N_("only the invoice's embedded data has it, and the page does not show it")
        if page.candidates:
            return unsure([*page.candidates, *data.possible], unshown)
        place = self.shown(data.value)
        if place is not None:
            return Found(place.value, CONFIDENCE.labelled, (place.place, *data.evidence))
        if self.always and not empty:
            return unsure(data.possible, unshown)
        return data

    def _open(self) -> Found[T]:
        """The field where the data do not tell one value."""
        page, data = self.page, self.data
        if page.value is not None:
            if any(self.same(page.value, one.value) is not None for one in data.candidates):
                return page
            return self._disputed(*page.possible)
        return unsure([*page.candidates, *data.candidates], page.reason or data.reason)

    def _disputed(self, page: Candidate[T]) -> Found[T]:
        stated = self.data.possible
        found = unsure(
            [page, *self.page.candidates[1:], *stated],
            N_("the page says {page}, the invoice's embedded data says {data}"),
        )
        says = (("page", self.written(page.value)), ("data", self.written(stated[0].value)))
        return replace(found, said=says)


def agreed(page: Findings, data: Findings, sheets: Sequence[Sheet]) -> Findings:
    """Return what pages and data say together. page: what the sheets say; data: what one attached file says."""
    empty = not any(sheet.rows for sheet in sheets)
    shown = _Pages(sheets)
    mirrored = "credit_note" in (page.kind.value, data.kind.value)
    page = _summed(page, data, shown, mirrored)

    def same_amount(one: Decimal, other: Decimal) -> Decimal | None:
        return one if one == other or (mirrored and one == -other) else None

    def amount(value: Decimal) -> Shown[Decimal] | None:
        return shown.amount(value, mirrored)

    def largest(value: Decimal) -> Shown[Decimal] | None:
        return amount(value) if shown.largest() == abs(value) else None

    found = replace(
        page,
        kind=_Field(page.kind, data.kind, _same_kind, _nowhere).told(empty),
        date=_Field(page.date, data.date, _same, shown.day, datetime.date.isoformat, always=True).told(empty),
        number=_Field(page.number, data.number, shown.number, shown.text, always=True).told(empty),
        sender=_Field(page.sender, data.sender, shown.name, shown.text, always=True).told(empty),
        recipient=_Field(page.recipient, data.recipient, shown.name, shown.text, always=True).told(empty),
        currency=_Field(page.currency, data.currency, _same, _nowhere).told(empty),
        net=_Field(page.net, data.net, same_amount, amount, _amount).told(empty),
        tax=_Field(page.tax, data.tax, same_amount, amount, _amount).told(empty),
        tax_rate=_Field(page.tax_rate, data.tax_rate, _same, _nowhere, _amount).told(empty),
        total=_Field(page.total, data.total, same_amount, largest, _amount, always=True).told(empty),
        iban=_Field(page.iban, data.iban, _same, shown.text).told(empty),
        due=_Field(page.due, data.due, _same, shown.day, datetime.date.isoformat).told(empty),
        items=_Field(_items(page.items, data.items), data.items, _same_items, _nowhere, _sum).told(empty),
    )
    return _together(found, page)


def _items(page: _Items, data: _Items) -> _Items:
    """The page's lines; not those that do not add up, where the data's do: they were not read rightly."""
    return page if data.value is None or page.value is not None or page.reason == SEVERAL else Found()


def _summed(page: Findings, data: Findings, shown: _Pages, mirrored: bool) -> Findings:
    """The page's sums; as the data have them where it is sure of none, but shows all three of the data's."""
    sums = data.net.value, data.tax.value, data.total.value
    if page.total.value is not None or page.total.reason == SEVERAL or None in sums or len(set(sums)) < len(sums):
        return page
    found = [shown.amount(value, mirrored) for value in sums if value is not None]
    net, tax, total = (Found(one.value, CONFIDENCE.labelled, (one.place,)) if one else Found() for one in found)
    return replace(page, net=net, tax=tax, total=total) if all(found) else page


def _together(found: Findings, page: Findings) -> Findings:
    """The findings; where one of net, tax and total is disputed, the others are not sure either."""
    if not any(one.is_disputed for one in (found.net, found.tax, found.total)):
        return found
    reason = N_("net and tax do not add up to the total")
    net, tax, total = (opened(one, reason) for one in (found.net, found.tax, found.total))
    items = found.items if found.items.is_disputed else page.items
    return replace(found, net=net, tax=tax, total=total, items=items)


@dataclass(frozen=True, slots=True)
class _Pages:
    """Where the pages show a value, whatever they call it."""

    sheets: Sequence[Sheet]

    def amount(self, value: Decimal, mirrored: bool) -> Shown[Decimal] | None:
        """An amount; mirrored: it may have the other sign."""
        wanted = {value, -value} if mirrored else {value}
        for amount in self._amounts():
            for meant in amount.readings.values():
                if meant in wanted and not amount.is_doubtful:
                    return Shown(meant, amount.piece.evidence(amount.start, amount.end))
        return None

    def largest(self) -> Decimal:
        """The largest amount of money that any of them shows."""
        return max((abs(meant) for one in self._amounts() for meant in one.readings.values()), default=Decimal())

    def _amounts(self) -> Iterator[Amount]:
        pieces = (piece for sheet in self.sheets for piece in sheet.pieces())
        return (amount for piece in pieces for amount in amounts_in(piece) if amount.is_money)

    def day(self, value: datetime.date) -> Shown[datetime.date] | None:
        """A date, in either order of day and month."""
        for sheet in self.sheets:
            for row in sheet.rows:
                for day in days_in(row.whole):
                    if value in day.readings:
                        return Shown(value, row.whole.evidence(day.start, day.end))
        return None

    def text(self, value: str) -> Shown[str] | None:
        """A text as whole words, in one piece or in pieces below each other."""
        wanted = plain(value)
        for sheet in self.sheets:
            for row in sheet.rows:
                for piece in row.pieces:
                    place = words_in([token.key for token in piece.tokens], wanted)
                    if place is not None:
                        first, last = piece.tokens[place[0]], piece.tokens[place[1] - 1]
                        return Shown(value, piece.evidence(first.start, last.end))
        return self._lines(value)

    def _lines(self, value: str) -> Shown[str] | None:
        """A text that takes several lines, one below the other."""
        wanted = plain(value)
        for sheet in self.sheets:
            for number, row in enumerate(sheet.rows):
                for piece in row.pieces:
                    lines, key = [piece], plain(piece.text)
                    for lower in sheet.rows[number + 1 : number + LENGTHS.name_lines]:
                        if not key or not wanted.startswith(key) or key == wanted:
                            break
                        lines += [
                            p
                            for p in lower.pieces
                            if min(p.box.right, piece.box.right) > max(p.box.left, piece.box.left)
                        ]
                        key = "".join(plain(line.text) for line in lines)
                    if key == wanted:
                        words = " ".join(line.text for line in lines)
                        return Shown(value, Evidence(sheet.number, hull(line.box for line in lines), words))
        return None

    def number(self, page: str, data: str) -> str | None:
        """One number for two: the data's, where the page's is its beginning and the page shows it whole."""
        one, other = plain(page), plain(data)
        if one == other:
            return page
        return data if one and other.startswith(one) and self.text(data) is not None else None

    def name(self, page: str, data: str) -> str | None:
        """One name for two: the data's, where the page shows it and was read in part, or with what stands behind it."""
        one, other = plain(page), plain(data)
        if one == other or not one or not other:
            return page if one == other else None
        if one.startswith(other) or (one in other and self.text(data) is not None):
            return data
        numbered = other.endswith(one) and any(map(str.isdecimal, other[: -len(one)]))
        return page if numbered else None  # some write the party's numbers in front of its name


_Items = Found[tuple[LineItem, ...]]


def _same(one: T, other: T) -> T | None:
    return one if one == other else None


def _same_kind(one: T, other: T) -> T | None:
    return one if one == other or any({one, other} <= alike for alike in _ALIKE) else None


def _same_items(one: tuple[LineItem, ...], other: tuple[LineItem, ...]) -> tuple[LineItem, ...] | None:
    """The page's lines, where they have the amounts of the data's; a credit note's may lack their minus."""
    amounts = [[abs(item.amount) for item in items if item.amount is not None] for items in (one, other)]
    return one if amounts[0] == amounts[1] else None


def _sum(items: tuple[LineItem, ...]) -> str:
    return _amount(sum((item.amount for item in items if item.amount is not None), Decimal()))


def _amount(value: Decimal) -> str:
    return f"{value:f}"


def _nowhere(_value: object) -> None:
    return None
