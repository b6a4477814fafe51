"""Points at which a process can be stopped: every line of the rooms that change a user's files, each time it runs.

A point is named `module:function:line`, and `#n` after it is the n-th time this line runs in one life of the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import paperchute

_SOURCE = Path(paperchute.__file__).parent
_ROOMS = tuple(f"{_SOURCE / room}{os.sep}" for room in ("jobs", "files", "service"))


class Tracer:
    """Sees every line of those rooms before it runs. `kill_at`: SIGKILL there; `seen`: the points passed so far.

    It uses `sys.settrace`, which every Python this product runs on has.
    """

    def __init__(self, kill_at: str | None) -> None:
        self.seen: list[str] = []
        self._kill_at = kill_at
        self._names: dict[CodeType, str | None] = {}
        self._times: Counter[str] = Counter()

    def start(self) -> None:
        """See the lines of this thread, and of every thread started from now on."""
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> None:
        """See no more lines of this thread."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self._names:
            self._names[code] = _name(code)
        return self._line if self._names[code] else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line":
            name = f"{self._names[frame.f_code]}:{frame.f_lineno}"
            self._times[name] += 1
            point = f"{name}#{self._times[name]}"
            self.seen.append(point)
            if point == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return self._line


def _name(code: CodeType) -> str | None:
    if not code.co_filename.startswith(_ROOMS):
        return None
    module = Path(code.co_filename).relative_to(_SOURCE).with_suffix("")
    return f"{'.'.join(module.parts)}:{code.co_qualname}"
