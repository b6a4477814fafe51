"""Clients that ask a cluster for documents, and what must be true once all have their answers."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.engine.cluster.members import Caller, Cluster
from tests.engine.cluster.servers import until

_CLIENTS = 8


class Load:
    """Many clients that ask for one document each, some twice, and see whether each answer is theirs."""

    def __init__(self, caller: Caller, folder: Path) -> None:
        self.caller = caller
        self.seconds: list[float] = []
        self.records: dict[str, set[str]] = {}
        self._folder = folder
        self._lock = threading.Lock()

    def run(self, count: int, twice: int = 0, held: int = 0) -> None:
        """`count` calls, the first `twice` of them made a second time at another server, `held` that wait for `go`."""
        calls = [(number, 0) for number in range(count)] + [(number, 1) for number in range(twice)]
        random.Random(count).shuffle(calls)
        with ThreadPoolExecutor(_CLIENTS) as clients:
            list(clients.map(lambda call: self._call(*call, held=call[0] < held), calls))

    def _call(self, number: int, first: int, *, held: bool) -> None:
        text = f"document {number} " + (f"do: wait {self._folder / f'held-{number}'}" if held else "")
        begun = time.monotonic()
        record = self.caller.html(text, key=f"key-{number}", first=number + first)
        assert record["status"] == "success", record
        assert f"document {number} " in self.caller.fetched(record).decode()
        with self._lock:
            self.seconds.append(time.monotonic() - begun)
            self.records.setdefault(f"key-{number}", set()).add(record["taskId"])

    def told(self) -> str:
        ordered = sorted(self.seconds)
        return (
            f"{len(ordered)} calls, p50 {ordered[len(ordered) // 2]:.2f} s, longest {ordered[-1]:.1f} s,"
            f" asked again {self.caller.again} times"
        )


def all_is_well(shared: Cluster, load: Load, count: int, others: int = 0) -> None:
    """Each key has one task, each task one result, nothing is left over. others: runs that the load did not ask for."""
    assert {key: len(tasks) for key, tasks in load.records.items() if len(tasks) != 1} == {}
    assert len(load.records) == count
    until(
        lambda: (
            shared.rows("select count(*) as n from procrastinate_jobs where status in ('todo', 'doing')")[0]["n"] == 0
        )
    )
    (seen,) = shared.rows(
        "select count(*) as runs, count(*) filter (where state = 'success') as good, sum(epoch) as begun,"
        " (select count(*) from task where state != 'finished') as unfinished from run"
    )
    assert (seen["runs"], seen["good"], seen["unfinished"]) == (count + others, count + others, 0)
    print(f"\n    {load.told()}; {seen['begun']} begins of {count} runs")  # noqa: T201 -- the figures of docs/scaling.md
