"""Fingerprints of documents, by job: by these a scan that was made twice is known again."""

from __future__ import annotations

import zlib

from paperchute.jobs.journal.store import JOB, OPEN, Part
from paperchute.jobs.model import Job

_MOST = 100
"""Documents that one is compared with: a tenth of a second each, and few have the same numbers."""


class Fingerprints(Part):
    """What the engine says of documents (`document-fingerprint`), and a key that those which may be the same share."""

    def keep(self, job: Job, key: str, content: bytes) -> None:
        """Keep a job's fingerprint, so that its document is read once. The order in which they come is kept, too."""
        with self._file.write() as db:
            db.execute(
                "insert or ignore into fingerprint (job, key, content) values (?, ?, ?)",
                (job.id, key, zlib.compress(content)),
            )

    def of(self, job: Job) -> bytes | None:
        """Return the fingerprint of a job's document; None where there is none yet."""
        row = self._file.one("select content from fingerprint where job = ?", (job.id,))
        return zlib.decompress(row["content"]) if row is not None else None

    def alike_before(self, job: Job) -> list[tuple[Job, bytes]]:
        """Earlier fingerprints of the rule that have the same key, with their jobs, the last one first.

        Earlier is by when they were kept: of two jobs at work at the same time, one surely sees the other. They have
        done their files, or may be at them.
        """
        rows = self._file.all(
            f"{JOB} join fingerprint on fingerprint.job = job.id"
            " join fingerprint as own on own.job = ? and own.key = fingerprint.key and own.key <> ''"
            " where job.rule_name = ? and fingerprint.id < own.id"
            f" and ((job.state in ('done', 'warned') and job.outputs <> '[]') or job.state in {OPEN})"
            " order by fingerprint.id desc limit ?",
            (job.id, job.rule.name, _MOST),
        )
        found = []
        for row in rows:
            kept = self._file.one("select content from fingerprint where job = ?", (row["id"],))
            if kept is not None:
                found.append((self._store.job(row), zlib.decompress(kept["content"])))
        return found
