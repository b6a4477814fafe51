"""What a document says of itself, kept with its job, and what a person has answered."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paperchute.files.identity import FileKey
from paperchute.jobs.codec import UNREADABLE, members_from, stored
from paperchute.jobs.journal.store import Part
from paperchute.jobs.model import Job
from paperchute.rules.document_fields import READING, step_of
from paperchute.rules.stored import rule_from_text
from paperchute.rules.tables import Step


class Answers(Part):
    """Fields of documents, by job."""

    def said(self, job: int) -> dict[str, Any] | None:
        """Return what its document says, as JSON values; None where that has not been read."""
        row = self._file.one("select said from job where id = ?", (job,))
        return json.loads(row["said"]) if row is not None and row["said"] else None

    def said_of_same(self, job: Job, hashes: Sequence[str], step: Step) -> dict[str, Any] | None:
        """Return what the very same file in the hot folder was read to say by the same step; None where it was not.

        hashes: SHA-256 of the job's files.
        """
        rows = self._file.all(
            "select said, spec from job join rule on rule.fingerprint = job.rule where hashes = ? and job.folder = ?"
            " and said is not null and job.id <> ? order by job.id desc",
            (json.dumps(list(hashes)), stored(job.rule.folder), job.id),
        )
        for row in rows:
            with contextlib.suppress(ValueError):  # a rule of another release
                if step_of(rule_from_text(row["spec"]), READING) == step:
                    return dict(json.loads(row["said"]))
        return None

    def of_file(self, path: Path, key: FileKey) -> tuple[dict[str, Any], dict[str, str]] | None:
        """Return what a file was read to say and what was answered of it; None where it was not read as it is now."""
        rows = self._file.all(
            "select members, said, answers from job where path = ? and said is not null order by id desc",
            (stored(path),),
        )
        for row in rows:
            with contextlib.suppress(*UNREADABLE):
                if members_from(row["members"])[0].key == key:
                    return json.loads(row["said"]), json.loads(row["answers"])
        return None

    def keep(self, job: Job, said: Mapping[str, Any]) -> None:
        """Keep what a job's document says, so that it is never asked again."""
        with self._file.write() as db:
            db.execute("update job set said = ? where id = ?", (json.dumps(said, ensure_ascii=False), job.id))

    def given(self, job: int) -> dict[str, str]:
        """Return what a person has answered, by field."""
        row = self._file.one("select answers from job where id = ?", (job,))
        return dict(json.loads(row["answers"])) if row is not None else {}

    def give(self, job: Job, values: Mapping[str, str]) -> None:
        """Keep a person's answers, over earlier ones."""
        with self._file.write() as db:
            row = db.execute("select answers from job where id = ?", (job.id,)).fetchone()
            merged = {**json.loads(row["answers"]), **values}
            db.execute("update job set answers = ? where id = ?", (json.dumps(merged, ensure_ascii=False), job.id))
            told = ", ".join(f"{name} = {value}" for name, value in values.items())
            self._store.event(db, job.id, "answer", told)
