"""One works at a time, and nobody's work depends on another's letting go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

import paperchute.baton as module
from paperchute.baton import Baton

LONG = 120.0  # seconds: the end of a hang, not a measure


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody loses it, and it never rests, however busy the machine is."""
    monkeypatch.setattr(module, "_KEPT_SECONDS", 10 * LONG)
    monkeypatch.setattr(module, "_JUDGED_SECONDS", float("inf"))


def started(*works: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def have_ended(threads: list[threading.Thread]) -> bool:
    for thread in threads:
        thread.join(LONG)
    return not any(thread.is_alive() for thread in threads)


def holding(baton: Baton, until: threading.Event) -> threading.Thread:
    """A thread that has it, and keeps it."""
    has = threading.Event()

    def work() -> None:
        with baton.held():
            has.set()
            until.wait(LONG)

    (thread,) = started(work)
    assert has.wait(LONG)
    return thread


@pytest.mark.usefixtures("unhurried")
def test_one_works_at_a_time_and_the_others_while_it_waits() -> None:
    baton, at_work, most, rounds = Baton(), 0, 0, 0
    counted = threading.Lock()

    def work() -> None:
        nonlocal at_work, most, rounds
        for _ in range(50):
            with baton.held():
                for _ in range(3):
                    with counted:
                        at_work += 1
                        most = max(most, at_work)
                    with counted:
                        at_work -= 1
                        rounds += 1
                    with baton.handed_on():
                        pass

    assert have_ended(started(*[work] * 6))
    assert (most, rounds) == (1, 6 * 50 * 3)


@pytest.mark.usefixtures("unhurried")
def test_who_waits_lets_others_work() -> None:
    baton, done = Baton(), threading.Event()

    def waiting() -> None:
        with baton.held(), baton.held(), baton.handed_on():  # being inside twice changes nothing
            assert done.wait(LONG)

    def working() -> None:
        with baton.held():
            done.set()

    first = started(waiting)
    assert have_ended([*first, *started(working)])


@pytest.mark.usefixtures("unhurried")
def test_an_error_hands_it_on() -> None:
    baton = Baton()

    def failing() -> None:
        with pytest.raises(ValueError, match="no"), baton.held(), baton.handed_on():
            raise ValueError("no")
        with pytest.raises(ValueError, match="no"), baton.held():
            raise ValueError("no")

    assert have_ended(started(failing))
    holding(baton, threading.Event())


@pytest.mark.usefixtures("unhurried")
def test_nothing_changes_for_threads_that_are_not_meant() -> None:
    baton = Baton()
    until = threading.Event()
    thread = holding(baton, until)
    with baton.handed_on():
        pass
    baton.take_again()
    until.set()
    assert have_ended([thread])
    holding(baton, threading.Event())


def test_one_that_hangs_stops_nobody() -> None:
    baton, until = Baton(), threading.Event()
    hanging = [holding(baton, until) for _ in range(3)]

    def work() -> None:
        for _ in range(100):
            with baton.held(), baton.handed_on():
                pass

    assert have_ended(started(*[work] * 4))
    until.set()
    assert have_ended(hanging)


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.usefixtures("unhurried")
def test_it_rests_where_its_holders_wait(works: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_JUDGED_SECONDS", 0.0)
    monkeypatch.setattr(module, "_REST_SECONDS", LONG)
    monkeypatch.setattr(time, "process_time", time.monotonic if works else float)
    baton, until = Baton(), threading.Event()

    def work() -> None:
        with baton.held():
            until.wait(0.001)

    work()
    thread = holding(baton, until)
    took = started(work)
    if works:
        until.set()  # or it would never be had
    assert have_ended(took)
    assert until.is_set() == works
    until.set()
    assert have_ended([thread])


def test_who_never_gets_it_goes_on_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    baton = Baton()
    holding(baton, threading.Event())
    monkeypatch.setattr(baton, "_since", float("inf"))  # as when others have had it by turns, each for a moment
    with baton.held():
        pass
