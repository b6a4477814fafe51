"""The journal put together: opening it, setting a damaged one aside, closing it."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.jobs.journal.call_records import Steps
from paperchute.jobs.journal.completion import Ending
from paperchute.jobs.journal.database import Database, is_damage
from paperchute.jobs.journal.inserts import Scheduling
from paperchute.jobs.journal.plans import Plans
from paperchute.jobs.journal.queries import Looking
from paperchute.jobs.journal.queue import Lines
from paperchute.jobs.journal.retention import Pruning
from paperchute.jobs.journal.salvage import IN_USE, Salvage, opened
from paperchute.jobs.journal.store import Arrivals


class JournalError(PaperchuteError):
    """The journal cannot be opened or read."""


class Journal(Scheduling, Lines, Steps, Plans, Ending, Pruning, Looking):
    """The one writer of a journal file. Thread-safe; another process may read, or ask for a retry, at the same time."""

    def __init__(self, path: Path, *, owner: bool = False) -> None:
        """Open or make the journal at `path` and bring it up to date. Raises JournalError.

        owner: the one who runs the jobs in it, and who replaces it when it is damaged; see `salvage`.
        """
        self.path = path
        self.salvage: Salvage | None = None
        """What became of a damaged journal that was found at `path`."""
        self._rules = {}
        self._arrivals = Arrivals()
        self._owner = owner
        try:
            if owner:
                self._file, self.salvage = opened(path)
                self.set_setting(IN_USE, "1")
                if self.salvage is not None and not self.salvage.whole:
                    self.set_setting("rebuilt", str(time.time()))
            else:
                self._file = Database(path)
        except (sqlite3.Error, ValueError, OSError) as error:
            damaged = isinstance(error, sqlite3.Error) and is_damage(error)
            advice = "The next `paperchute run` sets it aside." if damaged else "Check the disk and the permissions."
            raise JournalError(f"The journal {path} cannot be opened: {error}.", advice) from error

    @property
    def damaged(self) -> bool:
        """Whether the file was found broken while in use."""
        return self._file.damaged

    def close(self) -> None:
        """Close the file. Nothing is lost: every call above has committed."""
        if self._owner:
            with contextlib.suppress(sqlite3.Error):
                self.set_setting(IN_USE, None)
        self._file.close()
