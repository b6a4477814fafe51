"""`python -m benchmarks.cluster.day [--documents N] [--seed N]`: a million documents in a working day, simulated.

`--check` holds the model against a real cluster of this machine: the same documents at the same moments, to workers
that wait half a second for each.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "daemon"))

from tests.engine.cluster.servers import postgres, reason_without  # noqa: E402 - the path above

from benchmarks.cluster import calls  # noqa: E402
from benchmarks.cluster.engines import Engines, Ground, storage  # noqa: E402
from benchmarks.cluster.simulation import HOUR, Arrival, Kind, Seen, Service, Simulation, arrivals  # noqa: E402
from benchmarks.cluster.waiting.operations.pdf_to_markdown import WAIT_SECONDS  # noqa: E402
from benchmarks.watching.tables import Row, table  # noqa: E402

KINDS = (
    Kind("merged", 0.2, 0.02, is_quick=True),
    Kind("read", 0.47, 0.08),
    Kind("scanned", 0.33, 9.0, together=20),
)
"""Of three pages each. Seconds: what the demo's letters, report and scan took of a processor of this machine."""
BY_HOUR = (
    0.3,
    0.2,
    0.2,
    0.2,
    0.3,
    0.6,
    1.5,
    4,
    8,
    10,
    10.5,
    9,
    7,
    8.5,
    10,
    9.5,
    7.5,
    4.5,
    2.5,
    1.8,
    1.4,
    1.1,
    0.8,
    0.6,
)
"""Per cent of a working day's documents: few at night, a tenth in the busiest hour, a dip at noon."""
UPLOAD_GB, RESULT_GB = 500e3 / 1e9, 100e3 / 1e9
KEPT_SECONDS = 24 * HOUR
_MONTH_SECONDS = 30.4 * 24 * HOUR
_A_MACHINE = 8  # processes
_DAY = range(7, 19)  # the hours in which all machines are there
_LOOKS = 8.0  # at the queue by each machine in a second
_SIZES = (96, 112, 128, 144)
_SHARDS = (1, 2, 4)
_KEYS = 200
_CHECKED = 60  # documents for each worker
_CHECKED_SHARE = 0.7  # of what workers could do


def main() -> int:
    """Print the tables; 1 where the model is to be checked and there is no PostgreSQL."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster.day", description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    out = Console(width=200, highlight=False)
    if not given.check:
        day = list(arrivals(given.documents, BY_HOUR, KINDS, given.seed))
        out.print(table("one service", list(sizes(day))))
        out.print(table("144 processes in several services", list(shards(day, given.seed))))
        return 0
    if why := reason_without():
        out.print(why)
        return 1
    out.print(table(f"{_CHECKED} documents for each worker, {WAIT_SECONDS} s each", list(checked(given.seed))))
    return 0


def sizes(day: Sequence[Arrival]) -> Iterator[Row]:
    """More and more workers; the same, half of them at night; a database that writes little."""
    for processes in _SIZES:
        yield {"processes": f"{processes}", "PostgreSQL": 1000, **_told(day, _service(processes, 1000.0))}
    most = _SIZES[-1]
    by_hour = [most if hour in _DAY else most // 2 for hour in range(24)]
    yield {
        "processes": f"{most}, at night {most // 2}",
        "PostgreSQL": 1000,
        **_told(day, replace(_service(most, 1000.0), processes=by_hour)),
    }
    for transactions in (700, 600):
        yield {"processes": f"{most}", "PostgreSQL": transactions, **_told(day, _service(most, transactions))}


def shards(day: Sequence[Arrival], seed: int) -> Iterator[Row]:
    """API keys are dealt out to services that share nothing; some keys bring much more than others."""
    chance = random.Random(seed)
    weights = [1 / number for number in range(1, _KEYS + 1)]
    for count in _SHARDS:
        of_key = [chance.randrange(count) for _ in weights]
        parts: list[list[Arrival]] = [[] for _ in range(count)]
        now, part = -1.0, parts[0]
        for arrival in day:
            if arrival[0] != now:  # what comes together is of one key
                now, part = arrival[0], parts[of_key[chance.choices(range(_KEYS), weights)[0]]]
            part.append(arrival)
        each = [Simulation(_service(_SIZES[-1] // count, 1000.0)).run(part) for part in parts]
        largest = max(map(len, parts)) / len(day)
        yield {
            "services": count,
            "share of the largest": f"{largest:.0%}",
            "longest wait s": _seconds(max(max(seen.waits) for seen in each)),
            "transactions/s, busiest": round(max(seen.busiest() for seen in each)),
        }


def _service(processes: int, transactions: float) -> Service:
    machines = processes // _A_MACHINE
    return Service([processes], machines, transactions - _LOOKS * machines)


def _told(day: Sequence[Arrival], service: Service) -> Row:
    seen = Simulation(service).run(day)
    there = sum(service.processes[hour % len(service.processes)] for hour in range(24)) * HOUR
    return {
        "busy": f"{seen.busy / there:.0%}",
        "wait s: 50 of 100": _seconds(seen.wait(0.5)),
        "95": _seconds(seen.wait(0.95)),
        "longest": _seconds(max(seen.waits)),
        "in hour": max(seen.oldest, key=lambda hour: seen.oldest[hour]),
        "left": seen.left,
        "transactions/s, busiest": round(seen.busiest()),
        **_stored(len(day), seen),
    }


def _stored(documents: int, seen: Seen) -> Row:
    """A month of such days in the storage."""
    at_rest = (UPLOAD_GB * sum(seen.took) + RESULT_GB * KEPT_SECONDS * seen.ended) / (24 * HOUR)
    return {"GB at rest": round(at_rest), "GB-months a day": round(at_rest * 24 * HOUR / _MONTH_SECONDS, 1)}


def _seconds(value: float) -> float:
    return round(value, 1) if value < 100.0 else round(value)


def checked(seed: int) -> Iterator[Row]:
    """Documents at the same moments to 1, 2 and 4 workers and to the model of these."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        postgres() as database,
        storage(Path(name) / "storage") as objects,
    ):
        ground = Ground(Path(name), database, objects)
        for workers in (1, 2, 4):
            chance = random.Random(seed)
            moments, now = [], 0.0
            for _ in range(_CHECKED * workers):
                now += chance.expovariate(_CHECKED_SHARE * workers / WAIT_SECONDS)
                moments.append(now)
            model = Simulation(Service([workers], 0, 1000.0)).run([(at, False, WAIT_SECONDS) for at in moments])
            with ground.cluster(workers, waits=True) as engines:
                real = _answered(engines, calls.markdown(Path(name)), moments)
            for who, took in (("model", sorted(model.took)), ("cluster", sorted(real))):
                told = {share: round(took[int(len(took) * share / 100)], 2) for share in (50, 90)}
                mean = round(sum(took) / len(took), 2)
                yield {
                    "workers": workers,
                    "": who,
                    "mean s": mean,
                    "50": told[50],
                    "90": told[90],
                    "longest": round(took[-1], 2),
                }


def _answered(engines: Engines, call: calls.Call, moments: Sequence[float]) -> list[float]:
    """The seconds of calls that are made at these moments, whether the ones before have an answer or not."""
    calls.made(engines.url, call, 2 * len(engines.workers), len(engines.workers))
    begun = time.perf_counter()

    def one(at: float) -> float:
        time.sleep(max(0.0, begun + at - time.perf_counter()))
        calls.made(engines.url, call, 1, 1)
        return time.perf_counter() - begun - at

    with ThreadPoolExecutor(len(moments)) as pool:
        return list(pool.map(one, moments))


if __name__ == "__main__":
    sys.exit(main())
