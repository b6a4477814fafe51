"""`between` and `days`: when a rule's work may begin, by the clock on the wall. Pure: the time comes as an argument."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = 24 * 60
_SPAN = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*-\s*(\d{1,2})(?::(\d{2}))?")
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def hours(text: str) -> str:
    """`22:00-06:00` in its full form of `22-6` or the like. Raises ValueError for what is no span of hours."""
    begin, end = _minutes(text)
    return f"{begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}"


def weekdays(text: str) -> tuple[str, ...]:
    """The days of `mon`, `Friday` or `mon-fri` (`sat-mon` goes over Sunday). Raises ValueError."""
    first, dash, last = (part.strip() for part in text.lower().partition("-"))
    begin, end = _number(first, text), _number(last, text) if dash else _number(first, text)
    return tuple(DAYS[(begin + offset) % 7] for offset in range((end - begin) % 7 + 1))


def is_open(between: Sequence[str], days: Sequence[str], now: float) -> bool:
    """Whether work may begin at the Unix time `now`. Hours over midnight belong to the day on which they begin."""
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
        for begin, _ in _spans(between)
    ]
    return min(begin for begin in begins if begin > now)


def told(between: Sequence[str], days: Sequence[str]) -> str:
    """A schedule for people: `22:00-06:00, mon tue`."""
    return ", ".join(part for part in (" and ".join(between), " ".join(days)) if part)


def _is_among(day: str, days: Sequence[str]) -> bool:
    return not days or day in days


@lru_cache(maxsize=64)
def _spans_of(between: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(_minutes(text) for text in between) or ((0, _DAY),)


def _spans(between: Sequence[str]) -> tuple[tuple[int, int], ...]:
    return _spans_of(tuple(between))


def _minutes(text: str) -> tuple[int, int]:
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'takes hours such as "22:00-06:00", not {text!r}')
    begin, end = int(match[1]) * 60 + int(match[2] or 0), int(match[3]) * 60 + int(match[4] or 0)
    if begin >= _DAY or end > _DAY or int(match[2] or 0) > 59 or int(match[4] or 0) > 59:
        raise ValueError(f"{text!r} is not within a day: hours go from 00:00 to 24:00")
    if begin == end:
        raise ValueError(f"{text!r} begins and ends at one time; for the whole day leave `between` out")
    return begin, end


def _number(name: str, text: str) -> int:
    for number, (short, long) in enumerate(zip(DAYS, _NAMES, strict=True)):
        if name in (short, long):
            return number
    raise ValueError(f'takes days such as "mon-fri" or "sat", not {text!r}')
