"""When a rule's work may begin (`between`, `days`), and when one without a file is due (`schedule`).

By the clock on the wall, and pure: times come as arguments. They are local and without a zone, so an hour that the
clocks skip is due when they have gone on, and one that comes twice is due once.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from paperchute.language import N_, _
from paperchute.rules.values import with_hyphens

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = 24 * 60
_SPAN = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*-\s*(\d{1,2})(?::(\d{2}))?")
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class NotUnderstoodError(ValueError):
    """Not what a key takes; its text goes on from the key's name."""


def hours(text: str) -> str:
    """`22:00-06:00` in its full form of `22-6` or the like. Raises ValueError for what is no span of hours."""
    begin, end = _minutes(text)
    return f"{begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}"


def weekdays(text: str) -> tuple[str, ...]:
    """The days of `mon`, `Friday` or `mon-fri` (`sat-mon` goes over Sunday). Raises ValueError."""
    first, dash, last = (part.strip() for part in with_hyphens(text).lower().partition("-"))
    begin, end = _number(first, text), _number(last, text) if dash else _number(first, text)
    return tuple(DAYS[(begin + offset) % 7] for offset in range((end - begin) % 7 + 1))


def is_open(between: Sequence[str], days: Sequence[str], now: float) -> bool:
    """Tell whether work may begin at the Unix time `now`. Hours over midnight belong to the day on which they begin."""
    moment = datetime.fromtimestamp(now)
    minute = moment.hour * 60 + moment.minute
    today, yesterday = DAYS[moment.weekday()], DAYS[(moment.weekday() - 1) % 7]
    for begin, end in _spans(between):
        over_midnight = end <= begin
        if _is_among(today, days) and begin <= minute and (over_midnight or minute < end):
            return True
        if over_midnight and _is_among(yesterday, days) and minute < end:
            return True
    return False


def next_opening(between: Sequence[str], days: Sequence[str], now: float) -> float:
    """The Unix time, after `now`, at which the next span of hours begins."""
    moment = datetime.fromtimestamp(now)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    begins = [
        (midnight + timedelta(days=ahead, minutes=begin)).timestamp()
        for ahead in range(9)
        if _is_among(DAYS[(moment.weekday() + ahead) % 7], days)
        for begin, _end in _spans(between)
    ]
    return min(begin for begin in begins if begin > now)


def told(between: Sequence[str], days: Sequence[str]) -> str:
    """A schedule for people: `22:00-06:00, mon tue`."""
    return ", ".join(part for part in (", ".join(between), " ".join(days)) if part)


def _is_among(day: str, days: Sequence[str]) -> bool:
    return not days or day in days


@lru_cache(maxsize=64)
def _spans_of(between: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(_minutes(text) for text in between) or ((0, _DAY),)


def _spans(between: Sequence[str]) -> tuple[tuple[int, int], ...]:
    return _spans_of(tuple(between))


def _minutes(text: str) -> tuple[int, int]:
    match = _SPAN.fullmatch(with_hyphens(text).strip())
    if match is None:
        raise NotUnderstoodError(_('takes hours such as "22:00-06:00", not {text}', text=repr(text)))
    begin, end = int(match[1]) * 60 + int(match[2] or 0), int(match[3]) * 60 + int(match[4] or 0)
    if begin >= _DAY or end > _DAY or int(match[2] or 0) > 59 or int(match[4] or 0) > 59:
        raise ValueError(_("{text} is not within a day: hours go from 00:00 to 24:00", text=repr(text)))
    if begin == end:
        raise ValueError(
            _("{text} begins and ends at one time; for the whole day leave `between` out", text=repr(text))
        )
    return begin, end


def _number(name: str, text: str) -> int:
    for number, (short, long) in enumerate(zip(DAYS, _NAMES, strict=True)):
        if name in (short, long):
            return number
    raise NotUnderstoodError(_('takes days such as "mon-fri" or "sat", not {text}', text=repr(text)))


_SEARCHED_DAYS = 32
"""The longest time between two days that are due is a month of 31 days."""

_TAKES = N_('takes "hourly", "daily 06:00", "monday 07:30", "mon-fri 07:30" or "monthly 1 06:00", not {text}')
_TIME = re.compile(r"(\d{1,2})(?::(\d{2}))?")


@dataclass(frozen=True)
class Recurrence:
    """at: the time of day; None for the beginning of each hour.

    weekdays: as in `DAYS`, empty for all. month_day: the day of the month, or the last one of shorter months; 0 for
    any.
    """

    at: time | None
    weekdays: tuple[str, ...] = ()
    month_day: int = 0


def recurrence(text: str) -> Recurrence:
    """Return what a schedule says. Raises ValueError, whose text goes with the key."""
    words = text.lower().split()
    match words:
        case ["hourly"]:
            return Recurrence(None)
        case ["daily", at]:
            return Recurrence(_time(at, text))
        case ["monthly", day, at]:
            if not (day.isascii() and day.isdigit() and 1 <= int(day) <= 31):
                raise ValueError(_("a month has the days 1 to 31, not {day}", day=repr(day)))
            return Recurrence(_time(at, text), month_day=int(day))
        case [days, at]:
            try:
                return Recurrence(_time(at, text), weekdays=weekdays(days))
            except ValueError:
                raise NotUnderstoodError(_(_TAKES, text=repr(text))) from None
    raise NotUnderstoodError(_(_TAKES, text=repr(text)))


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
        raise NotUnderstoodError(_(_TAKES, text=repr(whole)))
    return time(int(found[1]), int(found[2] or 0))
