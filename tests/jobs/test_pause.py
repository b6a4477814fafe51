"""A pause lasts until somebody ends it, or until its time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paperchute.jobs.pause import end_of, is_paused, text_of

MOMENTS = st.floats(1.0, 4e9)


@given(MOMENTS, MOMENTS)
def test_a_pause_ends_at_its_time_and_not_before(until: float, now: float) -> None:
    assert end_of(text_of(until)) == until
    assert is_paused(text_of(until), now) == (now < until)


@given(st.text(), MOMENTS)
def test_nothing_but_an_end_that_has_come_ends_it(setting: str, now: float) -> None:
    assert is_paused(text_of(0.0), now)
    assert not is_paused(None, now)
    assert is_paused(setting, now) or 0 < end_of(setting) <= now
