"""What stands under watchdog's `BaseObserver` where one reader of ours serves all roots.

watchdog gives each watch an emitter thread of its own, which puts events into the observer's queue. Ours has none:
starting it registers it at the shared reader, stopping it takes it away, and the reader hands what it reads straight to
the `Sink`, which saves two thread switches an event.
"""

from __future__ import annotations

import os
from typing import Any, Protocol

from watchdog.observers.api import BaseObserver, EventEmitter


class Reader(Protocol):
    """A thread that reads what one system tells of all watched roots."""

    def register(self, emitter: Emitter, /) -> None:
        """Watch the emitter's root. Raises OSError when the system refuses it."""

    def unregister(self, emitter: Emitter, /) -> None:
        """Stop watching for the emitter."""

    def ensure(self, path: str, emitter: Emitter, /) -> None:
        """See `Emitter.ensure`."""

    def start(self) -> None:
        """Begin to read."""

    def is_alive(self) -> bool:
        """Decide whether events are being read."""

    def close(self) -> None:
        """End the thread and give back all that it has of the system."""


class Emitter(EventEmitter):
    """One watched root: a registration at the reader, not a thread."""

    def __init__(self, *arguments: Any, reader: Reader, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._reader = reader
        self.root = os.fspath(self.watch.path)

    def start(self) -> None:
        """Watch the root, and all below it when the watch is recursive. Raises OSError when the root is refused."""
        self._reader.register(self)

    def stop(self) -> None:
        """Stop watching."""
        super().stop()
        self._reader.unregister(self)

    def is_alive(self) -> bool:
        """Decide whether events are being read."""
        return self._reader.is_alive()

    def ensure(self, path: str) -> None:
        """Watch the sub-folder `path` if that was missed: it was made while events were lost."""
        self._reader.ensure(path, self)


class ReaderObserver(BaseObserver):
    """watchdog's observer with our emitters and their reader."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        super().__init__(Emitter, reader=reader)

    def on_thread_start(self) -> None:
        """See BaseObserver."""
        super().on_thread_start()
        self._reader.start()

    def on_thread_stop(self) -> None:
        """See BaseObserver."""
        super().on_thread_stop()
        self._reader.close()
