"""What the engine counts since its start, for Prometheus (text format 0.0.4).

Counters and histograms are of one process. What there is to do is told by engines that answer calls, of the whole
service; what a pool of worker processes does, by the engine that has one.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DONE = "200"
"""Stands where a failure has its code, as in the contract's answers."""

_BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0, 1800.0)
"""Seconds: page work takes hundredths, recognition seconds a page, and a task 15 minutes by default at most."""


@dataclass(frozen=True)
class Load:
    """What there is to do just now. Both by kind of work: `quick` and `heavy` (see `operations.QUICK`)."""

    workers: int
    """Of an engine alone, how many it was started with; in a cluster, how many engines that work are heard of."""
    running: Mapping[str, int]
    waiting: Mapping[str, int]
    oldest_waiting: Mapping[str, float]
    """Seconds; 0 where nothing waits."""


@dataclass
class _Histogram:
    counts: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds


class Metrics:
    """Thread-safe. Operations and codes are the contract's, so there are only so many series."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: dict[str, _Histogram] = {}
        self._runs: dict[str, _Histogram] = {}
        self._ended: Counter[tuple[str, str]] = Counter()
        self._retries: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._fences: Counter[str] = Counter()
        self._pool: Callable[[], Load] | None = None

    def watch(self, pool: Callable[[], Load]) -> None:
        """From now on, tell of this process's own pool of workers too."""
        self._pool = pool

    def waited(self, operation: str, seconds: float) -> None:
        """A worker has taken a run, whose task had waited so long."""
        with self._lock:
            self._waits.setdefault(operation, _Histogram()).add(seconds)

    def ran(self, operation: str, code: str, seconds: float) -> None:
        """A worker has ended with a run. code: of its failure, empty for none."""
        with self._lock:
            self._runs.setdefault(operation, _Histogram()).add(seconds)
            self._ended[operation, code or DONE] += 1

    def retried(self, operation: str) -> None:
        """A run waits or is begun again, since its worker or the engine had not ended it."""
        with self._lock:
            self._retries[operation] += 1

    def fenced(self, operation: str) -> None:
        """What came of a run here was not taken: it had become another's, or its task was dropped."""
        with self._lock:
            self._fences[operation] += 1

    def refused(self, code: str) -> None:
        """A request was refused."""
        with self._lock:
            self._refusals[code] += 1

    def text(self, load: Load | None, *, database: bool | None = None) -> str:
        """All of it, as Prometheus reads it.

        load: of the whole service; None where it is not this engine's to tell, or cannot be told. database: whether the
        one that engines share can be asked; None where there is none.
        """
        pool = self._pool() if self._pool is not None else None
        with self._lock:
            parts = (_of_database(database), _of_load(load), _of_pool(pool), self._counted())
            return "".join(f"{line}\n" for part in parts for line in part)

    def _counted(self) -> Iterator[str]:
        yield from _histogram("wait_seconds", "From the start of a task until a worker took its run.", self._waits)
        yield from _histogram("run_seconds", "That a worker took over a run.", self._runs)
        yield from _head("runs_total", "counter", f"Runs that have ended, by code; {DONE} for done.")
        for (operation, code), count in sorted(self._ended.items()):
            yield f'paperchute_runs_total{{operation="{operation}",code="{code}"}} {count}'
        by_label = {
            "retries_total": (
                "operation",
                "Runs that were begun again, since nobody had ended them.",
                self._retries,
            ),
            "fences_total": ("operation", "Ends of runs that came too late and were not taken.", self._fences),
            "refusals_total": ("code", "Requests that were refused, by code; 500 for faults.", self._refusals),
        }
        for name, (label, what, counts) in by_label.items():
            yield from _head(name, "counter", what)
            for value, count in sorted(counts.items()):
                yield f'paperchute_{name}{{{label}="{value}"}} {count}'


def _of_database(there: bool | None) -> Iterator[str]:
    if there is not None:
        yield from _head("database_up", "gauge", "1 where the database that engines share can be asked.")
        yield f"paperchute_database_up {int(there)}"


def _of_pool(pool: Load | None) -> Iterator[str]:
    if pool is not None:
        yield from _head("pool_workers", "gauge", "Worker processes that this engine works with.")
        yield f"paperchute_pool_workers {pool.workers}"
        yield from _head("pool_busy", "gauge", "How many of them have a run.")
        yield f"paperchute_pool_busy {sum(pool.running.values())}"


def _of_load(load: Load | None) -> Iterator[str]:
    if load is None:
        return
    yield from _head(
        "workers", "gauge", "Workers of an engine alone; of a cluster, the engines that work and are heard of."
    )
    yield f"paperchute_workers {load.workers}"
    by_kind: dict[str, tuple[str, Mapping[str, float]]] = {
        "running": ("Runs that a worker has.", load.running),
        "waiting": ("Runs that wait for a worker.", load.waiting),
        "oldest_waiting_seconds": ("How long the first of those has waited.", load.oldest_waiting),
    }
    for name, (what, values) in by_kind.items():
        yield from _head(name, "gauge", what)
        for kind, value in values.items():
            yield f'paperchute_{name}{{work="{kind}"}} {value:g}'


def _histogram(name: str, what: str, by_operation: Mapping[str, _Histogram]) -> Iterator[str]:
    yield from _head(name, "histogram", what)
    for operation, histogram in sorted(by_operation.items()):
        label, so_far = f'operation="{operation}"', 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), histogram.counts, strict=True):
            so_far += count
            yield f'paperchute_{name}_bucket{{{label},le="{bound}"}} {so_far}'
        yield f"paperchute_{name}_sum{{{label}}} {histogram.total:.6f}"
        yield f"paperchute_{name}_count{{{label}}} {so_far}"


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP paperchute_{name} {what}"
    yield f"# TYPE paperchute_{name} {kind}"
