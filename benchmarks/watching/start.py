"""From the start of a process until its folders are watched, and until what lay in them is known."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from benchmarks.watching.child import ENVIRONMENT, starting
from benchmarks.watching.daemon import Service, command_for, environment_for, until, write_rules
from benchmarks.watching.tables import Row, with_ratio
from benchmarks.watching.watchers import KINDS, installed

_FOLDERS = 10
_SECONDS = 60.0


def start(base: Path, service: Service, times: int, backlog: int) -> list[Row]:
    """Milliseconds, medians of `times` starts: until ten folders are watched, until `backlog` files are known.

    listed: the watcher knows that they are there. taken: it has handed all of them over, the daemon has written all of
    them down. None where a watcher does not look at what was there before. Watched is what the kernel says: the
    process holds ten watches (fdinfo, proc(5)).
    """
    rows: list[Row] = [{"who": "the interpreter alone", "watched ms": _median(times, _interpreter)}]
    for kind in (kind for kind in KINDS if installed(kind)):
        row: Row = {"who": kind, "watched ms": _median(times, partial(_watched, kind, base))}
        rows.append(row | _listed(kind, base, backlog))
    rows.append(
        {
            "who": "paperchute, the whole daemon",
            "watched ms": _median(times, partial(_daemon_watched, base, service)),
            "taken ms": _daemon_taken(base, service, backlog),
        }
    )
    return with_ratio(rows, "watched ms", "who", "watchdog")


def _median(times: int, measure: Callable[[], float]) -> float:
    measure()  # the first one also compiles and warms the cache
    return round(statistics.median(measure() for _ in range(times)), 1)


def _interpreter() -> float:
    began = time.monotonic_ns()
    subprocess.run([sys.executable, "-c", ""], env=ENVIRONMENT, check=True)
    return (time.monotonic_ns() - began) / 1e6


def _watched(kind: str, base: Path) -> float:
    hot = _folders(base)
    began = time.monotonic_ns()
    with starting(kind, hot) as child:
        return _until_watched(child.process.pid, began)


def _listed(kind: str, base: Path, backlog: int) -> Row:
    hot = _folders(base)
    _fill(hot, backlog)
    began = time.monotonic_ns()
    with starting(kind, hot) as child:
        child.armed()
        answer = child.until(backlog, quiet=2.0)
    shutil.rmtree(base)
    listed = answer["listed_last"] if answer["listed"] >= backlog else None
    taken = answer["last"] if answer["files"] >= backlog else None
    return {
        f"{name} ms": None if moment is None else round((moment - began) / 1e6, 1)
        for name, moment in (("listed", listed), ("taken", taken))
    }


def _daemon_watched(base: Path, service: Service) -> float:
    write_rules(base, service.port, folders=_FOLDERS)
    with _daemon(base) as (pid, began):
        return _until_watched(pid, began)


def _daemon_taken(base: Path, service: Service, backlog: int) -> float:
    _fill(write_rules(base, service.port, folders=_FOLDERS), backlog)
    with _daemon(base) as (_, began):
        until(lambda: _jobs(base / "state" / "journal.sqlite") >= backlog, _SECONDS, "the journal", pause=0.01)
        return round((time.monotonic_ns() - began) / 1e6, 1)


@contextmanager
def _daemon(base: Path) -> Iterator[tuple[int, int]]:
    """Its process id, and when it was started."""
    began = time.monotonic_ns()
    with subprocess.Popen(command_for(base), env=environment_for(), stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid, began
        finally:
            process.kill()
            process.wait()
            shutil.rmtree(base)


def _jobs(journal: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=5)) as db:
            return int(db.execute("select count(*) from job").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not there yet


def _until_watched(pid: int, began: int) -> float:
    until(lambda: _watches(pid) >= _FOLDERS, _SECONDS, f"the watches of process {pid}", pause=0.0005)
    return (time.monotonic_ns() - began) / 1e6


def _watches(pid: int) -> int:
    count = 0
    for descriptor in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            count += descriptor.read_text().count("inotify wd:")
        except FileNotFoundError:
            continue
    return count


def _folders(base: Path) -> list[Path]:
    hot = [base / f"{number:02}" for number in range(_FOLDERS)]
    for folder in hot:
        folder.mkdir(parents=True, exist_ok=True)
    return hot


def _fill(hot: list[Path], count: int) -> None:
    for number in range(count):
        (hot[number % len(hot)] / f"{number:06}.pdf").write_bytes(b"%PDF-1.7\n%%EOF\n")
