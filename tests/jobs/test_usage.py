"""What rules have used is booked with the use itself, outlives the jobs, and an older journal's jobs count, too."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.jobs.journal.usage import Used
from paperchute.jobs.model import Job
from tests.jobs.bench import Bench


def _begun(bench: Bench, name: str = "a.pdf") -> Job:
    return bench.queue(bench.drop(name))


def test_what_is_used_outlives_its_job(bench: Bench) -> None:
    journal, job = bench.journal, _begun(bench)
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.answered(job, 0, "", "{}", pages=7, receipt=True)
    journal.completion.finish(job, "done", kept=False)
    month = time.strftime("%Y-%m")
    wanted = [Used(month, job.rule.name, jobs=1, calls=1, pages=7)]
    assert journal.usage.latest(12) == wanted
    assert journal.retention.forget([job.id]) == 1
    assert journal.usage.latest(12) == wanted
    assert journal.usage.latest(0) == []


def test_a_call_that_never_went_out_is_not_counted(bench: Bench) -> None:
    journal, job = bench.journal, _begun(bench)
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.withdrawn(job, 0, unsent=True)
    journal.calls.withdrawn(job, 0, unsent=True)  # the month has changed since
    assert [used.calls for used in journal.usage.latest(1)] == [0]
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.refused(job, 0)
    journal.completion.finish(job, "failed", kept=False)
    (used,) = journal.usage.latest(1)
    assert (used.jobs, used.calls, used.pages) == (0, 1, 0)


def test_the_days_tell_how_jobs_have_ended(bench: Bench) -> None:
    journal = bench.journal
    for name, state in (("a.pdf", "done"), ("b.pdf", "done"), ("c.pdf", "failed")):
        journal.completion.finish(_begun(bench, name), state, kept=False)  # type: ignore[arg-type]
    days = journal.usage.ended_by_day(time.time() - 3600)
    assert sum(count for _day, state, count in days if state == "done") == 2
    assert sum(count for _day, state, count in days if state == "failed") == 1
    assert journal.usage.ended_by_day(time.time() + 3600) == []


def test_a_journal_of_the_version_before_counts_what_it_still_knows(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with sqlite3.connect(path, isolation_level=None) as db:
        db.row_factory = sqlite3.Row
        for script, rework in MIGRATIONS[:8]:
            for statement in script.split(";"):
                db.execute(statement)
            if rework is not None:
                rework(db)
        db.execute("pragma user_version=8")
        for number, (state, month) in enumerate((("done", 9), ("warned", 10), ("failed", 10)), 1):
            at = time.mktime((2026, month, 15, 12, 0, 0, 0, 0, -1))
            db.execute(
                "insert into job (id, token, rule, rule_name, folder, path, relative, is_set, members, identity, state,"
                " stage, created, finished) values (?, ?, 'f', 'R', 'f', 'p', 'p', 0, '[]', ?, ?, 'steps', ?, ?)",
                (number, str(number), str(number), state, at, at),
            )
            db.execute("insert into step (job, number, sent) values (?, 0, ?)", (number, at))
    journal = Journal(path)
    assert journal.usage.latest(12) == [Used("2026-10", "R", 1, 2, 0), Used("2026-09", "R", 1, 1, 0)]
    journal.close()
