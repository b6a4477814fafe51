"""One call of one step: made once, written down before and after, and never made again once it was answered."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from loguru import logger

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal, QuotaSpentError
from paperchute.jobs.records import Job
from paperchute.jobs.retry import Decision, after_service_error
from paperchute.jobs.work import Service, Work
from paperchute.rules.secrets import resolve
from paperchute.service.parts import parts_for
from paperchute.service.records import Answer, Call, ServiceError

Fetch = TypeVar("Fetch")

_CALL_SECONDS = 600.0
_JOURNAL_PAUSE_SECONDS = 2.0


class Caller:
    """Makes the calls of jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(
        self,
        journal: Journal,
        service: Callable[[], Service],
        progress: Callable[[Job, int], None],
        monthly_calls: Callable[[], int | None],
    ) -> None:
        """progress, monthly_calls: as `Flow` has them."""
        self._journal = journal
        self._service = service
        self._progress = progress
        self._monthly_calls = monthly_calls

    def answer(self, work: Work, number: int, inputs: list[Path]) -> Answer:
        self._progress(work.job, number)
        if answer := work.answer(number):
            return answer
        if work.memo(number).task is not None:
            return self._resumed_task(work, number)
        return self._call(work, number, inputs)

    def _resumed_task(self, work: Work, number: int) -> Answer:
        """The answer of a call that the service has taken before a crash or a pause: asked for, not made again."""
        job, memo, service = work.job, work.memo(number), self._service()
        assert memo.task is not None
        try:
            answer = service.resume(memo.task, job.path.name, work.hashes or (), _CALL_SECONDS)
        except ServiceError as error:
            if error.kind == "task" and service.repeatable:
                self._journal.forget_answer(job, number)
                raise _expired(error, job, again=True) from error
            if error.kind != "lost" and self.decide(job, error).kind != "fail":
                self._journal.refused(job, number)
            raise
        self._write_down(job, number, answer, None, receipt=not service.repeatable)
        return answer

    def fetched(self, job: Job, number: int, fetch: Callable[[Service, str], Fetch]) -> Fetch:
        try:
            return fetch(self._service(), job.rule.steps[number].operation)
        except ServiceError as error:
            if error.kind != "task":
                raise
            again = self._service().repeatable
            if again:
                self._journal.forget_answer(job, number)
            raise _expired(error, job, again=again) from error

    def _call(self, work: Work, number: int, inputs: list[Path]) -> Answer:
        job = work.job
        step = job.rule.steps[number]
        service = self._service()
        memo = work.memo(number)
        if memo.sent is not None and not service.repeatable and job.rule.retries == 0:
            raise PaperchuteError(
                f"The answer of {step.operation} for {job.path.name} was lost, so it may have been done and charged.",
                "The rule does not allow repeating it (retries = 0): look at the service's own task list, then retry.",
            )
        if memo.sent is not None:
            self._journal.note_event(job, "repeated", f"step {number + 1}: the answer of an earlier call was lost")
        parameters = _resolved(step.operation, step.parameters)
        if step.operation == contract().upload.id:
            parameters["metadata"] = _metadata(job, parameters.get("metadata"))
        files, parameters = parts_for(step.operation, inputs, parameters)
        call = Call(
            operation=step.operation,
            files=tuple(files),
            parameters=parameters,
            idempotency_key=f"{job.token}-{number + 1}-{memo.round + 1}",
            keys={m.path: m.key for m in job.members} if number == 0 else {},
        )
        remote = not service.repeatable
        try:
            self._journal.intend(job, number, work.draft, receipt=remote, most_calls=self._monthly_calls())
        except QuotaSpentError as error:
            raise ServiceError(error.what, error.advice, kind="quota") from error

        def taken(task: str, hashes: tuple[str, ...]) -> None:
            self._journal.submitted(job, number, task, hashes if number == 0 else None, receipt=remote)

        try:
            answer = service.call(call, taken)
        except ServiceError as error:
            # What fails the job is taken back by `_fail`: until the failure is planned the intent must stand, or a
            # crash in between would repeat in silence a call that has been answered.
            if error.kind != "lost" and self.decide(job, error).kind != "fail":
                self._journal.refused(job, number, unsent=error.kind == "down")
            raise
        except BaseException:
            self._journal.refused(job, number, unsent=True)  # the input could not be read, or the like
            raise
        if number == 0:
            work.hashes = answer.hashes
        hashes = answer.hashes if number == 0 else None
        self._write_down(job, number, answer, hashes, receipt=remote)
        return answer

    def _write_down(
        self, job: Job, number: int, answer: Answer, hashes: tuple[str, ...] | None, *, receipt: bool
    ) -> None:
        """Hold on to an answer until the journal has it: it may have cost money, and a full disk passes."""
        text = json.dumps(vars(answer))
        while True:
            try:
                self._journal.answered(job, number, text, hashes, receipt=receipt)
                return
            except sqlite3.OperationalError as error:
                logger.bind(job=job.id).error("The journal cannot be written ({}); an answer waits for it.", error)
                time.sleep(_JOURNAL_PAUSE_SECONDS)

    def decide(self, job: Job, error: ServiceError) -> Decision:
        try:
            repeatable = self._service().repeatable
        except ServiceError:
            repeatable = True  # there is none just now: our own engine is being started again, and it costs nothing
        return after_service_error(error, job.attempts, job.rule.retries, repeatable=repeatable)


def _metadata(job: Job, given: Value | None) -> str:
    """What the rule says of the document, with what finds it again here: the source's name and the job."""
    ruled = json.loads(given) if isinstance(given, str) and given else given if isinstance(given, dict) else {}
    return json.dumps({**ruled, "source": job.path.name, "job": job.token}, ensure_ascii=False)


def _resolved(operation: str, parameters: Mapping[str, Value]) -> dict[str, Value]:
    """Parameters with their secrets in place of the references; only ever held for the length of a call."""
    known = contract().known(operation)
    resolved: dict[str, Value] = {}
    for name, value in parameters.items():
        parameter = known.parameter(name)
        if parameter is None or not parameter.is_secret:
            resolved[name] = value
        elif isinstance(value, list):
            resolved[name] = [resolve(reference) if reference else "" for reference in value]
        else:
            resolved[name] = resolve(str(value))
    return resolved


def _expired(error: ServiceError, job: Job, *, again: bool) -> ServiceError:
    """Our own engine does the work again for nothing; a remote service might charge for it."""
    if again:
        return ServiceError(error.what, error.advice, kind="transient", code=error.code, reason=error.reason)
    return ServiceError(
        f"The result for {job.path.name} is no longer on the service.",
        "Retry the job to have it done, and perhaps charged, again.",
        kind="permanent",
        code=error.code,
        reason=error.reason,
    )
