"""From close() or rename() to the watcher's consumer, and what watching costs when nothing happens."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.watching.child import watcher
from benchmarks.watching.watchers import KINDS, installed
from benchmarks.watching.writers import CONTENT

Row = dict[str, Any]
_PAUSE = 0.02


def latency(base: Path, count: int) -> list[Row]:
    """p50 and p99 in milliseconds, for files closed and renamed, alone and beside four computing threads."""
    rows = []
    for busy in (0, 4):
        for how in ("close", "rename"):
            for kind in KINDS:
                if installed(kind):
                    rows.append(_latency(base, kind, how, busy, count))
    return rows


def _latency(base: Path, kind: str, how: str, busy: int, count: int) -> Row:
    hot = base / "hot"
    hot.mkdir(parents=True)
    done: dict[str, int] = {}
    with watcher(kind, [hot], busy) as child:
        for number in range(count):
            path = hot / f"{number:04}.pdf"
            if how == "close":
                path.write_bytes(CONTENT)
            else:
                part = path.with_suffix(".part")
                part.write_bytes(CONTENT)
                part.rename(path)
            done[str(path)] = time.monotonic_ns()
            time.sleep(_PAUSE)
        child.until(count)
        at = child.ask("times")["at"]
    shutil.rmtree(base)
    took = sorted(max(0.0, (at[path] - moment) / 1e6) for path, moment in done.items() if path in at)
    return {
        "event": how,
        "computing threads": busy,
        "watcher": kind,
        "seen": len(took),
        "p50 ms": round(took[len(took) // 2], 2),
        "p99 ms": round(took[int(len(took) * 0.99)], 2),
    }


def idle(base: Path, folders: int, seconds: float) -> list[Row]:
    """CPU, threads and memory of a watcher on many folders in which nothing happens."""
    hot = [base / f"{number:02}" for number in range(folders)]
    for folder in hot:
        folder.mkdir(parents=True)
    rows = []
    for kind in KINDS:
        if not installed(kind):
            continue
        with watcher(kind, hot) as child:
            process = psutil.Process(child.process.pid)
            time.sleep(1.0)
            before = sum(process.cpu_times()[:2])
            time.sleep(seconds)
            rows.append(
                {
                    "watcher": kind,
                    "folders": folders,
                    "cpu %": round((sum(process.cpu_times()[:2]) - before) / seconds * 100, 2),
                    "threads": process.num_threads(),
                    "MB": round(process.memory_info().rss / 1e6),
                }
            )
    shutil.rmtree(base)
    return rows


def rescan(base: Path, counts: tuple[int, ...]) -> list[Row]:
    """One look at a folder in which nothing has changed: our scan beside watchdog's snapshot."""
    from watchdog.utils.dirsnapshot import DirectorySnapshot

    from paperchute.watch.observing import Observing
    from paperchute.watch.records import HotFolder, Ready, Trouble
    from paperchute.watch.roots import Root
    from paperchute.watch.scan import scan
    from paperchute.watch.settle import Settler
    from paperchute.watch.troubles import Troubles

    class Out:
        def put(self, item: Ready | Trouble, /) -> None:
            return

    rows = []
    for count in counts:
        base.mkdir(parents=True)
        for number in range(count):
            (base / f"{number:06}.pdf").write_bytes(b"%PDF %%EOF")
        settler, troubles = Settler(Out()), Troubles(Out())
        settler.start()
        root = Root(HotFolder(base), lambda *_: True)
        observing = Observing(settler, troubles, lambda *_: None)
        scan(root, settler, troubles, observing)
        while settler.unsettled([root], 60.0):
            time.sleep(0.1)
        root.full_scan = True
        began = time.perf_counter()
        scan(root, settler, troubles, observing)
        ours = time.perf_counter() - began
        settler.stop()
        began = time.perf_counter()
        DirectorySnapshot(str(base), recursive=False)
        theirs = time.perf_counter() - began
        shutil.rmtree(base)
        rows.append(
            {
                "files": count,
                "paperchute ms": round(ours * 1e3, 1),
                "watchdog snapshot ms": round(theirs * 1e3, 1),
                "ratio": round(ours / theirs, 2),
            }
        )
    return rows
