"""A watched hot folder and everything it gave out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

from paperchute.files.writer import ignore_lease_signal
from paperchute.watch.records import HotFolder, Ready, Trouble
from paperchute.watch.watcher import Watcher


class Hot:
    """Collects what a watcher gives, with the bytes each file had at that moment."""

    def __init__(self, *folders: HotFolder) -> None:
        self.out: Queue[Ready | Trouble | None] = Queue()
        self.watcher = Watcher(folders, lambda folder, path: True, self.out)
        self.ready: list[Ready] = []
        self.troubles: list[Trouble] = []
        self.content: dict[Path, bytes] = {}

    def collect(self) -> None:
        """Take what is there."""
        while True:
            try:
                item = self.out.get_nowait()
            except Empty:
                return
            if isinstance(item, Trouble):
                self.troubles.append(item)
            elif item is not None:
                self.ready.append(item)
                for path, _ in item.members:
                    self.content[path] = path.read_bytes()

    def until(self, true: Callable[[], bool], seconds: float = 30) -> None:
        """Collect until a fact holds."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, f"did not happen; ready: {[r.path.name for r in self.ready]}"
            self.collect()
            time.sleep(0.005)

    def rest(self, seconds: float = 0.7) -> None:
        """Give a second, wrong report the time to come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.collect()
            time.sleep(0.02)

    def names(self) -> list[str]:
        return sorted(r.path.name for r in self.ready)


@contextmanager
def watching(*folders: HotFolder) -> Iterator[Hot]:
    """A running watcher for the length of the block."""
    ignore_lease_signal()
    hot = Hot(*folders)
    hot.watcher.start()
    try:
        yield hot
    finally:
        hot.watcher.stop()
