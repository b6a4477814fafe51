"""A machine whose clock is off does no harm to the tasks of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.settings import Limits, Settings
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.ports import TaskStore
from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.tasks.task import NewTask
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import AskLater

_HOUR = 3600.0
_TIME, _MONOTONIC = time.time, time.monotonic


class Machine:
    """Its clock is off by so much."""

    off = 0.0

    def clock(self) -> float:
        return _TIME() + self.off


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(time, "time", made.clock)
    return made


@pytest.fixture
def store(shared_store: Callable[[float], PostgresStore]) -> Iterator[TaskStore]:
    made = shared_store(_HOUR / 2)
    yield made
    made.close()


def _tasks(store: TaskStore, folder: Path) -> Tasks:
    settings = Settings(folder, "key", limits=Limits(overdue_seconds=_HOUR / 2, result_seconds=_HOUR / 2))
    dispatcher: Any = type("Nobody", (), {"cancel": lambda *_: None, "tell": lambda *_: None})()
    hooks = Webhooks(store, url="", token="", inner=())
    return Tasks(store, FolderBlobs(folder, 1 << 20), dispatcher, settings, hooks)


@pytest.mark.parametrize("hours", [-1, 1])
def test_upkeep_on_a_machine_whose_clock_is_off_drops_nothing(
    hours: int, store: TaskStore, machine: Machine, tmp_path: Path
) -> None:
    store.add(NewTask("waits", "pdf-merge", "async", "en"), "started")
    store.add(NewTask("done", "pdf-merge", "async", "en"), "started")
    store.end("done", "finished")
    machine.off = hours * _HOUR
    tasks = _tasks(store, tmp_path)
    tasks.drop_overdue()
    tasks.sweep()
    assert tasks.task("waits").state == "started"
    assert tasks.task("done").state == "finished"


@pytest.mark.parametrize("hours", [-1, 1])
def test_what_an_engine_with_such_a_clock_writes_is_of_now_for_the_others(
    hours: int, store: TaskStore, machine: Machine, tmp_path: Path
) -> None:
    machine.off = hours * _HOUR
    store.add(NewTask("done", "pdf-merge", "async", "en"), "started")
    store.end("done", "finished")
    store.add_letter("http://receiver.example", "{}", 10)
    machine.off = 0.0
    assert _tasks(store, tmp_path).task("done").state == "finished", "its result is not expired"
    assert store.expired(store.now(), 0.0, 9) == []
    assert len(store.letters(10)) == 1, "it is due"


def test_the_time_goes_on_and_is_the_databases_again_after_a_jump(store: TaskStore, machine: Machine) -> None:
    for off in (0.0, 9 * _HOUR, -_HOUR):
        machine.off = off
        before = store.now()
        assert abs(before - _TIME()) < 60.0  # the database is on this machine
        assert store.now() >= before


def test_servers_whose_clocks_differ_share_one_rate(store: TaskStore, machine: Machine) -> None:
    key = store.keys.find(store.keys.add("scanner", {"rate": 2}))
    assert key is not None
    for off in (_HOUR, 0.0):
        machine.off = off
        store.keys.take_request(key)
    for off in (_HOUR, 0.0):
        machine.off = off
        with pytest.raises(AskLater):
            store.keys.take_request(key)
