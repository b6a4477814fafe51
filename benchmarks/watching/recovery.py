"""What happens when a hot folder goes away under its watcher, and when the kernel drops events."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.watching.child import watcher
from benchmarks.watching.daemon import KIB10, Service, daemon, until
from benchmarks.watching.tables import Row
from benchmarks.watching.watchers import KINDS, installed
from benchmarks.watching.writers import CONTENT, written

_AWAY = 2.5  # seconds that a folder is gone
_GIVEN_UP = 4.0
_QUIET = 1.5
_PAUSE = 0.05
_QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


def recovery(base: Path, service: Service) -> list[Row]:
    """Seconds from the return of a folder (or of the watcher) until a file dropped from then on is told of.

    told after s: how long it took our watcher to say that a folder is missing. lost: files dropped since the return
    that were not told of when the next ones were. The last rows are the whole daemon's: until a result is in place.
    """
    rows = []
    for kind in (kind for kind in KINDS if installed(kind)):
        for name, (lose, away) in _LOSSES.items():
            rows.append(_lost_folder(base, kind, name, lose, away))
        rows.append(_overflow(base, kind))
    with daemon(base, service) as running:
        for number, (name, (lose, away)) in enumerate(_LOSSES.items()):
            lose(base / "hot")
            time.sleep(away)
            (base / "hot").mkdir()
            began = time.monotonic()
            running.drop(f"{number}.pdf", KIB10 + b"%d" % number)
            until((base / "hot.out" / f"{number}.md").exists, 30.0, running, pause=0.01)
            row: Row = {"who": "paperchute, the whole daemon", "what": name, "files": 1}
            rows.append(row | {"back after s": round(time.monotonic() - began, 2), "lost": 0})
    return rows


def _replaced(hot: Path) -> None:
    hot.rename(hot.with_name("elsewhere"))


_LOSSES: dict[str, tuple[Callable[[Path], object], float]] = {
    "deleted, made again": (shutil.rmtree, _AWAY),
    "moved away, another in its place": (_replaced, 0.0),
}


def _lost_folder(base: Path, kind: str, name: str, lose: Callable[[Path], object], away: float) -> Row:
    hot = base / "hot"
    hot.mkdir(parents=True)
    with watcher(kind, [hot]) as child:
        (hot / "before.pdf").write_bytes(CONTENT)
        child.until(1)
        gone = time.monotonic_ns()
        lose(hot)
        time.sleep(away)
        hot.mkdir()
        began, dropped = time.monotonic(), 0
        while child.ask()["files"] < 2 and time.monotonic() - began < _GIVEN_UP:
            (hot / f"{dropped}.pdf").write_bytes(CONTENT)
            dropped += 1
            time.sleep(_PAUSE)
        answer = child.until(dropped + 1, _QUIET)
    shutil.rmtree(base)
    back = answer["files"] > 1
    told = answer["told"].get("missing")
    return {
        "who": kind,
        "what": name,
        "files": dropped,
        "back after s": round(answer["last"] / 1e9 - began, 2) if back else None,
        "lost": dropped + 1 - answer["files"],
        "told after s": None if told is None else round((told - gone) / 1e9, 3),
    }


def _overflow(base: Path, kind: str) -> Row:
    """Twice as many events as the kernel keeps, while the watcher is stopped."""
    hot = base / "hot"
    hot.mkdir(parents=True)
    count = int(_QUEUE.read_text())
    with watcher(kind, [hot]) as child:
        os.kill(child.process.pid, signal.SIGSTOP)
        written(hot, base, count)
        began = time.monotonic_ns()
        os.kill(child.process.pid, signal.SIGCONT)
        answer = child.until(count)
    shutil.rmtree(base)
    lost = count - answer["files"]
    back = None if lost else round((answer["last"] - began) / 1e9, 2)
    return {"who": kind, "what": "events dropped by the kernel", "files": count, "back after s": back, "lost": lost}
