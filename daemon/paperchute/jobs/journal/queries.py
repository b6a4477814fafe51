"""What may be asked of the journal: jobs, counts, what is in use, and what was done before."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from paperchute.contract.words import word_counts
from paperchute.jobs.codec import identity_of, path_from, stored
from paperchute.jobs.journal.store import AWAY, HELD, JOB, OPEN, OUTLIVED, POSTPONED, Part
from paperchute.jobs.model import Counts, Job, Member, NewJob, State, WaitingJobs

_HELD = (
    "select 1 from member join job on job.id = member.job"
    " where member.path = ? and member.identity = ? and job.rule_name = ?"
)


def _moment(due: object) -> float:
    """A Unix time of the journal; 0 for what damage has left in its place."""
    return float(due) if isinstance(due, int | float) else 0.0


_OWN_CODES = (AWAY, HELD, POSTPONED, "storage", "fault")
"""Error codes of waiting jobs that are words of our own, and no service's."""

_NEWEST = (
    "select * from (select id, coalesce(finished, created) as at from job where state = ?"
    " order by finished desc, id desc limit ?)"
)
"""The newest jobs of a state, by one way into an index however many there are: those that have not ended by number."""
_IN_NO_STATE = (
    "select id, coalesce(finished, created) as at from job indexed by job_finished"
    f" where state not in {get_args(State)}"
)
"""Those that only a damaged file has."""


_NO_NUMBER = 1 << 63
"""SQLite has none as large."""


class Queries(Part):
    """Nothing here changes what a job does."""

    _counted: tuple[tuple[int, int], Counts] | None = None

    def job(self, number: int) -> Job | None:
        """One job, or None."""
        if number >= _NO_NUMBER:
            return None
        row = self._file.one(f"{JOB} where job.id = ?", (number,))
        return self._store.job(row) if row else None

    def jobs(self, states: Sequence[State] = (), limit: int = 100) -> list[Job]:
        """The newest jobs first, of certain states where given."""
        asked = states or get_args(State)
        newest = " union all ".join([_NEWEST] * len(asked) + ([] if states else [_IN_NO_STATE]))
        values = [value for state in asked for value in (state, limit)]
        rows = self._file.all(
            f"{JOB} join ({newest}) as newest on newest.id = job.id order by newest.at desc, job.id desc limit ?",
            (*values, limit),
        )
        return [self._store.job(row) for row in rows]

    def counts(self) -> Counts:
        """How many jobs are in each state. It is asked each second, so they are counted when something has changed."""
        version = self._file.version()
        if self._counted is None or self._counted[0] != version:
            rows = self._file.all("select state, count(*) as n from job group by state", ())
            self._counted = version, Counts({row["state"]: row["n"] for row in rows})
        return self._counted[1]

    def ends_after(self, event: int, limit: int) -> dict[int, int]:
        """The lines of histories after that one which tell of a job's end, in their order, and the job of each."""
        rows = self._file.all(
            "select id, job from event where id > ? and kind in ('done', 'warned', 'failed', 'cancelled')"
            " order by id limit ?",
            (event, limit),
        )
        return {row["id"]: row["job"] for row in rows}

    def numbers(self) -> set[int]:
        """All jobs there are."""
        return {row["id"] for row in self._file.all("select id from job")}

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

    def by_folder(self, since: float) -> tuple[dict[Path, int], dict[Path, int]]:
        """By hot folder: how many jobs are left, and how many were done since that Unix time."""
        left = self._file.all(f"select folder, count(*) as n from job where state in {OPEN} group by folder")
        done = self._file.all(
            "select folder, count(*) as n from job where state in ('done', 'warned') and finished >= ? group by folder",
            (since,),
        )
        return {path_from(row["folder"]): row["n"] for row in left}, {
            path_from(row["folder"]): row["n"] for row in done
        }

    def ended_since(self, since: float) -> dict[str, int]:
        """Return how many jobs have ended after that Unix time, by state."""
        rows = self._file.all(
            "select state, count(*) as n from job where state in ('done', 'warned', 'failed') and finished > ?"
            " group by state",
            (since,),
        )
        return {row["state"]: row["n"] for row in rows}

    def has_open_jobs(self) -> bool:
        """Decide whether any job will still run, but for those that wait for their rule's hours."""
        others = f"state in {OPEN} and not (state = 'waiting' and coalesce(error_code, '') = '{POSTPONED}')"
        return self._file.one(f"select 1 from job where {others} limit 1") is not None

    def has_open_below(self, folder: Path, since: float) -> bool | None:
        """Decide whether a job on a file below a folder is still open; None where none has been made since then.

        since: Unix time.
        """
        if isinstance(stored(folder), bytes):
            return None  # no column holds such a name in an order that could be asked for
        above, end = f"{folder}{os.sep}", f"{folder}{chr(ord(os.sep) + 1)}"
        row = self._file.one(
            f"select max(state in {OPEN}) as open from ("
            "select state from job where path > ? and path < ? and created >= ?"
            " union all select state from member join job on job.id = member.job"
            " where member.path > ? and member.path < ? and created >= ?)",
            (above, end, since) * 2,
        )
        return None if row is None or row["open"] is None else bool(row["open"])

    def postponed(self) -> tuple[int, float]:
        """Return how many jobs wait for their rule's hours, and the Unix time at which the first of these begin."""
        row = self._file.one(
            "select count(*) as n, coalesce(min(due), 0) as due from job where state = 'waiting' and error_code = ?",
            (POSTPONED,),
        )
        assert row is not None
        return row["n"], _moment(row["due"])

    def waiting(self, limit: int) -> list[WaitingJobs]:
        """Group the jobs that wait for something else than hours by rule and reason, those that are due first first."""
        rows = self._file.all(
            "select rule_name, error, error_code, count(*) as n, min(due) as due from job where state = 'waiting'"
            " and coalesce(error_code, '') <> ? group by rule_name, error, error_code order by min(due) limit ?",
            (POSTPONED, limit),
        )
        return [
            WaitingJobs(
                str(row["rule_name"]),
                str(row["error"] or ""),
                row["n"],
                0.0 if row["error_code"] in (HELD, AWAY) else _moment(row["due"]),
                is_held=row["error_code"] == HELD,
                is_of_service=row["error_code"] is not None and row["error_code"] not in _OWN_CODES,
            )
            for row in rows
        ]

    def unseen_warnings(self, limit: int) -> list[Job]:
        """Jobs that were done with warnings which nobody has seen to yet, the newest first."""
        rows = self._file.all(f"{JOB} where state = 'warned' and not seen order by job.id desc limit ?", (limit,))
        return [self._store.job(row) for row in rows]

    def is_unseen(self, job: int) -> bool:
        """Decide whether a job was done with warnings which nobody has seen to yet."""
        return self._file.one("select 1 from job where id = ? and state = 'warned' and not seen", (job,)) is not None

    def words(self, job: int) -> dict[str, int]:
        """Return what became of the words of a job's documents, as the service's answers said: `contract.words`."""
        rows = self._file.all("select answer from step where job = ? and number >= 0 and answer is not null", (job,))
        total: Counter[str] = Counter()
        for row in rows:
            total.update(word_counts(json.loads(row["answer"]).get("words")))
        return dict(total)

    def holds(self, rule: str, member: Member) -> bool:
        """Decide whether a set of the rule that will still run, or was left in place when done, has this very file."""
        values = (stored(member.path), identity_of([member]), rule)
        return self._file.one(f"{_HELD} and (job.state in {OPEN} or job.kept) limit 1", values) is not None

    def on_files_of(self, new: NewJob) -> list[Job]:
        """The jobs of the same hot folder that have a file of a new one, and are open or kept it when `OUTLIVED`.

        The job of a set has whatever is in its folder.
        """
        folder = stored(new.rule.folder)
        sets = [path for path in (new.path, *new.path.parents) if new.rule.folder in path.parents]
        asked: list[tuple[str, tuple[str | bytes, ...]]]
        asked = [("path = ? and is_set", (stored(path),)) for path in sets]
        for member in new.members:
            file = (stored(member.path), identity_of([member]))
            asked.append(("path = ? and identity = ?", file))
            asked.append(("id in (select job from member where path = ? and identity = ?)", file))
        numbers: set[int] = set()
        for which, values in asked:
            # With the plus no index of states is used, by which all ended jobs would be looked at for each file.
            rows = self._file.all(
                f"select id from job where {which} and folder = ? and (+state in {OPEN} or (kept and"
                " +state in ('done', 'warned') and exists (select 1 from event where job = job.id and kind = ?)))",
                (*values, folder, OUTLIVED),
            )
            numbers.update(row["id"] for row in rows)
        return [job for number in sorted(numbers) if (job := self.job(number)) is not None]

    def earlier_set(self, rule: str, member: Member) -> int | None:
        """The latest job of the rule for a set with this very file, when it failed or was called off; its id."""
        row = self._file.one(
            "select job.id, job.state from member join job on job.id = member.job"
            " where member.path = ? and member.identity = ? and job.rule_name = ? order by job.id desc limit 1",
            (stored(member.path), identity_of([member]), rule),
        )
        return row["id"] if row is not None and row["state"] in ("failed", "cancelled") else None

    def alike_before(self, job: Job, hashes: Sequence[str]) -> list[Job]:
        """Earlier jobs of the rule that have done files of these sha256, or may be at them, the first one first."""
        rows = self._file.all(
            f"{JOB} where job.rule_name = ? and job.id < ?"
            " and ((job.state in ('done', 'warned') and job.outputs <> '[]' and job.hashes = ?)"
            f" or (job.state in {OPEN} and (job.hashes = ? or job.hashes is null))) order by job.id",
            (job.rule.name, job.id, *[json.dumps(list(hashes))] * 2),
        )
        return [self._store.job(row) for row in rows]

    def kept_before(self, job: Job) -> tuple[int, tuple[str, ...]] | None:
        """An earlier job on the same path that left its original in place: (its id, the inputs' hashes)."""
        row = self._file.one(
            "select id, hashes from job where path = ? and rule_name = ? and kept = 1 and id < ? and state <> 'undone'"
            " order by id desc",
            (stored(job.path), job.rule.name, job.id),
        )
        if row is None or row["hashes"] is None:
            return None
        return row["id"], tuple(json.loads(row["hashes"]))
