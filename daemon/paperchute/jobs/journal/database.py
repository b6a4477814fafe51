"""One SQLite file with one writer at a time: transactions, receipts, reading. Knows nothing of jobs.

Commits are synchronous=NORMAL in WAL mode: safe under a kill, and only a power cut can undo the last moments. A receipt
waits until the write-ahead log is on the disk, which is what synchronous=FULL does at its commit; done here after the
lock is released, receipts that come together share one fsync, and nobody else waits for the disk.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from paperchute.baton import baton
from paperchute.jobs.journal.schema import migrate

_CHECKPOINT_PAGES = 4000  # 16 MB of log between two moves into the file; each move costs two waits for the disk


_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_damage(error: sqlite3.Error) -> bool:
    """Decide whether the error says that the file itself is broken, and not that a disk is full or a lock is held."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


class Database:
    """Thread-safe. Another process may read or write the same file at the same time, on the same machine."""

    def __init__(self, path: Path) -> None:
        """Open or make the file and bring its tables up to date.

        Raises sqlite3.Error (sqlite3.DatabaseError for a damaged file), and ValueError for one of a newer program.
        """
        self.path = path
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            self._db.row_factory = sqlite3.Row
            self._db.execute("pragma auto_vacuum=incremental")  # of a new file; an old one learns it in `shrink`
            (mode,) = self._db.execute("pragma journal_mode=wal").fetchone()
            self._logged = mode == "wal"
            self._db.execute(f"pragma synchronous={'normal' if self._logged else 'full'}")
            self._db.execute(f"pragma wal_autocheckpoint={_CHECKPOINT_PAGES}")
            self._db.execute("pragma foreign_keys=on")
            migrate(self._db)
        except BaseException:
            self._db.close()
            raise
        self.damaged = False
        """Whether an access found the file broken."""
        self._commits = 0
        self._on_disk = 0
        self._disk = threading.Lock()
        self._log: int | None = None  # descriptor of the write-ahead log

    def close(self) -> None:
        """Close the file. Nothing is lost: every write has committed."""
        with self._lock:
            self._db.close()
            if self._log is not None:
                os.close(self._log)
                self._log = None

    def is_sound(self) -> bool:
        """Decide whether the file is whole (pragma quick_check). It takes about a second for 100,000 jobs."""
        try:
            return [tuple(row) for row in self._db.execute("pragma quick_check(1)")] == [("ok",)]
        except sqlite3.DatabaseError:
            return False

    def alone(self) -> contextlib.AbstractContextManager[object]:
        """Keep all other threads away for the length of a block."""
        return self._lock

    @contextlib.contextmanager
    def write(self, *, receipt: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction. receipt: when the block is left, what was written also survives a power cut.

        Raises sqlite3.Error, and OSError when the disk refuses the receipt.
        """
        with self._lock:
            try:
                self._db.execute("begin immediate")
                yield self._db
                self._db.execute("commit")
            except BaseException as error:
                self._note(error)
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            self._commits += 1
            number = self._commits
        if receipt and self._logged:
            with baton.handed_on():
                self._reach_disk(number)

    def one(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        """The first row of a query. Raises sqlite3.Error."""
        with self._lock:
            try:
                row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
            except sqlite3.Error as error:
                self._note(error)
                raise
            return row

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of a query. Raises sqlite3.Error."""
        with self._lock:
            try:
                return self._db.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                self._note(error)
                raise

    def version(self) -> tuple[int, int]:
        """Another one after each change, by whomever: what was read under the same one still holds."""
        with self._lock:
            return self._number("data_version"), self._db.total_changes

    def shrink(self, pages: int) -> bool:
        """Give up to `pages` pages that hold nothing back to the disk; whether more are left. Raises sqlite3.Error.

        A file of an older Paperchute is written anew once, when a quarter of it is free.
        """
        with self._lock:
            free = self._number("freelist_count")
            if self._number("auto_vacuum") == 0:
                if free * 4 >= self._number("page_count"):
                    self._db.execute("pragma auto_vacuum=incremental")
                    self._db.execute("vacuum")
                    self._db.execute("pragma wal_checkpoint(passive)").fetchall()
                return False
            if free:  # as a script, since `execute` takes one step of it, which is one page
                self._db.executescript(f"pragma incremental_vacuum({pages})")
            if free <= pages:
                self._db.execute("pragma wal_checkpoint(passive)").fetchall()  # only this cuts the file itself
            return free > pages

    def _number(self, pragma: str) -> int:
        return int(self._db.execute(f"pragma {pragma}").fetchone()[0])

    def _note(self, error: BaseException) -> None:
        self.damaged = self.damaged or (isinstance(error, sqlite3.Error) and is_damage(error))

    def _reach_disk(self, number: int) -> None:
        """Have commit `number` on the disk. Whoever waited while another's fsync ran is often served by the next."""
        with self._disk:
            if self._on_disk >= number:
                return
            if self._log is None:
                # The log bears none of SQLite's locks, so a descriptor of our own on it is harmless (unlike one on
                # the database file), and it stays the same file as long as our connection is open.
                self._log = os.open(f"{self.path}-wal", os.O_RDWR | getattr(os, "O_BINARY", 0))
            reached = self._commits
            os.fsync(self._log)
            self._on_disk = reached
