"""Bursts: who loses files, how far behind it falls, and what it costs."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.watching.child import watcher
from benchmarks.watching.watchers import KINDS, installed
from benchmarks.watching.writers import WRITERS, available, prepare

Row = dict[str, Any]


def bursts(base: Path, counts: Mapping[str, tuple[int, ...]], *, stopped: bool = False) -> list[Row]:
    """One row for each writer, number of files and watcher. stopped: the watcher is stopped while files are written."""
    rows = []
    for name, numbers in counts.items():
        for count in numbers:
            for kind in KINDS:
                if installed(kind) and available(name):
                    rows.append(_burst(base, name, count, kind, stopped))
    for row in rows:
        peers = [r for r in rows if (r["writer"], r["files"], r["watcher"]) == (row["writer"], row["files"], "inotify")]
        row["cpu / inotify"] = round(row["cpu s"] / peers[0]["cpu s"], 2) if peers and peers[0]["cpu s"] else None
    return rows


def _burst(base: Path, name: str, count: int, kind: str, stopped: bool) -> Row:
    hot, aside = base / "hot", base / "aside"
    hot.mkdir(parents=True)
    prepare(name, aside, count)
    with watcher(kind, [hot]) as child:
        if stopped:
            os.kill(child.process.pid, signal.SIGSTOP)
        began = time.monotonic_ns()
        WRITERS[name](hot, aside, count)
        ended = time.monotonic_ns()
        if stopped:
            os.kill(child.process.pid, signal.SIGCONT)
        answer = child.until(count)
    shutil.rmtree(base)
    return {
        "writer": name,
        "files": count,
        "stopped": stopped,
        "watcher": kind,
        "lost %": round(100 * (1 - answer["files"] / count), 1),
        "lag s": round(max(0.0, (answer["last"] - ended) / 1e9), 2),
        "written in s": round((ended - began) / 1e9, 2),
        "cpu s": round(answer["cpu"], 2),
        "cpu us/file": round(answer["cpu"] / count * 1e6),
        "peak MB": round(answer["peak_mb"]),
    }
