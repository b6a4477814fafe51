"""The daemon's log: one line per job event, rotated, without secrets."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from loguru import logger


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
