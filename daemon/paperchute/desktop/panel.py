"""What a desktop gives an icon a place: the one interface behind which the kinds of panels differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from paperchute.desktop.menu import Entry
from paperchute.desktop.records import Command, Face
from paperchute.errors import PaperchuteError

Choose = Callable[[Command], None]
"""Takes what a person chose; called from any thread, returns at once."""

APP_NAME = "Paperchute"
APP_ID = "paperchute"


class TrayUnavailable(PaperchuteError):
    """There is no place for a tray icon here; everything else works without it."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "Paperchute works on without a tray icon; `paperchute status` shows what it does.")


class Panel(Protocol):
    """An icon with a menu in one kind of panel."""

    def run(self, ready: Callable[[], None]) -> None:
        """Block until `close` or until the desktop takes the panel away; `ready` is called once, from any thread.

        The other methods may be called after `ready`, from any one thread.
        """

    def paint(self, face: Face) -> None:
        """Show the icon of this face."""

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """Show this tool tip and this menu."""

    def close(self) -> None:
        """Take the icon away and let `run` return."""
