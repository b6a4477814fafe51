"""The daemon's log: one line per job event, rotated, without secrets and without anything that steers a terminal."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger

from paperchute.app.tracebacks import traceback_of
from paperchute.events import Event, Health, Queued, Trouble
from paperchute.log_file import LogFile
from paperchute.redaction import clean

if TYPE_CHECKING:
    from loguru import Record


def set_up(path: Path | None, *, as_json: bool = False, to_terminal: bool = False) -> None:
    """Log to `path` and, with `to_terminal`, to stderr.

    Tracebacks go without the values of variables: those may hold passwords.
    """
    logger.remove()
    line = "{time:YYYY-MM-DD HH:mm:ss.SSS} {level:<7} {message}"
    if path is not None:
        logger.add(LogFile(path), format=line, serialize=as_json, diagnose=False, backtrace=False)
    if to_terminal:
        logger.add(sys.stderr, format=line, serialize=as_json, diagnose=False, backtrace=False)
    warnings.filterwarnings("ignore", module="watchdog")


def clean_log() -> None:
    """Have whatever this process logs pass the filter first."""
    logger.configure(patcher=_cleaned)


class EventLog:
    """A subscriber: what happens, as lines of the log. The runner itself logs how jobs end, and knows more of it."""

    def hear(self, event: Event, /) -> None:
        """Log one event."""
        match event:
            case Queued():
                logger.bind(job=event.job).info("queued: {} by rule {!r}", event.path, event.rule)
            case Trouble():
                logger.log("INFO" if event.over else "WARNING", "{}", event.message)
            case Health(state="closed"):
                logger.info("{} answers again; work goes on", event.service or "the service")
            case Health():
                logger.error("{}", event.message)


def _cleaned(record: Record) -> None:
    message = clean(record["message"])
    exception = record["exception"]
    if exception is not None and exception.value is not None:
        message += "\n" + traceback_of(exception.value)
    record["message"] = message
    record["exception"] = None
    record["extra"] = {
        name: clean(value) if isinstance(value, str) else value for name, value in record["extra"].items()
    }
