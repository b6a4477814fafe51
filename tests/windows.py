"""What tests on Windows ask of other processes' windows, and how they start processes there."""

from __future__ import annotations

import sys
from typing import Any

import pytest

windows = pytest.mark.skipif(sys.platform != "win32", reason="a matter of Windows")

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    DETACHED = {"creationflags": 0x8}  # DETACHED_PROCESS: with no console, as the installed program starts
    CTRL_BREAK, CONSOLE_CLOSED = 1, 2  # CTRL_..._EVENT (HandlerRoutine)
    CLOSE, QUERY_END_SESSION, END_SESSION = 0x10, 0x11, 0x16  # WM_... (winuser.h)
    _PATIENCE = 120_000  # milliseconds: the end of a hang, not a measure

    _ANYTHING = 0x1F_FFFF  # PROCESS_ALL_ACCESS

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.OpenProcess.restype = wintypes.HANDLE
    _kernel32.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel32.CreateRemoteThread.restype = wintypes.HANDLE
    _kernel32.CreateRemoteThread.argtypes = (
        wintypes.HANDLE, wintypes.LPVOID, ctypes.c_size_t, wintypes.LPVOID, ctypes.c_size_t, wintypes.DWORD,
        wintypes.LPDWORD,
    )  # fmt: skip
    _kernel32.WaitForSingleObject.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    _kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
    _each = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)
    _user32 = ctypes.WinDLL("user32", use_last_error=True)
    _user32.EnumWindows.argtypes = (_each, wintypes.LPARAM)
    _user32.GetWindowThreadProcessId.argtypes = (wintypes.HWND, wintypes.LPDWORD)
    _user32.IsWindowVisible.argtypes = (wintypes.HWND,)
    _user32.IsWindow.argtypes = (wintypes.HWND,)
    _user32.SendMessageTimeoutW.argtypes = (
        wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM, wintypes.UINT, wintypes.UINT, ctypes.c_void_p,
    )  # fmt: skip

    def windows_of(pid: int) -> list[int]:
        """The top-level windows of a process, which are those that Windows tells of log-off and shutdown."""
        found: list[int] = []

        def look(window: int, _: int) -> bool:
            owner = wintypes.DWORD()
            _user32.GetWindowThreadProcessId(window, ctypes.byref(owner))
            if owner.value == pid:
                found.append(window)
            return True

        _user32.EnumWindows(_each(look), 0)
        return found

    def shown_by(pid: int) -> list[int]:
        """The windows of a process that people see."""
        return [window for window in windows_of(pid) if _user32.IsWindowVisible(window)]

    def tell(pid: int, event: int) -> None:
        """Tell a process of what its console says, in the way the system does: by a thread in it. Waits for its end.

        A window's closing box or a key would need a screen; under Wine a console that closes asks no handler at all.
        """
        process = _kernel32.OpenProcess(_ANYTHING, False, pid)
        routine = ctypes.cast(ctypes.WinDLL("kernelbase").CtrlRoutine, ctypes.c_void_p)  # as in every process
        thread = process and _kernel32.CreateRemoteThread(process, None, 0, routine, event, 0, None)
        if not thread:
            raise ctypes.WinError(ctypes.get_last_error())
        assert _kernel32.WaitForSingleObject(thread, _PATIENCE) == 0
        _kernel32.CloseHandle(thread)
        _kernel32.CloseHandle(process)

    def say(window: int, message: int, certain: bool = False) -> int | None:
        """Its answer to a message, as the session manager hears it; None when it has gone with its process."""
        answer = ctypes.c_size_t()
        if not _user32.SendMessageTimeoutW(window, message, certain, 0, 0, _PATIENCE, ctypes.byref(answer)):
            error = ctypes.WinError(ctypes.get_last_error())
            if _user32.IsWindow(window):
                raise error
            return None
        return answer.value

else:
    DETACHED: dict[str, Any] = {}
