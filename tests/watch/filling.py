"""A hot folder that is filled while a clock of our own goes on: hours pass at once, and nothing is left to chance."""

from __future__ import annotations

import math
import queue
import sys
from collections.abc import Mapping
from pathlib import Path

from paperchute.watch.interface import HotFolder, How, Ready
from paperchute.watch.roots import POLL_PAUSE, Root
from paperchute.watch.settle import Settler
from tests.watch.conftest import PDF
from tests.watch.interest import Interest, Naming, all_count


class Filling:
    """Files come into `hot`, are judged when their time has come, and stand in `readies` once reported.

    polled: nothing tells of changes, and the folder is looked through every two seconds.
    """

    def __init__(
        self,
        hot: HotFolder,
        naming: Naming = all_count,
        *,
        polled: bool = False,
        learned: Mapping[str, float] | None = None,
    ) -> None:
        self.now = 1000.0
        self.hot = hot.path
        self.polled = polled
        self.readies: list[Ready] = []
        self._out: queue.SimpleQueue[Ready] = queue.SimpleQueue()
        self.settler = Settler(self._out, lambda: self.now)
        self.root = Root(hot, Interest(naming=naming))
        self.root.learned.update(learned or {})
        self.root.polled = polled
        self.root.listed = True
        self.root.leases = sys.platform == "linux" and not polled
        self._poll_at = self.now

    def drop(self, name: str, content: bytes = PDF) -> None:
        """A program makes a file, and the folders above it, and closes it."""
        path = self.hot / name
        for folder in reversed(path.relative_to(self.hot).parents[:-1]):
            if not (self.hot / folder).is_dir():
                (self.hot / folder).mkdir()
                self.tell(str(folder), "appeared", folder=True)
        new = not path.exists()
        path.write_bytes(content)
        for how in ("appeared", "closed") if new else ("closed",):
            self.tell(str(path.relative_to(self.hot)), how)

    def tell(self, name: str, how: How, *, folder: bool = False) -> None:
        """An event, where there are any."""
        if not self.polled:
            self.settler._seen(self.root, str(Path(name)), how, folder)  # as this system writes it

    def wait(self, seconds: float) -> None:
        """Time passes; whatever is due meanwhile happens."""
        end = self.now + seconds
        while True:
            self._work()
            later = self.settler._later
            due = min(later[0][0] if later else math.inf, self._poll_at if self.polled else math.inf)
            if due > end:
                break
            self.now = max(self.now + 0.001, due)  # a clock never stands still
        self.now = end
        while not self._out.empty():
            self.readies.append(self._out.get())

    def reasons(self) -> dict[str, str | None]:
        """What waits, and why."""
        return {name: entry.reason for name, entry in self.root.table.items() if entry.reason}

    def unsettled(self) -> int:
        """How many subjects one who works off what is there waits for."""
        return self.settler._count((self.root,))

    def _work(self) -> None:
        if self.polled and self._poll_at <= self.now:
            self._poll_at = self.now + POLL_PAUSE
            for path in self.hot.iterdir():
                entry = self.root.table.get(path.name)
                if entry is None or not entry.due:
                    self.settler._seen(self.root, path.name, "listed", path.is_dir())
            for name in [name for name in self.root.table if not (self.hot / name).exists()]:
                self.settler._gone(self.root, name)
        self.settler._ripen()
        while self.settler._turns:
            self.settler._judge_one()


def names(ready: Ready) -> set[str]:
    """The files of a set, below its folder."""
    return {path.relative_to(ready.path).as_posix() for path, _ in ready.members}
