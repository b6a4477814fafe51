"""Times as people read them do not depend on the system's calendar."""

from __future__ import annotations

from datetime import datetime, timedelta

from paperchute.moments import end_after, told_of_date, told_of_hour

MONDAY = datetime(2026, 11, 23, 8, 5)


def test_weekdays_have_their_names() -> None:
    said = [told_of_hour(MONDAY + timedelta(days=day)) for day in range(8)]
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Monday")
    assert said == [f"{name} 08:05" for name in names]


def test_a_date_has_its_weekday() -> None:
    assert told_of_date(MONDAY) == "Monday 2026-11-23 08:05"


def test_a_pause_ends_after_an_hour_or_in_the_morning_or_never() -> None:
    now = datetime(2026, 11, 23, 22, 30)
    assert datetime.fromtimestamp(end_after("hour", now)) == datetime(2026, 11, 23, 23, 30)
    assert datetime.fromtimestamp(end_after("tomorrow", now)) == datetime(2026, 11, 24, 8, 0)
    assert end_after("", now) == 0.0
