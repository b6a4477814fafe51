"""An icon by pystray: the notification area of Windows, the menu bar of macOS, an XEmbed tray of X11.

The XEmbed kind has no menu: a left click does the menu's default entry, any other click nothing.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Callable
from typing import IO, Any

from PIL import Image

from paperchute.desktop.icon import draw
from paperchute.desktop.menu import SEPARATOR, Entry
from paperchute.desktop.panel import APP_ID, APP_NAME, Choose, TrayUnavailable
from paperchute.desktop.records import Face

OPAQUE_GROUND = (43, 47, 54)
"""XEmbed windows are not transparent: a dark tile shows the icon well on any panel."""
FILE_SIZE = 64 if sys.platform == "win32" else 48
"""Pixels of an icon that is handed over in a file; Windows takes 16 to 64 from it by the screen's scale."""

logging.getLogger("pystray").addHandler(logging.NullHandler())  # it logs stack traces, by default to the terminal


class PystrayPanel:
    """A panel that pystray reaches. Raises TrayUnavailable if there is none."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        if sys.platform.startswith("linux"):
            os.environ.setdefault("PYSTRAY_BACKEND", "xorg")  # its GTK kinds need PyGObject and take over Ctrl+C
        self._xembed = os.environ.get("PYSTRAY_BACKEND") == "xorg"
        if self._xembed:
            _require_xembed_host()
        try:
            self._pystray = importlib.import_module("pystray")
            self._icon = self._pystray.Icon(APP_ID, title=APP_NAME)
            if self._xembed:
                _mend(self._icon)
        except Exception as error:  # importing it runs whatever the desktop's libraries do
            raise TrayUnavailable(f"The tray icon could not be loaded ({type(error).__name__}).") from error

    def run(self, ready: Callable[[], None]) -> None:
        """See Panel."""
        self._icon.run(setup=lambda _: ready())

    def paint(self, face: Face) -> None:
        """See Panel."""
        self._on_its_thread(self._paint, face)

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """See Panel."""
        self._on_its_thread(self._write, title, menu)

    def close(self) -> None:
        """See Panel."""
        self._on_its_thread(self._icon.stop)

    def _paint(self, face: Face) -> None:
        self._icon.icon = _Drawing(face)
        self._icon.visible = True

    def _write(self, title: str, menu: tuple[Entry, ...]) -> None:
        self._icon.menu = self._menu(menu)
        self._icon.title = title

    def _menu(self, entries: tuple[Entry, ...]) -> Any:
        return self._pystray.Menu(*(self._item(entry) for entry in entries))

    def _item(self, entry: Entry) -> Any:
        if entry is SEPARATOR:
            return self._pystray.Menu.SEPARATOR
        text = entry.text.replace("&", "&&") if sys.platform == "win32" else entry.text
        if entry.children:
            return self._pystray.MenuItem(text, self._menu(entry.children))
        command = entry.command
        if command is None:
            return self._pystray.MenuItem(text, None, enabled=False)
        return self._pystray.MenuItem(text, lambda: self._choose(command), default=entry.default)

    def _on_its_thread(self, call: Callable[..., None], *arguments: object) -> None:
        """AppKit draws on the main thread only and pystray leaves that to its callers; elsewhere it sees to it."""
        if sys.platform == "darwin":
            importlib.import_module("PyObjCTools.AppHelper").callAfter(call, *arguments)
            return
        call(*arguments)
        if self._xembed:
            # python-xlib leaves unsent what one thread asks for while another is about to end its sending.
            self._icon._display.flush()


class _Drawing:
    """A face in the part of an image's interface that pystray uses, drawn anew in each size rather than scaled."""

    size = (0, 0)

    def __init__(self, face: Face) -> None:
        self._face = face

    def resize(self, size: tuple[int, int], _filter: Image.Resampling) -> Image.Image:
        """As the XEmbed and macOS kinds ask for it: in the panel's size in px."""
        side = min(size)
        icon = draw(self._face, side)
        ground = (0, 0, 0, 0) if sys.platform == "darwin" else (*OPAQUE_GROUND, 255)
        tile = Image.new("RGBA", size, ground)
        tile.alpha_composite(icon, ((size[0] - side) // 2, (size[1] - side) // 2))
        return tile if sys.platform == "darwin" else tile.convert("RGB")

    def save(self, file: IO[bytes], file_type: str) -> None:
        """As the Windows kind asks for it."""
        draw(self._face, FILE_SIZE).save(file, file_type)


def _mend(icon: Any) -> None:
    """What pystray 0.19.5's XEmbed kind leaves out: to ask X for clicks (its issue 151), to dock at a later tray.

    A tray that starts, for instance anew, tells the root window (System Tray Protocol Specification).
    """
    x = importlib.import_module("Xlib.X")
    icon._window.change_attributes(event_mask=x.ExposureMask | x.StructureNotifyMask | x.ButtonPressMask)
    icon._display.screen().root.change_attributes(event_mask=x.StructureNotifyMask)
    new_manager = icon._display.intern_atom("MANAGER")
    tray_selection = icon._net_system_tray_sx
    on_message = icon._message_handlers[x.ClientMessage]

    def on_message_or_tray(event: Any) -> None:
        if event.client_type != new_manager:
            on_message(event)
        elif event.data[1][1] == tray_selection:
            icon._show()

    icon._message_handlers[x.ClientMessage] = on_message_or_tray


def _require_xembed_host() -> None:
    """Raise TrayUnavailable unless some window of the X display takes tray icons."""
    if not os.environ.get("DISPLAY"):
        raise TrayUnavailable("There is no desktop session here.")
    try:
        display = importlib.import_module("Xlib.display").Display()
    except Exception as error:  # refused, gone, no rights, no such name: python-xlib has a class for each
        raise TrayUnavailable(f"The display {os.environ['DISPLAY']} cannot be reached.") from error
    try:
        selection = display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")
        owner = display.get_selection_owner(selection)
    finally:
        display.close()
    if not owner:
        raise TrayUnavailable("This desktop has no place for tray icons (GNOME needs its AppIndicator extension).")
