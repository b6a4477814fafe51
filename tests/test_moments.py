"""Times as people read them do not depend on the system's calendar."""

from __future__ import annotations

from datetime import datetime, timedelta

from paperchute.moments import told_of_date, told_of_hour

MONDAY = datetime(2026, 11, 23, 8, 5)


def test_weekdays_have_their_names() -> None:
    said = [told_of_hour(MONDAY + timedelta(days=day)) for day in range(8)]
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Monday")
    assert said == [f"{name} 08:05" for name in names]


def test_a_date_has_its_weekday() -> None:
    assert told_of_date(MONDAY) == "Monday 2026-11-23 08:05"
