"""How the system tells the program to end: signals, a console that closes, a session that ends.

Windows has three ways of its own. Ctrl-Break is a signal. The closing of a console is told to the processes in it, and
each is ended as soon as its handler returns (HandlerRoutine). Log-off and shutdown are told to windows alone once a
process has any, which one with a tray has, and one without a console hears of nothing else (SetConsoleCtrlHandler,
"Remarks"). So there is a window that nobody sees. It is a top-level one, since message-only windows are left out.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

from loguru import logger

from paperchute.language import _

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    _CONSOLE_CLOSED = 2  # CTRL_CLOSE_EVENT (HandlerRoutine)
    _LONGEST_END = 20.0  # seconds; Windows itself waits for 5 to 20, and ends the process then
    _DESTROY, _CLOSE, _QUERY_END_SESSION, _END_SESSION, _APP = 0x2, 0x10, 0x11, 0x16, 0x8000  # WM_... (winuser.h)
    _POPUP = 0x8000_0000  # WS_POPUP: a top-level window without a frame; it is never shown
    _EARLY = 0x300  # the first level for programs: our engine, at the usual 0x280, is ended after us
    _CLASS = "PaperchuteSession"

    _procedure = ctypes.WINFUNCTYPE(ctypes.c_ssize_t, wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)

    class _Class(ctypes.Structure):
        """WNDCLASSW (winuser.h)."""

        _fields_ = (
            ("style", wintypes.UINT),
            ("procedure", _procedure),
            ("class_extra", ctypes.c_int),
            ("window_extra", ctypes.c_int),
            ("instance", wintypes.HINSTANCE),
            ("icon", wintypes.HANDLE),
            ("cursor", wintypes.HANDLE),
            ("background", wintypes.HANDLE),
            ("menu", wintypes.LPCWSTR),
            ("name", wintypes.LPCWSTR),
        )

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.GetModuleHandleW.restype = wintypes.HMODULE
    _kernel32.GetModuleHandleW.argtypes = (wintypes.LPCWSTR,)
    _kernel32.SetProcessShutdownParameters.argtypes = (wintypes.DWORD, wintypes.DWORD)
    _user32 = ctypes.WinDLL("user32", use_last_error=True)
    _user32.RegisterClassW.argtypes = (ctypes.POINTER(_Class),)
    _user32.UnregisterClassW.argtypes = (wintypes.LPCWSTR, wintypes.HINSTANCE)
    _user32.CreateWindowExW.restype = wintypes.HWND
    _user32.CreateWindowExW.argtypes = (
        wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, wintypes.HWND, wintypes.HMENU, wintypes.HINSTANCE, wintypes.LPVOID,
    )  # fmt: skip
    _user32.DestroyWindow.argtypes = (wintypes.HWND,)
    _user32.DefWindowProcW.restype = ctypes.c_ssize_t
    _user32.DefWindowProcW.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)
    _user32.GetMessageW.argtypes = (wintypes.LPMSG, wintypes.HWND, wintypes.UINT, wintypes.UINT)
    _user32.DispatchMessageW.argtypes = (wintypes.LPMSG,)
    _user32.PostMessageW.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)
    _user32.ShutdownBlockReasonCreate.argtypes = (wintypes.HWND, wintypes.LPCWSTR)

    class _SessionWindow(threading.Thread):
        """The window that hears of log-off and shutdown, and of `taskkill` without /F, with its loop of messages."""

        def __init__(self, stop: Callable[[], None], ended: threading.Event) -> None:
            """stop: called to end the program, from this thread; ended: set when it has ended."""
            super().__init__(name="session", daemon=True)
            self._stop_program = stop
            self._ended = ended
            self._made = threading.Event()
            self._window: int | None = None

        def open(self) -> None:
            """Make the window, and come back when it is there; where there can be none, the log says so."""
            self.start()
            self._made.wait()

        def close(self) -> None:
            """Take the window away."""
            if self._window:
                _user32.PostMessageW(self._window, _APP, 0, 0)
            self.join()

        def run(self) -> None:
            """Make the window, and hand it its messages until it is taken away."""
            instance = _kernel32.GetModuleHandleW(None)
            procedure = _procedure(self._heard)  # must live as long as the class
            kind = _Class(procedure=procedure, instance=instance, name=_CLASS)
            try:
                if _user32.RegisterClassW(ctypes.byref(kind)):
                    self._window = _user32.CreateWindowExW(
                        0, _CLASS, "Paperchute", _POPUP, 0, 0, 0, 0, None, None, instance, None
                    )
                if not self._window:
                    logger.info("Log-off and shutdown are not heard of ({}).", ctypes.WinError(ctypes.get_last_error()))
            finally:
                self._made.set()
            message = wintypes.MSG()
            while self._window and _user32.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
                _user32.DispatchMessageW(ctypes.byref(message))
            _user32.UnregisterClassW(_CLASS, instance)

        def _heard(self, window: int, message: int, first: int, second: int) -> int:
            if message == _QUERY_END_SESSION:
                return 1  # nothing is asked of anybody; what is at work is put down only once it is certain
            if message == _END_SESSION:
                if first:  # else somebody has said no
                    self._put_down(window)
                return 0
            if message == _CLOSE:
                self._stop_program()
                return 0
            if message == _APP:
                _user32.DestroyWindow(window)
                return 0
            if message == _DESTROY:
                _user32.PostQuitMessage(0)
                return 0
            return int(_user32.DefWindowProcW(window, message, first, second))

        def _put_down(self, window: int) -> None:
            """The process may be ended as soon as this returns. Without a reason, five seconds are all there are."""
            _user32.ShutdownBlockReasonCreate(window, _("Stopping; unfinished work continues after the next start."))
            self._stop_program()
            self._ended.wait(_LONGEST_END)

    @contextlib.contextmanager
    def _told_by_windows(stop: Callable[[], None]) -> Iterator[None]:
        """Whoever tells waits for the end of the block, since the process is ended once it has its answer."""
        ended = threading.Event()

        def close(event: int) -> bool:
            if event != _CONSOLE_CLOSED:
                return False
            stop()
            return ended.wait(_LONGEST_END)

        closing = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)(close)
        _kernel32.SetConsoleCtrlHandler(closing, True)
        _kernel32.SetProcessShutdownParameters(_EARLY, 0)
        window = _SessionWindow(stop, ended)
        window.open()
        try:
            yield
        finally:
            ended.set()
            window.close()
            _kernel32.SetConsoleCtrlHandler(closing, False)

else:
    _STOPPING = (signal.SIGINT, signal.SIGTERM)

    def _told_by_windows(stop: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        """Here a signal says so."""
        return contextlib.nullcontext()


@contextlib.contextmanager
def stopping_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` when the program is to end, even while the main thread is inside a toolkit's own loop.

    That is on SIGINT and SIGTERM; on Windows also on Ctrl-Break, and when the console is closed, the person logs off or
    the machine is shut down, which then wait until the block is left, as long as the system allows.

    Python runs signal handlers only between its own instructions on the main thread; the wake-up socket is written
    at once, so a thread of ours reads it and acts.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def wait() -> None:
        if reader.recv(1):
            stop()

    old_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    old = {number: signal.signal(number, lambda *_: None) for number in _STOPPING}
    threading.Thread(target=wait, name="signals", daemon=True).start()
    try:
        with _told_by_windows(stop):
            yield
    finally:
        signal.set_wakeup_fd(old_fd)
        for number, handler in old.items():
            signal.signal(number, handler)
        writer.close()
        reader.close()
