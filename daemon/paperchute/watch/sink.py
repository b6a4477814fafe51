"""What an emitter tells, and the translation of what watchdog's stock emitters tell."""

from __future__ import annotations

import os
from typing import Protocol

from watchdog.events import FileSystemEvent, FileSystemEventHandler

from paperchute.watch.roots import How

_HOW: dict[str, How] = {"moved": "renamed", "closed": "closed"}


class Sink(Protocol):
    """Who hears what an emitter notices. `root` is the watched folder, `path` a full path at or below it.

    Called on emitter threads: nothing here may block or raise.
    """

    def seen(self, root: str, path: str, how: How, folder: bool = False) -> None:
        """A file, or a folder, has appeared or changed."""

    def gone(self, root: str, path: str, folder: bool) -> None:
        """What was at `path` was deleted or moved away."""

    def lost(self, root: str) -> None:
        """The root itself was deleted, moved or unmounted."""

    def overflowed(self, root: str) -> None:
        """Events were lost."""

    def unsure(self, root: str) -> None:
        """Only a scan tells what is below the root now."""

    def refused(self, root: str, path: str, error: OSError) -> None:
        """The sub-folder `path` cannot be watched."""


class StockHandler(FileSystemEventHandler):
    """Translates the events of watchdog's stock emitters (Windows, macOS) for a sink.

    There events are hints only: none says that a file was closed, and those of a folder stand for all below it.
    """

    def __init__(self, sink: Sink, root: str) -> None:
        self._sink = sink
        self._root = root

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take one event on the observer's thread."""
        source, target = os.fsdecode(event.src_path), os.fsdecode(event.dest_path)
        if event.event_type in ("opened", "closed_no_write"):
            return  # somebody reads: perhaps ourselves
        if event.event_type in ("deleted", "moved") and source:
            if source == self._root:
                self._sink.lost(self._root)
                return
            self._sink.gone(self._root, source, folder=event.is_directory)
        if event.event_type == "deleted":
            return
        path = target or source
        if event.is_directory:
            if event.event_type != "modified":
                self._sink.seen(self._root, path, "appeared", folder=True)
                self._sink.unsure(self._root)
        else:
            self._sink.seen(self._root, path, _HOW.get(event.event_type, "appeared"))
