"""What every part of the journal stands on: the file, the rules read from it, settings, events and a job's row."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from loguru import logger

from paperchute.jobs.database import Database
from paperchute.jobs.records import Job
from paperchute.jobs.rows import facts_from, members_from, path_from, stored
from paperchute.redaction import clean
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_from_text, unreadable_rule

JOB = "select job.*, rule.spec from job join rule on rule.fingerprint = job.rule"
OPEN = "('queued', 'running', 'waiting')"
_INPUT = "case whole when '' then identity else whole end"
COMPANION = f"job.path = ? and job.rule_name <> ? and {_INPUT} = (select {_INPUT} from job where id = ?)"
"""The job of another rule on the very same input; `companion` gives what it asks for."""

MOST_WARNINGS = 100
"""Of one job: more than a person reads, and a list of many thousand rows may have one for each."""

POSTPONED = "hours"
"""The error code of jobs that wait for their rule's hours."""


def companion(job: Job) -> tuple[str | bytes, str, int]:
    """What `COMPANION` asks for."""
    return stored(job.path), job.rule.name, job.id


class Base:
    """The file is opened by `Journal`, which puts the parts together."""

    _file: Database
    _rules: dict[str, Rule]

    def setting(self, name: str) -> str | None:
        """A small remembered fact of the daemon (such as whether it is paused)."""
        row = self._file.one("select value from setting where name = ?", (name,))
        return row["value"] if row else None

    def set_setting(self, name: str, value: str | None) -> None:
        """Remember or, with None, forget it."""
        with self._file.write() as db:
            if value is None:
                db.execute("delete from setting where name = ?", (name,))
            else:
                db.execute("insert or replace into setting values (?, ?)", (name, value))

    def _event(self, db: sqlite3.Connection, job: int, kind: str, text: str) -> None:
        db.execute("insert into event (job, at, kind, text) values (?, ?, ?, ?)", (job, time.time(), kind, clean(text)))

    def _warn(self, db: sqlite3.Connection, job: int, sentences: Sequence[str]) -> None:
        row = db.execute("select warnings from job where id = ?", (job,)).fetchone()
        known = json.loads(row["warnings"])
        new = [text for text in dict.fromkeys(map(clean, sentences)) if text not in known]
        if new and len(known) < MOST_WARNINGS:
            db.execute(
                "update job set warnings = ? where id = ?",
                (json.dumps([*known, *new][:MOST_WARNINGS], ensure_ascii=False), job),
            )

    def _plan(self, job: Job, kind: str, content: str) -> None:
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, ?, ?)", (job.id, kind, content))

    def _planned(self, job: Job, kind: str) -> dict[str, Any] | None:
        row = self._file.one("select content from plan where job = ? and kind = ?", (job.id, kind))
        return json.loads(row["content"]) if row else None

    def _job(self, row: sqlite3.Row) -> Job:
        """The job of a row. One that this release cannot read is given a rule without steps, so that it fails alone."""
        try:
            return self._read(row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.bind(job=row["id"]).error("job {} cannot be read: {!r}", row["id"], error)
            return _unreadable(row)

    def _read(self, row: sqlite3.Row) -> Job:
        fingerprint = row["rule"]
        rule = self._rules.get(fingerprint)
        if rule is None:
            rule = self._rules[fingerprint] = rule_from_text(row["spec"])
        return Job(
            id=row["id"],
            token=row["token"],
            rule=rule,
            path=path_from(row["path"]),
            relative=PurePosixPath(path_from(row["relative"])),
            members=members_from(row["members"]),
            is_set=bool(row["is_set"]),
            state=row["state"],
            stage=row["stage"],
            attempts=row["attempts"],
            due=row["due"],
            created=row["created"],
            started=row["started"],
            finished=row["finished"],
            error=row["error"],
            error_code=row["error_code"],
            hashes=tuple(json.loads(row["hashes"])) if row["hashes"] else None,
            outputs=tuple(Path(o) for o in json.loads(row["outputs"])),
            note=row["note"],
            warnings=tuple(json.loads(row["warnings"])),
            facts=facts_from(row["facts"]),
        )


def _unreadable(row: sqlite3.Row) -> Job:
    """What can be told of a job whose row, or whose rule, this release cannot read."""
    folder, path = path_from(row["folder"]), path_from(row["path"])
    try:
        members = members_from(row["members"])
    except (ValueError, TypeError):
        members = ()
    return Job(
        id=row["id"],
        token=row["token"],
        rule=unreadable_rule(row["rule_name"], folder),
        path=path,
        relative=PurePosixPath(path.relative_to(folder) if path.is_relative_to(folder) else path.name),
        members=members,
        is_set=bool(row["is_set"]),
        state=row["state"],
        stage=row["stage"],
        attempts=row["attempts"],
        due=row["due"],
        created=row["created"],
        started=row["started"],
        finished=row["finished"],
        error=row["error"],
        error_code=row["error_code"],
        hashes=None,
        outputs=(),
        note=row["note"],
    )
