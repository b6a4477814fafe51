"""The tray icon: shows statuses, hands over what people choose."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable

from loguru import logger

from paperchute.desktop.icon import Look, look
from paperchute.desktop.menu import Command, Entry, entries, headline
from paperchute.desktop.panels import APP_NAME, Panel, TrayUnavailable
from paperchute.events import Event, Status
from paperchute.language import _

__all__ = ["Tray", "TrayUnavailable"]

REDRAW_EVERY = 0.1
"""Seconds between two redraws at least."""
LOOK_AGAIN_EVERY = 3.0
"""Seconds between two looks for a panel that was there and went away, as when the desktop restarts it."""

FAILING_FOR = 60.0
"""Seconds for which an icon cannot be shown before that is told: at log-in the taskbar may come long after programs."""


class Tray:
    """The icon in the panel. Faces go in through `show`, commands come out of the queue.

    `show` and `stop` may be called from any thread at any time, also before `run`. A signal handler may call neither:
    let it put a Command into the queue. It must have one for SIGINT, since pystray swallows a KeyboardInterrupt.
    """

    def __init__(self, commands: queue.SimpleQueue[Command], starts: Callable[[], bool | None] = lambda: None) -> None:
        """starts: whether Paperchute starts at log-in, as the menu says; None where nothing starts programs so."""
        self._commands = commands
        self._starts = starts
        self._status = Status("idle")
        self._news = threading.Event()
        self._stopped = threading.Event()
        self._failing_since: float | None = None
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why people see no icon, or an old one, in a sentence; empty while all is well or there is no panel."""
        return self._trouble

    def run(self, on_ready: Callable[[], None]) -> None:
        """Show the icon until `stop`; must be called from the main thread (macOS gives icons to no other).

        `on_ready` is called once, from another thread, when there is a panel; it must return at once. A panel that
        goes away is waited for. Raises TrayUnavailable, within seconds, if there is no panel at the start; `run` may
        then be called again.
        """
        panel: Panel | None = _open_panel(self._commands.put)
        while panel is not None:
            self._serve(panel, on_ready)
            on_ready = _nothing
            panel = self._next_panel()

    def hear(self, event: Event, /) -> None:
        """A subscriber: show the latest status."""
        if isinstance(event, Status):
            self.show(event)

    def show(self, status: Status) -> None:
        """Show this status soon; of several in a tenth of a second only the last is drawn."""
        self._status = status
        self._news.set()

    def stop(self) -> None:
        """Let `run` return, now or, if it was not called yet, as soon as it is."""
        self._stopped.set()
        self._news.set()

    def _serve(self, panel: Panel, on_ready: Callable[[], None]) -> None:
        gone = threading.Event()
        # A daemon: a toolkit that hangs must not keep the process alive.
        painter = threading.Thread(target=self._paint, args=(panel, gone), name="tray", daemon=True)

        def ready() -> None:
            painter.start()
            on_ready()

        self._news.set()
        try:
            panel.run(ready)
        except Exception as error:  # noqa: BLE001 (a display or bus that dies; the next panel is waited for)
            self._failed(error)
        gone.set()
        self._news.set()

    def _paint(self, panel: Panel, gone: threading.Event) -> None:
        seen: Look | None = None
        read: tuple[str, tuple[Entry, ...]] | None = None
        while not gone.is_set():
            self._news.wait()
            self._news.clear()
            status = self._status
            try:
                if self._stopped.is_set():
                    panel.close()
                    return
                if (picture := look(status)) != seen:
                    panel.paint(status)
                    seen = picture
                if (text := (f"{APP_NAME}: {headline(status)}", entries(status, self._starts()))) != read:
                    panel.write(*text)
                    read = text
                self._failing_since, self._trouble = None, ""
            except Exception as error:  # noqa: BLE001 (toolkits raise anything; an icon is no reason to stop the work)
                self._failed(error)
                self._stopped.wait(LOOK_AGAIN_EVERY)
                self._news.set()
            self._stopped.wait(REDRAW_EVERY)

    def _failed(self, error: Exception) -> None:
        now = time.monotonic()
        if self._failing_since is None:
            logger.debug("The tray icon could not be shown: {!r}", error)
            self._failing_since = now
        elif now - self._failing_since >= FAILING_FOR:
            reason = str(error) or type(error).__name__
            self._trouble = _("The tray icon cannot be shown ({reason}); everything else continues.", reason=reason)

    def _next_panel(self) -> Panel | None:
        while not self._stopped.wait(LOOK_AGAIN_EVERY):
            try:
                return _open_panel(self._commands.put)
            except TrayUnavailable:
                continue
        return None


def _open_panel(choose: Callable[[Command], None]) -> Panel:
    """The best panel this desktop has, by a late import: none of these modules loads everywhere.

    On Linux that is a StatusNotifier host (KDE, most others, GNOME with its AppIndicator extension), then an XEmbed
    tray, unless $PYSTRAY_BACKEND, which is pystray's, names another choice.
    """
    backend = os.environ.get("PYSTRAY_BACKEND") if sys.platform.startswith("linux") else "native"
    if not backend:
        from paperchute.desktop.sni import StatusNotifierPanel

        try:
            return StatusNotifierPanel(choose)
        except TrayUnavailable as reason:
            logger.debug("{}", reason.what)
    if not backend or backend == "xorg":
        from paperchute.desktop.xembed import XembedPanel

        return XembedPanel(choose)
    if sys.platform == "win32":
        from paperchute.desktop.taskbar import TaskbarPanel

        return TaskbarPanel(choose)
    from paperchute.desktop.panels import PystrayPanel

    return PystrayPanel(choose)


def _nothing() -> None:
    """An already reported readiness."""
