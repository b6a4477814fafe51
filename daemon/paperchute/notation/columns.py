"""What the cells of a column together say about how it writes numbers and dates.

A list is read in the daemon, and its values mean something only in a template, in the engine: so what each column says
goes along with every row, under a key of its own in the row's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from paperchute.notation.dates import ORDERS, moments
from paperchute.notation.numbers import MARKS, MOST_CHARACTERS, figure

KEY = "paperchute:list"
"""Where a row's data tells of its list. No template can name it by mistake: it is no name in Jinja2."""

_SHOWN = 40
_DECIMALS_LIKE_GROUPS = 3
_SHORTEST_DATE = len("1/1/2026")
_SHAPE = str.maketrans("23456789", "11111111")
_sample = lru_cache(maxsize=4096)(figure)
"""A number of the same shape: in how many ways it can be read depends on its marks and zeros, not on other digits."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A cell that says something. place: where it stands, such as "line 7"."""

    place: str
    text: str


@dataclass(slots=True)
class Witnesses:
    """The first cells of a column that say something.

    ways: readable in one way only, by that way (a decimal mark, or an order of day and month). open: readable in both
    ways. other: no number (or no date) at all. even: each value has three digits behind its mark, so that decimals look
    like groups.
    """

    ways: dict[str, Seen] = field(default_factory=dict)
    open: Seen | None = None
    other: Seen | None = None
    even: bool = True

    @property
    def proven(self) -> str:
        """The one way in which the column writes, empty where nothing tells or it has two."""
        return next(iter(self.ways)) if len(self.ways) == 1 else ""

    @property
    def is_mixed(self) -> bool:
        """Whether it writes in two ways."""
        return len(self.ways) > 1


@dataclass(slots=True)
class Column:
    """What a column says about how it writes. speaks: some cell of it is a number or a date."""

    numbers: Witnesses = field(default_factory=Witnesses)
    dates: Witnesses = field(default_factory=Witnesses)
    speaks: bool = False

    def learn(self, place: str, text: str) -> None:
        """Take in a cell. An empty one is neither a number nor a date."""
        seen = Seen(place, text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
        if not any(map(str.isdecimal, text)):
            self.numbers.other = self.numbers.other or seen
            self.dates.other = self.dates.other or seen
            return
        number = _sample(text.translate(_SHAPE)) if len(text) <= MOST_CHARACTERS else None
        if number is None:
            self.numbers.other = self.numbers.other or seen
        else:
            _note(self.numbers, seen, number.values)
            if len(number.values) == 1:
                self.numbers.even = self.numbers.even and set(number.decimals.values()) == {_DECIMALS_LIKE_GROUPS}
        days = moments(text) if len(text) >= _SHORTEST_DATE else {}
        if days:
            _note(self.dates, seen, days)
        else:
            self.dates.other = self.dates.other or seen
        self.speaks = self.speaks or number is not None or bool(days)


def columns_of(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Column]:
    """What those columns of a list say that say something; each row comes with its place. Only texts are looked at."""
    columns: dict[str, Column] = {}
    for place, values in rows:
        for name, value in values.items():
            if isinstance(value, str):
                columns.setdefault(name, Column()).learn(place, value)
    return {name: column for name, column in columns.items() if column.speaks}


def told(column: Column) -> dict[str, Any]:
    """Return what a column says as JSON values."""
    return {"numbers": _told(column.numbers), "dates": _told(column.dates)}


def heard(told: Any) -> Column:
    """Return what `told` wrote. Whatever is not as it wrote it is left out: the data may come from anybody."""
    raw = told if isinstance(told, dict) else {}
    return Column(_heard(raw.get("numbers"), MARKS), _heard(raw.get("dates"), ORDERS))


def _note(witnesses: Witnesses, seen: Seen, readings: Mapping[str, Any]) -> None:
    if len(set(readings.values())) > 1:
        witnesses.open = witnesses.open or seen
    elif len(readings) == 1:
        witnesses.ways.setdefault(next(iter(readings)), seen)


def _told(witnesses: Witnesses) -> dict[str, Any]:
    ways = {way: [seen.place, seen.text] for way, seen in witnesses.ways.items()}
    found = {"open": witnesses.open, "other": witnesses.other}
    return {"ways": ways, "even": witnesses.even} | {k: [s.place, s.text] for k, s in found.items() if s is not None}


def _heard(raw: Any, known: Sequence[str]) -> Witnesses:
    if not isinstance(raw, dict):
        return Witnesses()
    ways = raw.get("ways")
    seen = {way: _seen(ways.get(way)) for way in known} if isinstance(ways, dict) else {}
    found = {way: one for way, one in seen.items() if one is not None}
    return Witnesses(found, _seen(raw.get("open")), _seen(raw.get("other")), raw.get("even") is True)


def _seen(raw: Any) -> Seen | None:
    match raw:
        case [str(place), str(text)]:
            return Seen(place[:_SHOWN], text[: _SHOWN + 1])
    return None
