"""Bursts: who loses files, how far behind it falls, and what it costs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from benchmarks.watching.child import watcher
from benchmarks.watching.tables import Row, with_ratio
from benchmarks.watching.watchers import KINDS, installed
from benchmarks.watching.writers import WRITERS, available, prepare


def bursts(base: Path, writers: Sequence[str], count: int, *, stopped: bool = False) -> list[Row]:
    """A row for each writer of `count` files and each watcher. stopped: that is stopped while files are written."""
    rows = [
        _burst(base, name, count, kind, stopped)
        for name in writers
        if available(name)
        for kind in KINDS
        if installed(kind)
    ]
    return with_ratio(rows, "cpu s", "watcher", "inotify", same=("writer",))


def _burst(base: Path, name: str, count: int, kind: str, stopped: bool) -> Row:
    hot, aside = base / "hot", base / "aside"
    hot.mkdir(parents=True)
    prepare(name, aside, count)
    with watcher(kind, [hot]) as child:
        if stopped:
            psutil.Process(child.process.pid).suspend()
        began = time.monotonic_ns()
        WRITERS[name](hot, aside, count)
        ended = time.monotonic_ns()
        if stopped:
            psutil.Process(child.process.pid).resume()
        answer = child.until(count)
    shutil.rmtree(base)
    return {
        "writer": name,
        "files": count,
        "watcher": kind,
        "lost %": round(100 * (1 - answer["files"] / count), 1),
        "lag s": round(max(0.0, (answer["last"] - ended) / 1e9), 3),
        "written in s": round((ended - began) / 1e9, 2),
        "cpu s": round(answer["cpu"], 3),
        "cpu us/file": round(answer["cpu"] / count * 1e6),
        "peak MiB": round(answer["peak_mib"]),
    }
