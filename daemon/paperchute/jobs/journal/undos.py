"""Undoing: what is about to be moved, and the mark that keeps what came back from being taken again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from paperchute.jobs.codec import UNREADABLE, identity_of, members_text, stored
from paperchute.jobs.journal.store import COMPANION, JOB, Part, companion
from paperchute.jobs.model import Job, Member
from paperchute.jobs.undo.plan import UndoPlan, plan_from, plan_text
from paperchute.language import _
from paperchute.redaction import clean

_KIND = "undo"


class Undos(Part):
    """A job that is undone keeps its row: it says that the original in its hot folder is not to be done."""

    # ---------- carrying it out ----------

    def begin(self, plan: UndoPlan) -> bool:
        """Write down what is about to be moved, and mark the jobs. False where one is no longer as `plan` has it."""
        with self._file.write() as db:
            for one in plan.marked:
                row = db.execute("select state from job where id = ?", (one.job,)).fetchone()
                if row is None or row["state"] != one.state:
                    return False
            self._keep(db, plan)
            for one in plan.marked:
                db.execute("update job set state = 'undone', kept = 1 where id = ?", (one.job,))
                _set_members(db, one.job, one.present)
        return True

    def change(self, plan: UndoPlan) -> None:
        """It goes on as `plan` says now."""
        with self._file.write() as db:
            self._keep(db, plan)
            for one in plan.marked:
                _set_members(db, one.job, one.present)

    def commit(self, plan: UndoPlan) -> UndoPlan:
        """The results are out of sight and the originals are back: from here on it only goes forward."""
        plan = replace(plan, committed=True)
        with self._file.write() as db:
            self._keep(db, plan)
            for one in plan.marked:
                taken = [path for removal in plan.removals if removal.job == one.job for path in removal.files]
                db.executemany("delete from written where path = ? and job = ?", [(stored(p), one.job) for p in taken])
                db.execute(
                    "update job set outputs = '[]', note = ?, seen = 1 where id = ?", (_("It was undone."), one.job)
                )
                self._store.event(db, one.job, "undone", ", ".join(map(str, taken)))
        return plan

    def give_up(self, plan: UndoPlan, why_not: str) -> UndoPlan:
        """It cannot be done: everything goes back."""
        plan = replace(plan, why_not=clean(why_not))
        with self._file.write() as db:
            self._keep(db, plan)
        return plan

    def restore(self, plan: UndoPlan) -> None:
        """Everything is as it was: the jobs count as done again."""
        with self._file.write() as db:
            for one in plan.marked:
                db.execute("update job set state = ?, kept = ? where id = ?", (one.state, one.kept, one.job))
                _set_members(db, one.job, one.members)
                self._store.event(db, one.job, "not undone", plan.why_not)
            self._forget(db, plan)

    def finish(self, plan: UndoPlan) -> None:
        """Nothing is left to do."""
        with self._file.write() as db:
            self._forget(db, plan)

    def pending(self) -> list[UndoPlan]:
        """Return what a crash, or a full disk, has left to be carried on."""
        plans = []
        for row in self._file.all("select job, content from plan where kind = ? order by job", (_KIND,)):
            try:
                plans.append(plan_from(row["content"]))
            except UNREADABLE as error:
                self._store.cannot_read(row["job"], f"plan {_KIND!r}", error)
        return plans

    def _keep(self, db: sqlite3.Connection, plan: UndoPlan) -> None:
        db.execute("insert or replace into plan values (?, ?, ?)", (plan.id, _KIND, plan_text(plan)))

    @staticmethod
    def _forget(db: sqlite3.Connection, plan: UndoPlan) -> None:
        db.execute("delete from plan where job = ? and kind = ?", (plan.id, _KIND))

    # ---------- asking ----------

    def candidates(self, *, since: float = 0.0, rule: str | None = None, limit: int = -1) -> list[Job]:
        """Jobs that are done, the one that ended last first. since: Unix time of their end."""
        where, values = ("", ()) if rule is None else (" and rule_name = ?", (rule,))
        rows = self._file.all(
            f"{JOB} where state in ('done', 'warned') and finished >= ?{where} order by finished desc, id desc limit ?",
            (since, *values, limit),
        )
        return [self._store.job(row) for row in rows]

    def companions(self, job: Job) -> list[Job]:
        """The jobs of other rules on the very same input, as far as they have something to do with it still."""
        rows = self._file.all(
            f"{JOB} where state not in ('cancelled', 'undone') and {COMPANION} order by finished desc, id desc",
            companion(job),
        )
        return [self._store.job(row) for row in rows]

    def is_kept(self, job: Job) -> bool:
        """Decide whether its input must not be taken again as it is."""
        row = self._file.one("select kept from job where id = ?", (job.id,))
        return row is not None and bool(row["kept"])

    def taker(self, path: Path, after: int) -> int | None:
        """The later job, not undone, that took the file at `path` as its input."""
        row = self._file.one(
            "select max(id) as id from (select id from job where path = ? and id > ? and state <> 'undone'"
            " union all select job.id from member join job on job.id = member.job"
            " where member.path = ? and job.id > ? and state <> 'undone')",
            (stored(path), after) * 2,
        )
        return row["id"] if row is not None else None

    def replaced(self, job: Job, path: Path) -> int | None:
        """The earlier job of the same rule whose result at `path` this one has replaced."""
        row = self._file.one(
            "select max(id) as id from job where rule_name = ? and id < ? and state in ('done', 'warned')"
            " and exists (select 1 from json_each(outputs) where value = ?)",
            (job.rule.name, job.id, str(path)),
        )
        return row["id"] if row is not None else None

    def release(self, job: Job) -> bool:
        """Let what came back be taken again. False for a job that is not undone, or not wholly."""
        with self._file.write() as db:
            return bool(
                db.execute(
                    "update job set kept = 0 where id = ? and state = 'undone' and kept"
                    " and id not in (select job from plan where kind = ?)",
                    (job.id, _KIND),
                ).rowcount
            )


def _set_members(db: sqlite3.Connection, job: int, members: Sequence[Member]) -> None:
    """Where a job's inputs lie and what they are, as all else recognises them by."""
    db.execute(
        "update job set members = ?, identity = ? where id = ?", (members_text(members), identity_of(members), job)
    )
    db.executemany(
        "update member set identity = ? where job = ? and path = ?",
        [(identity_of([member]), job, stored(member.path)) for member in members],
    )
