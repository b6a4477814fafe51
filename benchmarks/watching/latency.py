"""From the writer's close() or rename() to the watcher's consumer."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.watching.child import watcher
from benchmarks.watching.tables import Row, spread, with_ratio
from benchmarks.watching.watchers import KINDS, installed
from benchmarks.watching.writers import CONTENT

_PAUSE = 0.02
_UNMARKED = b"a line of plain text, which may go on\n" * 10


def latency(base: Path, count: int) -> list[Row]:
    """p50 and p99 in milliseconds, alone and beside four computing threads in the watcher's process.

    Ours hands a file over when it is complete, the peers when the first event of it comes. marked: the format says
    where a file ends. unmarked: it does not, and so ours waits for a quarter of a second of quiet.
    """
    rows = [
        _latency(base, kind, how, busy, count) for busy in (0, 4) for how in _WRITE for kind in KINDS if installed(kind)
    ]
    return with_ratio(rows, "p50 ms", "watcher", "watchdog", same=("file", "computing threads"))


def _closed(hot: Path, name: str) -> tuple[Path, int]:
    return _written(hot / f"{name}.pdf", CONTENT)


def _unmarked(hot: Path, name: str) -> tuple[Path, int]:
    return _written(hot / f"{name}.txt", _UNMARKED)


def _written(path: Path, content: bytes) -> tuple[Path, int]:
    with path.open("wb", buffering=0) as file:
        file.write(content)
        moment = time.monotonic_ns()
    return path, moment


def _renamed(hot: Path, name: str) -> tuple[Path, int]:
    part = hot / f"{name}.pdf.part"
    part.write_bytes(_UNMARKED)
    moment = time.monotonic_ns()
    return part.rename(hot / f"{name}.pdf"), moment


_WRITE: dict[str, Callable[[Path, str], tuple[Path, int]]] = {
    "marked, closed": _closed,
    "renamed": _renamed,
    "unmarked, closed": _unmarked,
}
"""Put a file into the folder; its path, and the time just before the call that makes it complete."""


def _latency(base: Path, kind: str, how: str, busy: int, count: int) -> Row:
    hot = base / "hot"
    hot.mkdir(parents=True)
    done: dict[str, int] = {}
    with watcher(kind, [hot], busy) as child:
        for number in range(count):
            path, moment = _WRITE[how](hot, f"{number:04}")
            done[str(path)] = moment
            time.sleep(_PAUSE)
        child.until(count)
        at = child.ask("times")["at"]
    shutil.rmtree(base)
    middle, most = spread([(at[path] - moment) / 1e6 for path, moment in done.items() if path in at])
    return {
        "file": how,
        "computing threads": busy,
        "watcher": kind,
        "seen": len(at),
        "p50 ms": middle,
        "p99 ms": most,
    }
