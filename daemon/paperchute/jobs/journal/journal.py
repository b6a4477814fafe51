"""The journal put together: opening it, setting a damaged one aside, closing it."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from contextlib import AbstractContextManager
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.journal.answers import Answers
from paperchute.jobs.journal.bates_numbers import BatesNumbers
from paperchute.jobs.journal.call_records import CallRecords
from paperchute.jobs.journal.completion import Completion
from paperchute.jobs.journal.database import Database, is_damage
from paperchute.jobs.journal.decisions import Decisions
from paperchute.jobs.journal.fingerprints import Fingerprints
from paperchute.jobs.journal.inserts import Inserts
from paperchute.jobs.journal.plans import Plans
from paperchute.jobs.journal.queries import Queries
from paperchute.jobs.journal.queue import Queue
from paperchute.jobs.journal.retention import Retention
from paperchute.jobs.journal.salvage import IN_USE, Salvage, opened
from paperchute.jobs.journal.store import History, Store
from paperchute.jobs.journal.undos import Undos
from paperchute.jobs.journal.usage import Usage
from paperchute.language import _


class JournalError(PaperchuteError):
    """The journal cannot be opened or read."""


class Journal:
    """The one writer of a journal file. Thread-safe; another process may read, or ask for a retry, at the same time."""

    def __init__(self, path: Path, *, owner: bool = False) -> None:
        """Open or make the journal at `path` and bring it up to date. Raises JournalError.

        owner: the one who runs the jobs in it, and who replaces it when it is damaged; see `salvage`.
        """
        self.path = path
        self.salvage: Salvage | None = None
        """What became of a damaged journal that was found at `path`."""
        self._owner = owner
        try:
            if owner:
                file, self.salvage = opened(path)
            else:
                file = Database(path)
            self._store = store = Store(file, owner=owner)
            self.settings = store.settings
            if owner:
                self.settings.set(IN_USE, "1")
                if self.salvage is not None and not self.salvage.whole:
                    self.settings.set("rebuilt", str(time.time()))
        except (sqlite3.Error, ValueError, OSError) as error:
            if isinstance(error, sqlite3.Error) and is_damage(error):
                advice = _("The next `{command}` sets it aside.", command=command("run"))
            elif isinstance(error, ValueError):
                advice = _("Use the newer Paperchute that wrote it, or give this one its own --state.")
            else:
                advice = _("Check the disk and the permissions.")
            problem = _("The journal {path} cannot be opened: {error}.", path=path, error=error)
            raise JournalError(problem, advice) from error
        self.inserts = Inserts(store)
        self.queue = Queue(store)
        self.calls = CallRecords(store)
        self.plans = Plans(store)
        self.completion = Completion(store)
        self.history = History(store)
        self.queries = Queries(store)
        self.retention = Retention(store)
        self.undos = Undos(store)
        self.usage = Usage(store)
        self.answers = Answers(store)
        self.decisions = Decisions(store)
        self.fingerprints = Fingerprints(store)
        self.bates_numbers = BatesNumbers(store)

    def alone(self) -> AbstractContextManager[object]:
        """Keep all other threads from the journal for the length of a block, which must be short."""
        return self._store.file.alone()

    @property
    def damaged(self) -> bool:
        """Whether the file was found broken while in use."""
        return self._store.file.damaged

    def version(self) -> tuple[int, int] | None:
        """Another one after each change, by whichever process; None where the file cannot be read just now."""
        try:
            return self._store.file.version()
        except sqlite3.Error:
            return None

    def close(self) -> None:
        """Close the file. Nothing is lost: every call above has committed."""
        if self._owner:
            with contextlib.suppress(sqlite3.Error):
                self.settings.set(IN_USE, None)
        self._store.file.close()
