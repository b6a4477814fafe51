"""FSEvents for hot folders: watchdog's stream, and our reading of what comes by it (`watch.macos_changes`).

watchdog's own `FSEventsEmitter` takes "look through all that is below" for an event like any other, so what was dropped
is lost without a word, and makes histories of flags that were folded together.
"""

from __future__ import annotations

import os
from typing import Any

from loguru import logger
from watchdog.observers.api import BaseObserver
from watchdog.observers.fsevents import FSEventsEmitter

from paperchute.watch.interface import Sink
from paperchute.watch.macos_changes import tell


class StreamEmitter(FSEventsEmitter):
    """One watched root: watchdog's thread with its stream, which tells the sink."""

    def __init__(self, *arguments: Any, sink: Sink, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._sink = sink
        self._root = os.fspath(self.watch.path)

    def events_callback(self, paths: list[Any], inodes: list[int], flags: list[int], ids: list[int]) -> None:
        """What the stream calls. An exception would end the stream."""
        try:
            events = zip(map(os.fsdecode, paths), flags, strict=True)
            tell(self._sink, self._root, self.watch.is_recursive, events)
        except Exception:  # noqa: BLE001 - whatever it was, the folder must stay watched, and a scan repairs
            logger.exception("The reader of file system events stumbled and goes on.")
            self._sink.overflowed(self._root)


class StreamObserver(BaseObserver):
    """watchdog's observer with our emitters."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(StreamEmitter, sink=sink)
