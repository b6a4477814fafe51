"""The journal: one job per content and place, and nothing forgotten."""

from __future__ import annotations

import ast
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import paperchute
from paperchute.jobs.journal import Journal, JournalError
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.jobs.model import DeliveryPlan, FilingPlan, Output, Written
from paperchute.rules.tables import Step
from tests.jobs.makers import make_rule, new_job
from tests.systems import not_wine


@pytest.fixture
def hot(tmp_path: Path) -> Path:
    folder = tmp_path / "hot"
    folder.mkdir()
    return folder


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.sqlite")


def dropped(hot: Path, name: str = "a.pdf", content: bytes = b"%PDF") -> Path:
    path = hot / name
    path.write_bytes(content)
    return path


def test_the_same_file_reported_twice_is_one_job(journal: Journal, hot: Path) -> None:
    new = new_job(make_rule(hot), dropped(hot))
    assert journal.inserts.open_job(new) is not None
    assert journal.inserts.open_job(new) is None


def test_a_replaced_file_is_a_new_job(journal: Journal, hot: Path) -> None:
    rule = make_rule(hot)
    assert journal.inserts.open_job(new_job(rule, dropped(hot))) is not None
    assert journal.inserts.open_job(new_job(rule, dropped(hot, content=b"%PDF-other"))) is not None


def test_the_same_file_dropped_again_after_it_was_done_runs_again(journal: Journal, hot: Path) -> None:
    new = new_job(make_rule(hot), dropped(hot))
    number = journal.inserts.open_job(new)
    assert number is not None
    job = journal.queue.next()
    assert job is not None
    journal.completion.finish(job, "done", kept=False)
    again = journal.inserts.open_job(new)
    assert again is not None
    assert again != number


def test_a_kept_original_is_not_taken_again(journal: Journal, hot: Path) -> None:
    new = new_job(make_rule(hot, original="keep"), dropped(hot))
    journal.inserts.open_job(new)
    job = journal.queue.next()
    assert job is not None
    journal.completion.finish(job, "done", kept=True)
    assert journal.inserts.open_job(new) is None


def test_a_failed_file_moved_back_goes_on_with_what_was_paid_for(journal: Journal, hot: Path) -> None:
    rule = make_rule(hot, steps=(Step("pdf-encrypt", {}), Step("pdf-to-markdown", {})))
    new = new_job(rule, dropped(hot))
    journal.inserts.open_job(new)
    job = journal.queue.next()
    assert job is not None
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.answered(job, 0, "", "{}", receipt=True)
    journal.plans.plan_failure(job, "no", "02207", "text")
    journal.completion.finish(job, "failed", kept=False)
    journal.completion.settle_failure(job, "gone")  # it was seen to leave the failed folder
    assert journal.inserts.open_job(new) == job.id
    again = journal.queue.next()
    assert again is not None
    assert again.stage == "steps"
    assert journal.calls.memos(again)[0, ""].answer == "{}"


def test_a_receipt_reaches_the_disk_on_systems_without_open_flags_of_unix(
    journal: Journal, hot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows knows no O_CLOEXEC; Python hands no descriptor on to other programs anyway (PEP 446)."""
    journal.inserts.open_job(new_job(make_rule(hot), dropped(hot)))
    job = journal.queue.next()
    assert job is not None
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK"):
        monkeypatch.delattr(os, name, raising=False)
    journal.calls.intend(job, 0, receipt=True)
    assert journal.calls.memos(job)[0, ""].sent is not None


def test_a_failed_file_under_a_mended_rule_starts_anew(journal: Journal, hot: Path) -> None:
    path = dropped(hot)
    journal.inserts.open_job(new_job(make_rule(hot), path))
    job = journal.queue.next()
    assert job is not None
    journal.completion.finish(job, "failed", kept=False)
    number = journal.inserts.open_job(new_job(make_rule(hot, retries=5), path))
    assert number not in (None, job.id)


def test_a_refused_call_begins_a_new_round_and_a_lost_one_does_not(journal: Journal, hot: Path) -> None:
    journal.inserts.open_job(new_job(make_rule(hot), dropped(hot)))
    job = journal.queue.next()
    assert job is not None
    journal.calls.intend(job, 0, receipt=False)
    assert journal.calls.memos(job)[0, ""].sent is not None
    journal.calls.refused(job, 0)
    assert journal.calls.memos(job)[0, ""].round == 1
    assert journal.calls.memos(job)[0, ""].sent is None
    journal.calls.intend(job, 0, receipt=False)
    assert journal.calls.memos(job)[0, ""].round == 1


def test_everything_survives_a_reopening(tmp_path: Path, journal: Journal, hot: Path) -> None:
    rule = make_rule(hot, match=("*.pdf", "x/**"), steps=(Step("pdf-merge", {"passwords": ["env:A", ""]}),))
    journal.inserts.open_job(new_job(rule, dropped(hot)))
    job = journal.queue.next()
    assert job is not None
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.answered(job, 0, "", '{"a": 1}', receipt=True)
    journal.calls.received(job, 0, "", [Output("a/b.md", 3, "00")])
    journal.plans.plan_delivery(job, DeliveryPlan(hot / ".t", hot / "a.md", False))
    journal.plans.plan_filing(job, FilingPlan(hot / "a.pdf", hot / "b.pdf", True))
    journal.close()

    reopened = Journal(tmp_path / "journal.sqlite")
    assert reopened.queue.recover() == 1
    again = reopened.queue.next()
    assert again is not None
    assert again.rule == rule
    assert again.stage == "delivering"
    assert again.members == job.members
    assert reopened.calls.memos(again)[0, ""].outputs == (Output("a/b.md", 3, "00"),)
    assert reopened.plans.delivery(again) == DeliveryPlan(hot / ".t", hot / "a.md", False)
    assert reopened.plans.filing(again) == FilingPlan(hot / "a.pdf", hot / "b.pdf", True)


@not_wine("the names of its files are UTF-8")
def test_names_that_are_no_text_are_kept_exactly(journal: Journal, hot: Path) -> None:
    odd = "\udcff\udcfe -ü.pdf"  # bytes that are no UTF-8; on Windows halves of two letters that are none
    path = hot / (odd if sys.platform == "win32" else f"\n{odd}")
    path.write_bytes(b"%PDF")
    new = new_job(make_rule(hot), path)
    assert journal.inserts.open_job(new) is not None
    assert journal.inserts.open_job(new) is None
    job = journal.queue.next()
    assert job is not None
    assert job.path == path
    assert job.path.exists()
    journal.queue.wait_until(job.id, 0, f"{path.name} is odd", None, attempt=True)
    journal.plans.plan_filing(job, FilingPlan(path, path))
    assert journal.plans.filing(job) == FilingPlan(path, path)


def test_many_threads_never_take_one_job_twice(journal: Journal, hot: Path) -> None:
    rule = make_rule(hot)
    for number in range(60):
        journal.inserts.open_job(new_job(rule, dropped(hot, f"{number}.pdf")))
    taken: list[int] = []

    def take() -> None:
        while (job := journal.queue.next()) is not None:
            taken.append(job.id)

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(set(taken))
    assert len(taken) == 60


def test_several_processes_may_make_the_journal_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    code = (
        "from pathlib import Path; from paperchute.jobs.journal import Journal; "
        f"Journal(Path({str(path)!r})).queries.counts()"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(6)]
    for process in processes:
        assert process.communicate(timeout=120)[1] == ""


def test_a_damaged_journal_is_named_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"this is no database, not at all" * 100)
    with pytest.raises(JournalError, match=r"journal\.sqlite"):
        Journal(path)


def test_a_journal_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    db = sqlite3.connect(path)
    db.execute(f"pragma user_version={len(MIGRATIONS) + 1}")
    db.commit()
    db.close()
    with pytest.raises(JournalError, match="newer"):
        Journal(path)


def test_what_waits_is_not_stranded_by_a_clock_that_is_set_back(journal: Journal, hot: Path) -> None:
    journal.inserts.open_job(new_job(make_rule(hot), dropped(hot)))
    job = journal.queue.next()
    assert job is not None
    journal.queue.wait_until(job.id, time.time() + 30, "busy", None, attempt=True)
    journal.queue.adjust_for_clock_change(
        -86_400.0
    )  # while running: the clock is a day back, and so is the time it waits for
    due = journal.queue.next_due()
    assert due is not None
    assert due < time.time() - 86_000
    assert journal.queue.next() is not None

    journal.queue.wait_until(job.id, time.time() + 400 * 86_400, "busy", None, attempt=True)
    journal.queue.recover()  # while off: nothing waits for a year
    assert journal.queue.next() is not None


def test_a_file_that_was_away_and_is_back_goes_on_with_its_job(journal: Journal, hot: Path) -> None:
    new = new_job(make_rule(hot), dropped(hot))
    number = journal.inserts.open_job(new)
    job = journal.queue.next()
    assert job is not None
    journal.calls.intend(job, 0, receipt=True)
    journal.calls.answered(job, 0, "", "{}", receipt=True)
    journal.completion.cancel(job, "taken away", kept=False)
    assert journal.inserts.open_job(new) == number
    again = journal.queue.next()
    assert again is not None
    assert journal.calls.memos(again)[0, ""].answer == "{}", "what was paid for is not paid again"


def test_an_original_that_could_not_be_filed_is_filed_when_it_turns_up(journal: Journal, hot: Path) -> None:
    new = new_job(make_rule(hot), dropped(hot))
    number = journal.inserts.open_job(new)
    job = journal.queue.next()
    assert job is not None
    journal.plans.delivered(job, [Written(hot / "a.md", "0", "Lock", hot / "a.md", job.id)])
    journal.completion.finish(job, "done", kept=False, unfiled=True)
    assert journal.inserts.open_job(new) == number
    again = journal.queue.next()
    assert again is not None
    assert again.stage == "filing"


def test_no_statement_numbers_its_parameters() -> None:
    """Python 3.14 takes `?1` for a name, and refuses a sequence of values for it."""
    package = Path(paperchute.__file__).parent
    numbered = [
        f"{path.relative_to(package)}: {node.value[:60]}"
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"[ (,=]\?\d", node.value)
    ]
    assert numbered == []


def test_the_newest_jobs_come_first_in_whatever_states_they_are(journal: Journal, hot: Path) -> None:
    rule = make_rule(hot)
    for number in range(60):
        journal.inserts.open_job(new_job(rule, dropped(hot, f"{number}.pdf")))
    states = ("queued", "waiting", "running", "done", "warned", "failed", "cancelled")
    with journal.queries._file.write() as db:
        for number in range(1, 61):
            finished = None if number % 7 < 3 else 1_000.0 + number * 37 % 60
            values = (states[number % 7], finished, 1_000.0 + number / 2, number)
            db.execute("update job set state = ?, finished = ?, created = ? where id = ?", values)
    every = journal.queries.jobs(limit=100)
    assert len(every) == 60
    assert every == sorted(every, key=lambda job: (job.finished or job.created, job.id), reverse=True)
    assert journal.queries.jobs(limit=9) == every[:9]
    asked = [job for job in every if job.state in ("failed", "queued")]
    assert journal.queries.jobs(["failed", "queued"], limit=5) == asked[:5]


def test_jobs_are_counted_anew_after_a_change_by_whomever(journal: Journal, hot: Path) -> None:
    other = Journal(journal.queries._file.path)
    for count, writer in enumerate((journal, other, journal, other), start=1):
        writer.inserts.open_job(new_job(make_rule(hot), dropped(hot, f"{count}.pdf")))
        assert journal.queries.counts().of("queued") == count
        assert other.queries.counts().of("queued") == count
    other.close()
