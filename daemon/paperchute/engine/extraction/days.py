"""Dates in a text: in figures, and with names of months in the languages of `labels/`."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from babel.languages import get_official_languages

from paperchute.engine.extraction.measures import BOUNDS
from paperchute.engine.extraction.printed import Piece
from paperchute.engine.extraction.vocabulary import languages, plain
from paperchute.engine.words import months
from paperchute.notation.dates import DAY_FIRST, MONTH_FIRST
from paperchute.notation.languages import known_locale, order_of, short_mark


@dataclass(frozen=True, slots=True)
class DaySettings:
    """Which dates a document can have."""

    years: tuple[int, int] = (1970, 2100)
    """The first and the last: what is written earlier or later is no day of a document that is filed today."""

    together: int = 400
    """Days that the dates of one document lie apart at most, where two ways of reading them are weighed: a year, and
    what is due after it."""

    century: int = 2000
    """Of years with two digits: a document of today."""


DAYS = DaySettings()

YEAR_FIRST, YEAR_LAST = "first", "last"
_BUSINESS = {"en": ("MY",)}
"""Countries where shops write a language that is not official there."""
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
class Order:
    """How a document writes its dates.

    first: day or month, empty where nothing tells. short: whether years of two digits stand first or last, where its
    dates lie together in one way only. marks: of the short dates of its language and countries.
    """

    first: str = ""
    short: str = ""
    marks: frozenset[str] = frozenset()
    today: date = date.max


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

    @property
    def mark(self) -> str:
        """What stands between its figures."""
        return next((c for c in self.piece.text[self.start : self.end] if c in "./-"), "")

    def value(self, order: Order) -> date | None:
        """The day, where the document writes in an order."""
        if not self.is_open:
            return next(iter(self.readings), None)
        if self.year_first is not None:
            if order.short == YEAR_FIRST:
                return self.year_first
            if order.short != YEAR_LAST and not self._is_usual(order):
                return None
        if self.day_first is None or self.month_first is None or self.day_first == self.month_first:
            return self.day_first or self.month_first
        return {DAY_FIRST: self.day_first, MONTH_FIRST: self.month_first}.get(order.first)

    def _is_usual(self, order: Order) -> bool:
        """Decide whether the document's country writes short dates so, and the year can hardly stand first.

        Documents are young, and of no day to come.
        """
        last = {DAY_FIRST: self.day_first, MONTH_FIRST: self.month_first}.get(order.first)
        if last is None or self.year_first is None or self.mark not in order.marks:
            return False
        return last >= self.year_first or self.year_first > order.today

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
    tables = (months(), *map(months, languages()))
    return {plain(name): number for table in tables for name, number in table.items()}


def order(days: Sequence[Day], language: str, countries: Iterable[str], today: date | None = None) -> Order:
    """How a document writes its dates, as far as that is proven. today: None for the day that it is.

    Its other dates tell it, else its language where all who write it do the same, else its language in the countries
    (ISO 3166-1) that it names, where people speak it.
    """
    spoken = [
        country
        for country in countries
        if language in get_official_languages(country, de_facto=True) or country in _BUSINESS.get(language, ())
    ]
    names = (language, *(f"{language}-{country}" for country in spoken))
    locales = [locale for name in names if (locale := known_locale(name)) is not None]
    said = {first for locale in locales if (first := order_of(locale))}
    proven = {day.proves for day in days} - {""}
    firsts = list(proven or said)
    marks = {mark for locale in locales if order_of(locale) for mark in short_mark(locale)}
    return Order(
        firsts[0] if len(firsts) == 1 else "",
        _short_years(days[: BOUNDS.places]),
        frozenset(marks if len(said) == 1 else ()),
        today or datetime.datetime.now(datetime.UTC).date(),
    )


def _short_years(days: Sequence[Day]) -> str:
    """Tell if years of two digits stand first or last: in one way the dates are of one year, in the other of many."""
    short = [day for day in days if day.year_first is not None]
    known = [day.readings[0] for day in days if not day.is_open]
    last = {_key(day): day.day_first or day.month_first for day in short}
    first = {_key(day): day.year_first for day in short}
    ways = [
        way
        for way, own, other in ((YEAR_LAST, last, first), (YEAR_FIRST, first, last))
        if own and all(_nearest(key, own, known) <= DAYS.together for key in own)
        and all(_nearest(key, other, known) > DAYS.together for key in other)
    ]  # fmt: skip
    return ways[0] if ways else ""


def _key(day: Day) -> str:
    return day.piece.text[day.start : day.end]


def _nearest(key: str, readings: Mapping[str, date | None], known: Iterable[date]) -> float:
    """Days from one date to the next of the document that is written otherwise; endless for none."""
    own = readings[key]
    others = [*known, *(day for name, day in readings.items() if name != key and day is not None)]
    return min((abs((own - other).days) for other in others if own is not None), default=math.inf)
