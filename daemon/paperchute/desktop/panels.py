"""What a desktop gives an icon a place: the one interface behind which the kinds of panels differ."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable
from typing import IO, Any, Protocol

from loguru import logger
from PIL import Image

from paperchute.desktop.icon import draw
from paperchute.desktop.menu import SEPARATOR, Command, Entry
from paperchute.errors import PaperchuteError
from paperchute.events import Status
from paperchute.invocation import command
from paperchute.language import _

Choose = Callable[[Command], None]
"""Takes what a person chose; called from any thread, returns at once."""

APP_NAME = "Paperchute"
APP_ID = "paperchute"


class TrayUnavailable(PaperchuteError):
    """There is no place for a tray icon here; everything else works without it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            what,
            _("Paperchute runs without a tray icon; `{command}` shows what it is doing.", command=command("status")),
        )


class Panel(Protocol):
    """An icon with a menu in one kind of panel."""

    def run(self, ready: Callable[[], None]) -> None:
        """Block until `close` or until the desktop takes the panel away; `ready` is called once, from any thread.

        The other methods may be called after `ready`, from any one thread.
        """

    def paint(self, status: Status) -> None:
        """Show the icon of this status."""

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """Show this tool tip and this menu."""

    def close(self) -> None:
        """Take the icon away and let `run` return."""


OPAQUE_GROUND = (43, 47, 54)
"""XEmbed windows are not transparent: a dark tile shows the icon well on any panel."""
FILE_SIZE = 64 if sys.platform == "win32" else 48
"""Pixels of an icon that is handed over in a file; Windows takes 16 to 64 from it by the screen's scale."""

_USER_INITIATED_ALLOWING_SLEEP = 0x00EFFFFF
"""NSActivityUserInitiatedAllowingIdleSystemSleep, of Apple's NSProcessInfo."""


class _Faults(logging.Handler):
    """What fails in pystray's loop, such as opening a menu: it goes on, and tells nobody but its log.

    Where a panel comes and goes with the desktop, on X11, its loop ends so every time, which is no fault.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Log a fault in one line, and each once."""
        cause = record.exc_info and record.exc_info[1]
        fault = f"{record.getMessage()}: {cause!r}" if cause else record.getMessage()
        if fault not in self._told:
            self._told.add(fault)
            logger.log("WARNING" if sys.platform in ("win32", "darwin") else "DEBUG", "The tray icon: {}", fault)


_pystray_log = logging.getLogger("pystray")
_pystray_log.addHandler(_Faults())
_pystray_log.propagate = False


class PystrayPanel:
    """A panel that pystray reaches. Raises TrayUnavailable if there is none."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        try:
            self._pystray = importlib.import_module("pystray")
            self._icon = self._pystray.Icon(APP_ID, title=APP_NAME)
        except Exception as error:  # importing it runs whatever the desktop's libraries do
            raise TrayUnavailable(
                _("The tray icon could not be loaded ({error}).", error=type(error).__name__)
            ) from error

    def run(self, ready: Callable[[], None]) -> None:
        """See Panel."""
        active = _kept_active()
        self._icon.run(setup=lambda _: ready())
        del active

    def paint(self, status: Status) -> None:
        """See Panel."""
        self._on_its_thread(self._paint, status)

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """See Panel."""
        self._on_its_thread(self._write, title, menu)

    def close(self) -> None:
        """See Panel."""
        self._on_its_thread(self._icon.stop)

    def _paint(self, status: Status) -> None:
        self._icon.icon = _Drawing(status)
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
        checked = None if entry.checked is None else lambda _item: bool(entry.checked)
        return self._pystray.MenuItem(text, lambda: self._choose(command), checked=checked, default=entry.default)

    def _on_its_thread(self, call: Callable[..., None], *arguments: object) -> None:
        """AppKit draws on the main thread only and pystray leaves that to its callers; elsewhere it sees to it."""
        if sys.platform == "darwin":
            importlib.import_module("PyObjCTools.AppHelper").callAfter(call, *arguments)
        else:
            call(*arguments)


def _kept_active() -> object:
    """While it is held, macOS does not slow this program down for having no window (App Nap); it may still sleep."""
    if sys.platform != "darwin":
        return None
    process = importlib.import_module("Foundation").NSProcessInfo.processInfo()
    return process.beginActivityWithOptions_reason_(_USER_INITIATED_ALLOWING_SLEEP, "Hot folders are watched.")


class _Drawing:
    """A status in the part of an image's interface that pystray uses, drawn anew in each size rather than scaled."""

    size = (0, 0)

    def __init__(self, status: Status) -> None:
        self._status = status

    def resize(self, size: tuple[int, int], _filter: Image.Resampling) -> Image.Image:
        """As the XEmbed and macOS kinds ask for it: in the panel's size in px."""
        side = min(size)
        icon = draw(self._status, side)
        ground = (0, 0, 0, 0) if sys.platform == "darwin" else (*OPAQUE_GROUND, 255)
        tile = Image.new("RGBA", size, ground)
        tile.alpha_composite(icon, ((size[0] - side) // 2, (size[1] - side) // 2))
        return tile if sys.platform == "darwin" else tile.convert("RGB")

    def save(self, file: IO[bytes], format: str) -> None:  # noqa: A002 (pystray gives it by this name)
        """As the Windows kind asks for it."""
        draw(self._status, FILE_SIZE).save(file, format)
