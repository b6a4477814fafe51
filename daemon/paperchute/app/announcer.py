"""Announces the daemon's status: to people as an event, to other processes in a file, to the page when it asks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paperchute.app.status import Board, StatusFile, Surroundings, WaitingNews
from paperchute.events import NeedsAttention, Observer, Status

_STATUS_SECONDS = 1.0
_RESTING_SECONDS = 8.0  # between two looks at it while nothing happens


class Announcer:
    """Announces what has changed since the last time. `shown` and `told` may be read on any thread."""

    def __init__(self, board: Board, path: Path, observer: Observer) -> None:
        """Announce nothing yet.

        Args:
            board: What puts the status together.
            path: The file in which other processes read it.
            observer: Who is told of what changes for people.
        """
        self._board = board
        self._waiting_news, self._file = WaitingNews(observer), StatusFile(path, observer)
        self._observer = observer
        self._status: Status | None = None
        self.told: Mapping[str, Any] = {}
        """What was last said for other processes (`State.status`)."""
        self.stirred = True
        """Whether anything has happened that was not announced yet."""
        self._published = 0.0

    @property
    def shown(self) -> Status:
        """The picture for people that was announced last."""
        return self._status or Status("idle")

    def is_due(self, stirs: bool) -> bool:
        """Decide whether it is time to announce: soon where anything stirs, now and then where nothing does."""
        return time.monotonic() - self._published >= (_STATUS_SECONDS if stirs else _RESTING_SECONDS)

    def announce(self, around: Surroundings) -> None:
        """Announce the status as it is now, with what the rooms know."""
        self._published, self.stirred = time.monotonic(), False
        self._waiting_news.tell(around.waiting)
        self.told = self._board.as_json(around)
        status, before = self._board.status(around), self._status
        if status != before:
            self._status = status
            self._observer.publish(status)
        if status.attention != (before.attention if before is not None else 0):
            self._observer.publish(NeedsAttention(status.attention))
        self._file.write(self.told)
