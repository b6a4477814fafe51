"""`python -m benchmarks.cluster [--documents N] [--json FILE]`: measure, print tables, keep the figures."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "daemon"))

from tests.engine.cluster.servers import postgres, reason_without  # noqa: E402

from benchmarks.cluster import calls  # noqa: E402 - the path above
from benchmarks.cluster.engines import Engines, Ground, alone, storage  # noqa: E402
from benchmarks.cluster.waiting.operations.pdf_to_markdown import WAIT_SECONDS  # noqa: E402
from benchmarks.watching.tables import Row, table  # noqa: E402

Figures = dict[str, Any]

_WORKERS = (1, 2, 4)
_WAITING_WORKERS = (1, 2, 4, 8)
_CLIENTS = 8
_WAITING_CLIENTS = 3  # for each worker, so that there is always something in the queue
_WAITING_SHARE = 10
_WARM_CALLS = 10  # for each worker: the first of a process loads its libraries
_REST_SECONDS = 4.0


def main() -> int:
    """Measure all; 1 where there is no PostgreSQL."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument(
        "--documents",
        type=int,
        default=200,
        help="for each row (200, 10 at least); where work waits, a tenth of it for each worker",
    )
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    if given.documents < _WAITING_SHARE:
        parser.error(f"--documents: {_WAITING_SHARE} at least")
    out = Console(width=180, highlight=False)
    if why := reason_without():
        out.print(why)
        return 1

    def keep(figures: Figures) -> None:
        if given.json:
            given.json.write_text(json.dumps(figures, indent=1), "utf-8")

    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        postgres() as database,
        storage(Path(name) / "storage") as objects,
    ):
        figures: Figures = {"machine": {**machine(), "storage": type(objects).__name__, "documents": given.documents}}
        out.print(figures["machine"])
        ground = Ground(Path(name), database, objects)
        for title, rows in (
            ("small documents", work(Path(name), ground, given.documents)),
            (f"work that waits {WAIT_SECONDS} s", waiting(Path(name), ground, given.documents // _WAITING_SHARE)),
        ):
            figures[title] = _with_ratios(list(rows))
            out.print(table(title, figures[title]))
            keep(figures)
        figures["load at the end"] = round(os.getloadavg()[0], 1)
        out.print(f"load at the end: {figures['load at the end']}")
        keep(figures)
    return 0


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def work(folder: Path, ground: Ground, documents: int) -> Iterator[Row]:
    """Both operations and rest, by an engine alone and by clusters."""
    kinds: dict[str, Callable[[int], AbstractContextManager[Engines]]] = {
        "alone": lambda workers: alone(folder, workers),
        "cluster": ground.cluster,
    }
    errands = {"merge": calls.merge(folder), "markdown": calls.markdown(folder)}
    for kind, started in kinds.items():
        for workers in _WORKERS:
            with started(workers) as engines:
                for name, call in errands.items():
                    calls.made(engines.url, call, _WARM_CALLS * workers, _CLIENTS)
                    row = measured(engines, call, documents, _CLIENTS)
                    yield {"work": name, "engine": kind, "workers": workers, **row}
                yield {"work": "rest", "engine": kind, "workers": workers, **rest(engines)}


def waiting(folder: Path, ground: Ground, documents: int) -> Iterator[Row]:
    """Clusters whose workers wait; `documents` for each worker."""
    call = calls.markdown(folder)
    for workers in _WAITING_WORKERS:
        clients = _WAITING_CLIENTS * workers
        with ground.cluster(workers, waits=True) as engines:
            calls.made(engines.url, call, _WARM_CALLS * workers, clients)
            row = measured(engines, call, documents * workers, clients)
        yield {"work": "wait", "engine": "cluster", "workers": workers, **row}


def measured(engines: Engines, call: calls.Call, count: int, clients: int) -> Row:
    """Documents a second, and the processor's milliseconds of each kind of process for a document.

    besides: all of them but the client and those that work on documents, so what it costs to have the work done.
    """
    before, begun = engines.seconds(), time.perf_counter()
    each = calls.made(engines.url, call, count, clients)
    took, after = time.perf_counter() - begun, engines.seconds()
    spent = _milliseconds(before, after, len(each))
    return {
        "a second": round(len(each) / took, 2),
        "median ms": round(statistics.median(each) * 1000),
        "besides": round(sum(ms or 0.0 for kind, ms in spent.items() if kind not in ("document", "client")), 1),
        **{kind: None if ms is None else round(ms, 1) for kind, ms in spent.items()},
    }


def rest(engines: Engines) -> Row:
    """The processor's milliseconds a second of each kind while there is nothing to do."""
    time.sleep(1.0)  # what the last call left behind
    before, begun = engines.seconds(), time.perf_counter()
    time.sleep(_REST_SECONDS)
    spent = _milliseconds(before, engines.seconds(), time.perf_counter() - begun)
    return {kind: None if ms is None else round(ms, 1) for kind, ms in spent.items()}


def _milliseconds(
    before: dict[str, float | None], after: dict[str, float | None], parts: float
) -> dict[str, float | None]:
    """Between two readings, of each of so many parts."""
    spent: dict[str, float | None] = {}
    for kind, now in after.items():
        then = before[kind]
        spent[kind] = None if now is None or then is None else (now - then) * 1000 / parts
    return spent


def _with_ratios(rows: list[Row]) -> list[Row]:
    """Sorted by work, each with its documents a second by those of one worker of its kind."""
    first = {(row["work"], row["engine"]): row.get("a second") for row in rows if row["workers"] == 1}
    order = list(dict.fromkeys(row["work"] for row in rows))
    told = []
    for row in sorted(rows, key=lambda row: order.index(row["work"])):
        one = first[row["work"], row["engine"]]
        ratio = round(row["a second"] / one, 2) if one else None
        leading = {column: row.get(column) for column in ("work", "engine", "workers", "a second")}
        told.append({**leading, "/ 1 worker": ratio, **row})
    return told


if __name__ == "__main__":
    sys.exit(main())
