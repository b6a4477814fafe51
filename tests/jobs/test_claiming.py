"""What cannot be read fails alone, and nothing stays marked as running with nobody at work on it."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paperchute.cli.front import app
from paperchute.events import Trouble
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.store import Store
from paperchute.jobs.model import Job
from paperchute.rules.stored import rule_from_text, rule_to_text
from paperchute.rules.tables import Step
from paperchute.service.model import Call
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import make_rule, new_job
from tests.jobs.test_dispatcher import LONG, House


def spoil(journal: Journal, column: str, value: str, job: int) -> None:
    table, key = (
        ("rule", "fingerprint = (select rule from job where id = ?)") if column == "spec" else ("job", "id = ?")
    )
    with sqlite3.connect(journal.path) as db:
        db.execute(f"update {table} set {column} = ? where {key}", (value, job))


def test_a_key_of_a_newer_release_is_no_reason_to_stop(bench: Bench) -> None:
    rule = make_rule(bench.hot)
    text = json.dumps({**json.loads(rule_to_text(rule)), "notify": "boss@example.org"})
    assert rule_from_text(text) == rule.model_copy(update={"kept": {"notify": "boss@example.org"}})


def test_a_key_that_an_older_release_did_not_know_stands_at_its_default(bench: Bench) -> None:
    raw = json.loads(rule_to_text(make_rule(bench.hot)))
    assert not raw.keys() & {"quiet", "hosts", "history"}
    assert rule_from_text(json.dumps(raw)) == make_rule(bench.hot)


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["steps", "folder", "name"]), inner)
        ),
    ),
    st.sampled_from(["folder", "steps", "name", "match", "whole"]),
)
def test_any_other_text_is_a_value_error_at_most(value: Any, key: str) -> None:
    raw = json.loads(rule_to_text(make_rule(Path("/hot"))))
    text = json.dumps(value if key == "whole" else {**raw, key: value})
    try:
        rule_from_text(text)
    except ValueError:
        return


@pytest.mark.parametrize(("column", "value"), [("spec", "{}"), ("spec", "["), ("members", "[[1]]"), ("outputs", "?")])
def test_one_unreadable_row_fails_alone_with_a_sentence(tmp_path: Path, column: str, value: str) -> None:
    house = House(tmp_path, workers=3)
    house.drop("sick", "a.pdf")
    house.drop("well", "b.pdf", "c.pdf")
    (sick,) = [job for job in house.journal.queries.jobs() if job.path.name == "a.pdf"]
    spoil(house.journal, column, value, sick.id)
    house.journal._store.rules.clear()  # as after a restart
    house.dispatcher.start()
    house.until_done()
    assert house.dispatcher.stop(60)
    ended = {job.path.name: job.state for job in house.journal.queries.jobs()}
    assert ended == {"a.pdf": "failed", "b.pdf": "done", "c.pdf": "done"}
    failed = house.journal.queries.job(sick.id)
    assert failed is not None
    assert "another version of Paperchute" in (failed.error or "")
    assert (tmp_path / "sick.failed" / "a.pdf.error.txt").is_file()
    house.journal.close()


def test_a_disk_that_fails_while_a_batch_is_read_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(tmp_path, workers=4)
    house.drop("hot", "a.pdf", "b.pdf", "c.pdf")
    reading = Store.job
    left = [2]

    def sometimes(self: Store, row: sqlite3.Row) -> Job:
        if left[0]:
            left[0] -= 1
            raise sqlite3.OperationalError("disk I/O error")
        return reading(self, row)

    monkeypatch.setattr(Store, "job", sometimes)
    with pytest.raises(sqlite3.OperationalError):
        house.journal.queue.claim(house.journal.queue.lines(), 3)
    assert house.journal.queue.running() == set()
    house.dispatcher.start()
    house.until_done()
    assert house.dispatcher.stop(60)
    assert house.journal.queries.counts().of("done") == 3
    house.journal.close()


def test_who_takes_a_job_knows_whether_anybody_had_it_before(tmp_path: Path) -> None:
    house = House(tmp_path, workers=1)
    house.drop("hot", "a.pdf", "b.pdf")
    queue = house.journal.queue
    (fresh,) = queue.claim(queue.lines(), 1)
    assert (fresh.state, fresh.started) == ("running", None)
    queue.requeue(fresh.id)
    again, other = queue.claim(queue.lines(), 3)
    assert (again.id, again.state, again.started is None) == (fresh.id, "running", False)
    assert other.started is None
    assert queue.running() == {again.id, other.id}
    house.journal.close()


def with_another_key(journal: Journal, job: int) -> None:
    with sqlite3.connect(journal.path) as db:
        query = "select spec from rule where fingerprint = (select rule from job where id = ?)"
        (text,) = db.execute(query, (job,)).fetchone()
    spoil(journal, "spec", json.dumps({**json.loads(text), "notify": "boss@example.org"}), job)


def without_its_rule(journal: Journal, job: int) -> None:
    with sqlite3.connect(journal.path) as db:
        db.execute("delete from rule where fingerprint = (select rule from job where id = ?)", (job,))


def for_another_folder(journal: Journal, job: int) -> None:
    with sqlite3.connect(journal.path) as db:
        query = "select spec from rule where fingerprint = (select rule from job where id = ?)"
        (text,) = db.execute(query, (job,)).fetchone()
    spoil(journal, "spec", json.dumps({**json.loads(text), "folder": "../elsewhere"}), job)


SPOILT: dict[str, tuple[Callable[[Journal, int], None], str]] = {
    "a key of another release": (with_another_key, "done"),
    "a rule of garbage": (lambda journal, job: spoil(journal, "spec", "]", job), "failed"),
    "no rule": (without_its_rule, "failed"),
    "a rule for another folder": (for_another_folder, "failed"),
    "inputs of garbage": (lambda journal, job: spoil(journal, "members", '[["x"]]', job), "failed"),
    "a stage of another release": (lambda journal, job: spoil(journal, "stage", "verifying", job), "failed"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_whatever_a_row_holds_its_neighbours_end_and_jobs_are_listed(tmp_path: Path, how: str) -> None:
    spoilt, becomes = SPOILT[how]
    house = House(tmp_path, workers=4)
    house.drop("sick", "a.pdf")
    house.drop("well", "b.pdf", "c.pdf")
    (sick,) = [job for job in house.journal.queries.jobs() if job.path.name == "a.pdf"]
    spoilt(house.journal, sick.id)
    house.journal._store.rules.clear()  # as after a restart
    listed = CliRunner().invoke(app, ["--rules", str(tmp_path / "none.toml"), "--state", str(tmp_path), "jobs"])
    assert (listed.exit_code, listed.exception) == (0, None)
    assert listed.output.count("queued") == 3
    house.dispatcher.start()
    house.until_done()
    assert house.dispatcher.stop(60)
    assert house.journal.queue.running() == set()
    ended = {job.path.name: job.state for job in house.journal.queries.jobs()}
    assert ended == {"a.pdf": becomes, "b.pdf": "done", "c.pdf": "done"}
    listed = CliRunner().invoke(app, ["--rules", str(tmp_path / "none.toml"), "--state", str(tmp_path), "jobs"])
    assert (listed.exit_code, listed.exception) == (0, None)
    assert ("another version of Paperchute" in " ".join(listed.output.split())) == (becomes == "failed")
    house.journal.close()


def test_a_disk_that_fails_while_a_job_is_put_off_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(tmp_path, workers=2, not_before=lambda job: time.time() + 3600.0)
    house.drop("hot", "a.pdf", "b.pdf", "c.pdf")
    postpone, failures = house.journal.queue.postpone, [sqlite3.OperationalError("disk I/O error")]

    def sometimes(job: Job, due: float, why: str) -> None:
        if failures:
            raise failures.pop()
        postpone(job, due, why)

    monkeypatch.setattr(house.journal.queue, "postpone", sometimes)
    monkeypatch.setattr("paperchute.jobs.dispatcher._STORAGE_PAUSE_SECONDS", 0.0)
    house.dispatcher.start()
    house.until(lambda: house.journal.queries.counts().of("waiting") == 3)
    assert house.dispatcher.stop(60)
    assert house.journal.queue.running() == set()
    house.journal.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_dies_before_it_begins_takes_no_job_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._CENSUS_SECONDS", 0.0)
    faults = [RuntimeError("a fault"), RuntimeError("another")]

    def not_before(job: Job) -> float:
        if faults:
            raise faults.pop()
        return 0.0

    house = House(tmp_path, workers=2, not_before=not_before)
    house.drop("hot", "a.pdf", "b.pdf", "c.pdf")
    house.dispatcher.start()

    def all_done() -> bool:
        house.dispatcher.revive()  # as the daemon does it a few times a second
        return not house.journal.queries.has_open_jobs()

    house.until(all_done)
    assert house.dispatcher.stop(60)
    assert not faults
    assert house.journal.queries.counts().of("done") == 3
    house.journal.close()


def test_a_worker_that_hangs_is_told_and_another_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, answers = threading.Event(), threading.Event()
    house = House(tmp_path, workers=1)

    def call(call: Call) -> None:
        if call.files[0][1].name == "a.pdf":
            hangs.set()
            assert answers.wait(LONG)

    house.service.on_call = call
    house.drop("hot", "a.pdf", "b.pdf")
    house.dispatcher.start()
    assert hangs.wait(LONG)
    assert not house.dispatcher.revive(), "it may take its time"
    monkeypatch.setattr("paperchute.jobs.dispatcher._CENSUS_SECONDS", 0.0)
    monkeypatch.setattr("paperchute.jobs.dispatcher._SILENCE_SECONDS", -600.0)  # with the rule's time for a call: none
    house.dispatcher._roll_call = 0.0
    assert not house.dispatcher.revive(), "no worker has died"
    house.until(lambda: house.journal.queries.counts().of("done") == 1)
    (trouble,) = [event for event in house.events.events if isinstance(event, Trouble)]
    assert "a.pdf has made no progress for 0 minutes" in trouble.message
    assert house.journal.queue.running() == {1}, "nobody else is given what the one that hangs has begun"
    assert not house.dispatcher.revive(), "and only once is one put in its place"
    answers.set()
    house.until_done()  # and the one that hung says so after that; nobody waits for its thread any more
    house.until(lambda: [one.over for one in house.events.events if isinstance(one, Trouble)] == [False, True])
    assert house.dispatcher.stop(60)
    assert house.journal.queries.counts().of("done") == 2
    assert [call.files[0][1].name for call in house.service.calls] == ["a.pdf", "b.pdf"]
    house.journal.close()


def test_a_job_that_nobody_runs_is_found_without_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._CENSUS_SECONDS", 0.0)
    house = House(tmp_path, workers=2)
    house.dispatcher.start()
    house.drop("hot", "a.pdf")
    house.until_done()
    house.dispatcher.pause(True)
    house.drop("hot", "b.pdf")
    assert house.journal.queue.next() is not None  # marked as running, and forgotten
    house.dispatcher.pause(False)
    house.until_done()
    assert house.dispatcher.stop(60)
    assert house.journal.queries.counts().of("done") == 2
    house.journal.close()


def test_what_was_paid_for_is_not_paid_again_after_the_journal_was_opened_anew(bench: Bench) -> None:
    steps = (Step("pdf-to-editable", {}), Step("pdf-to-markdown", {}))
    bench.service.repeatable = False
    bench.service.on_call = lambda call: failing("permanent")(call) if len(bench.service.calls) == 2 else None
    outcome = bench.run(bench.drop(), steps=steps)
    assert outcome.kind == "failed"
    spoil(bench.journal, "spec", "{}", outcome.job.id)
    bench.bring_back(outcome.job)
    bench.journal._store.rules.clear()
    number = bench.journal.inserts.open_job(new_job(make_rule(bench.hot, steps=steps), bench.hot / "a.pdf"))
    assert number == outcome.job.id
    job = bench.journal.queue.next()
    assert job is not None
    assert bench.runner.run(job).kind == "done"
    assert [call.operation for call in bench.service.calls].count("pdf-to-editable") == 1
