"""Times as people read them, in their language and not in that of the system's calendar."""

from __future__ import annotations

from datetime import datetime

from paperchute.language import N_, _

_WEEKDAYS = (N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday"))


def told_of_hour(moment: datetime) -> str:
    """A time within the week to come, such as "Monday 08:00"."""
    return _("{weekday} {time}", weekday=_(_WEEKDAYS[moment.weekday()]), time=f"{moment:%H:%M}")


def told_of_date(moment: datetime) -> str:
    """A time of any day, such as "Monday 2026-11-23 08:00"."""
    weekday = _(_WEEKDAYS[moment.weekday()])
    return _("{weekday} {date} {time}", weekday=weekday, date=f"{moment:%Y-%m-%d}", time=f"{moment:%H:%M}")
