"""The end of a job, and of several jobs on one input: with `also` more than one rule has the same file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence

from paperchute.jobs.codec import stored
from paperchute.jobs.journal.store import COMPANION, JOB, OPEN, RETRIED, Part, companion
from paperchute.jobs.journal.usage import book
from paperchute.jobs.model import Job, Member, State
from paperchute.language import _
from paperchute.redaction import clean


class Completion(Part):
    """What a job's end means for itself, and for others on the same input."""

    def warn(self, job: Job, *sentences: str) -> None:
        """Say what the result of a job that is not at its end yet lacks; with any, it ends as `warned`."""
        with self._file.write() as db:
            self._store.warn(db, job.id, sentences)

    def warn_afterwards(self, number: int, sentence: str) -> Job:
        """Say of a job that has ended what turned out later; it counts as done with warnings from now on."""
        with self._file.write() as db:
            known = db.execute("select warnings from job where id = ?", (number,)).fetchone()["warnings"]
            self._store.warn(db, number, [sentence])
            changed = db.execute(
                "update job set state = 'warned', seen = 0 where id = ? and state in ('done', 'warned')"
                " and warnings <> ?",
                (number, known),
            ).rowcount
            if changed:
                self._store.event(db, number, "warned", sentence)
        return self._store.job(self._file.all(f"{JOB} where job.id = ?", (number,))[0])

    def see_warnings(self, job: Job) -> None:
        """Somebody has seen to a job's warnings."""
        with self._file.write() as db:
            db.execute("update job set seen = 1 where id = ?", (job.id,))

    def finish(self, job: Job, state: State, *, kept: bool, unfiled: bool = False, error: str = "") -> None:
        """The job's last line; `done` becomes `warned` where the result lacks something.

        kept: the original stays where it is and must not be taken again as it is. unfiled: the original was not there
        to be filed; should it turn up again, that is all there is left to do. error: why, where no plan has said it.
        """
        with self._file.write() as db:
            if error:
                db.execute("update job set error = ?, error_code = 'fault' where id = ?", (clean(error), job.id))
            self._end(db, job, state, kept=kept, unfiled=unfiled)
            if state == "done" and job.rule.also and not (kept or unfiled):
                # The original has left its place: what comes there later is new to every rule.
                db.execute(f"update job set kept = 0 where kept and {COMPANION}", companion(job))

    def leave(self, job: Job, state: State) -> bool:
        """End a job while other rules are still at work on its input: the last of them files it. False if it is last.

        Which one is last is decided here, in one transaction.
        """
        with self._file.write() as db:
            others = db.execute(f"select 1 from job where state in {OPEN} and {COMPANION} limit 1", companion(job))
            if others.fetchone() is None:
                return False
            self._end(db, job, state, kept=True, unfiled=False)
            return True

    def failed_companions(self, job: Job) -> list[Job]:
        """The failed jobs of other rules on the very same input, oldest first."""
        rows = self._file.all(f"{JOB} where state = 'failed' and {COMPANION} order by id", companion(job))
        return [self._store.job(row) for row in rows]

    def failed_before(self, job: Job) -> list[Job]:
        """The failed jobs of earlier files of the same name, which the end of this job puts right."""
        rows = self._file.all(
            # by its path: there may be thousands that failed, and this is asked at the end of each job
            f"{JOB} where +state = 'failed' and job.path = ? and not ({COMPANION})",
            (stored(job.path), *companion(job)),
        )
        return [self._store.job(row) for row in rows]

    def members_of_all(self, job: Job) -> tuple[Member, ...]:
        """Return what a job, and those of other rules on the very same input, were made for."""
        rows = self._file.all(f"{JOB} where {COMPANION} order by id", companion(job))
        others = (member for row in rows for member in self._store.job(row).members)
        return tuple({member.path: member for member in (*others, *job.members)}.values())

    def has_open_companion(self, job: Job) -> bool:
        """Decide whether a job of another rule on the very same input will still run."""
        found = self._file.one(f"select 1 from job where state in {OPEN} and {COMPANION} limit 1", companion(job))
        return found is not None

    def let_retry(self, jobs: Sequence[Job]) -> None:
        """The original has gone to the failed folder: should it come back, these failed jobs may run again."""
        with self._file.write() as db:
            db.executemany("update job set kept = 0 where id = ? and state = 'failed'", [(job.id,) for job in jobs])

    def cancel(self, job: Job, note: str, *, kept: bool) -> None:
        """The input changed or went away before anything was delivered: nothing more is to be done.

        kept: the input stays as it is and must not be taken again (it had been done before).
        """
        with self._file.write() as db:
            db.execute(
                "update job set state = 'cancelled', finished = ?, note = ?, kept = ? where id = ?",
                (time.time(), clean(note), int(kept), job.id),
            )
            self._store.event(db, job.id, "cancelled", note)

    def settle_failure(self, job: Job, note: str) -> None:
        """A failed job needs no more attention, for the reason that the note says."""
        with self._file.write() as db:
            db.execute("update job set state = 'cancelled', note = ? where id = ? and state = 'failed'", (note, job.id))

    def hand_on(self, job: Job, note: str) -> None:
        """The file of a failed job is back in a shared folder, and whoever claims it says what becomes of it.

        What other rules have failed on it goes with it. Where we are the one, the jobs go on.
        """
        with self._file.write() as db:
            db.execute(
                "update job set state = 'cancelled', note = ?, error_code = ?"
                f" where state = 'failed' and (job.id = ? or ({COMPANION}))",
                (note, RETRIED, job.id, *companion(job)),
            )

    def _end(self, db: sqlite3.Connection, job: Job, state: State, *, kept: bool, unfiled: bool) -> None:
        ended = db.execute(
            "update job set state = case when :state = 'done' and warnings <> '[]' then 'warned' else :state end,"
            " finished = :now, kept = :kept, unfiled = :unfiled where id = :job returning state, warnings",
            {"state": state, "now": time.time(), "kept": int(kept), "unfiled": int(unfiled), "job": job.id},
        ).fetchone()
        text = (job.error or "") if state == "failed" else " ".join(json.loads(ended["warnings"]))
        self._store.event(db, job.id, ended["state"], text)
        if state == "done":
            book(db, job.rule.name, jobs=1)
            db.execute(
                "update job set state = 'cancelled', note = ? where state = 'failed' and path = ?"
                f" and not ({COMPANION})",
                (_("A file of this name was done later, by job {job}.", job=job.id), stored(job.path), *companion(job)),
            )
