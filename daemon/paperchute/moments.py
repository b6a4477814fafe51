"""Times as people read them, in their language and not in that of the system's calendar."""

from __future__ import annotations

from datetime import datetime, timedelta

from paperchute.language import N_, _

MORNING = 8
"""The hour at which a pause until tomorrow ends."""
_WEEKDAYS = (N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday"))


def told_of_hour(moment: datetime) -> str:
    """A time within the week to come, such as "Monday 08:00"."""
    return _("{weekday} {time}", weekday=_(_WEEKDAYS[moment.weekday()]), time=f"{moment:%H:%M}")


def told_of_date(moment: datetime) -> str:
    """A time of any day, such as "Monday 2026-11-23 08:00"."""
    weekday = _(_WEEKDAYS[moment.weekday()])
    return _("{weekday} {date} {time}", weekday=weekday, date=f"{moment:%Y-%m-%d}", time=f"{moment:%H:%M}")


def end_after(asked: str, now: datetime) -> float:
    """The Unix time at which a pause ends that was asked for as "hour" or "tomorrow"; 0 = when somebody says so."""
    match asked:
        case "hour":
            return (now + timedelta(hours=1)).timestamp()
        case "tomorrow":
            return (now + timedelta(days=1)).replace(hour=MORNING, minute=0, second=0, microsecond=0).timestamp()
    return 0.0
