"""One look at a folder in which nothing has changed, each way in a process of its own.

`python -m benchmarks.watching.rescan WAY FOLDER` prints [milliseconds, peak MiB] as JSON.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.watching.child import ENVIRONMENT, ROOT
from benchmarks.watching.memory import peak_mib
from benchmarks.watching.tables import Row, with_ratio

_TIMES = 3


def rescan(base: Path, counts: tuple[int, ...]) -> list[Row]:
    """The quickest of three looks, with a warm cache, and the most memory of the process, what it knows included."""
    rows = []
    for count in counts:
        base.mkdir(parents=True)
        for number in range(count):
            (base / f"{number:06}.pdf").write_bytes(b"%PDF-1.7\n%%EOF\n")
        for way in _WAYS:
            command = [sys.executable, "-m", "benchmarks.watching.rescan", way, str(base)]
            done = subprocess.run(command, env=ENVIRONMENT, cwd=ROOT, check=True, capture_output=True, timeout=600)
            took, peak = json.loads(done.stdout)
            rows.append({"files": count, "who": way, "ms": round(took, 1), "peak MiB": round(peak, 1)})
        shutil.rmtree(base)
    for column in ("ms", "peak MiB"):
        with_ratio(rows, column, "who", "watchdog, poll cycle", same=("files",))
    return rows


def _paperchute(folder: Path, *, full: bool) -> Callable[[], None]:
    """Our reconcile scan of files that are all known. full: compare each by stat, not only the names."""
    from benchmarks.watching.taking import Taking
    from paperchute.watch.interface import HotFolder, Troubles
    from paperchute.watch.keeper import scan
    from paperchute.watch.observer import Observing
    from paperchute.watch.roots import Root
    from paperchute.watch.settle import Settler

    taking = Taking()
    settler, troubles = Settler(taking), Troubles(taking)
    settler.start()
    root = Root(HotFolder(folder), taking)
    root.leases = True
    observing = Observing(settler, troubles, lambda *_: None)

    def look() -> None:
        scan(root, settler, troubles, observing)

    look()
    while settler.unsettled([root], 60.0):
        time.sleep(0.1)
    root.full_scan = full
    return look


def _snapshot(folder: Path) -> Callable[[], object]:
    from watchdog.utils.dirsnapshot import DirectorySnapshot

    return lambda: DirectorySnapshot(str(folder), recursive=False)


def _poll_cycle(folder: Path) -> Callable[[], None]:
    """What PollingObserver does each time: a snapshot, compared with the one before."""
    from watchdog.utils.dirsnapshot import DirectorySnapshot, DirectorySnapshotDiff

    before = DirectorySnapshot(str(folder), recursive=False)

    def look() -> None:
        nonlocal before
        now = DirectorySnapshot(str(folder), recursive=False)
        DirectorySnapshotDiff(before, now)
        before = now

    return look


_WAYS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "paperchute, names": lambda folder: _paperchute(folder, full=False),
    "paperchute, full": lambda folder: _paperchute(folder, full=True),
    "watchdog, snapshot": _snapshot,
    "watchdog, poll cycle": _poll_cycle,
}
"""Each prepares itself for a folder and gives what is to be measured."""


def _main(way: str, folder: Path) -> None:
    look = _WAYS[way](folder)
    took = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        look()
        took.append((time.perf_counter() - began) * 1e3)
    sys.stdout.write(json.dumps([min(took), peak_mib()]) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
