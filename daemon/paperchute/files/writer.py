"""Is some program still writing to this file? Asked of the system, not guessed from the clock."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
from pathlib import Path

from paperchute.files.placing import temporary_name

if sys.platform == "linux":
    import fcntl


def ignore_lease_signal() -> None:
    """Must run once in the main thread before `writer_open`.

    A writer that opens a file in the microseconds our lease is held makes the kernel send SIGIO, whose default
    action ends the process.
    """
    if sys.platform == "linux":
        signal.signal(signal.SIGIO, signal.SIG_IGN)


def writer_open(path: Path) -> bool | None:
    """True while a program has the file open for writing, False when none has, None where that cannot be known.

    Linux: a read lease is refused while there is a writer (fcntl(2), F_SETLEASE; about 6 microseconds; owner of the
    file or CAP_LEASE, local file systems). Windows: an open that shares nothing is refused. Elsewhere None.
    """
    if sys.platform == "linux":
        return _lease_refused(path)
    if sys.platform == "win32":
        return _exclusive_open_refused(path)
    return None


def lease_works(folder: Path) -> bool:
    """Whether `writer_open` can be believed in this folder: tried on a hidden file of our own."""
    probe = folder / temporary_name(f"probe-{secrets.token_hex(4)}")
    try:
        with probe.open("xb"):
            held = writer_open(probe)
        return held is True and writer_open(probe) is False
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


if sys.platform == "linux":

    def _lease_refused(path: Path) -> bool | None:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except BlockingIOError:
            return True
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return False


if sys.platform == "win32":

    def _exclusive_open_refused(path: Path) -> bool | None:
        import ctypes
        from ctypes import wintypes

        generic_read, share_nothing, open_existing, sharing_violation = 0x80000000, 0, 3, 32
        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel32.CreateFileW.restype = wintypes.HANDLE
        handle = kernel32.CreateFileW(str(path), generic_read, share_nothing, None, open_existing, 0, None)
        if handle == wintypes.HANDLE(-1).value:
            return True if ctypes.get_last_error() == sharing_violation else None
        kernel32.CloseHandle(handle)
        return False
