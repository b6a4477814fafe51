"""Who is next: jobs in their lines, and those that wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from paperchute.jobs.codec import path_from, stored
from paperchute.jobs.journal.call_records import BEGUN
from paperchute.jobs.journal.store import AWAY, HELD, JOB, POSTPONED, Part
from paperchute.jobs.model import Job, Line
from paperchute.redaction import clean

_ALL = ("job_queued", "state = 'queued'")
_LOCAL = ("job_local", "state = 'queued' and stage <> 'steps'")
LONGEST_WAIT_SECONDS = 24 * 3600.0
_AWAY_SECONDS = 300.0  # whoever learns that a service is back says so; this is for what was missed


class Queue(Part):
    """The backlog: it is in the table, not in memory."""

    def recover(self) -> int:
        """After a start: jobs that were running when the last process ended are queued again. Returns how many.

        A job that waits for longer than any back-off lasts does so because the clock was set back meanwhile.
        """
        with self._file.write() as db:
            db.execute(
                "update job set due = 0 where state = 'waiting' and due > ?", (time.time() + LONGEST_WAIT_SECONDS,)
            )
            return db.execute("update job set state = 'queued' where state = 'running'").rowcount

    def wake(self) -> None:
        """There may be something to run: whoever waits for it looks now."""
        self._store.arrivals.tell()

    def arrivals(self) -> int:
        """Return how often that was said so far; for `wait_for_arrival`."""
        return self._store.arrivals.count

    def wait_for_arrival(self, seen: int, seconds: float) -> None:
        """Wait until it was said more often than was `seen`, or for so many seconds."""
        self._store.arrivals.wait(seen, seconds)

    def lines(self, *, local: bool = False) -> list[Line]:
        """The lines that have a job which may run now. local: only count jobs that need no service any more.

        Each line is found by one step into an index, so the length of the queue does not matter.
        """
        self._promote()
        index, ready = _LOCAL if local else _ALL
        found: list[Line] = []
        after = "1"
        values: tuple[Any, ...] = ()
        while row := self._file.one(
            f"select priority, folder, rule_name, id from job indexed by {index} where {ready} and {after}"
            " order by priority, folder, rule_name, id limit 1",
            values,
        ):
            found.append(Line(row["priority"], path_from(row["folder"]), row["rule_name"], row["id"]))
            values = (row["priority"], row["folder"], row["rule_name"])
            after = "(priority, folder, rule_name) > (?, ?, ?)"
        return sorted(found, key=lambda line: (line.priority, str(line.folder), line.oldest))

    def claim(self, lines: Sequence[Line], limit: int, *, local: bool = False) -> list[Job]:
        """Take up to `limit` jobs, the oldest of each line first and the lines in turn, and mark them running.

        They are read in the transaction that marks them: whatever goes wrong in between, none is left marked. One that
        nobody has taken before has no `started` yet.
        """
        index, ready = _LOCAL if local else _ALL
        share = -(-limit // len(lines)) if lines else 0
        taken: list[list[Job]] = []
        with self._file.write() as db:
            for line in lines:
                room = limit - sum(map(len, taken))
                if room <= 0:
                    break
                rows = db.execute(
                    f"{JOB} where job.id in (select id from job indexed by {index} where {ready} and priority = ?"
                    " and folder = ? and rule_name = ? order by id limit ?) order by job.id",
                    (line.priority, stored(line.folder), line.rule, min(share, room)),
                ).fetchall()
                taken.append([replace(self._store.job(row), state="running") for row in rows])
            jobs = [job for turn in zip_longest(*taken) for job in turn if job is not None]
            db.executemany(
                "update job set state = 'running', started = coalesce(started, ?) where id = ?",
                [(time.time(), job.id) for job in jobs],
            )
        return jobs

    def running(self) -> set[int]:
        """The jobs that are marked running."""
        return {row["id"] for row in self._file.all("select id from job where state = 'running'")}

    def next(self) -> Job | None:
        """Take the job that is first in the first line."""
        jobs = self.claim(self.lines()[:1], 1)
        return jobs[0] if jobs else None

    def next_due(self) -> float | None:
        """Unix time at which the first waiting job becomes due; None when nothing waits."""
        row = self._file.one("select min(due) as due from job indexed by job_waiting where state = 'waiting'")
        return None if row is None else row["due"]

    def adjust_for_clock_change(self, seconds: float) -> None:
        """The wall clock has jumped by so many seconds: what waits goes on waiting as long as it would have."""
        with self._file.write() as db:
            db.execute("update job set due = due + ? where state = 'waiting'", (seconds,))

    def _promote(self) -> None:
        """Waiting jobs that are due stand in their line again."""
        due = self.next_due()
        if due is not None and due <= time.time():
            with self._file.write() as db:
                db.execute("update job set state = 'queued' where state = 'waiting' and due <= ?", (time.time(),))

    def wait_until(self, number: int, due: float, error: str, code: str | None, *, attempt: bool) -> None:
        """The job runs again at `due`; `attempt` counts this as a failed try of the present step."""
        with self._file.write() as db:
            before = db.execute("select error from job where id = ?", (number,)).fetchone()["error"]
            db.execute(
                "update job set state = 'waiting', due = ?, error = ?, error_code = ?, attempts = attempts + ?"
                " where id = ?",
                (due, clean(error), code, int(attempt), number),
            )
            if before != clean(error):
                self._store.event(db, number, "waiting", error)

    def postpone(self, job: Job, due: float, why: str) -> None:
        """The rule's hours are over: its jobs that have a call to make wait until they begin again, at `due`."""
        with self._file.write() as db:
            db.execute(
                "update job set state = 'waiting', due = ?, error = ?, error_code = ?"
                " where stage = 'steps' and (id = ? or (state = 'queued' and folder = ? and rule_name = ?))",
                (due, clean(why), POSTPONED, job.id, stored(job.rule.folder), job.rule.name),
            )

    def hold(self, job: Job, why: str) -> None:
        """Have the jobs of a rule that have made no call yet wait for a change of the rules."""
        due = time.time() + LONGEST_WAIT_SECONDS
        with self._file.write() as db:
            db.execute(
                "update job set state = 'waiting', due = ?, error = ?, error_code = ? where id = ? or (state = 'queued'"
                " and stage = 'steps' and folder = ? and rule_name = ? and"
                f" not exists (select 1 from step where step.job = job.id and {BEGUN}))",
                (due, clean(why), HELD, job.id, stored(job.rule.folder), job.rule.name),
            )

    def await_service(self, job: Job, why: str) -> None:
        """Have a running job wait for one service, while others work.

        Those that stand behind it and have made no call wait, too.
        """
        begun = f"exists (select 1 from step where step.job = job.id and {BEGUN})"
        due = time.time() + _AWAY_SECONDS
        with self._file.write() as db:
            db.execute("update job set state = 'queued' where id = ? and state = 'running'", (job.id,))
            fresh = db.execute(f"select not {begun} as fresh from job where id = ?", (job.id,)).fetchone()
            db.execute(
                "update job set state = 'waiting', due = ?, error = ?, error_code = ? where state = 'queued'"
                " and stage = 'steps'"
                f" and (id = ? or (? and folder = ? and rule_name = ? and rule = ? and not {begun}))",
                (
                    *(due, clean(why), AWAY, job.id, bool(fresh and fresh["fresh"])),
                    *(stored(job.rule.folder), job.rule.name, job.rule.fingerprint),
                ),
            )

    def ask_services_again(self) -> None:
        """Have what waits for a service ask whether it is there again: one of them is."""
        with self._file.write() as db:
            db.execute("update job set due = 0 where state = 'waiting' and error_code = ?", (AWAY,))
        self.wake()

    def held(self, limit: int) -> list[Job]:
        """The jobs that wait for their rule."""
        rows = self._file.all(
            f"{JOB} where state = 'waiting' and error_code = ? order by job.id limit ?", (HELD, limit)
        )
        return [self._store.job(row) for row in rows]

    def ask_rules_again(self) -> None:
        """Rules or hours may have changed: what waits for them is asked anew whether it may begin."""
        with self._file.write() as db:
            db.execute(
                "update job set due = 0 where state = 'waiting' and error_code in (?, ?, ?)", (POSTPONED, HELD, AWAY)
            )
        self.wake()

    def requeue(self, number: int) -> None:
        """Put a running job back in its place in the queue, with no try used up."""
        with self._file.write() as db:
            db.execute("update job set state = 'queued' where id = ? and state = 'running'", (number,))

    def retry_now(self) -> None:
        """Waiting jobs become due now: somebody pressed retry, or the cause is gone."""
        with self._file.write() as db:
            db.execute("update job set due = 0 where state = 'waiting'")
