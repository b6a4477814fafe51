"""When a quota that is used up may be fresh again."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator

import pytest

from paperchute.jobs import circuit
from paperchute.jobs.circuit import Circuit, months
from paperchute.service.model import ServiceError
from tests.observers import Told

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


@pytest.mark.parametrize("kind", ["quota", "auth", "down"])
def test_a_stopped_service_is_asked_by_itself_and_work_goes_on(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Circuit(Told())
    asked: list[bool] = []
    refuses = True

    def check(spent: bool) -> None:
        asked.append(spent)
        if refuses:
            raise ServiceError("No.", kind=kind)

    made.open(ServiceError("No.", kind=kind))
    made.probe(check)
    assert asked == [], "not at once"
    monkeypatch.setattr(circuit, "_STOPPED_PROBE_SECONDS", 0.0)
    monkeypatch.setattr(circuit, "_LAST_PROBE_SECONDS", 0.0)
    made.probe_soon()  # a file has come
    made.probe(check)
    assert (asked, made.state) == ([kind == "quota"], "down" if kind == "down" else "stopped")
    refuses = False
    made.probe(check)
    assert made.state == "closed"


def test_the_rule_file_s_own_limit_is_no_question_for_the_service() -> None:
    made = Circuit(Told())
    made.open(ServiceError("This month's 2 calls are used up.", kind="quota", answered=False))
    made.probe_soon()
    made.probe(lambda spent: pytest.fail("the service knows nothing of it"))
    assert made.state == "stopped"
