"""The daemon's log: one line per job event, rotated, without secrets and without anything that steers a terminal."""

from __future__ import annotations

import sys
import threading
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger

from paperchute.redaction import clean, clean_lines

if TYPE_CHECKING:
    from loguru import Record


def set_up(path: Path | None, *, as_json: bool = False, to_terminal: bool = False) -> None:
    """Log to `path` (10 MB a file, five files kept) and, with `to_terminal`, to stderr.

    Tracebacks go without the values of variables: those may hold passwords.
    """
    logger.remove()
    line = "{time:YYYY-MM-DD HH:mm:ss.SSS} {level:<7} {message}"
    if path is not None:
        logger.add(
            path,
            format=line,
            rotation="10 MB",
            retention=5,
            serialize=as_json,
            diagnose=False,
            backtrace=False,
            encoding="utf-8",
            errors="replace",
        )
    if to_terminal:
        logger.add(sys.stderr, format=line, serialize=as_json, diagnose=False, backtrace=False)
    warnings.filterwarnings("ignore", module="watchdog")


def clean_everything() -> None:
    """Have whatever this process logs, and whatever it says when a thread of it dies, pass the filter first."""
    logger.configure(patcher=_cleaned)
    sys.excepthook = lambda kind, error, trace: _say(error)
    threading.excepthook = lambda fault: None if fault.exc_type is SystemExit else _say(fault.exc_value)


def _cleaned(record: Record) -> None:
    message = clean(record["message"])
    exception = record["exception"]
    if exception is not None and exception.value is not None:
        message += "\n" + _trace(exception.value)
    record["message"] = message
    record["exception"] = None
    record["extra"] = {
        name: clean(value) if isinstance(value, str) else value for name, value in record["extra"].items()
    }


def _say(error: BaseException | None) -> None:
    if error is not None and sys.stderr is not None:
        sys.stderr.write(_trace(error) + "\n")


def _trace(error: BaseException) -> str:
    """Its lines are set in, so that none can pass for a line of the log."""
    lines = clean_lines("".join(traceback.format_exception(error)).rstrip("\n"))
    return "\n".join(f"  {line}" for line in lines.split("\n"))
