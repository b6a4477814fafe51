"""A damaged journal is set aside, and what can still be read of it is carried over into a new one."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loguru import logger

from paperchute.contract import contract
from paperchute.jobs.journal.database import Database, is_damage
from paperchute.jobs.model import NewJob
from paperchute.language import _, ngettext
from paperchute.rules.output import target

IN_USE = "in use"
"""The setting that a journal bears while a daemon has it open, and so after a crash."""

_CHUNK = 200
_PARTS = ("", "-wal", "-shm")
_PER_JOB = ("step", "plan", "event", "member", "fingerprint")


@dataclass(frozen=True)
class Salvage:
    """What became of a damaged journal."""

    aside: Path
    """Where the damaged file is now."""
    jobs: int
    """How many could be carried over."""
    whole: bool
    """Whether nothing was unreadable."""

    def __str__(self) -> str:
        if not self.jobs:
            return _("The journal was damaged; none of its jobs could be read. It is now {file}.", file=self.aside)
        return ngettext(
            "The journal was damaged; {n} job could be read and is kept. The damaged file is {file}.",
            "The journal was damaged; {n} jobs could be read and are kept. The damaged file is {file}.",
            self.jobs,
            file=self.aside,
        )


def opened(path: Path) -> tuple[Database, Salvage | None]:
    """The journal's file, ready for use; a damaged one is replaced first.

    Raises sqlite3.Error when it cannot be opened for another reason, and ValueError for one of a newer program.
    """
    try:
        file = Database(path)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return _replaced(path)
    if _can_be_trusted(file):
        return file, None
    file.close()
    return _replaced(path)


def _can_be_trusted(file: Database) -> bool:
    """Closed in order by the last one to use it, or looked through and found whole."""
    try:
        closed = file.one("select 1 from setting where name = ?", (IN_USE,)) is None
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return False
    return closed or file.is_sound()


def has_result(new: NewJob) -> bool:
    """Tell whether the result of a file that stays in its place lies where it would be delivered, newer than the file.

    Told after a journal was lost, so that nothing is done, and perhaps paid, again. Rules whose results bear a date,
    a number or what the document says of itself say nothing.
    """
    rule = new.rule
    if any(place in rule.output for place in ("{date", "{counter", "{doc.")):
        return False
    place = target(rule, new.relative, now=0.0, counter=0)
    extension = place.extension or contract().known(rule.steps[-1].operation).output_ext
    newest = max(member.key.mtime for member in new.members)
    return any(
        (found := place.folder / name).exists() and found.stat().st_mtime_ns >= newest
        for name in (f"{place.stem}.{extension}", place.stem)
    )


def _replaced(path: Path) -> tuple[Database, Salvage]:
    aside = _set_aside(path)
    file = Database(path)
    jobs, whole = _carry_over(aside, file)
    found = Salvage(aside, jobs, whole)
    logger.error("{}", found)
    return file, found


def _set_aside(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 0
    while (
        aside := path.with_name(f"{path.stem}.damaged-{stamp}{f'-{number}' if number else ''}{path.suffix}")
    ).exists():
        number += 1
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + part).rename(aside.with_name(aside.name + part))
    return aside


def _carry_over(aside: Path, file: Database) -> tuple[int, bool]:
    """(jobs carried over, whether everything could be read)."""
    try:
        old = sqlite3.connect(aside, isolation_level=None)
        old.row_factory = sqlite3.Row
        last = old.execute("select seq from sqlite_sequence where name = 'job'").fetchone()
    except sqlite3.Error:
        return 0, False
    jobs, whole = 0, True
    with contextlib.closing(old), file.write() as db:
        db.execute("pragma defer_foreign_keys=on")
        for table in ("rule", "setting", "written", "usage"):
            with _tolerant() as fine:
                for row in old.execute(f"select * from {table}"):
                    _insert(db, table, row)
            whole &= fine.yes
        for row in _readable(old, last["seq"] if last else 0):
            if row is None:
                whole = False
                continue
            if db.execute("select 1 from rule where fingerprint = ?", (row["rule"],)).fetchone() is None:
                whole = False  # without its rule nobody knows what was to be done
                continue
            _insert(db, "job", row)
            jobs += 1
            for table in _PER_JOB:
                with _tolerant() as fine:
                    for more in old.execute(f"select * from {table} where job = ?", (row["id"],)):
                        _insert(db, table, more)
                whole &= fine.yes
    return jobs, whole


def _readable(old: sqlite3.Connection, last: int) -> Iterator[sqlite3.Row | None]:
    """Every job that can be read; None for each stretch that cannot."""
    for start in range(1, last + 1, _CHUNK):
        end = min(last, start + _CHUNK - 1)
        try:
            yield from old.execute("select * from job where id between ? and ?", (start, end)).fetchall()
        except sqlite3.DatabaseError:
            for number in range(start, end + 1):
                try:
                    yield from old.execute("select * from job where id = ?", (number,)).fetchall()
                except sqlite3.DatabaseError:
                    yield None


class _Fine:
    yes = True


@contextlib.contextmanager
def _tolerant() -> Iterator[_Fine]:
    """Go on after a table that cannot be read to its end."""
    fine = _Fine()
    try:
        yield fine
    except sqlite3.DatabaseError:
        fine.yes = False


def _insert(db: sqlite3.Connection, table: str, row: sqlite3.Row) -> None:
    names = row.keys()
    marks = ",".join("?" * len(names))
    db.execute(f"insert or ignore into {table} ({','.join(names)}) values ({marks})", tuple(row))
