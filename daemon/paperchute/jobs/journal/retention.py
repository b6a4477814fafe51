"""Forgetting: jobs that ended long ago leave the journal, but for what somebody may still ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.jobs.codec import members_from, path_from, stored
from paperchute.jobs.journal.store import JOB, OPEN, Part
from paperchute.jobs.model import Job, State
from paperchute.language import ngettext
from paperchute.rules.model import Rule

ENDED: tuple[State, ...] = ("done", "warned", "cancelled", "undone")
"""States whose jobs may be forgotten: a failed one waits for a person, the others will run."""

_OVER = "state in ('done', 'warned', 'cancelled', 'undone') and not unfiled"
# The same input under another rule: it may come back to where it was, and this job then says that its part is done.
_WAITED_FOR = (
    "exists (select 1 from job as other where other.path = job.path and other.id <> job.id"
    f" and (other.state in {OPEN} or other.state = 'failed'))"
)
_SUPERSEDED = (
    "exists (select 1 from job as newer where newer.path = job.path and newer.rule_name = job.rule_name"
    " and newer.kept and newer.id > job.id) and not exists (select 1 from member where member.job = job.id)"
)
_EXPIRED = "expired"
"""Kind of the plan that says how many originals of a job went to the trash when their time was over."""
_FILED = (
    "state in ('done', 'warned') and exists (select 1 from plan where plan.job = job.id and kind like 'filing%')"
    f" and not exists (select 1 from plan where plan.job = job.id and kind = '{_EXPIRED}')"
)


def counted_as(month: str) -> str:
    """Name the count of originals that went to the trash in a month, as in 2026-11."""
    return f"expired {month}"


@dataclass(frozen=True)
class Ended:
    """A job that ended."""

    id: int
    rule: str
    finished: float
    """Unix time."""
    folder: Path
    stays: tuple[Path, ...]
    """Its inputs, where it is known by them that they must not be taken again; empty when nothing depends on it."""
    filed: bool
    """Its originals were filed, and what is to become of them is not decided (`Retention.expired`)."""


class Retention(Part):
    """What is deleted here takes its steps, plans, members and history along."""

    def ended(self, state: State, before: float, after: tuple[float, int], limit: int) -> list[Ended]:
        """Jobs of an ended state by the time of their end, from behind `after` (that time, and an id) to `before`.

        One whose original was not there to be filed is not among them: should it turn up again, that is left to do.
        """
        rows = self._file.all(
            f"select id, rule_name, finished, folder, path, is_set, members, kept and not ({_SUPERSEDED}) as stays,"
            f" {_FILED} as filed"
            " from job indexed by job_finished where state = ? and finished < ? and (finished, id) > (?, ?)"
            f" and {_OVER} order by finished, id limit ?",
            (state, before, *after, limit),
        )
        found = []
        for row in rows:
            stays: tuple[Path, ...] = ()
            if row["stays"]:
                paths = [path_from(row["path"])]
                stays = tuple(paths if row["is_set"] else [member.path for member in members_from(row["members"])])
            folder, filed = path_from(row["folder"]), bool(row["filed"])
            found.append(Ended(row["id"], row["rule_name"], row["finished"], folder, stays, filed))
        return found

    def filed(self, rule: Rule, before: float, after: tuple[float, int], limit: int) -> list[Job]:
        """Jobs of a rule, and of its hot folder, whose originals were filed and have not been decided on.

        By the time of their end, from behind `after` (that time, and an id) to `before`.
        """
        rows = self._file.all(
            f"{JOB} where rule_name = ? and folder = ? and finished < ? and (finished, job.id) > (?, ?) and {_FILED}"
            " and not unfiled order by finished, job.id limit ?",
            (rule.name, stored(rule.folder), before, *after, limit),
        )
        return [self._store.job(row) for row in rows]

    def expired(self, job: Job, count: int) -> None:
        """The time of a job's originals is over: so many went to the trash, and the others are none of ours."""
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, ?, ?)", (job.id, _EXPIRED, str(count)))
            if count:
                told = ngettext("{n} original went to the trash", "{n} originals went to the trash", count)
                self._store.event(db, job.id, "expired", told)

    def has_expired(self, job: Job) -> bool:
        """Decide whether originals of a job went to the trash when their time was over."""
        row = self._file.one("select content from plan where job = ? and kind = ?", (job.id, _EXPIRED))
        return row is not None and row["content"] != "0"

    def forget(self, numbers: Sequence[int]) -> int:
        """Delete ended jobs, in one transaction; how many.

        One that runs again by now is left, and so is one whose input another rule still has to do with.
        """
        marks = ",".join("?" * len(numbers))
        with self._file.write() as db:
            return db.execute(
                f"delete from job where id in ({marks}) and {_OVER} and not (kept and {_WAITED_FOR})", tuple(numbers)
            ).rowcount

    def written_by_nobody(self, after: Path | None, limit: int) -> list[Path]:
        """Files that forgotten jobs have put in place, by path, from behind `after`."""
        rows = self._file.all(
            "select path from written where path > ? and job not in (select id from job) order by path limit ?",
            (stored(after) if after else "", limit),
        )
        return [path_from(row["path"]) for row in rows]

    def forget_written(self, paths: Sequence[Path]) -> None:
        """These files are not there any more."""
        with self._file.write() as db:
            db.executemany("delete from written where path = ?", [(stored(path),) for path in paths])

    def forget_rules(self) -> int:
        """Delete what rules were, where no job is left of them; how many."""
        with self._file.write() as db:
            return db.execute("delete from rule where fingerprint not in (select distinct rule from job)").rowcount

    def shrink(self, pages: int) -> bool:
        """Give up to `pages` free pages of the file back to the disk; whether there are more of them."""
        return self._file.shrink(pages)
