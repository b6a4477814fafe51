"""What watching costs when nothing happens."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from benchmarks.watching.child import watcher
from benchmarks.watching.daemon import Service, daemon
from benchmarks.watching.memory import MIB
from benchmarks.watching.tables import Row, with_ratio
from benchmarks.watching.watchers import KINDS, installed

_FOLDERS = 50
_BEGINNING = 2.0  # seconds until everything that a start brings is over


def idle(base: Path, service: Service, seconds: float) -> list[Row]:
    """CPU, threads and memory over so many seconds: of the watchers, and of our whole daemon without an engine."""
    hot = [base / f"{number:02}" for number in range(_FOLDERS)]
    for folder in hot:
        folder.mkdir(parents=True)
    rows = []
    for kind in KINDS:
        if installed(kind):
            with watcher(kind, hot) as child:
                rows.append(_row(kind, psutil.Process(child.process.pid), seconds))
    with daemon(base / "whole", service, folders=_FOLDERS) as running:
        rows.append(_row("paperchute, the whole daemon", running.process, seconds))
    for column in ("threads", "MiB"):
        with_ratio(rows, column, "who", "watchdog")
    return rows


def _row(who: str, process: psutil.Process, seconds: float) -> Row:
    time.sleep(_BEGINNING)
    before = sum(process.cpu_times()[:2])
    time.sleep(seconds)
    return {
        "who": who,
        "folders": _FOLDERS,
        "cpu %": round((sum(process.cpu_times()[:2]) - before) / seconds * 100, 2),
        "threads": process.num_threads(),
        "MiB": round(process.memory_info().rss / MIB, 1),
    }
