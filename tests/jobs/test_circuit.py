"""When a quota that is used up may be fresh again."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator

import pytest

from paperchute.jobs.circuit import months

_FEBRUARY = 1_769_904_000.0  # 2026-02-01 00:00 UTC


@pytest.fixture(params=["Asia/Tokyo", "UTC", "America/Los_Angeles"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if sys.platform == "win32":
        pytest.skip("Windows has no tzset")
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_it_is_asked_again_when_the_month_ends_here_and_where_the_service_counts(zone: str) -> None:
    before, after = months(_FEBRUARY - 1.0), months(_FEBRUARY)
    assert before != after, "the service's month ends in UTC, whatever the time is here"
    here = [months(_FEBRUARY + hours * 3600.0) for hours in range(-24, 25)]
    changes = sum(one != other for one, other in itertools.pairwise(here))
    assert changes == (1 if zone == "UTC" else 2)
