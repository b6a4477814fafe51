"""The engine's log: one JSON object a line, for people with grep and for programs."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger

from paperchute.log_file import LogFile
from paperchute.redaction import clean_lines, masked_all

if TYPE_CHECKING:
    from loguru import Record


def set_up_log(path: Path | None) -> None:
    """Log to a file that is rotated, or to standard error. Values of variables never get into traces."""
    logger.remove()
    if path is None:
        logger.add(sys.stderr, format=_line, diagnose=False, backtrace=False)
    else:
        logger.add(LogFile(path), format=_line, diagnose=False, backtrace=False)
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)


class _Libraries(logging.Handler):
    """What libraries log are lines like ours; by themselves they would write them to standard error as they are."""

    def emit(self, record: logging.LogRecord) -> None:
        trouble = logger.bind(library=record.name).opt(exception=record.exc_info)
        trouble.log("ERROR" if record.levelno >= logging.ERROR else "WARNING", "{}", record.getMessage())


def _line(record: Record) -> str:
    facts = {name: value for name, value in record["extra"].items() if name != "json" and value not in (None, "", [])}
    line = {
        "time": record["time"].isoformat(timespec="milliseconds"),
        "level": record["level"].name,
        "message": record["message"],
        **facts,
    }
    if record["exception"] is not None:
        line["trace"] = "".join(traceback.format_exception(*record["exception"]))
    shown = {name: clean_lines(value) if isinstance(value, str) else masked_all(value) for name, value in line.items()}
    record["extra"]["json"] = json.dumps(shown, ensure_ascii=False, default=str)
    return "{extra[json]}\n"
