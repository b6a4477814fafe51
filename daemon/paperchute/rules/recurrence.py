"""`schedule`: when a rule without an input file is due, by the clock on the wall. Pure: times come as arguments.

Times are local and without a zone, so an hour that the clocks skip is due when they have gone on, and one that comes
twice is due once.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from paperchute.rules.schedule import DAYS, weekdays

_SEARCHED_DAYS = 32
"""The longest time between two days that are due is a month of 31 days."""

_FORMS = '"hourly", "daily 06:00", "monday 07:30", "mon-fri 07:30" or "monthly 1 06:00"'
_TIME = re.compile(r"(\d{1,2})(?::(\d{2}))?")


@dataclass(frozen=True)
class Recurrence:
    """at: the time of day; None for the beginning of each hour. weekdays: as in `DAYS`, empty for all. month_day: the
    day of the month, or the last one of shorter months; 0 for any."""

    at: time | None
    weekdays: tuple[str, ...] = ()
    month_day: int = 0


def recurrence(text: str) -> Recurrence:
    """What a schedule says. Raises ValueError, whose text goes with the key."""
    words = text.lower().split()
    match words:
        case ["hourly"]:
            return Recurrence(None)
        case ["daily", at]:
            return Recurrence(_time(at, text))
        case ["monthly", day, at]:
            if not (day.isascii() and day.isdigit() and 1 <= int(day) <= 31):
                raise ValueError(f"a month has days from 1 to 31, and no {day!r}")
            return Recurrence(_time(at, text), month_day=int(day))
        case [days, at]:
            try:
                return Recurrence(_time(at, text), weekdays=weekdays(days))
            except ValueError:
                raise ValueError(f"takes {_FORMS}, not {text!r}") from None
    raise ValueError(f"takes {_FORMS}, not {text!r}")


def latest(schedule: Recurrence, now: datetime) -> datetime:
    """The last time it was due, `now` included."""
    if schedule.at is None:
        return now.replace(minute=0, second=0, microsecond=0)
    return next(due for due in _due(schedule, now.date(), -1) if due <= now)


def following(schedule: Recurrence, now: datetime) -> datetime:
    """The next time it is due, after `now`."""
    if schedule.at is None:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return next(due for due in _due(schedule, now.date(), 1) if due > now)


def _due(schedule: Recurrence, first: date, direction: int) -> Iterator[datetime]:
    assert schedule.at is not None
    for distance in range(_SEARCHED_DAYS + 1):
        day = first + timedelta(days=direction * distance)
        last = monthrange(day.year, day.month)[1]
        if schedule.month_day and day.day != min(schedule.month_day, last):
            continue
        if not schedule.weekdays or DAYS[day.weekday()] in schedule.weekdays:
            yield datetime.combine(day, schedule.at)


def _time(text: str, whole: str) -> time:
    found = _TIME.fullmatch(text)
    if found is None or int(found[1]) > 23 or int(found[2] or 0) > 59:
        raise ValueError(f"takes {_FORMS}, not {whole!r}")
    return time(int(found[1]), int(found[2] or 0))
