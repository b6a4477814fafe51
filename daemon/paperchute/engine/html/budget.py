"""Time and memory for foreign code that runs inside the interpreter, such as a template's loops."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import resource


class OutOfTime(Exception):
    """The block took too long."""


@contextmanager
def bounded(seconds: float, extra_bytes: int) -> Iterator[None]:
    """Run the block for at most `seconds` and with at most `extra_bytes` more memory than the process has now.

    Raises OutOfTime and MemoryError in the block. A single operation of the interpreter is not interrupted; memory is
    bounded on Linux alone. Elsewhere, and beyond, the limits of the worker process count.
    """
    with _memory(extra_bytes):
        clock = _Clock(seconds)
        try:
            yield
        finally:
            clock.stop()


class _Clock:
    """Raises OutOfTime in the thread that made it, unless stopped before."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._over = False
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        with self._lock:
            self._over = True
        self._timer.cancel()

    def _ring(self) -> None:
        with self._lock:
            if not self._over:
                error = ctypes.py_object(OutOfTime)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), error)


@contextmanager
def _memory(extra_bytes: int) -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = _data_bytes() + extra_bytes
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """What RLIMIT_DATA counts: private writable memory (getrlimit(2), proc_pid_status(5))."""
    found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) << 10 if found else 0
