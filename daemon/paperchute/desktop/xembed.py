"""An icon by pystray in an XEmbed tray of X11: the panels that know no StatusNotifier.

There is no menu: a left click does the menu's default entry, another one opens the page, which has all the others. What
pystray 0.19.5 leaves out is mended here, which needs its private parts: by its public ones alone an icon under such a
tray hears no click at all (it never asks X for them), loses its place now and then, and hangs where two threads draw.
So this stays for as long as pystray serves these panels.
"""

from __future__ import annotations

import importlib
import os
import queue
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from loguru import logger

from paperchute.desktop.menu import Command
from paperchute.desktop.panels import Choose, PystrayPanel, TrayUnavailable
from paperchute.language import _


class XembedPanel(PystrayPanel):
    """A tray that takes XEmbed icons. Raises TrayUnavailable if there is none."""

    def __init__(self, choose: Choose) -> None:
        # The second connection is for the painter's thread: python-xlib hangs now and then when two threads share one.
        try:
            self._bell = _display_with_tray()
        except TrayUnavailable:
            raise
        except Exception as error:  # refused, gone, no rights, no such name: python-xlib has a class for each
            raise TrayUnavailable(_("The display {name} cannot be reached.", name=os.environ["DISPLAY"])) from error
        asked = os.environ.get("PYSTRAY_BACKEND")
        os.environ["PYSTRAY_BACKEND"] = "xorg"  # the only way to tell pystray; read when it is imported
        try:
            super().__init__(choose)
        finally:
            if asked is None:
                del os.environ["PYSTRAY_BACKEND"]
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._listen(self._icon)

    def run(self, ready: Callable[[], None]) -> None:
        """See Panel."""
        super().run(ready)
        # Else its deletion, in whatever thread, would wait for the loop that has ended and close the display itself.
        self._icon._running = False
        for display in (self._icon._display, self._bell):
            with suppress(Exception):  # it may be gone
                display.close()
        self._icon._display.close = lambda: None

    def _listen(self, icon: Any) -> None:
        """Ask X for clicks (pystray's issue 151) and for news of later trays, and listen to the bell."""
        x = importlib.import_module("Xlib.X")
        icon._window.change_attributes(event_mask=x.ExposureMask | x.StructureNotifyMask | x.ButtonPressMask)
        icon._display.screen().root.change_attributes(event_mask=x.StructureNotifyMask)
        icon._display.flush()
        new_manager = icon._display.intern_atom("MANAGER")
        bell = icon._display.intern_atom(_BELL)

        def on_message(event: Any) -> None:
            if event.client_type == bell:
                self._do_calls()
            elif event.client_type == new_manager and event.data[1][1] == icon._net_system_tray_sx:
                icon._systray_manager = None
                icon._show()  # a tray that starts, perhaps anew, tells the root window (System Tray Protocol)

        dock = icon._dock_window
        # pystray asks for a place twice at the start and at every change; trayer then loses one icon in ten.
        icon._dock_window = lambda: None if icon._systray_manager else dock()
        icon._message_handlers[x.ClientMessage] = on_message
        press = icon._message_handlers[x.ButtonPress]

        def on_press(event: Any) -> None:
            if event.detail in _OTHER_BUTTONS:
                self._choose(Command("page", "now"))
            else:
                press(event)

        icon._message_handlers[x.ButtonPress] = on_press

    def _on_its_thread(self, call: Callable[..., None], *arguments: object) -> None:
        """Have it called by the thread that reads the display."""
        self._calls.put(lambda: call(*arguments))
        window = self._bell.create_resource_object("window", self._icon._window.id)
        message = importlib.import_module("Xlib.protocol.event").ClientMessage(
            window=window, client_type=self._bell.intern_atom(_BELL), data=(32, [0] * 5)
        )
        self._bell.send_event(window, message)
        self._bell.flush()

    def _do_calls(self) -> None:
        while not self._calls.empty():
            try:
                self._calls.get()()
            except Exception as error:  # noqa: BLE001 (pystray's loop ends on any)
                logger.debug("The tray icon could not be changed: {!r}", error)


_BELL = "_PAPERCHUTE_BELL"
_OTHER_BUTTONS = (2, 3)
"""The middle and the right one of a mouse; a wheel has more."""


def _display_with_tray() -> Any:
    """A connection to the X display.

    Raises TrayUnavailable if it has no window that takes tray icons, and errors of python-xlib and its imports.
    """
    if not os.environ.get("DISPLAY"):
        raise TrayUnavailable(_("There is no desktop session here."))
    display = importlib.import_module("Xlib.display").Display()
    if not display.get_selection_owner(display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")):
        display.close()
        raise TrayUnavailable(_("This desktop has no place for tray icons (GNOME needs its AppIndicator extension)."))
    return display
