"""An icon by pystray in the taskbar of Windows.

What pystray 0.19.5 leaves out is mended here, which needs its private parts: it forbids to log off, does not look
whether the taskbar took the icon (at log-in there may be none yet), and pulls a menu away from under the pointer when
another is to be shown.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable

from paperchute.desktop.menu import Entry
from paperchute.desktop.panels import Choose, PystrayPanel
from paperchute.language import _

_QUERY_END_SESSION = 0x11
"""WM_QUERYENDSESSION, of Windows' winuser.h: may the session end?"""
_CLICK = 0x400 + 11
"""What pystray has the taskbar send when somebody clicks on the icon (its WM_NOTIFY)."""
_ADD, _CHANGE = 0, 1
"""NIM_ADD and NIM_MODIFY, of Windows' shellapi.h."""


class TaskbarPanel(PystrayPanel):
    """The taskbar's notification area. Raises TrayUnavailable if pystray does not load."""

    def __init__(self, choose: Choose) -> None:
        super().__init__(choose)
        self._turn = threading.RLock()
        self._open = False
        self._later: tuple[str, tuple[Entry, ...]] | None = None
        handlers = self._icon._message_handlers
        handlers[_QUERY_END_SESSION] = lambda *_: 1  # it says 0 to what it does not know, which here is a no
        handlers[_CLICK] = self._opened(handlers[_CLICK])
        importlib.import_module("pystray._util.win32").Shell_NotifyIcon.errcheck = _taken

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """See Panel. While somebody has the menu open it stays as it is."""
        with self._turn:
            if self._open:
                self._later = title, menu
            else:
                super().write(title, menu)

    def _opened(self, click: Callable[[int, int], object]) -> Callable[[int, int], object]:
        def on_click(wide: int, long: int) -> object:  # returns when the menu that it opens is closed
            with self._turn:
                self._open = True
            try:
                return click(wide, long)
            finally:
                with self._turn:
                    self._open = False
                    if self._later is not None:
                        later, self._later = self._later, None
                        super(TaskbarPanel, self).write(*later)

        return on_click


def _taken(result: int, notify: Callable[[int, object], int], arguments: tuple[int, object]) -> int:
    """Raises OSError if the taskbar does not take the icon. Other changes may come before the icon, or after it."""
    wanted, icon = arguments
    if wanted == _ADD and not result and not notify(_CHANGE, icon):  # which says whether it has been there already
        raise OSError(_("the taskbar did not accept it"))
    return result
