"""Forgetting: jobs that ended long ago leave the journal, but for what somebody may still ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.jobs.codec import members_from, path_from, stored
from paperchute.jobs.journal.store import OPEN, Part
from paperchute.jobs.model import State

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


class Retention(Part):
    """What is deleted here takes its steps, plans, members and history along."""

    def ended(self, state: State, before: float, after: tuple[float, int], limit: int) -> list[Ended]:
        """Jobs of an ended state by the time of their end, from behind `after` (that time, and an id) to `before`.

        One whose original was not there to be filed is not among them: should it turn up again, that is left to do.
        """
        rows = self._file.all(
            f"select id, rule_name, finished, folder, path, is_set, members, kept and not ({_SUPERSEDED}) as stays"
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
            found.append(Ended(row["id"], row["rule_name"], row["finished"], path_from(row["folder"]), stays))
        return found

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
