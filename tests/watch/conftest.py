"""A running watcher on folders of its own, and what it reports."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from paperchute.events import Event, Trouble
from paperchute.watch.interface import HotFolder, Ready
from paperchute.watch.watcher import Watcher
from tests.watch.interest import Interest

LONG = 120.0  # seconds: the end of a hang, not a measure
PDF = b"%PDF-1.7\n" + b"content of a page\n" * 50 + b"%%EOF\n"


class Watched:
    """A watcher with what it has reported so far."""

    def __init__(
        self, *folders: HotFolder, wanted: Callable[[HotFolder, Path], bool] = lambda folder, path: True
    ) -> None:
        self.out: queue.SimpleQueue[Ready | Event] = queue.SimpleQueue()
        self.watcher = Watcher(folders, Interest(wanted), self.out, self)
        self.readies: list[Ready] = []
        self.bytes: dict[Path, bytes] = {}  # of each file at the moment it was reported
        self.troubles: list[Trouble] = []

    def publish(self, event: Event, /) -> None:
        """The watcher's observer: troubles come by the same queue, in their place among the files."""
        self.out.put(event)

    def take(self, timeout: float) -> bool:
        """Take one record from the queue; False when none came."""
        try:
            record = self.out.get(timeout=timeout)
        except queue.Empty:
            return False
        if isinstance(record, Trouble):
            self.troubles.append(record)
        elif isinstance(record, Ready):
            self.readies.append(record)
            for member, _ in record.members:
                self.bytes[member] = member.read_bytes() if member.exists() else b""
        return True

    def until(self, condition: Callable[[], bool]) -> None:
        """Take records until `condition` holds."""
        end = time.monotonic() + LONG
        while not condition():
            assert time.monotonic() < end, (self.readies[-5:], self.troubles, self.watcher.waiting()[:5])
            self.take(0.05)

    def files(self, count: int) -> list[Path]:
        """The paths reported, once there are `count` of them. Thousands may take as long as they need, each in time."""
        while (found := len(self.readies)) < count:
            self.until(partial(self.more_than, found))
        return self.paths()

    def more_than(self, count: int) -> bool:
        """Whether more has been reported."""
        return len(self.readies) > count

    def settled(self) -> list[Path]:
        """The paths reported, once nothing is left that may still be."""
        self.watcher.rescan()
        self.watcher.until_settled(LONG)
        while self.take(0.0):
            pass
        return self.paths()

    def paths(self) -> list[Path]:
        return [ready.path for ready in self.readies]

    def told(self, kind: str, over: bool = False) -> bool:
        return any(trouble.kind == kind and trouble.over == over for trouble in self.troubles)


@pytest.fixture
def hot(tmp_path: Path) -> Path:
    folder = tmp_path / "hot"
    folder.mkdir()
    return folder


@pytest.fixture
def watch() -> Iterator[Callable[..., Watched]]:
    """Start a watcher; it is stopped after the test, and its threads with it."""
    started: list[Watched] = []
    before = threading.active_count()

    def start(*folders: HotFolder, **options: Callable[[HotFolder, Path], bool]) -> Watched:
        watched = Watched(*folders, **options)
        started.append(watched)
        watched.watcher.start()
        return watched

    yield start
    for watched in started:
        watched.watcher.stop()
    assert threading.active_count() <= before, threading.enumerate()
