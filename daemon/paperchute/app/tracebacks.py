"""What a process says when a thread of it dies: without secrets and without anything that steers a terminal."""

from __future__ import annotations

import sys
import threading
import traceback

from paperchute.redaction import clean_lines


def clean_tracebacks() -> None:
    """Have whatever this process says when a thread of it dies pass the filter first."""
    sys.excepthook = lambda kind, error, trace: _say(error)
    threading.excepthook = lambda fault: None if fault.exc_type is SystemExit else _say(fault.exc_value)


def traceback_of(error: BaseException) -> str:
    """Its lines are set in, so that none can pass for a line of the log."""
    lines = clean_lines("".join(traceback.format_exception(error)).rstrip("\n"))
    return "\n".join(f"  {line}" for line in lines.split("\n"))


def _say(error: BaseException | None) -> None:
    if error is not None and sys.stderr is not None:
        sys.stderr.write(traceback_of(error) + "\n")
