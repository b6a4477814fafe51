"""One job's way: steps, delivery, filing. Every stage can be entered again after a crash and goes on from there."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from loguru import logger

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.files import placing
from paperchute.files.identity import hash_of, key_of
from paperchute.files.names import OWN_TEMPORARY
from paperchute.files.writer import writer_open
from paperchute.jobs import delivery, filing
from paperchute.jobs.error_text import error_text
from paperchute.jobs.journal import Journal, QuotaSpentError
from paperchute.jobs.records import Changed, DeliveryPlan, FilingPlan, Job, Member, Output, StepMemo
from paperchute.jobs.retry import Decision, after_service_error, hopeless
from paperchute.rules.output import target
from paperchute.rules.secrets import resolve
from paperchute.service.parts import parts_for
from paperchute.service.records import Answer, Call, Fetched, InputChangedError, ServiceError

Fetch = TypeVar("Fetch")

_EXPIRED = "05004"  # contract.toml: the result is no longer there
_CALL_SECONDS = 600.0
_JOURNAL_PAUSE_SECONDS = 2.0
_NEVER_CLOSED_SECONDS = 60.0  # a file kept open for so long without a change is not being written


class Service(Protocol):
    """What a job needs of the client. `repeatable`: the service honours idempotency keys."""

    @property
    def repeatable(self) -> bool: ...

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None]) -> Answer: ...

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer: ...

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched: ...

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]: ...


@dataclass(frozen=True)
class Verdict:
    """How a run of a job ended.

    done, failed, cancelled: for good. waiting: it comes back by itself. service: the whole service must wait, for
    `error`. storage: a disk or share refuses. changed: what watching must look at again.
    """

    kind: Literal["done", "failed", "cancelled", "waiting", "service", "storage"]
    job: Job
    error: ServiceError | None = None
    changed: tuple[Changed, ...] = ()


@dataclass
class Work:
    """What is known of a job's steps while it runs, so that the journal need not be asked again and again."""

    job: Job
    memos: Mapping[int, StepMemo] = field(default_factory=dict)
    hashes: tuple[str, ...] | None = None
    draft: DeliveryPlan | None = None

    def memo(self, number: int) -> StepMemo:
        """What the journal knew of step `number` when the run began."""
        return self.memos.get(number, StepMemo())

    def answer(self, number: int) -> Answer | None:
        """The recorded answer of a step. However old it is: whether its result is still there, the service knows."""
        text = self.memo(number).answer
        if text is None:
            return None
        raw = json.loads(text)
        return Answer(**{**raw, "hashes": tuple(raw["hashes"])})


class Flow:
    """Runs jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(
        self,
        journal: Journal,
        service: Callable[[], Service],
        work: Path,
        progress: Callable[[Job, int], None] = lambda job, step: None,
        monthly_calls: Callable[[], int | None] = lambda: None,
        pages: Callable[[Job, int, int], None] = lambda job, done, total: None,
    ) -> None:
        """work: folder for received files, on any file system. progress: told when a step of a job begins. pages: told,
        on any thread, how many pages of the step are done and how many there are, where the service says so.

        monthly_calls: how many times a remote service may be asked in a month, None = any number.
        """
        self._journal = journal
        self._service = service
        self._work = work
        self._progress = progress
        self._monthly_calls = monthly_calls
        self._pages = pages

    def run(self, job: Job) -> Verdict:
        """Take a job as far as it goes. Never raises for anything that a file, service or disk can do."""
        try:
            return self._run(job)
        except ServiceError as error:
            return self._service_failed(job, error)
        except OSError as error:
            return self._storage_failed(job, error)
        except PaperchuteError as error:
            self._journal.plan_failure(job, error.what, None, error_text(job, error, self._journal.events(job.id)))
            return self._again(job)

    # ---------- the stages ----------

    def _run(self, job: Job) -> Verdict:
        in_reach(job)
        if job.stage == "failing":
            return self._fail(job)
        if job.stage == "delivering":
            plan = self._journal.delivery(job)
            assert plan is not None
            if not delivery.is_whole(plan):
                self._journal.deliver_again(job)
                return self._again(job)
            return self._publish(job, plan)
        if job.stage == "steps":
            gone = [m.path for m in job.members if key_of(m.path) is None]
            if gone:
                note = f"{gone[0].name} was taken away before its work was done."
                return self._cancel(job, note, (Changed(job.path),))
            if job.rule.original == "keep" and self._done_before(job):
                return self._cancel(job, "Only its times have changed since it was done.", ())
            work = self._resumed(job) if job.started is not None else Work(job)
            try:
                plan = self._prepared(work)
            except InputChangedError as error:
                return self._cancel(job, error.what, self._changes(job, job.hashes) or (Changed(job.path),))
            if changes := self._changes(job, work.hashes):
                return self._cancel(job, "It changed while it was being worked on.", changes)
            self._journal.plan_delivery(job, plan)
            return self._publish(job, plan)
        return self._file(job, self._journal.filing(job))

    def _prepared(self, work: Work) -> DeliveryPlan:
        """Run what is left of the steps; the last one's result ends up under its hidden name in the target folder."""
        job, last = work.job, len(work.job.rule.steps) - 1
        inputs = [m.path for m in job.members]
        for number in range(last):
            folder = self._folder(job) / str(number + 1)
            outputs = self._received(work, number, folder) or self._step(work, number, inputs, folder)
            inputs = [folder / o.name for o in outputs]
        draft = self._drafted(work)
        answer = self._answer(work, last, inputs)
        in_reach(job)  # the call took its time, and no folder must be made where a share has gone
        return self._fetched(job, last, lambda service, step: delivery.prepare(draft, service, answer, step))

    def _drafted(self, work: Work) -> DeliveryPlan:
        """Where the result is going to be built. Noted before anything is there, so that it is found after a crash."""
        job = work.job
        if work.draft is None:
            counter = self._journal.count_up(job.rule.name) if "{counter" in job.rule.output else 0
            work.draft = delivery.draft(job, target(job.rule, job.relative, now=time.time(), counter=counter))
            if work.answer(len(job.rule.steps) - 1) is not None:
                self._journal.draft_delivery(job, work.draft)
        return work.draft

    def _resumed(self, job: Job) -> Work:
        return Work(job, self._journal.memos(job), job.hashes, self._journal.delivery(job))

    def _step(self, work: Work, number: int, inputs: list[Path], folder: Path) -> tuple[Output, ...]:
        answer = self._answer(work, number, inputs)
        placing.remove(folder)
        folder.mkdir(parents=True)
        with placing.naming(folder):
            files = self._fetched(work.job, number, lambda service, step: service.download(answer, step, folder))
        outputs = tuple(
            Output(path.relative_to(folder).as_posix(), path.stat().st_size, hash_of(path)) for path in files
        )
        self._journal.received(work.job, number, outputs)
        return outputs

    def _answer(self, work: Work, number: int, inputs: list[Path]) -> Answer:
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
            if error.kind != "lost" and self._decide(job, error).kind != "fail":
                self._journal.refused(job, number)
            raise
        self._write_down(job, number, answer, None, receipt=not service.repeatable)
        return answer

    def _fetched(self, job: Job, number: int, fetch: Callable[[Service, str], Fetch]) -> Fetch:
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
            on_pages=lambda done, total: self._pages(job, done, total),
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
            if error.kind != "lost" and self._decide(job, error).kind != "fail":
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

    def _received(self, work: Work, number: int, folder: Path) -> tuple[Output, ...] | None:
        """The step's outputs when all of them lie in the work folder as they were received."""
        outputs = work.memo(number).outputs
        if outputs is None:
            return None
        for output in outputs:
            path = folder / output.name
            if not path.is_file() or path.stat().st_size != output.size or hash_of(path) != output.sha256:
                return None
        return outputs

    def _publish(self, job: Job, plan: DeliveryPlan) -> Verdict:
        outputs, note = delivery.publish(self._journal, job, plan)
        planned = filing.plan_for(job)
        self._journal.delivered(job, outputs, note, planned)
        return self._file(replace(job, stage="filing", outputs=tuple(outputs), note=note), planned)

    def _file(self, job: Job, planned: FilingPlan | None) -> Verdict:
        fate = filing.file_original(self._journal, job, planned)
        filing.forget_error_text(job)
        if len(job.rule.steps) > 1:
            placing.remove(self._folder(job))
        if job.rule.on_conflict == "skip":
            self._discard(job)
        self._journal.finish(job, "done", kept=fate == "kept", unfiled=fate == "away")
        logger.bind(job=job.id).info("done: {} -> {}", job.path, ", ".join(str(o) for o in job.outputs) or job.note)
        return Verdict("done", replace(job, state="done"))

    def _fail(self, job: Job) -> Verdict:
        self._clear(job)
        kept = filing.file_failure(self._journal, job)
        self._close_calls(job)
        self._journal.finish(job, "failed", kept=kept)
        job = self._fresh(job)
        logger.bind(job=job.id).warning("failed: {}: {}", job.path, job.error)
        return Verdict("failed", job)

    def _close_calls(self, job: Job) -> None:
        """What a failed job has asked for and cannot get any more is asked for anew when a person tries it again."""
        for number, memo in self._journal.memos(job).items():
            if memo.answer is None and memo.sent is not None:
                self._journal.refused(job, number)
            elif memo.answer is not None and memo.outputs is None and job.error_code == _EXPIRED:
                self._journal.forget_answer(job, number)

    # ---------- the inputs ----------

    def _changes(self, job: Job, hashes: tuple[str, ...] | None) -> tuple[Changed, ...]:
        """The input, when it is no longer what was sent, or somebody is writing to it."""
        for index, member in enumerate(job.members):
            sha256 = hashes[index] if hashes and index < len(hashes) else None
            if filing.is_same(member.path, member.key, sha256) and not _being_written(member):
                continue
            now = key_of(member.path)
            gap = max(0.0, (now.mtime - member.key.mtime) / 1e9) if now else 0.0
            return (Changed(job.path, gap),)
        return ()

    def _done_before(self, job: Job) -> bool:
        """Under `original = "keep"`: whether an earlier job had the very same bytes (touch, cp -p, sync tools)."""
        earlier = self._journal.kept_before(job)
        if earlier is None:
            return False
        _, hashes = earlier
        if len(hashes) != len(job.members) or tuple(hash_of(m.path) for m in job.members) != hashes:
            return False
        self._journal.note_hashes(job, hashes)
        return True

    # ---------- when something fails ----------

    def _cancel(self, job: Job, note: str, changed: tuple[Changed, ...]) -> Verdict:
        in_reach(job)
        self._clear(job)
        self._journal.cancel(job, note, kept=not changed)
        logger.bind(job=job.id).info("cancelled: {}: {}", job.path, note)
        return Verdict("cancelled", job, changed=changed)

    def _service_failed(self, job: Job, error: ServiceError) -> Verdict:
        decision = self._decide(job, error)
        match decision.kind:
            case "service":
                self._journal.requeue(job.id)
                return Verdict("service", job, error=error)
            case "retry":
                self._journal.wait(job.id, time.time() + decision.delay, str(error), error.code, attempt=True)
                return Verdict("waiting", job, error=error)
            case "fail":
                text = error_text(job, error, self._journal.events(job.id))
                self._journal.plan_failure(job, error.what, error.code or None, text)
                return self._again(job)

    def _decide(self, job: Job, error: ServiceError) -> Decision:
        try:
            repeatable = self._service().repeatable
        except ServiceError:
            repeatable = True  # there is none just now: our own engine is being started again, and it costs nothing
        return after_service_error(error, job.attempts, job.rule.retries, repeatable=repeatable)

    def _storage_failed(self, job: Job, error: OSError) -> Verdict:
        where = Path(os.fsdecode(error.filename2 or error.filename or job.path))
        if OWN_TEMPORARY in where.name:
            where = where.parent
        what = f"{job.path.name}: {where} cannot be used ({error.strerror or error})."
        logger.bind(job=job.id).warning("{}", what)
        if hopeless(error) and job.stage != "failing":
            problem = PaperchuteError(what, "Check the name and the folder.")
            self._journal.plan_failure(job, what, None, error_text(job, problem, self._journal.events(job.id)))
            return self._again(job)
        self._journal.wait(job.id, time.time(), what, "storage", attempt=False)
        return Verdict("storage", self._fresh(job))

    def _clear(self, job: Job) -> None:
        """Take back what was received and will not be delivered."""
        placing.remove(self._folder(job))
        self._discard(job)

    def _discard(self, job: Job) -> None:
        if plan := self._journal.delivery(job):
            delivery.discard(plan)

    def _again(self, job: Job) -> Verdict:
        return self.run(self._fresh(job))

    def _fresh(self, job: Job) -> Job:
        fresh = self._journal.job(job.id)
        assert fresh is not None
        return fresh

    def _folder(self, job: Job) -> Path:
        return self._work / job.token


def in_reach(job: Job) -> None:
    """Raise OSError while the hot folder is away: what is not to be found then has not been taken away."""
    job.rule.folder.stat()


def _being_written(member: Member) -> bool:
    quiet = time.time() - member.key.mtime / 1e9
    return quiet < _NEVER_CLOSED_SECONDS and writer_open(member.path) is True


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
