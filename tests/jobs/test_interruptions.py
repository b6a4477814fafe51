"""A job cut off in the middle, by a crash, a lost share or a full disk, and what it makes of that the next time."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from paperchute.desktop.menu import told
from paperchute.events import Trouble
from paperchute.files import placement
from paperchute.jobs import calls, originals, publication
from paperchute.jobs.runner import Runner
from paperchute.jobs.work import Settings
from paperchute.service.model import Answer, Call, ServiceError
from tests.jobs.bench import Bench, failing
from tests.jobs.interrupted import Crash, crash, hidden, interrupted, then_crash
from tests.jobs.makers import runner_over
from tests.observers import Told


def test_a_skipped_output_is_not_taken_for_the_one_that_was_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = bench.hot.parent / "hot.out"
    out.mkdir()
    (out / "a.md").write_bytes(b"mine")
    job = bench.queue(bench.drop(), on_conflict="skip")
    with monkeypatch.context() as patch:
        patch.setattr(publication, "publish", then_crash(publication.publish))
        again = interrupted(bench, job)
    outcome = bench.runner.run(again)
    assert outcome.job.outputs == ()
    assert "skipped" in (outcome.job.note or "")
    assert hidden(bench.hot.parent / "hot.out") == []


def test_a_half_unpacked_archive_is_not_left_behind(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.drop()
    job = bench.queue(path)

    def unpack(answer: Answer, operation: str, place: Path) -> None:
        place.mkdir()
        placement.archive_of(place).write_bytes(b"PK")
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(bench.service, "fetch", unpack)
        again = interrupted(bench, job)
    path.unlink()
    assert bench.runner.run(again).kind == "cancelled"
    assert hidden(bench.hot.parent / "hot.out") == []


def test_a_crash_after_a_plain_refusal_repeats_nothing_in_silence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.service.on_call = failing("bad-input", code="02207")
    job = bench.queue(bench.drop())
    with monkeypatch.context() as patch:
        patch.setattr(bench.journal.plans, "plan_failure", crash)
        again = interrupted(bench, job)
    assert bench.runner.run(again).kind == "failed"
    kinds = [event.kind for event in bench.journal.history.events(job.id)]
    assert kinds.count("sent") - 1 == kinds.count("repeated")


@pytest.mark.parametrize("lost", ["the answer", "the result"])
def test_what_was_lost_and_not_repeated_is_asked_for_anew_by_a_retry(bench: Bench, lost: str) -> None:
    def gone(answer: Answer) -> None:
        raise ServiceError("Gone.", kind="task", code="05004")

    bench.service.repeatable = False
    if lost == "the answer":
        bench.service.on_call = failing("lost")
    else:
        bench.service.on_download = gone
    path = bench.drop()
    outcome = bench.run(path, retries=0)
    assert outcome.kind == "failed"
    bench.service.on_call = lambda call: None
    bench.service.on_download = lambda answer: None
    originals.bring_back(bench.journal, outcome.job)
    assert bench.run(path, retries=0).kind == "done"
    assert len(bench.service.calls) == 2


def test_a_service_that_is_being_started_again_is_waited_for(bench: Bench, tmp_path: Path) -> None:
    def away() -> Any:
        raise ServiceError("The service is not running.", kind="down")

    job = bench.queue(bench.drop())
    assert runner_over(bench.journal, away, tmp_path / "state" / "work").run(job).kind == "service"
    assert bench.again().kind == "done"


@pytest.mark.parametrize(
    ("refusal", "same_key"),
    [
        (ServiceError("Nobody there.", kind="down"), True),
        (ServiceError("Busy.", kind="transient", answered=False), True),
        (ServiceError("It has failed.", kind="transient"), False),
    ],
)
def test_a_lost_answer_is_asked_for_by_its_key_until_the_service_tells_of_it(
    bench: Bench, refusal: ServiceError, same_key: bool
) -> None:
    outcomes: list[ServiceError | None] = [ServiceError("Lost.", kind="lost"), refusal, None]

    def scripted(call: Call) -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    bench.service.on_call = scripted
    bench.queue(bench.drop(), retries=3)
    while outcomes:
        last = bench.again()
    assert last.kind == "done"
    first, second, third = (call.idempotency_key for call in bench.service.calls)
    assert first == second
    assert (third == first) == same_key


def test_an_answer_is_held_until_the_journal_can_be_written(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = bench.journal.calls.answered
    times: list[int] = []

    def full(*args: Any, **more: Any) -> None:
        times.append(1)
        if len(times) < 3:
            raise sqlite3.OperationalError("database or disk is full")
        answered(*args, **more)

    monkeypatch.setattr(calls, "_JOURNAL_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(bench.journal.calls, "answered", full)
    bench.service.repeatable = False
    heard, path = Told(), bench.drop()
    runner = Runner(bench.journal, lambda name: bench.service, Settings(tmp_path / "work"), heard)
    assert runner.run(bench.queue(path, retries=0)).kind == "done"
    assert len(bench.service.calls) == 1
    said = f"The journal cannot be written to (database or disk is full); {path.name} is waiting for the disk."
    begins, ends = (event for event in heard.events if isinstance(event, Trouble))
    assert (begins, ends) == (Trouble("state", str(path), said), Trouble("state", str(path), said, over=True))
    assert (told(begins), told(ends)) == (said, "")


def test_a_share_lost_during_the_call_gets_no_folders_and_loses_no_answer(bench: Bench, tmp_path: Path) -> None:
    hot = bench.hot
    share = tmp_path / "share"
    share.mkdir()
    bench.hot = share / "hot"
    bench.hot.mkdir()

    def lose(call: Call) -> None:
        share.rename(tmp_path / "away")
        share.mkdir()

    bench.service.on_call = lose
    job = bench.queue(bench.drop())
    outcome = bench.runner.run(job)
    assert outcome.kind == "storage"
    assert str(bench.hot) in (outcome.job.error or "")
    assert list(share.iterdir()) == []
    share.rmdir()
    (tmp_path / "away").rename(share)
    assert bench.again().kind == "done"
    assert len(bench.service.calls) == 1
    assert hot.exists()


def test_a_result_that_can_never_be_placed_fails_for_good(bench: Bench) -> None:
    (bench.hot.parent / "hot.out").write_bytes(b"a file where the folder should be")
    outcome = bench.run(bench.drop("x/a.pdf"), recursive=True)
    assert outcome.kind == "failed"
    assert "hot.failed/x/a.pdf" in bench.tree()
