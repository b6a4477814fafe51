"""Delivery, filing and failure: planned before they are done, marked after."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from paperchute.files.names import one_elsewhere
from paperchute.jobs.codec import (
    UNREADABLE,
    delivery_from,
    delivery_text,
    filing_from,
    filing_text,
    members_from,
    path_from,
    stored,
)
from paperchute.jobs.journal.call_records import REFUSED
from paperchute.jobs.journal.store import Part
from paperchute.jobs.model import DeliveryPlan, FilingPlan, Job, Written
from paperchute.language import _
from paperchute.redaction import clean, clean_lines

_LONGEST_LINEAGE = 1000  # files; of a merge of very many the first ones tell enough

_Plan = TypeVar("_Plan", DeliveryPlan, FilingPlan)


class Plans(Part):
    """What is about to become of a job's outputs and originals."""

    def draft_delivery(self, job: Job, plan: DeliveryPlan) -> None:
        """The result is about to be fetched to the temporary place of `plan`."""
        self._plan(job, "delivery", delivery_text(plan))

    def plan_delivery(self, job: Job, plan: DeliveryPlan) -> None:
        """The outputs are about to be put in place as `plan` says. From here on failures are counted anew."""
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, 'delivery', ?)", (job.id, delivery_text(plan)))
            db.execute(
                "update job set stage = 'delivering', attempts = 0, error = null, error_code = null where id = ?",
                (job.id,),
            )

    def delivery(self, job: Job) -> DeliveryPlan | None:
        """The plan to complete or redo after a restart; None also for one that cannot be read."""
        return self._planned(job, "delivery", delivery_from)

    def deliver_again(self, job: Job) -> None:
        """What was about to be delivered is gone, and never arrived: its results are fetched again."""
        with self._file.write() as db:
            db.execute("update job set stage = 'steps' where id = ?", (job.id,))
            db.execute("delete from plan where job = ? and kind = 'delivery'", (job.id,))
            self._store.event(db, job.id, "lost", _("the prepared results were gone from the target folder"))

    def delivered(
        self,
        job: Job,
        written: Sequence[Written],
        note: str | None = None,
        filings: Mapping[int, FilingPlan] = MappingProxyType({}),
        warnings: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Every output is in place; what is left is filing the originals, as `filings` plans where they are to go.

        warnings: what the delivery left out. Returns all that the job has.
        """
        outputs = [one.path for one in written]
        with self._file.write() as db:
            self._remember(db, written)
            db.executemany(
                "insert or replace into plan values (?, ?, ?)",
                [(job.id, _filing_kind(index), filing_text(plan)) for index, plan in filings.items()],
            )
            db.execute(
                "update job set stage = 'filing', outputs = ?, note = ?, error = null, error_code = null where id = ?",
                (json.dumps([str(o) for o in outputs]), note and clean(note), job.id),
            )
            if warnings:
                self._store.warn(db, job.id, warnings)
            self._store.event(db, job.id, "delivered", note or (str(outputs[0]) if outputs else ""))
            found = db.execute("select warnings from job where id = ?", (job.id,)).fetchone()
            return tuple(json.loads(found["warnings"]))

    def written(self, path: Path) -> Written | None:
        """Return what a job once put at `path`. Whether it still lies there unchanged, only the file can tell."""
        row = self._file.one("select * from written where path = ?", (stored(path),))
        return _written_from(row) if row else None

    def written_at(self, path: Path, job: Job) -> list[Written]:
        """Return what a job once put at `path`, and what this one has put in place."""
        rows = self._file.all("select * from written where path = ? or job = ?", (stored(path), job.id))
        return [_written_from(row) for row in rows]

    def written_alike(self, path: Path) -> list[Path]:
        """Find what jobs once put at paths that differ from `path` in letter case or composition alone."""
        rows = self._file.all("select path from written where folded = ?", (stored(one_elsewhere(path)),))
        return [found for row in rows if (found := path_from(row["path"])) != path]

    def arriving(self) -> list[Path]:
        """Find where results are just being put in place, or have been and are not written down yet."""
        rows = self._file.all(
            "select content from plan join job on job.id = plan.job"
            " where job.state = 'running' and job.stage = 'delivering' and plan.kind = 'delivery'"
        )
        found = []
        for row in rows:
            with contextlib.suppress(*UNREADABLE):  # its job says so
                plan = delivery_from(row["content"])
                names = [move.target for move in plan.moves or ()] or plan.hashes
                found += [plan.final / name for name in names] if plan.is_pair else [plan.final]
        return found

    def has_size(self, size: int) -> bool:
        """Decide whether a job has put a file of so many bytes in place, which costs nothing to ask."""
        return self._file.one("select 1 from written where size = ? limit 1", (size,)) is not None

    def written_bytes(self, size: int, sha256: str) -> list[Written]:
        """Find the results that had these bytes when they were put in place."""
        rows = self._file.all("select * from written where size = ? and sha256 = ?", (size, sha256))
        return [_written_from(row) for row in rows]

    def makers(self, size: int, sha256: str) -> Mapping[str, int]:
        """Find the rules that have made a file with these bytes, or what it was made of, and so on; each with a job.

        Of a job that was forgotten nobody knows what it was made of.
        """
        found: dict[str, int] = {}
        ahead, seen = [(size, sha256)], {(size, sha256)}
        while ahead and len(seen) < _LONGEST_LINEAGE:
            for one in self.written_bytes(*ahead.pop()):
                found.setdefault(one.rule, one.job)
                row = self._file.one("select members, hashes from job where id = ?", (one.job,))
                before: set[tuple[int, str]] = set()
                if row and row["hashes"]:
                    sizes = (member.key.size for member in members_from(row["members"]))
                    before = {known for known in zip(sizes, json.loads(row["hashes"]), strict=False) if known[1]}
                ahead += before - seen
                seen |= before
        return found

    def remember(self, written: Written) -> None:
        """A file of ours is in place that is no output of a job."""
        with self._file.write() as db:
            self._remember(db, [written])

    def _remember(self, db: sqlite3.Connection, written: Sequence[Written]) -> None:
        db.executemany(
            "insert or replace into written (path, sha256, rule, wanted, job, size, folded)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(stored(one.path), one.sha256, one.rule, stored(one.wanted), one.job, one.size),
                    stored(one_elsewhere(one.path)),
                )
                for one in written
                if one.sha256
            ],
        )

    def plan_failure(self, job: Job, error: str, code: str | None, text: str, *, answered: bool = False) -> None:
        """Plan that the job fails for good: the original and `text` are about to go to the failed folder.

        answered: the service has said so of a call, which a retry makes anew.
        """
        with self._file.write() as db:
            if answered:
                db.execute(
                    f"{REFUSED} where job = ? and (sent is not null or task is not null) and answer is null", (job.id,)
                )
            db.execute(
                "update job set stage = 'failing', error = ?, error_code = ?, error_text = ? where id = ?",
                (clean(error), code and clean(code), clean_lines(text), job.id),
            )

    def failure_text(self, job: Job) -> str:
        """The text for `NAME.error.txt`."""
        row = self._file.one("select error_text from job where id = ?", (job.id,))
        return (row and row["error_text"]) or ""

    def plan_filing(self, job: Job, plan: FilingPlan, index: int = 0) -> None:
        """An original is about to be moved as `plan` says. index: as `Original` has it."""
        self._plan(job, _filing_kind(index), filing_text(plan))

    def filing(self, job: Job, index: int = 0) -> FilingPlan | None:
        """The move to complete or redo after a restart, and for a failed job where its original lies.

        None also for one that cannot be read.
        """
        return self._planned(job, _filing_kind(index), filing_from)

    def filings(self, job: Job) -> dict[int, FilingPlan]:
        """All of a job's moves, by index."""
        many = range(1 if job.is_set else len(job.members))
        return {index: plan for index in many if (plan := self.filing(job, index)) is not None}

    def _plan(self, job: Job, kind: str, content: str) -> None:
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, ?, ?)", (job.id, kind, content))

    def _planned(self, job: Job, kind: str, read: Callable[[str], _Plan]) -> _Plan | None:
        row = self._file.one("select content from plan where job = ? and kind = ?", (job.id, kind))
        try:
            return read(row["content"]) if row else None
        except UNREADABLE as error:
            self._store.cannot_read(job.id, f"plan {kind!r}", error)
            return None


def _written_from(row: sqlite3.Row) -> Written:
    path, wanted = path_from(row["path"]), path_from(row["wanted"])
    return Written(path, row["sha256"], row["rule"], wanted, row["job"], row["size"])


def _filing_kind(index: int) -> str:
    return f"filing {index}" if index else "filing"
