"""The index of what was done: names, rules, results and their text. It is made from the journal; damaged, made anew."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loguru import logger

from paperchute.files.placement import remove

_VERSION = 1
_TABLES = """
create virtual table entry using fts5(name, rule, results, text,
    prefix = '2 3', tokenize = "unicode61 remove_diacritics 2");
create table held (job integer primary key, size integer not null);
create table mark (name text primary key, value integer not null) without rowid;
"""
MOST_BYTES = 256 << 20
"""Of the file: text of a quarter of a million pages. What is beyond it loses the text of its oldest jobs."""

_CUT_SHARE = 0.2
"""Of the text that goes when there is too much: the index is then put together anew, which takes seconds."""

_IDEOGRAPHS = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
"""Scripts that put no spaces between words: each sign is a word here, and a word asked for is a phrase of them."""


@dataclass(frozen=True)
class Entry:
    """What is known of one job."""

    job: int
    name: str
    rule: str
    results: str
    text: str
    """Of its results; empty where it must not be kept, or there is none."""


class SearchIndex:
    """Thread-safe. Other processes may search at the same time."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        """Open or make the file. Raises sqlite3.Error where its disk refuses."""
        self._path = path
        self._most = most_bytes
        self._lock = threading.Lock()
        self._db = self._opened()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def search(self, words: str, limit: int) -> list[int]:
        """The jobs that have all these words, or words that begin so, the newest first; empty where none is asked for.

        Raises sqlite3.Error.
        """
        asked = _query(words)
        if not asked:
            return []
        with self._lock:
            rows = self._db.execute(
                "select rowid from entry where entry match ? order by rowid desc limit ?", (asked, limit)
            ).fetchall()
        return [row[0] for row in rows]

    def reached(self) -> int:
        """The line of the journal's history up to which jobs were put in."""
        with self._lock:
            row = self._db.execute("select value from mark where name = 'event'").fetchone()
        return row[0] if row else 0

    def put(self, entries: Iterable[Entry], reached: int) -> None:
        """Put in what is known of some jobs, in the place of what was. reached: see `reached`. Raises sqlite3.Error."""
        with self._lock, self._db:
            for one in entries:
                self._db.execute("delete from entry where rowid = ?", (one.job,))
                self._db.execute(
                    "insert into entry (rowid, name, rule, results, text) values (?, ?, ?, ?, ?)",
                    (one.job, *map(_spaced, (one.name, one.rule, one.results, one.text))),
                )
                self._db.execute("insert or replace into held values (?, ?)", (one.job, len(one.text)))
            self._db.execute("insert or replace into mark values ('event', ?)", (reached,))

    def jobs(self) -> set[int]:
        """All jobs in it."""
        with self._lock:
            return {row[0] for row in self._db.execute("select job from held")}

    def forget(self, jobs: Sequence[int]) -> None:
        """These jobs have left the journal. Raises sqlite3.Error."""
        with self._lock, self._db:
            self._db.executemany("delete from entry where rowid = ?", [(job,) for job in jobs])
            self._db.executemany("delete from held where job = ?", [(job,) for job in jobs])
            self._db.execute(
                "insert into entry (entry) values ('optimize')"
            )  # else what was deleted lies there a while

    def cut(self) -> None:
        """Take the text out of the oldest jobs when the file holds more than it may. Raises sqlite3.Error."""
        with self._lock:
            if self._bytes() <= self._most:
                return
            with self._db:
                rows = self._db.execute("select job, size from held where size > 0 order by job").fetchall()
                left = sum(size for _, size in rows) * _CUT_SHARE
                oldest = []
                for job, size in rows:
                    if left <= 0:
                        break
                    oldest.append((job,))
                    left -= size
                self._db.executemany("update entry set text = '' where rowid = ?", oldest)
                self._db.executemany("update held set size = 0 where job = ?", oldest)
                self._db.execute("insert into entry (entry) values ('optimize')")

    def _bytes(self) -> int:
        """Return what is in use of the file: what was deleted is used again."""
        pages, free, size = (
            self._db.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            logger.warning("the index {} is damaged ({}) and made anew", self._path, error)
            for ending in ("", "-wal", "-shm"):
                remove(self._path.with_name(self._path.name + ending))
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        try:
            db.execute("pragma journal_mode=wal")
            db.execute("pragma synchronous=normal")
            db.execute("pragma secure_delete=on")  # what is forgotten is not to be found in the file either
            if db.execute("pragma user_version").fetchone()[0] != _VERSION:
                with db:
                    db.execute("begin immediate")
                    if db.execute("pragma user_version").fetchone()[0] != _VERSION:
                        for table in ("entry", "held", "mark"):
                            db.execute(f"drop table if exists {table}")
                        for statement in filter(str.strip, _TABLES.split(";")):
                            db.execute(statement)
                        db.execute(f"pragma user_version={_VERSION}")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                db.close()
            raise
        return db


def _spaced(text: str) -> str:
    return _IDEOGRAPHS.sub(r" \1 ", text.encode("utf-8", "replace").decode())


def _query(words: str) -> str:
    """What a person writes, as FTS5 asks for it: every word a beginning, but for a sign alone; nothing an operator."""
    asked = [_spaced(word.replace('"', " ")).strip() for word in words.replace("\0", " ").split()]
    return " ".join(
        f'"{word}"*' if len(word) > 1 else f'"{word}"' for word in asked if any(letter.isalnum() for letter in word)
    )
