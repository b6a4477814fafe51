"""`schedule`: what it says, and when that is due."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.schedule import following, latest, recurrence

FORMS = ["hourly", "daily 06:00", "monday 07:30", "mon-fri 7:30", "Sat-Mon 23", "monthly 1 06:00", "monthly 31 0:05"]
_MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1))


@pytest.mark.parametrize(
    ("text", "now", "last", "next_"),
    [
        ("hourly", "2026-11-22 08:15", "2026-11-22 08:00", "2026-11-22 09:00"),
        ("daily 06:00", "2026-11-22 08:15", "2026-11-22 06:00", "2026-11-23 06:00"),
        ("daily 06:00", "2026-11-22 06:00", "2026-11-22 06:00", "2026-11-23 06:00"),
        ("daily 06:00", "2026-11-22 05:59", "2026-11-21 06:00", "2026-11-22 06:00"),
        ("monday 07:30", "2026-11-22 08:15", "2026-11-16 07:30", "2026-11-23 07:30"),
        ("mon-fri 07:30", "2026-11-22 08:15", "2026-11-20 07:30", "2026-11-23 07:30"),
        ("monthly 1 06:00", "2026-11-22 08:15", "2026-11-01 06:00", "2026-12-01 06:00"),
        ("monthly 31 06:00", "2026-11-22 08:15", "2026-10-31 06:00", "2026-11-30 06:00"),
        ("monthly 30 06:00", "2027-03-01 00:00", "2027-02-28 06:00", "2027-03-30 06:00"),
    ],
)
def test_the_last_and_the_next_time(text: str, now: str, last: str, next_: str) -> None:
    found = recurrence(text)
    moment = datetime.fromisoformat(now)
    assert latest(found, moment) == datetime.fromisoformat(last)
    assert following(found, moment) == datetime.fromisoformat(next_)


@given(st.sampled_from(FORMS), _MOMENTS)
def test_what_is_next_becomes_what_was_last_and_nothing_is_due_between(text: str, now: datetime) -> None:
    found = recurrence(text)
    before, after = latest(found, now), following(found, now)
    assert before <= now < after
    assert latest(found, after) == after
    assert latest(found, after - timedelta(seconds=1)) == before
    assert following(found, before) == after


@pytest.mark.parametrize(
    "text",
    ["", "daily", "daily 24:00", "daily 6:60", "06:00", "monthly 0 6", "monthly 32 6", "someday 06:00", "daily 6 pm",
     "monthly ¹ 6", "* * * * *"],
)  # fmt: skip
def test_what_is_no_schedule_is_told_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match=r"takes|a month has"):
        recurrence(text)
