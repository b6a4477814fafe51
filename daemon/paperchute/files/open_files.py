"""Whether somebody has a file open for writing, asked of the operating system; and reading in nobody's way.

Linux: a read lease (fcntl F_SETLEASE, F_RDLCK) is refused with EAGAIN while any process has the file open for
writing (fcntl(2)). It takes 6 microseconds, needs ownership of the file or CAP_LEASE, and a local file system.
Windows: opening it with no leave for others to write fails while anybody has it open to write (CreateFileW). macOS has
no such question.

What is open on Windows without FILE_SHARE_DELETE can be neither renamed nor deleted nor written over by a rename, which
is how many programs save. Python opens all its files so; `reading_beside` does not.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from paperchute.files.names import OWN_TEMPORARY

_PROBE = f".probe{OWN_TEMPORARY}"


def ignore_lease_signal() -> None:
    """Keep the process alive when a writer opens a file in the microseconds we hold its lease.

    That sends SIGIO, whose default action ends the process; ignored, the writer just waits those microseconds.
    Call before `writer_open`, from the main thread. Raises ValueError on another one unless it is ignored already.
    """
    if sys.platform == "linux" and signal.getsignal(signal.SIGIO) is not signal.SIG_IGN:
        signal.signal(signal.SIGIO, signal.SIG_IGN)


if sys.platform == "linux":
    import fcntl

    def writer_open(path: str | Path) -> bool | None:
        """True while some process has the file at `path` open for writing, False when none has.

        None when the system cannot tell: another owner, a network file system, no such platform, no such file.
        """
        try:
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except BlockingIOError:
            return True
        except OSError:
            return None
        finally:
            os.close(file)
        return False

elif sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _GENERIC_READ, _OPEN_EXISTING, _SHARING_VIOLATION = 0x80000000, 3, 32
    _READERS = 1 | 4  # FILE_SHARE_READ, FILE_SHARE_DELETE: viewers, indexers and virus scanners may go on
    _ANYBODY = 1 | 2 | 4  # FILE_SHARE_WRITE too
    _INVALID_HANDLE = wintypes.HANDLE(-1).value
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.CreateFileW.restype = wintypes.HANDLE
    _kernel32.CreateFileW.argtypes = (
        wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD,
        wintypes.HANDLE,
    )  # fmt: skip
    _kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)

    def writer_open(path: str | Path) -> bool | None:
        """True while another process has the file at `path` open to write, False when none has, None when unknown."""
        handle = _kernel32.CreateFileW(str(path), _GENERIC_READ, _READERS, None, _OPEN_EXISTING, 0, None)
        if handle == _INVALID_HANDLE:
            return True if ctypes.get_last_error() == _SHARING_VIOLATION else None
        _kernel32.CloseHandle(handle)
        return False

    def reading_beside(path: str | Path) -> int:
        """A descriptor to read the file at `path`, while others may write, rename and delete it. Raises OSError."""
        handle = _kernel32.CreateFileW(str(path), _GENERIC_READ, _ANYBODY, None, _OPEN_EXISTING, 0, None)
        if handle == _INVALID_HANDLE:
            number = ctypes.get_last_error()
            why = ctypes.FormatError(number).rstrip(". \r\n")  # as Python has it: it goes into sentences
            raise OSError(0, why, str(path), number)
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)

else:

    def writer_open(path: str | Path) -> bool | None:
        """None: this system cannot tell."""
        return None


def probe_lease(folder: Path) -> bool:
    """Decide whether `writer_open` notices a writer in `folder`, tried with a hidden temporary file.

    False on file systems without leases, on those that grant them blindly, and where nothing can be written; and
    without a try on other systems, where this is no matter of the folder.
    """
    if sys.platform != "linux":
        return False
    path = folder / _PROBE
    try:
        path.unlink(missing_ok=True)  # a kill may have left one
        with path.open("xb", buffering=0) as file:
            try:
                file.write(b"?")
                return writer_open(path) is True
            finally:
                path.unlink()
    except OSError:
        return False
