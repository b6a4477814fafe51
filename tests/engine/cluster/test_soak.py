"""Thousands of documents over four workers, one of which is killed each minute: none lost, none delivered twice.

    SOAK_DOCUMENTS=10000 python -m pytest -m cluster -s -o faulthandler_timeout=0 tests/engine/cluster/test_soak.py

Each tenth document is a task that is asked for later and has a webhook, each twentieth is sent twice, at two servers at
once. SOAK_MINUTES is when no more are begun, SOAK_KILL the seconds between two kills, SOAK_RESULT a file for what was
seen, as JSON.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import Caller, Cluster, Member, cluster, kill
from tests.engine.cluster.servers import PostgresServer, until
from tests.engine.service.outer import Outer

pytestmark = pytest.mark.cluster

_DOCUMENTS = int(os.environ.get("SOAK_DOCUMENTS", "400"))
_KILL_SECONDS = float(os.environ.get("SOAK_KILL", "60" if _DOCUMENTS > 1000 else "10"))
_SECONDS = 60.0 * float(os.environ.get("SOAK_MINUTES", "600"))
_RESULT = os.environ.get("SOAK_RESULT", "")
_CLIENTS = 12
_WORKERS = 4


@pytest.fixture
def shared(postgres_server: PostgresServer, storage: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, postgres_server, storage) as made:
        made.empty()
        yield made


@dataclass
class Seen:
    """What clients were given."""

    tasks: dict[int, set[str]] = field(default_factory=dict)
    """By document, the tasks that were named for it: one, however often it was sent."""
    called: dict[int, str] = field(default_factory=dict)
    """The tasks of those that have a webhook."""
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, number: int, task: str, seconds: float) -> None:
        with self.lock:
            self.tasks.setdefault(number, set()).add(task)
            self.seconds.append(seconds)


def _send(caller: Caller, hooks: str, seen: Seen, number: int, first: int) -> None:
    text, begun = f"document {number} of the soak.", time.monotonic()
    try:
        if number % 10 == 0:
            record = caller.later(text, key=f"key-{number}", first=number + first, callback=f"{hooks}/{number}")
            seen.called[number] = record["taskId"]
        else:
            record = caller.html(text, key=f"key-{number}", first=number + first)
        if record["status"] != "success" or text not in caller.fetched(record).decode():
            seen.wrong.append(f"{number}: {record}")
        seen.add(number, record["taskId"], time.monotonic() - begun)
    except Exception as error:  # noqa: BLE001 -- one client's trouble is told at the end, the others go on
        seen.wrong.append(f"{number}: {type(error).__name__} {error}")


def _kill_now_and_then(shared: Cluster, workers: list[Member], hooks: tuple[str, ...], over: threading.Event) -> int:
    """Kills one worker after the other, and starts another in its place; how many it were."""
    kills = 0
    while not over.wait(_KILL_SECONDS):
        victim = workers.pop(random.Random(kills).randrange(len(workers)))
        kill(victim)
        workers += shared.add("worker", 1, *hooks)
        kills += 1
    return kills


def test_none_is_lost_and_none_delivered_twice(shared: Cluster) -> None:
    seen, over, stop = Seen(), threading.Event(), time.monotonic() + _SECONDS
    with Outer() as outer, ThreadPoolExecutor(_CLIENTS + 1) as pool:
        hooks = ("--inner-host", "127.0.0.1")
        servers = shared.add("api", 2, *hooks)
        workers = shared.add("worker", _WORKERS, *hooks)
        begun = time.monotonic()
        with Caller(servers) as caller:
            kills = pool.submit(_kill_now_and_then, shared, workers, hooks, over)
            sent = [(n, at) for n in range(_DOCUMENTS) for at in ((0, 1) if n % 20 == 10 else (0,))]

            def send(number: int, first: int) -> None:
                if time.monotonic() < stop:
                    _send(caller, outer.url, seen, number, first)

            calls = [pool.submit(send, *call) for call in sent]
            for number, call in enumerate(calls):
                call.result()
                if number % 500 == 0:
                    print(f"\n    {number} of {len(calls)} after {time.monotonic() - begun:.0f} s", flush=True)  # noqa: T201
        took = time.monotonic() - begun
        over.set()
        killed = kills.result()
        until(lambda: len(outer.letters) >= len(seen.called))
        _all_is_well(shared, seen, outer)
    (told,) = shared.rows("select count(*) as runs, sum(epoch) as begun, sum(starts) as starts from run")
    ordered = sorted(seen.seconds)
    found = {
        "documents": len(seen.tasks),
        "seconds": round(took),
        "calls": len(ordered),
        "asked_again": caller.again,
        "workers_killed": killed,
        "runs": int(told["runs"]),
        "begins": int(told["begun"]),
        "median_call_seconds": round(ordered[len(ordered) // 2], 3),
        "longest_call_seconds": round(ordered[-1], 1),
        "webhooks": len(outer.letters),
    }
    text = json.dumps(found, indent=2)
    print(f"\n{text}")  # noqa: T201 -- the figures of docs/scaling.md
    if _RESULT:
        Path(_RESULT).write_text(f"{text}\n", "utf-8")


def _all_is_well(shared: Cluster, seen: Seen, outer: Outer) -> None:
    assert seen.wrong == []
    assert {number: tasks for number, tasks in seen.tasks.items() if len(tasks) != 1} == {}
    named = {next(iter(tasks)) for tasks in seen.tasks.values()}
    assert len(named) == len(seen.tasks), "two documents have one task"
    states = shared.rows("select task.id, task.state, run.state as run from task join run on run.task = task.id")
    assert {row["id"] for row in states} == named, "a task that nobody asked for, or one that is gone"
    assert Counter((row["state"], row["run"]) for row in states) == {("finished", "success"): len(named)}
    jobs = "select count(*) as n from procrastinate_jobs where status in ('todo', 'doing')"
    until(lambda: shared.rows(jobs)[0]["n"] == 0)
    letters = Counter((body["eventName"], body["eventObject"]) for _, body in outer.letters)
    assert letters == {("task.finish", task): 1 for task in seen.called.values()}
