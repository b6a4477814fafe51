"""The lock by which one process at a time has a folder: the daemon its state, the engine its tasks."""

from __future__ import annotations

import sys
from typing import IO


def try_lock(file: IO[str]) -> bool:
    """Lock an open file until it is closed or its process ends; False where another process has it.

    What stands in the file can be read by others meanwhile, on Windows too, where a lock keeps readers out.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 20)  # beyond all that is written there
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
