"""Dates in a text: in figures, and with names of months in the languages of `labels/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from babel.languages import get_official_languages

from paperchute.engine.extraction.printed import Piece
from paperchute.engine.extraction.vocabulary import plain
from paperchute.engine.words import months
from paperchute.notation.dates import DAY_FIRST, MONTH_FIRST
from paperchute.notation.languages import known_locale, order_of


@dataclass(frozen=True, slots=True)
class DaySettings:
    """Which dates a document can have."""

    years: tuple[int, int] = (1970, 2100)
    """The first and the last: what is written earlier or later is no day of a document that is filed today."""

    century: int = 2000
    """Of years with two digits: a document of today."""

    most: int = 2_000
    """Dates of a document that are looked at: a bound on work."""


DAYS = DaySettings()

_LANGUAGES = ("de", "en", "fr", "es", "nl", "it", "pl", "pt")
_NUMERIC = re.compile(
    r"(?<![\w./-])(?P<first>\d{1,2})(?P<mark>[./-])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<year>\d{4}|\d{2})(?![\w/-]|\.\d)"
)
_YEAR_FIRST = re.compile(
    r"(?<![\w./-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\w/-]|\.\d)"
    r"|(?P<han_year>\d{4})\s?年\s?(?P<han_month>\d{1,2})\s?月\s?(?P<han_day>\d{1,2})\s?日"
)
_NAMED = re.compile(
    r"(?<![\w./-])(?P<day>\d{1,2})(?:\.|st|nd|rd|th|er|º|°)?(?:\s{0,2}-?\s{0,2}|\s+(?:de|of)\s+)(?P<month>[^\W\d_]{3,12})\.?"
    r"(?:,?\s{0,2}-?\s{0,2}|\s+(?:de|del)\s+)(?P<year>\d{4})(?![\w/-])"
    r"|(?<![\w./-])(?P<month2>[^\W\d_]{3,12})\.?\s{1,2}(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s{1,2}(?P<year2>\d{4})(?![\w/-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Day:
    """A date in a piece's text: what it is by the order of day and month; one for both where it is plain.

    year_first: what it may be besides, whatever the order of the document's other dates: `26-03-12`.
    """

    piece: Piece
    start: int
    end: int
    day_first: date | None
    month_first: date | None
    year_first: date | None = None

    @property
    def readings(self) -> tuple[date, ...]:
        """The days that it can mean."""
        found = (self.day_first, self.month_first, self.year_first)
        return tuple(dict.fromkeys(day for day in found if day is not None))

    @property
    def is_open(self) -> bool:
        """Whether it can mean two days."""
        return len(self.readings) > 1

    def value(self, order: str) -> date | None:
        """The day, where the document writes in an order; empty for one that does not tell."""
        if not self.is_open:
            return next(iter(self.readings), None)
        if self.year_first is not None:
            return None
        return {DAY_FIRST: self.day_first, MONTH_FIRST: self.month_first}.get(order)

    @property
    def proves(self) -> str:
        """The order that it shows, because there is no such month in the other."""
        if self.day_first == self.month_first:
            return ""
        return "" if self.is_open else DAY_FIRST if self.day_first is not None else MONTH_FIRST


def days_in(piece: Piece, start: int = 0, end: int | None = None) -> Iterator[Day]:
    """The dates in a part of a piece's text, from left to right."""
    end = len(piece.text) if end is None else end
    found = [_numeric(piece, match) for match in _NUMERIC.finditer(piece.text, start, end)]
    for pattern, read in ((_YEAR_FIRST, _year_first), (_NAMED, _named)):
        for match in pattern.finditer(piece.text, start, end):
            day = read(match)
            found.append(Day(piece, match.start(), match.end(), day, day))
    yield from sorted((day for day in found if day.readings), key=lambda day: day.start)


def _numeric(piece: Piece, match: re.Match[str]) -> Day:
    first, second = int(match["first"]), int(match["second"])
    year = int(match["year"]) + (DAYS.century if len(match["year"]) == 2 else 0)
    by_day = _day(year, second, first)
    # Who writes dots has the day first, wherever that is; who writes hyphens may mean ISO 8601 without its century, and
    # who writes slashes too where that is the later year: documents are young.
    by_month = by_day if match["mark"] == "." else _day(year, first, second)
    is_short = len(match["first"]) == len(match["year"]) == 2
    is_short = is_short and (match["mark"] == "-" or (match["mark"] == "/" and first > year - DAYS.century))
    by_year = _day(DAYS.century + first, second, int(match["year"])) if is_short and (by_day or by_month) else None
    return Day(piece, match.start(), match.end(), by_day, by_month, by_year)


def _year_first(match: re.Match[str]) -> date | None:
    if match["han_year"]:
        return _day(int(match["han_year"]), int(match["han_month"]), int(match["han_day"]))
    return _day(int(match["year"]), int(match["month"]), int(match["day"]))


def _named(match: re.Match[str]) -> date | None:
    month = _months().get(plain(match["month"] or match["month2"]))
    return _day(int(match["year"] or match["year2"]), month, int(match["day"] or match["day2"])) if month else None


def _day(year: int, month: int, day: int) -> date | None:
    first, last = DAYS.years
    try:
        return date(year, month, day) if first <= year <= last else None
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """Names of months; short ones that one language alone has only in the languages of `labels/`."""
    tables = (months(), *map(months, _LANGUAGES))
    return {plain(name): number for table in tables for name, number in table.items()}


def order(days: Iterable[Day], language: str, countries: Iterable[str]) -> str:
    """Whether the document writes the day or the month first, empty where nothing proves it.

    Its other dates tell it, else its language where all who write it do the same, else its language in the countries
    (ISO 3166-1) that it names, where people speak it.
    """
    proven = {day.proves for day in days} - {""}
    if proven:
        return proven.pop() if len(proven) == 1 else ""
    spoken = [country for country in countries if language in get_official_languages(country, de_facto=True)]
    names = (language, *(f"{language}-{country}" for country in spoken))
    said = {order_of(locale) for name in names if (locale := known_locale(name)) is not None} - {""}
    return said.pop() if len(said) == 1 else ""
