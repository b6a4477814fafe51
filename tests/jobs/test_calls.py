"""What a job asks of its service: how often, under which key, at whose cost, and with which secrets."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from paperchute.rules.tables import Step
from paperchute.service.model import Answer, Call, ServiceError
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import runner_over
from tests.jobs.scripted import Scripted


def test_a_transient_failure_waits_and_is_tried_as_often_as_the_rule_says(bench: Bench) -> None:
    bench.service.on_call = failing("transient", code="01001", retry_after=7.0)
    before = time.time()
    outcome = bench.run(bench.drop(), retries=2)
    assert outcome.kind == "waiting"
    waiting = bench.journal.queries.job(outcome.job.id)
    assert waiting is not None
    assert waiting.due >= before + 7.0
    assert bench.again().kind == "waiting"
    assert bench.again().kind == "failed"
    keys = [call.idempotency_key for call in bench.service.calls]
    assert len(set(keys)) == 3, "a refused call is asked anew, not answered from memory"


def test_a_key_that_asks_too_much_waits_as_long_as_it_is_told_and_uses_no_try(bench: Bench) -> None:
    bench.service.on_call = failing("limited", code="01001", retry_after=31.0)
    before = time.time()
    outcome = bench.run(bench.drop(), retries=0)
    for _again in range(3):
        assert outcome.kind == "waiting"
        waiting = bench.journal.queries.job(outcome.job.id)
        assert waiting is not None
        assert (waiting.due >= before + 31.0, waiting.attempts) == (True, 0)
        outcome = bench.again()
    bench.service.on_call = lambda call: None
    assert bench.again().kind == "done"


@pytest.mark.parametrize("retries", [0, 3])
def test_a_server_that_may_have_taken_the_call_is_asked_again_under_the_same_key(bench: Bench, retries: int) -> None:
    """As one that is restarted in good order: its 503 says nothing of the call, whoever has it tried again."""
    bench.service.repeatable = False
    bench.service.on_call = failing("transient", answered=False)
    outcome = bench.run(bench.drop(), retries=retries)
    bench.service.on_call = lambda call: None
    if retries:
        assert bench.again().kind == "done"
    else:
        assert outcome.kind == "failed"
        bench.bring_back(outcome.job)
        assert bench.run(bench.hot / "a.pdf", retries=0).kind == "done"
    assert len({call.idempotency_key for call in bench.service.calls}) == 1


@pytest.mark.parametrize(
    ("refusal", "outcome"),
    [("auth", "service"), ("quota", "service"), ("down", "service"), ("permanent", "waiting"), ("lost", "waiting")],
)
@pytest.mark.parametrize("restarted", [False, True])
def test_what_a_question_about_a_task_is_answered_never_drops_the_task(
    bench: Bench, refusal: str, outcome: str, restarted: bool
) -> None:
    answers: list[ServiceError | None] = [ServiceError("No.", kind=refusal, of_task=True) for _again in range(4)]
    taken: list[str] = []

    class Asked(Scripted):
        def call(self, call: Call, on_task: Any = None) -> Answer:
            taken.append(call.idempotency_key)
            on_task("task-9", ("00",))
            raise ServiceError("No.", kind=refusal, of_task=True)

        def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer:
            if answers and (error := answers.pop()):
                raise error
            return super().resume(task, name, hashes, timeout)

    bench.service = Asked(repeatable=False)
    bench.runner = bench.made_runner(lanes=4)
    job = bench.queue(bench.drop(), retries=9)
    if restarted:  # the crash came before the first answer
        bench.journal.calls.intend(job, 0, receipt=True)
        bench.journal.calls.submitted(job, 0, "", "task-9", ["00"], receipt=True)
        taken.append("before")
    found = bench.again()
    while found.kind != "done":
        assert found.kind == outcome
        assert bench.journal.calls.memos(job)[0, ""].task == "task-9"
        found = bench.again()
    assert not answers
    assert bench.service.resumed == ["task-9"]
    assert len(taken) == 1, "no second task was made"


def test_a_task_that_was_not_done_in_time_is_asked_for_again_by_a_retry(bench: Bench) -> None:
    bench.service.repeatable = False
    late = ServiceError("The service did not finish in time.", kind="lost", of_task=True)

    def slow(task: str, *_more: object) -> Answer:
        raise late

    job = bench.queue(bench.drop(), retries=0)
    bench.journal.calls.intend(job, 0, receipt=True)
    bench.journal.calls.submitted(job, 0, "", "task-7", ["00"], receipt=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.service, "resume", slow)
        outcome = bench.again()
    assert outcome.kind == "failed"
    bench.bring_back(outcome.job)
    assert bench.run(bench.hot / "a.pdf", retries=0).kind == "done"
    assert bench.service.resumed == ["task-7"]
    assert bench.service.calls == []


def test_a_task_that_nobody_may_ask_about_any_more_is_given_up_after_a_day(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.calls._TASK_SECONDS", 0.0)
    bench.service.repeatable = False
    refused = ServiceError("No.", kind="permanent", of_task=True)
    job = bench.queue(bench.drop(), retries=3)
    bench.journal.calls.intend(job, 0, receipt=True)
    bench.journal.calls.submitted(job, 0, "", "task-7", ["00"], receipt=True)

    def forbidden(task: str, *_more: object) -> Answer:
        raise refused

    monkeypatch.setattr(bench.service, "resume", forbidden)
    outcome = bench.again()
    assert outcome.kind == "failed"
    bench.bring_back(outcome.job)
    assert bench.run(bench.hot / "a.pdf", retries=3).kind == "done", "a person has asked for a new call"


def test_what_a_rule_says_of_a_document_stands_over_what_is_said_by_itself(bench: Bench) -> None:
    step = Step("document-upload", {"metadata": '{"source": "scan room", "case": 7}'})
    assert bench.run(bench.drop(), steps=(step,)).kind == "done"
    (call,) = bench.service.calls
    told = json.loads(str(call.parameters["metadata"]))
    assert (told["source"], told["case"], set(told)) == ("scan room", 7, {"source", "case", "job"})


def test_a_dead_service_costs_no_try(bench: Bench) -> None:
    bench.service.on_call = failing("down")
    assert bench.run(bench.drop(), retries=0).kind == "service"
    bench.service.on_call = lambda call: None
    assert bench.again().kind == "done"


def test_a_lost_answer_is_asked_for_under_the_same_key(bench: Bench) -> None:
    bench.service.on_call = failing("lost")
    assert bench.run(bench.drop()).kind == "waiting"
    bench.service.on_call = lambda call: None
    assert bench.again().kind == "done"
    keys = {call.idempotency_key for call in bench.service.calls}
    assert len(keys) == 1


def test_a_lost_paid_answer_is_not_repeated_without_leave(bench: Bench) -> None:
    bench.service.repeatable = False
    bench.service.on_call = failing("lost")
    outcome = bench.run(bench.drop(), retries=0)
    assert outcome.kind == "failed"
    assert len(bench.service.calls) == 1


def test_a_crash_between_call_and_answer_is_not_repeated_without_leave(bench: Bench) -> None:
    bench.service.repeatable = False
    job = bench.queue(bench.drop(), retries=0)
    bench.journal.calls.intend(job, 0, receipt=True)
    outcome = bench.again()
    assert outcome.kind == "failed"
    assert bench.service.calls == []
    assert "charged" in bench.tree()["hot.failed/a.pdf.error.txt"].decode()


def test_a_recorded_answer_is_never_asked_for_again(bench: Bench) -> None:
    def drop_connection(answer: Answer) -> None:
        raise ServiceError("Gone.", kind="lost")

    bench.service.on_download = drop_connection
    assert bench.run(bench.drop()).kind == "waiting"
    bench.service.on_download = lambda answer: None
    assert bench.again().kind == "done"
    assert len(bench.service.calls) == 1
    assert bench.service.downloads == 2


def test_an_expired_result_of_our_own_engine_is_made_again(bench: Bench) -> None:
    def gone(answer: Answer) -> None:
        bench.service.on_download = lambda answer: None
        raise ServiceError("Expired.", kind="task", code="05004")

    bench.service.on_download = gone
    assert bench.run(bench.drop()).kind == "waiting"
    assert bench.again().kind == "done"
    assert len(bench.service.calls) == 2


def test_a_task_taken_before_a_crash_is_asked_for_and_not_called_again(bench: Bench) -> None:
    bench.service.repeatable = False
    job = bench.queue(bench.drop(), retries=0)
    bench.journal.calls.intend(job, 0, receipt=True)
    bench.journal.calls.submitted(job, 0, "", "task-7", ["00"], receipt=True)
    outcome = bench.again()
    assert outcome.kind == "done"
    assert bench.service.resumed == ["task-7"]
    assert bench.service.calls == []


def test_a_task_is_on_record_as_soon_as_the_service_has_taken_it(bench: Bench) -> None:
    seen: list[str | None] = []

    class Slow(Scripted):
        def call(self, call: Call, on_task: Any = None) -> Answer:
            on_task("task-9", ("00",))
            seen.append(bench.journal.calls.memos(job)[0, ""].task)
            raise ServiceError("The service did not finish in time.", kind="lost")

    job = bench.queue(bench.drop(), retries=3)
    slow = Slow(repeatable=False)
    runner = runner_over(bench.journal, lambda: slow, bench.hot.parent / "state" / "work")
    assert runner.run(job).kind == "waiting"
    assert seen == ["task-9"]
    assert bench.again().kind == "done"
    assert bench.service.resumed == ["task-9"]
    assert bench.service.calls == [], "the task is waited for, not made again"


def test_a_month_s_calls_are_counted_and_not_overspent(bench: Bench) -> None:
    bench.service.repeatable = False
    most = [2]
    work = bench.hot.parent / "state" / "work"
    runner = runner_over(bench.journal, lambda: bench.service, work, monthly_calls=lambda name: most[0])
    outcomes = [runner.run(bench.queue(bench.drop(f"{number}.pdf", b"%PDF " + b"x" * number))) for number in range(3)]
    assert [outcome.kind for outcome in outcomes] == ["done", "done", "service"]
    error = outcomes[2].error
    assert error is not None
    assert error.kind == "quota"
    assert "monthly_calls" in str(error)
    assert len(bench.service.calls) == bench.journal.calls.this_month() == 2
    most[0] = 3
    bench.journal.queue.requeue(outcomes[2].job.id)  # as the dispatcher does
    job = bench.journal.queue.next()
    assert job is not None
    assert runner.run(job).kind == "done"
    assert bench.journal.calls.this_month() == 3


def test_a_call_that_never_went_out_is_not_counted(bench: Bench) -> None:
    bench.service.repeatable = False
    bench.service.on_call = failing("down")
    work = bench.hot.parent / "state" / "work"
    runner = runner_over(bench.journal, lambda: bench.service, work, monthly_calls=lambda name: 1)
    job = bench.queue(bench.drop())
    for _ in range(3):
        assert runner.run(job).kind == "service"
        bench.journal.queue.requeue(job.id)  # as the dispatcher does
        job = bench.journal.queue.next() or job
    assert bench.journal.calls.this_month() == 0


def test_our_own_engine_is_not_counted(bench: Bench) -> None:
    assert bench.run(bench.drop()).kind == "done"
    assert bench.journal.calls.this_month() == 0


def test_a_missing_secret_fails_with_advice_and_no_call(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAPERCHUTE_TEST_PW", raising=False)
    steps = (Step("pdf-encrypt", {"userPassword": "env:PAPERCHUTE_TEST_PW"}),)
    assert bench.run(bench.drop(), steps=steps).kind == "failed"
    assert "PAPERCHUTE_TEST_PW" in bench.tree()["hot.failed/a.pdf.error.txt"].decode()
    assert bench.service.calls == []


def test_secrets_reach_the_call_and_nothing_else(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_PW", "hunter2-top-secret")
    steps = (Step("pdf-encrypt", {"userPassword": "env:PAPERCHUTE_TEST_PW"}),)
    bench.service.outputs = (("a.pdf", b"%PDF"),)
    bench.run(bench.drop(), steps=steps)
    assert bench.service.calls[0].parameters["userPassword"] == "hunter2-top-secret"
    everything = b"".join(p.read_bytes() for p in bench.hot.parent.rglob("*") if p.is_file())
    assert b"hunter2-top-secret" not in everything
