"""Hours and days: when work may begin."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.schedule import DAYS, hours, is_open, next_opening, weekdays

NIGHT = ("22:00-06:00",)
WEEK = weekdays("mon-fri")


def at(text: str) -> float:
    """Unix time; 16 November 2026 is a Monday."""
    return datetime.fromisoformat(f"2026-11-{text}").timestamp()


@pytest.mark.parametrize(
    ("between", "days", "now", "opened"),
    [
        ((), (), "16 12:00", True),
        (("08:00-17:00",), (), "16 08:00", True),
        (("08:00-17:00",), (), "16 17:00", False),
        (NIGHT, (), "16 23:00", True),
        (NIGHT, (), "16 05:59", True),
        (NIGHT, (), "16 06:00", False),
        (NIGHT, WEEK, "21 05:00", True),  # Saturday morning: the night of Friday
        (NIGHT, WEEK, "21 23:00", False),
        (NIGHT, WEEK, "16 05:00", False),  # Monday morning: the night of Sunday
        ((), ("sat", "sun"), "21 00:00", True),
        ((), ("sat", "sun"), "16 00:00", False),
        (("08:00-12:00", "13:00-17:00"), (), "16 12:30", False),
        (("08:00-12:00", "13:00-17:00"), (), "16 13:30", True),
        (("20:00-24:00",), (), "16 23:59", True),
    ],
)
def test_when_work_may_begin(between: tuple[str, ...], days: tuple[str, ...], now: str, opened: bool) -> None:
    assert is_open(between, days, at(now)) is opened


@pytest.mark.parametrize(
    ("between", "days", "now", "expected"),
    [
        (NIGHT, (), "16 12:00", "16 22:00"),
        (NIGHT, WEEK, "21 23:00", "23 22:00"),
        ((), ("sat",), "16 12:00", "21 00:00"),
        (("08:00-12:00", "13:00-17:00"), (), "16 12:30", "16 13:00"),
        (("08:00-12:00",), ("mon",), "16 12:30", "23 08:00"),
    ],
)
def test_when_the_next_hours_begin(between: tuple[str, ...], days: tuple[str, ...], now: str, expected: str) -> None:
    assert next_opening(between, days, at(now)) == at(expected)


_minute = st.integers(0, 1439)


@given(
    st.lists(st.tuples(_minute, _minute).filter(lambda span: span[0] != span[1]), max_size=3),
    st.lists(st.sampled_from(DAYS), max_size=3),
    st.integers(1_000_000, 2_000_000_000),  # Windows knows no local time before 1970
)
def test_it_is_open_when_it_opens(spans: list[tuple[int, int]], days: list[str], now: int) -> None:
    between = [hours(f"{a // 60}:{a % 60:02}-{b // 60}:{b % 60:02}") for a, b in spans]
    if not is_open(between, days, now):
        opens = next_opening(between, days, now)
        assert now < opens <= now + 8 * 86_400 + 7200
        assert is_open(between, days, opens)


@pytest.mark.parametrize(
    "wrong", ["", "25:00-26:00", "8", "08:00", "08:61-09:00", "08:00-08:00", "8-9-10", "24:00-6:00"]
)
def test_impossible_hours_are_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"hours|one time"):
        hours(wrong)


def test_days_are_written_in_many_ways() -> None:
    assert weekdays("mon-fri") == DAYS[:5]
    assert weekdays("Sat-Mon") == ("sat", "sun", "mon")
    assert weekdays("Friday") == ("fri",)
    assert hours("22-6") == "22:00-06:00"
    for wrong in ("", "mo", "mon-", "weekend"):
        with pytest.raises(ValueError, match="takes days"):
            weekdays(wrong)
