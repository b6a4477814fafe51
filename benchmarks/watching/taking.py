"""Whoever takes everything that our watcher finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.events import Event
from paperchute.watch.interface import HotFolder, Ready, SetNames


class Taking:
    """Every file is wanted, and what comes of it is of no interest."""

    def wanted(self, folder: HotFolder, path: Path) -> bool:
        """See `watch.interface.Interest`."""
        return True

    def naming(self, folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
        """See `watch.interface.Interest`."""
        return SetNames(None, frozenset(names))

    def put(self, item: Ready, /) -> None:
        """See `watch.interface.Out`."""

    def publish(self, event: Event, /) -> None:
        """See `events.Observer`."""
