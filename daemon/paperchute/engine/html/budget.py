"""Time and memory for foreign code that runs inside the interpreter, such as a template's loops."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
import time
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
    _CLOCK.start(seconds)  # before the memory is bounded: its thread needs some, and would wait for it for ever
    try:
        with _memory(extra_bytes):
            yield
    finally:
        _CLOCK.stop()


class _Clock:
    """Raises OutOfTime in the thread that started it, unless stopped before. One at a time in a process.

    Its own thread stays: to start one takes longer than to fill a letter.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._ends: float | None = None
        self._watched = 0

    def start(self, seconds: float) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
            self._thread.start()
        with self._changed:
            self._watched = threading.get_ident()
            self._ends = time.monotonic() + seconds
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._ends = None

    def _run(self) -> None:
        with self._changed:
            while True:
                left = None if self._ends is None else self._ends - time.monotonic()
                if left is not None and left <= 0:
                    self._ends = None
                    error = ctypes.py_object(OutOfTime)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), error)
                else:
                    self._changed.wait(left)


_CLOCK = _Clock()


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
