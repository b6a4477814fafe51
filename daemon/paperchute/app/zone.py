"""The system's time zone, which changes while the daemon runs: a laptop travels. Windows needs none of this."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from pathlib import Path

_SYSTEM = Path("/etc/localtime")
_LOOK_SECONDS = 2.0

Stamp = tuple[str, int, int] | None


class Zone:
    """Notices that the zone has changed, and has this process go by the new one."""

    def __init__(self) -> None:
        self._stamp = _stamp()
        self._next_look = 0.0

    def has_changed(self, wall: float) -> tuple[bool, float]:
        """Look now and then, and take over a zone that has changed.

        Args:
            wall: A Unix time that stands for a time on the wall; 0 for none.

        Returns:
            Whether it has changed, and the Unix time of the same time on the wall in the zone as it is now.
        """
        if sys.platform == "win32" or time.monotonic() < self._next_look:
            return False, wall
        self._next_look = time.monotonic() + _LOOK_SECONDS
        stamp = _stamp()
        if stamp == self._stamp:
            return False, wall
        self._stamp = stamp
        before, told = time.localtime(wall).tm_gmtoff, datetime.fromtimestamp(wall)
        offsets = (time.timezone, time.altzone, time.tzname)
        if name := _named_file():  # the C library reads a file anew only under another name
            os.environ["TZ"] = name.removeprefix("/.") if name.startswith("/./") else f"/.{name}"
        time.tzset()
        changed = before != time.localtime(wall).tm_gmtoff or offsets != (time.timezone, time.altzone, time.tzname)
        return changed, told.timestamp() if wall else wall


def _named_file() -> str:
    """The file that TZ names; empty where it names none."""
    name = os.environ.get("TZ", "").removeprefix(":")
    return name if name.startswith("/") else ""


def _stamp() -> Stamp:
    """Tell the file that says the zone from another; None where there is none to be read."""
    if os.environ.get("TZ") and not _named_file():
        return None  # a zone by its name, which this process keeps
    path = Path(_named_file() or _SYSTEM)
    try:
        status = path.stat()
        return os.path.realpath(path), status.st_ino, status.st_mtime_ns
    except OSError:
        return None
