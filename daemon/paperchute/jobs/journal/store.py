"""What every part of the journal stands on: the file, the rules read from it, settings, and a job's history."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Sequence

from loguru import logger

from paperchute.jobs.codec import UNREADABLE, job_from, stored, unreadable_job
from paperchute.jobs.journal.database import Database
from paperchute.jobs.model import HistoryEntry, Job
from paperchute.redaction import clean
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_from_text, rule_to_text

JOB = "select job.*, rule.spec from job left join rule on rule.fingerprint = job.rule"
"""A job's row with its rule, which only a damaged file lacks."""
OPEN = "('queued', 'running', 'waiting')"
_INPUT = "case whole when '' then identity else whole end"
COMPANION = f"job.path = ? and job.rule_name <> ? and {_INPUT} = (select {_INPUT} from job where id = ?)"
"""The job of another rule on the very same input; `companion` gives what it asks for."""

MOST_WARNINGS = 100
"""Of one job: more than a person reads, and a list of many thousand rows may have one for each."""

POSTPONED = "hours"
"""The error code of jobs that wait for their rule's hours."""
HELD = "rule"
"""The error code of jobs that wait for their rule, which is off or no longer there."""
AWAY = "away"
"""The error code of jobs that wait for one of several services, while others do their work."""
UNTAKEN = "untaken"
"""The error code of jobs that ended since no rule has their document; it stays where it is."""

RETRIED = "retried"
"""The error code of failed jobs whose file is back in a shared folder, for whichever Paperchute takes it."""
OUTLIVED = "outlived"
"""The kind of the line in a job's history that says that other rules have its files by now, and leave them to it."""


def companion(job: Job) -> tuple[str | bytes, str, int]:
    """Return what `COMPANION` asks for."""
    return stored(job.path), job.rule.name, job.id


class Arrivals:
    """Says that there may be something to run, so that nobody need ask the file again and again. Thread-safe."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How many there were so far; for `wait`."""
        return self._count

    def tell(self) -> None:
        """There may be something to run: whoever waits for it looks now."""
        with self._condition:
            self._count += 1
            self._condition.notify_all()

    def wait(self, seen: int, seconds: float) -> None:
        """Wait until there are more than were `seen`, or for so many seconds."""
        with self._condition:
            if self._count == seen:
                self._condition.wait(seconds)


class Settings:
    """Small remembered facts of the daemon, such as whether it is paused."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def get(self, name: str) -> str | None:
        """Return what was remembered, or None."""
        row = self._file.one("select value from setting where name = ?", (name,))
        return row["value"] if row else None

    def several(self, *names: str) -> dict[str, str]:
        """Those of them that were remembered, in one look."""
        rows = self._file.all(f"select name, value from setting where name in ({', '.join('?' * len(names))})", names)
        return {row["name"]: row["value"] for row in rows}

    def set(self, name: str, value: str | None) -> None:
        """Remember or, with None, forget it."""
        with self._file.write() as db:
            if value is None:
                db.execute("delete from setting where name = ?", (name,))
            else:
                db.execute("insert or replace into setting values (?, ?)", (name, value))

    def count_up(self, name: str) -> int:
        """The next number of a named count, from 1."""
        with self._file.write() as db:
            return counted_up(db, name, 1)

    def counted(self, name: str) -> int:
        """Return how far `count_up` has come; 0 where it was never asked."""
        return int(self.get(f"count:{name}") or 0)


def counted_up(db: sqlite3.Connection, name: str, by: int) -> int:
    """Let a named count go up, within a transaction, and return how far it has come."""
    row = db.execute(
        "insert into setting values (:name, :by) on conflict do update set value = cast(value as integer) + :by"
        " returning value",
        {"name": f"count:{name}", "by": by},
    ).fetchone()
    return int(row["value"])


class Store:
    """The open file, and what the parts of the journal write or read alike."""

    def __init__(self, file: Database, *, owner: bool = False) -> None:
        """owner: as `Journal` has it; it alone logs what cannot be read, since others show jobs to people."""
        self.file = file
        self._owner = owner
        self._unread: set[tuple[int, str]] = set()  # what was logged: the daemon asks for some rows each second
        self.settings = Settings(file)
        self.arrivals = Arrivals()
        self.rules: dict[str, Rule] = {}
        """Rules by fingerprint, as far as jobs were read or opened, as the rule file has had them last."""

    def event(self, db: sqlite3.Connection, job: int, kind: str, text: str) -> None:
        """Add a line to a job's history."""
        db.execute("insert into event (job, at, kind, text) values (?, ?, ?, ?)", (job, time.time(), kind, clean(text)))

    def keep_rule(self, db: sqlite3.Connection, rule: Rule) -> None:
        """Keep a rule as its jobs end under it, whatever the rule file says by then."""
        fingerprint = rule.fingerprint
        if db.execute("select 1 from rule where fingerprint = ?", (fingerprint,)).fetchone() is None:
            db.execute("insert into rule values (?, ?)", (fingerprint, rule_to_text(rule)))
        elif fingerprint not in self.rules:  # another release may have written it, in a way that this one cannot read
            db.execute("update rule set spec = ? where fingerprint = ?", (rule_to_text(rule), fingerprint))

    def warn(self, db: sqlite3.Connection, job: int, sentences: Sequence[str]) -> None:
        """Add what a job's result lacks, unless it was said."""
        row = db.execute("select warnings from job where id = ?", (job,)).fetchone()
        known = json.loads(row["warnings"])
        new = [text for text in dict.fromkeys(map(clean, sentences)) if text not in known]
        if new and len(known) < MOST_WARNINGS:
            db.execute(
                "update job set warnings = ? where id = ?",
                (json.dumps([*known, *new][:MOST_WARNINGS], ensure_ascii=False), job),
            )

    def job(self, row: sqlite3.Row) -> Job:
        """The job of a row. One that this release cannot read is given a rule without steps, so that it fails alone."""
        try:
            rule = self.rules.get(row["rule"])
            if rule is None:
                rule = self.rules[row["rule"]] = rule_from_text(row["spec"])
            return job_from(row, rule)
        except UNREADABLE as error:
            self.cannot_read(row["id"], "row", error)
            return unreadable_job(row)

    def cannot_read(self, job: int, what: str, error: Exception) -> None:
        """Log, once, that something of a job cannot be read."""
        if self._owner and (job, what) not in self._unread:
            self._unread.add((job, what))
            logger.bind(job=job).error("the {} of job {} cannot be read: {!r}", what, job, error)


class Part:
    """One part of the journal, over the store that all of them share."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._file = store.file


class History(Part):
    """What has happened to each job, a line each."""

    def events(self, number: int) -> list[HistoryEntry]:
        """A job's history, oldest first."""
        rows = self._file.all("select * from event where job = ? order by id", (number,))
        return [HistoryEntry(row["job"], row["at"], row["kind"], row["text"]) for row in rows]

    def latest(self, job: Job) -> float:
        """Return when the last line of a job's history was written, as Unix time; 0 without any."""
        row = self._file.one("select max(at) as at from event where job = ?", (job.id,))
        return (row and row["at"]) or 0.0

    def note(self, job: Job, kind: str, text: str) -> None:
        """Add a line to a job's history."""
        with self._file.write() as db:
            self._store.event(db, job.id, kind, text)

    def note_once(self, job: Job, kind: str, text: str) -> None:
        """Add a line to a job's history unless it has one of that kind."""
        with self._file.write() as db:
            if db.execute("select 1 from event where job = ? and kind = ?", (job.id, kind)).fetchone() is None:
                self._store.event(db, job.id, kind, text)

    def note_fault(self, job: Job, what: str) -> int:
        """A fault of ours has met the job; how many there were since it was taken or somebody had it tried again."""
        with self._file.write() as db:
            self._store.event(db, job.id, "fault", what)
            row = db.execute(
                "select count(*) as n from event where job = :job and kind = 'fault' and id >"
                " (select coalesce(max(id), 0) from event where job = :job and kind in ('queued', 'retry'))",
                {"job": job.id},
            ).fetchone()
            return int(row["n"])
