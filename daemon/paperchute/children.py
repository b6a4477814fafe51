"""Child processes of ours: started apart from what is not theirs, heard through a pipe, ended with all they started."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any


def apart() -> dict[str, Any]:
    """Arguments of Popen for a child that the terminal's Ctrl-C is not for; on Windows it has no window either."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def own_input() -> int:
    """A descriptor for standard input that nothing else reads, which stays with the null device instead.

    On Windows a thread that waits for a pipe holds up every other one that asks the same file object for anything. As
    the runtime of nearly every library asks about standard input while it is loaded, none could be loaded any more.
    """
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return own


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation (winnt.h)
    _KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    _TO_ASSIGN = 0x0100 | 0x0001  # PROCESS_SET_QUOTA, PROCESS_TERMINATE
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel32.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
    _kernel32.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
    _kernel32.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _kernel32.OpenProcess.restype = wintypes.HANDLE
    _kernel32.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel32.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    _kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which the flags alone are used."""

        _fields_ = (
            ("times", wintypes.LARGE_INTEGER * 2),
            ("flags", wintypes.DWORD),
            ("working_set", ctypes.c_size_t * 2),
            ("active", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("classes", wintypes.DWORD * 2),
            ("io", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    class Group:
        """A child and all that it starts: a job object, which Windows ends as a whole, also when this process dies."""

        def __init__(self, child: subprocess.Popen[Any]) -> None:
            """Raises OSError."""
            self._job = _kernel32.CreateJobObjectW(None, None)
            limits = _Limits(flags=_KILL_ON_CLOSE)
            handle = _kernel32.OpenProcess(_TO_ASSIGN, False, child.pid)
            try:
                if not (
                    self._job
                    and _kernel32.SetInformationJobObject(
                        self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
                    )
                    and _kernel32.AssignProcessToJobObject(self._job, handle)
                ):
                    raise ctypes.WinError(ctypes.get_last_error())
            finally:
                _kernel32.CloseHandle(handle)

        def kill(self) -> None:
            """End them all at once."""
            _kernel32.TerminateJobObject(self._job, 1)

        def close(self) -> None:
            """Give the job back, once they have ended."""
            _kernel32.CloseHandle(self._job)

else:
    import signal

    class Group:
        """A child and all that it starts: a process group, of which the child is the leader (`process_group=0`)."""

        def __init__(self, child: subprocess.Popen[Any]) -> None:
            """child: a process that leads its group."""
            self._group = child.pid

        def kill(self) -> None:
            """End them all at once. Raises OSError."""
            os.killpg(self._group, signal.SIGKILL)

        def close(self) -> None:
            """Nothing is kept of a group."""
