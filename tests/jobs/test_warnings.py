"""A result that lacks something of what was asked for is never plainly "done"."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from paperchute.app import failures
from paperchute.jobs import error_texts
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.rules.tables import Step
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import make_rule, new_job

GONE = "a.pdf: its signature is gone."


def test_what_the_service_says_ends_the_job_as_warned(bench: Bench) -> None:
    bench.service.warnings = (GONE,)
    outcome = bench.run(bench.drop("x/a.pdf"), recursive=True)
    assert (outcome.kind, outcome.job.state, outcome.job.warnings) == ("done", "warned", (GONE,))
    job = bench.journal.queries.job(outcome.job.id)
    assert job is not None
    assert (job.state, job.warnings) == ("warned", (GONE,))
    assert bench.journal.queries.counts().of("warned") == 1
    text = bench.tree()["hot.failed/x/a.pdf.warnings.txt"].decode()
    assert GONE in text
    assert str(job.result) in text
    assert bench.journal.history.events(job.id)[-1].text == GONE


def test_the_counts_of_words_of_all_steps_are_kept(bench: Bench) -> None:
    bench.service.words = {"shown": 9, "written": 8, "page_number": 1}
    steps = (Step("pdf-to-editable", {}), Step("pdf-to-markdown", {}))
    outcome = bench.run(bench.drop(), steps=steps)
    assert outcome.job.state == "done"
    assert bench.journal.queries.words(outcome.job.id) == {"shown": 18, "written": 16, "page_number": 2}


def test_without_warnings_it_is_plainly_done(bench: Bench) -> None:
    assert bench.run(bench.drop()).job.state == "done"
    assert not bench.journal.queries.unseen_warnings(10)


def test_warnings_outlive_a_crash_between_the_answer_and_the_end(bench: Bench) -> None:
    bench.service.warnings = (GONE,)
    steps = (Step("pdf-to-editable", {}), Step("pdf-to-markdown", {}))
    job = bench.queue(bench.drop(), steps=steps, retries=0)
    bench.service.on_download = lambda answer: (_ for _ in ()).throw(SystemExit)
    try:
        bench.runner.run(job)
    except SystemExit:
        bench.service.on_download = lambda answer: None
    bench.service.warnings = ()
    assert bench.again().job.warnings == (GONE,)


def test_a_failed_job_that_is_tried_again_keeps_the_warnings_of_its_answered_steps(bench: Bench) -> None:
    steps = (Step("pdf-to-editable", {}), Step("pdf-to-markdown", {}))

    def second_fails(call: object) -> None:
        bench.service.warnings = ()
        if len(bench.service.calls) == 2:
            failing("permanent")(call)

    bench.service.warnings = (GONE,)
    first = bench.queue(bench.drop(), steps=steps)
    bench.service.on_call = lambda call: second_fails(call) if len(bench.service.calls) > 1 else None
    outcome = bench.runner.run(first)
    assert outcome.kind == "failed"
    bench.bring_back(outcome.job)
    again = bench.run(bench.hot / "a.pdf", steps=steps)
    assert (again.job.state, again.job.warnings) == ("warned", (GONE,))


def test_a_job_says_the_same_once_and_not_without_end(bench: Bench) -> None:
    job = bench.queue(bench.drop())
    for number in range(1000):
        bench.journal.completion.warn(job, f"row {number}", "always the same")
    found = bench.journal.queries.job(job.id)
    assert found is not None
    assert len(found.warnings) == 100
    assert found.warnings[:3] == ("row 0", "always the same", "row 1")


def test_taking_the_text_away_is_having_seen_it(bench: Bench) -> None:
    bench.service.warnings = (GONE,)
    job = bench.run(bench.drop()).job
    failures.settle_those_taken_away(bench.journal)
    assert [one.id for one in bench.journal.queries.unseen_warnings(10)] == [job.id]
    error_texts.warnings_path(bench.journal, job).unlink()
    failures.settle_those_taken_away(bench.journal)
    assert bench.journal.queries.unseen_warnings(10) == []
    assert bench.journal.queries.counts().of("warned") == 1


@pytest.mark.parametrize("again", ["also", "same name", "replace"])
def test_a_text_that_nobody_has_seen_is_not_written_over_by_another_job_s(bench: Bench, again: str) -> None:
    """Two rules on one file, or a scanner that calls each file the same: the first job's warnings were lost."""
    conflict = {"on_conflict": "replace"} if again == "replace" else {}
    bench.service.warnings = (GONE,)
    first = bench.run(bench.drop(), name="one", **conflict).job
    bench.service.warnings = ("Page 7 could not be read.",)
    second = bench.run(bench.drop("a.pdf", b"%PDF other"), name="two" if again == "also" else "one", **conflict).job
    texts = {path.name: path.read_text("utf-8") for path in bench.hot.with_name("hot.failed").iterdir()}
    if again == "replace":
        assert list(texts) == ["a.pdf.warnings.txt"], "the first one's result is there no longer"
        return
    assert GONE in texts["a.pdf.warnings.txt"]
    assert "Page 7" in texts["a.pdf.warnings (2).txt"]
    assert failures.what_to_show(bench.journal, second.id) == error_texts.warnings_path(bench.journal, second)
    failures.put_away(bench.journal, second.id)
    assert error_texts.warnings_path(bench.journal, first).exists()
    failures.settle_those_taken_away(bench.journal)
    assert [one.id for one in bench.journal.queries.unseen_warnings(10)] == [first.id]
    third = bench.run(bench.drop("a.pdf", b"%PDF third"), name="one").job
    error_texts.warnings_path(bench.journal, third).unlink()
    failures.settle_those_taken_away(bench.journal)
    assert [one.id for one in bench.journal.queries.unseen_warnings(10)] == [first.id]


def test_putting_away_removes_the_text(bench: Bench) -> None:
    bench.service.warnings = (GONE,)
    first, second = bench.run(bench.drop("1.pdf")).job, bench.run(bench.drop("2.pdf")).job
    failures.put_away(bench.journal, first.id)
    assert not error_texts.warnings_path(bench.journal, first).exists()
    assert error_texts.warnings_path(bench.journal, second).exists()
    assert failures.what_to_show(bench.journal, None) == error_texts.warnings_path(bench.journal, second)
    failures.put_away(bench.journal, None)
    assert bench.journal.queries.unseen_warnings(10) == []


def test_a_journal_of_the_version_before_learns_it(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    (tmp_path / "hot" / "a.pdf").write_bytes(b"x")
    path = tmp_path / "journal.sqlite"
    with sqlite3.connect(path, isolation_level=None) as db:
        db.row_factory = sqlite3.Row
        for script, rework in MIGRATIONS[:5]:
            for statement in script.split(";"):
                db.execute(statement)
            if rework is not None:
                rework(db)
        db.execute("pragma user_version=5")
    journal = Journal(path, owner=True)
    number = journal.inserts.open_job(new_job(make_rule(tmp_path / "hot"), tmp_path / "hot" / "a.pdf"))
    assert number is not None
    job = journal.queries.job(number)
    assert job is not None
    assert job.warnings == ()
    journal.close()


def test_the_answer_of_an_older_release_has_no_warnings(bench: Bench) -> None:
    outcome = bench.run(bench.drop())
    memo = bench.journal.calls.memos(outcome.job)[0, ""]
    assert json.loads(memo.answer or "")["warnings"] == []
