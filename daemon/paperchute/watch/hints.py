"""Windows and macOS: watchdog's own events, taken as hints to look at a path. The truth is what `stat` says."""

from __future__ import annotations

import os
from collections.abc import Callable

from watchdog.events import FileMovedEvent, FileSystemEvent, FileSystemEventHandler


class HintHandler(FileSystemEventHandler):
    """Passes each file event on as (path, how)."""

    def __init__(self, seen: Callable[[str, str], None]) -> None:
        self._seen = seen

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.is_directory or event.event_type in ("opened", "closed_no_write", "deleted"):
            return
        if isinstance(event, FileMovedEvent) and event.dest_path:
            self._seen(os.fsdecode(event.dest_path), "renamed")
        else:
            self._seen(os.fsdecode(event.src_path), "closed" if event.event_type == "closed" else "exists")
