"""Who works on what when: worker processes are stood in for, since what they do is nothing to the pool."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paperchute.engine.metrics import Metrics
from paperchute.engine.operations import QUICK, implemented, is_quick
from paperchute.engine.settings import Limits
from paperchute.engine.tasks import pool as pools
from paperchute.engine.tasks.pool import Pool
from paperchute.engine.tasks.process import Result, StillbornError
from paperchute.engine.work import FetchPolicy, Work
from paperchute.sandbox import Standing
from tests.ending import ends

_PATIENCE = 120.0  # seconds: the end of a hang, not a measure


class StandIn:
    """In the place of a worker process: does nothing, for as long as a gate is shut."""

    gates: dict[str, threading.Event]
    alive_ones: int

    def __init__(self, _limits: Limits, _folder: Path) -> None:
        self.standing, self.alive, self.usable, self.served = Standing((), ()), True, True, 0
        type(self).alive_ones += 1

    def run(self, work: Work, _told: Any) -> Result:
        assert self.gates[work.operation].wait(_PATIENCE)
        self.served += 1
        return Result()

    def kill(self) -> None:
        for gate in self.gates.values():
            gate.set()

    def end(self) -> None:
        self.alive = False
        type(self).alive_ones -= 1

    def check(self) -> None:
        """Nothing to see."""


class Desk:
    """A pool, and what it has begun with and ended, in order."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.metrics = Metrics()
        self.pool = Pool(workers, Limits(), folder, self.metrics)
        self.begun: list[str] = []
        self.done: list[str] = []
        self._changed = threading.Condition()

    def submit(self, name: str, *, is_quick: bool, owner: str = "") -> None:
        work = Work("quick" if is_quick else "heavy", (), {}, Path(), FetchPolicy(), "keep", "en")
        begun, done = (partial(self._note, where, name) for where in (self.begun, self.done))
        self.pool.submit(name, work, begun, lambda _: done(), is_quick=is_quick, owner=owner)

    def until(self, where: list[str], count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(where) >= count, _PATIENCE)
            return list(where)

    def _note(self, where: list[str], name: str) -> None:
        with self._changed:
            where.append(name)
            self._changed.notify_all()


@pytest.fixture
def gates(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, threading.Event]]:
    found = {"quick": threading.Event(), "heavy": threading.Event()}
    monkeypatch.setattr(pools, "WorkerProcess", StandIn)
    StandIn.gates, StandIn.alive_ones = found, 0
    yield found
    for gate in found.values():
        gate.set()


@pytest.mark.parametrize("workers", [1, 3])
def test_quick_work_does_not_wait_for_heavy_work(
    workers: int, tmp_path: Path, gates: dict[str, threading.Event]
) -> None:
    desk = Desk(tmp_path / "workers", workers)
    gates["quick"].set()
    for number in range(20):
        desk.submit(f"scan {number}", is_quick=False)
    desk.until(desk.begun, workers)
    for number in range(3):
        desk.submit(f"merge {number}", is_quick=True)
    assert desk.until(desk.done, 3) == [f"merge {number}" for number in range(3)]
    load = desk.pool.load()
    assert (load.workers, load.running["heavy"], load.waiting) == (
        workers,
        workers,
        {"quick": 0, "heavy": 20 - workers},
    )
    assert load.oldest_waiting["heavy"] > load.oldest_waiting["quick"] == 0.0
    text = desk.metrics.text(load)
    assert 'paperchute_runs_total{operation="quick",code="200"} 3' in text
    assert f'paperchute_wait_seconds_count{{operation="heavy"}} {workers}' in text
    assert StandIn.alive_ones == workers + 1
    gates["heavy"].set()
    assert len(set(desk.until(desk.done, 23))) == 23
    desk.pool.stop()
    assert StandIn.alive_ones == 0


def test_heavy_work_does_not_wait_for_quick_work_that_came_later(
    tmp_path: Path, gates: dict[str, threading.Event]
) -> None:
    desk = Desk(tmp_path / "workers", 1)
    desk.submit("merge 0", is_quick=True)
    desk.until(desk.begun, 1)
    for name, is_short in (("scan", False), ("merge 1", True), ("merge 2", True)):
        desk.submit(name, is_quick=is_short)
    assert not desk.pool.cancel("unknown")
    assert desk.pool.cancel("merge 2")
    gates["quick"].set()
    assert desk.until(desk.begun, 2)[1] == "scan"
    desk.until(desk.done, 2)  # the merge behind it, meanwhile
    gates["heavy"].set()
    assert set(desk.until(desk.done, 3)) == {"merge 0", "merge 1", "scan"}
    desk.pool.stop()


@pytest.mark.parametrize("workers", [1, 2])
def test_no_key_holds_all_workers_while_another_waits(
    workers: int, tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_HELD_SECONDS", 0.05)
    desk = Desk(tmp_path / "workers", workers)
    for number in range(workers + 2):
        desk.submit(f"long {number}", is_quick=False, owner="greedy")
    desk.until(desk.begun, workers)
    desk.submit("short", is_quick=False, owner="patient")
    assert desk.until(desk.begun, workers + 1)[-1] == "short"
    desk.submit("merge", is_quick=True, owner="third")  # the process for quick work is there still
    gates["quick"].set()
    assert desk.until(desk.done, 1) == ["merge"]
    gates["heavy"].set()
    assert len(desk.until(desk.done, workers + 4)) == workers + 4
    desk.pool.stop()
    assert StandIn.alive_ones == 0


def test_work_of_one_key_starts_no_more_processes_than_there_may_be(
    tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_HELD_SECONDS", 0.0)
    desk = Desk(tmp_path / "workers", 2)
    for number in range(4):
        desk.submit(f"long {number}", is_quick=False, owner="only")
    desk.until(desk.begun, 2)
    gates["quick"].set()
    desk.submit("merge", is_quick=True, owner="only")
    assert desk.until(desk.done, 1) == ["merge"]
    assert desk.pool.load().running["heavy"] == 2
    assert StandIn.alive_ones <= 3  # two, and the one for quick work
    gates["heavy"].set()
    desk.until(desk.done, 5)
    desk.pool.stop()


def test_the_process_for_quick_work_ends_when_it_has_nothing_to_do(
    tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_IDLE_SECONDS", 0.05)
    desk = Desk(tmp_path / "workers", 1)
    gates["quick"].set()
    desk.submit("scan", is_quick=False)
    desk.until(desk.begun, 1)
    for number in range(2):  # and starts again
        desk.submit(f"merge {number}", is_quick=True)
        desk.until(desk.done, number + 1)
        ends(lambda: _until_alive(1))
    gates["heavy"].set()
    desk.pool.stop()


def _until_alive(count: int) -> None:
    while StandIn.alive_ones != count:
        threading.Event().wait(0.01)


def test_processes_start_as_jobs_need_them_and_one_stays(
    tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_IDLE_SECONDS", 0.05)
    desk = Desk(tmp_path / "workers", 3)
    ends(lambda: _until_alive(1))
    for number in range(5):
        desk.submit(f"scan {number}", is_quick=False)
        desk.until(desk.begun, min(number + 1, 3))
        assert StandIn.alive_ones == min(number + 1, 3)
    gates["heavy"].set()
    desk.until(desk.done, 5)
    ends(lambda: _until_alive(1))
    gates["heavy"].clear()
    for number in range(5, 7):  # and again
        desk.submit(f"scan {number}", is_quick=False)
    desk.until(desk.begun, 7)
    assert StandIn.alive_ones == 2
    gates["heavy"].set()
    desk.pool.stop()
    assert StandIn.alive_ones == 0


def _no_more_processes(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """From here on none comes up; set once one was tried."""
    tried = threading.Event()

    def stillborn(_limits: Limits, _folder: Path) -> StandIn:
        tried.set()
        raise StillbornError("no memory")

    monkeypatch.setattr(pools, "WorkerProcess", stillborn)
    monkeypatch.setattr(pools, "_BIRTH_PAUSE_SECONDS", 0.01)
    return tried


def test_work_waits_for_the_process_there_is_where_no_more_is_to_be_had(
    tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path / "workers", 2)
    desk.submit("scan 0", is_quick=False)
    desk.until(desk.begun, 1)
    tried = _no_more_processes(monkeypatch)
    desk.submit("scan 1", is_quick=False)
    assert tried.wait(_PATIENCE)
    assert desk.pool.trouble is None
    assert desk.begun == ["scan 0"]
    gates["heavy"].set()
    assert desk.until(desk.done, 2) == ["scan 0", "scan 1"]
    desk.pool.stop()


def test_quick_work_waits_where_no_more_process_is_to_be_had(
    tmp_path: Path, gates: dict[str, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path / "workers", 1)
    gates["quick"].set()
    desk.submit("scan", is_quick=False)
    desk.until(desk.begun, 1)
    tried = _no_more_processes(monkeypatch)
    desk.submit("merge", is_quick=True)
    assert tried.wait(_PATIENCE)
    assert desk.pool.trouble is None
    gates["heavy"].set()
    assert desk.until(desk.done, 2) == ["scan", "merge"]
    desk.pool.stop()


def test_what_moves_pages_is_quick_and_what_reads_them_is_not() -> None:
    assert {name for name in implemented() if is_quick(name)} == QUICK
    assert not is_quick("of-another-release")
