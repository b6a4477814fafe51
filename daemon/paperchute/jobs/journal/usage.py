"""What rules have used, by calendar month: it outlives the jobs, which the journal forgets."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from paperchute.jobs.journal.store import Part


@dataclass(frozen=True)
class Used:
    """What one rule has used in one month, in local time."""

    month: str
    """As in 2026-11."""
    rule: str
    jobs: int
    """That were done, with warnings or without."""
    calls: int
    """That went out, to a remote service or to the built-in engine."""
    pages: int
    """That the service says were in hand; a remote one need not say."""


class Usage(Part):
    """Reading it. It is booked with what is used, in the same transaction (`book`)."""

    def latest(self, months: int) -> list[Used]:
        """Of the latest months in which there was anything, the newest first; of each, who used most first."""
        rows = self._file.all(
            "select * from usage where month in (select distinct month from usage order by month desc limit ?)"
            " order by month desc, pages desc, calls desc, jobs desc, rule",
            (months,),
        )
        return [Used(**row) for row in rows]

    def ended_by_day(self, since: float) -> list[tuple[str, str, int]]:
        """(day, state, how many jobs) of those that have ended since that Unix time, in local time."""
        rows = self._file.all(
            "select strftime('%Y-%m-%d', finished, 'unixepoch', 'localtime') as day, state, count(*) as n from job"
            " where state in ('done', 'warned', 'failed') and finished >= ? group by day, state order by day",
            (since,),
        )
        return [(row["day"], row["state"], row["n"]) for row in rows]


def book(db: sqlite3.Connection, rule: str, *, jobs: int = 0, calls: int = 0, pages: int = 0) -> None:
    """Count what is used this month for a rule; what turns out not to be used is taken back as a negative number."""
    db.execute(
        "insert into usage values (?, ?, max(?, 0), max(?, 0), ?) on conflict do update set"
        " jobs = max(jobs + ?, 0), calls = max(calls + ?, 0), pages = pages + ?",
        (time.strftime("%Y-%m"), rule, jobs, calls, pages, jobs, calls, pages),
    )
