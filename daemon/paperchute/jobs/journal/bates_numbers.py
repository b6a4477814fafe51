"""Bates numbers: how many pages of a rule's files had one before a call, which keeps its own through each retry."""

from __future__ import annotations

from paperchute.jobs.journal.store import Part, counted_up
from paperchute.jobs.model import Job


class BatesNumbers(Part):
    """What calls have taken of the counts of their rules."""

    def before(self, job: Job, step: int, part: str) -> int | None:
        """Return how many pages were numbered before those of a call; None where it has taken no numbers yet."""
        row = self._file.one("select before from bates where job = ? and step = ? and part = ?", (job.id, step, part))
        return None if row is None else int(row["before"])

    def take(self, job: Job, step: int, part: str, pages: int) -> int:
        """Take the numbers of a call's pages from the count of its rule, once, and return how many were before."""
        with self._file.write() as db:
            before = counted_up(db, f"bates {job.rule.name}", pages) - pages
            db.execute("insert into bates (job, step, part, before) values (?, ?, ?, ?)", (job.id, step, part, before))
        return before

    def has_to_wait(self, job: Job, step: int) -> bool:
        """Decide whether an earlier job of the rule is at work that has taken no numbers in this step yet."""
        row = self._file.one(
            "select 1 from job where rule_name = ? and state = 'running' and id < ? and not exists"
            " (select 1 from bates where bates.job = job.id and step = ?)",
            (job.rule.name, job.id, step),
        )
        return row is not None
