"""The file of a log: rotated, and without a word where its disk is full; those who need the disk say that."""

from __future__ import annotations

import logging
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

_MOST_BYTES = 10 << 20
_KEPT = 5


class LogFile(RotatingFileHandler):
    """A file of 10 MB at most, and the five before it. What it cannot write is lost, and stops nobody."""

    def __init__(self, path: Path) -> None:
        """The folder is made where there is none. Raises OSError."""
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=_KEPT, encoding="utf-8", errors="replace")

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end, which is put there with it."""
        return super().format(record).rstrip("\n")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the library's name)
        """Nothing: a trace for each line on a full disk would bury what a terminal is told."""

    def close(self) -> None:
        """Close the file, whose last lines may not have found room."""
        with suppress(OSError):
            super().close()
