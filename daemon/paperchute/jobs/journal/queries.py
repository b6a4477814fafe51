"""Looking: jobs, counts, histories, and what is in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.jobs.codec import path_from, stored
from paperchute.jobs.journal.store import JOB, OPEN, POSTPONED, Base
from paperchute.jobs.model import Counts, Event, Job, State


class Looking(Base):
    """Nothing here changes what a job does."""

    def job(self, number: int) -> Job | None:
        """One job, or None."""
        row = self._file.one(f"{JOB} where job.id = ?", (number,))
        return self._job(row) if row else None

    def jobs(self, states: Sequence[State] = (), limit: int = 100) -> list[Job]:
        """The newest jobs first, of certain states where given."""
        where = f" where state in ({','.join('?' * len(states))})" if states else ""
        rows = self._file.all(
            f"{JOB}{where} order by coalesce(finished, created) desc, id desc limit ?", (*states, limit)
        )
        return [self._job(row) for row in rows]

    def counts(self) -> Counts:
        """How many jobs are in each state."""
        rows = self._file.all("select state, count(*) as n from job group by state", ())
        return Counts({row["state"]: row["n"] for row in rows})

    def events(self, number: int) -> list[Event]:
        """A job's history, oldest first."""
        rows = self._file.all("select * from event where job = ? order by id", (number,))
        return [Event(row["job"], row["at"], row["kind"], row["text"]) for row in rows]

    def count_up(self, name: str) -> int:
        """The next number of a named count, from 1."""
        with self._file.write() as db:
            row = db.execute(
                "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
                " returning value",
                (f"count:{name}",),
            ).fetchone()
            return int(row["value"])

    def note_event(self, job: Job, kind: str, text: str) -> None:
        """Add a line to a job's history."""
        with self._file.write() as db:
            self._event(db, job.id, kind, text)

    def note_fault(self, job: Job, what: str) -> int:
        """A fault of ours has met the job; how many there were since it was taken or somebody had it tried again."""
        with self._file.write() as db:
            self._event(db, job.id, "fault", what)
            row = db.execute(
                "select count(*) as n from event where job = :job and kind = 'fault' and id >"
                " (select coalesce(max(id), 0) from event where job = :job and kind in ('queued', 'retry'))",
                {"job": job.id},
            ).fetchone()
            return int(row["n"])

    def open_tokens(self) -> set[str]:
        """Tokens of all jobs that will still run, whose temporary files are therefore in use; failed ones included."""
        rows = self._file.all(f"select token from job where state in {OPEN} or state = 'failed'", ())
        return {row["token"] for row in rows}

    def open_paths(self) -> set[Path]:
        """The inputs of all jobs that will still run."""
        rows = self._file.all(
            f"select path from job where state in {OPEN} union"
            f" select member.path from member join job on job.id = member.job where state in {OPEN}"
        )
        return {path_from(row["path"]) for row in rows}

    def open_in(self, folder: Path) -> set[int]:
        """The jobs of a hot folder that will still run."""
        rows = self._file.all(f"select id from job where state in {OPEN} and folder = ?", (stored(folder),))
        return {row["id"] for row in rows}

    def has_open_jobs(self) -> bool:
        """Whether any job will still run, but for those that wait for their rule's hours."""
        others = f"state in {OPEN} and not (state = 'waiting' and coalesce(error_code, '') = '{POSTPONED}')"
        return self._file.one(f"select 1 from job where {others} limit 1") is not None

    def postponed(self) -> tuple[int, float]:
        """How many jobs wait for their rule's hours, and the Unix time at which the first of these begin."""
        row = self._file.one(
            "select count(*) as n, coalesce(min(due), 0) as due from job where state = 'waiting' and error_code = ?",
            (POSTPONED,),
        )
        assert row is not None
        return row["n"], row["due"]
