"""The number that a page bears, and of how many: `Page 2 of 5`, `2/5`, `- 2 -`, `Seite 2`, `第2页 共5页`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paperchute.engine.extraction.measures import BOUNDS, LENGTHS, PLACES
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.engine.words import one_of

_PAGE, _AFTER, _OF, _TOTAL = (one_of("page"), one_of("page_after"), one_of("of"), one_of("total"))
_IS_ONE_OF = rf"\s*(?:/|\||{_OF})\s*"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_TOTAL}\s*(?P<count>\d{{1,4}})\s*{_AFTER}[\s,，、/]*{_PAGE}?\s*(?P<number>\d{{1,4}})\s*{_AFTER}",
        rf"{_PAGE}?\s*(?P<number>\d{{1,4}})\s*{_AFTER}[\s,，、/]*{_TOTAL}\s*(?P<count>\d{{1,4}})\s*{_AFTER}",
        rf"(?<![^\W\d_]){_PAGE}\s*[:.#]?\s*(?P<number>\d{{1,4}})(?:{_IS_ONE_OF}(?P<count>\d{{1,4}}))?(?![\w%]|[.,]\d)",
        rf"(?<![\w.,])(?P<number>\d{{1,4}})\.?\s*{_AFTER}(?P<count>)",
    )
)
_BARE = re.compile(
    rf"^[-–—|·(\[\s]*(?P<number>\d{{1,4}})(?:{_IS_ONE_OF}(?P<count>\d{{1,4}}))?[-–—|·)\]\s]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A page's number, and of how many; 0 where it does not say. named: a word says that it is one."""

    number: int
    count: int = 0
    named: bool = False

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its document."""
        return self.number == 1

    @property
    def is_last(self) -> bool:
        """Whether it says that it is the last of its document."""
        return self.number == self.count


@dataclass(frozen=True, slots=True)
class Numbering:
    """What a page says of its place. one: its number, None for none; is_disputed: there is another beside it."""

    one: PageNumber | None = None
    is_disputed: bool = False


def numbering_of(sheet: Sheet) -> Numbering:
    """Find the number of a page; the one that says of how many is taken, else the one that a word names."""
    found = list(dict.fromkeys(_found(sheet)))
    for chosen in ([one for one in found if one.count], [one for one in found if one.named]):
        if chosen:
            return Numbering(chosen[0], len({(one.number, one.count) for one in chosen}) > 1)
    return Numbering(found[0]) if len(found) == 1 else Numbering()


def _found(sheet: Sheet) -> Iterator[PageNumber]:
    top, bottom = (share * sheet.height for share in PLACES.frame)
    for row in sheet.rows:
        in_margin = row.whole.box.bottom < top or row.whole.box.top > bottom
        for piece in (row.whole, *row.pieces) if in_margin else row.pieces:
            number = _named(piece, in_margin) if in_margin or len(piece.text) <= LENGTHS.short else None
            if number is None and in_margin and _is_outermost(row, sheet):
                number = _number(_BARE.match(piece.text), named=False)
            if number is not None:
                yield number


def _is_outermost(row: Row, sheet: Sheet) -> bool:
    """Decide whether a row is one of the first or last of a page, and none of a table."""
    return len(row.pieces) <= 2 and (row in sheet.rows[:2] or row in sheet.rows[-2:])


def _named(piece: Piece, in_margin: bool) -> PageNumber | None:
    """The number behind a word, with which a piece begins in the midst of a page."""
    for pattern in _NAMED:
        match = pattern.search(piece.text) if in_margin else pattern.match(piece.text)
        if match is not None and (number := _number(match, named=True)):
            return number
    return None


def _number(match: re.Match[str] | None, *, named: bool) -> PageNumber | None:
    if match is None:
        return None
    number, count = int(match["number"]), int(match["count"] or 0)
    is_one = 0 < number <= (count or BOUNDS.values) and count <= BOUNDS.values
    return PageNumber(number, count, named) if is_one else None
