"""One call of one step: made once, written down before and after, and never made again once it was answered."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from loguru import logger

from paperchute.contract import Value, contract, told_of_pages
from paperchute.contract.recognition import EVERYWHERE, SCOPE, SWITCH, WHERE_NEEDED, Unread, is_automatic
from paperchute.errors import PaperchuteError
from paperchute.events import Observer, Pages, StepStarted, Trouble
from paperchute.jobs.circuit import Decision, after_service_error
from paperchute.jobs.document_links import links_of
from paperchute.jobs.fallback import NotAskedError, blamed, in_place, in_turn, may_go_on
from paperchute.jobs.journal import Journal, QuotaSpentError
from paperchute.jobs.model import CallMemo, DeliveryPlan, Job, called
from paperchute.jobs.shares import Lanes
from paperchute.jobs.unlocking import unlocked
from paperchute.jobs.work import Request, Service, Settings, Work
from paperchute.language import _
from paperchute.redaction import in_use, masked
from paperchute.rules.document_fields import step_of
from paperchute.rules.output import from_name
from paperchute.rules.secrets import SecretError, resolve
from paperchute.rules.service_names import named_by, told
from paperchute.rules.signatures import broken_signature, changes_pdfs
from paperchute.rules.tables import Step
from paperchute.service.model import Answer, Call, OnPages, ServiceError
from paperchute.service.upload import parts_for

_JOURNAL_PAUSE_SECONDS = 2.0
_TASK_SECONDS = 24 * 3600.0
"""Results are kept for so long (docs/contract.md), so a task that cannot be asked about for longer is given up."""
Fetch = TypeVar("Fetch")


class Caller:
    """Makes the calls of jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(
        self, journal: Journal, service: Callable[[str], Service], settings: Settings, observer: Observer
    ) -> None:
        self._journal = journal
        self._service = service
        self._settings = settings
        self._observer = observer
        # by job and idempotency key: the service, and the task, where there is one
        self._at_work: dict[tuple[int, str], tuple[str, str]] = {}
        self._abandoned: set[int] = set()
        self._lanes = Lanes(settings.lanes, settings.rules)

    def answer(self, work: Work, request: Request, draft: DeliveryPlan | None = None) -> Answer:
        """The answer of a call: recorded, waited for, or asked for now.

        draft: where its result is going to be built, to be noted with the intent. Raises ServiceError,
        InputChangedError, PaperchuteError and OSError.
        """
        job, number, part = work.job, request.number, request.part
        names = in_turn(step_of(job.rule, number), work.memo(number, part), self._settings.resolved)
        self._step_started(job, number, names[0])
        if answer := work.answer(number, part):
            return answer
        with self._lanes.held(job.rule):
            for name in names[:-1]:
                try:
                    return self._answer_of(work, request, draft, name)
                except ServiceError as error:
                    work.renew(self._journal.calls.memos(job))
                    if not may_go_on(error, work.memo(number, part)):
                        raise
                    self._settings.away(name, error)
                    if not (part and isinstance(error, NotAskedError)):
                        self._note_once(job, f"{called(number, part)}: {error.what}")
                self._step_started(job, number, names[-1])
            return self._answer_of(work, request, draft, names[-1])

    def _answer_of(self, work: Work, request: Request, draft: DeliveryPlan | None, name: str) -> Answer:
        """The answer of one service. Raises as `answer`."""
        with blamed(name):
            if why := self._settings.not_asked(name):
                raise why
            try:
                if work.memo(request.number, request.part).task is not None:
                    return self._resumed_task(work, request, name)
                return self._call(work, request, draft, name)
            except ServiceError as error:
                again = unlocked(work.job, request, error, self._settings.opener, work.passwords, self._settings.typed)
            self._journal.calls.refused(work.job, request.number, request.part)
            work.renew(self._journal.calls.memos(work.job))
            return self._call(work, again, draft, name)

    def _resumed_task(self, work: Work, request: Request, name: str) -> Answer:
        """The answer of a call that the service has taken before a crash or a pause: asked for, not made again."""
        number, part = request.number, request.part
        job, memo, service = work.job, work.memo(number, part), self._service(name)
        assert memo.task is not None
        key = _key(job, number, part, memo.round)
        broken = () if service.repeatable else self._broken(job, request)
        try:
            with self._under_way(job, number, part, key, (name, memo.task)):
                answer = service.resume(memo.task, job.path.name, (), job.rule.timeout)
        except ServiceError as error:
            if error.kind == "task" and service.repeatable:
                self._journal.calls.forget_answer(job, number, part)
                raise _expired(error, job, again=True) from error
            if error.answered and self.decide(job, error, name).kind != "fail":
                self._journal.calls.refused(job, number, part)
            if error.of_task and memo.sent is not None and time.time() - memo.sent > _TASK_SECONDS:
                raise ServiceError(error.what, error.advice, kind="permanent", code=error.code) from error
            raise
        answer = replace(answer, warnings=(*answer.warnings, *broken))
        self._write_down(job, request, answer, None, name, receipt=not service.repeatable)
        return answer

    def _step_started(self, job: Job, number: int, name: str) -> None:
        step, steps = step_of(job.rule, number), len(job.rule.steps)
        who = told(name) if named_by(step) else ""
        now = max(1, number + 1)
        self._observer.publish(StepStarted(job.id, job.path.name, job.rule.name, step.operation, now, steps, who))

    def _pages_done(self, job: Job, done: int, total: int) -> None:
        self._observer.publish(Pages(job.id, done, total))

    @contextlib.contextmanager
    def _under_way(self, job: Job, number: int, part: str, key: str, where: tuple[str, str]) -> Iterator[None]:
        """Know the call for the length of the block, so that it can be abandoned. where: the service, and the task."""
        self._at_work[job.id, key] = where
        try:
            yield
        except ServiceError:
            if job.id in self._abandoned:  # should its input come back, it is another call
                self._journal.calls.refused(job, number, part)
            raise
        finally:
            self._at_work.pop((job.id, key), None)
            if not any(number == job.id for number, _key in self._at_work.copy()):
                self._abandoned.discard(job.id)

    def abandon(self, job: Job) -> None:
        """Have the service end what is under way for a job whose result nobody wants any more, where it can."""
        for (number, key), (name, task) in self._at_work.copy().items():
            if number == job.id:
                self._abandoned.add(job.id)
                with contextlib.suppress(PaperchuteError):
                    self._service(name).abandon(key, task)

    def is_remote(self, step: Step) -> bool:
        """Tell if a step may go to another's service, which does not honour idempotency keys. Raises ServiceError."""
        names = {self._settings.resolved(name) for name in (step.service, step.or_ or step.service)}
        return not all(self._service(name).repeatable for name in names)

    def fetched(self, job: Job, number: int, part: str, fetch: Callable[[Service, str], Fetch]) -> Fetch:
        """What `fetch` gets of the call's result from its service, told the operation. Raises ServiceError, OSError."""
        step = step_of(job.rule, number)
        name = self._journal.calls.service_of(job, number, part) or self._settings.resolved(step.service)
        with blamed(name):
            try:
                return fetch(self._service(name), step.operation)
            except ServiceError as error:
                if error.kind != "task":
                    raise
                again = self._service(name).repeatable
                if again:
                    self._journal.calls.forget_answer(job, number, part)
                raise _expired(error, job, again=again) from error

    def _call(self, work: Work, request: Request, draft: DeliveryPlan | None, name: str) -> Answer:
        job, number, part = work.job, request.number, request.part
        operation = step_of(job.rule, number).operation
        service = self._service(name)
        memo = work.memo(number, part)
        if memo.sent is not None and not service.repeatable and job.rule.retries == 0:
            raise PaperchuteError(
                _(
                    "The answer to {operation} for {name} was lost, so it may have been done and charged.",
                    operation=operation,
                    name=job.path.name,
                ),
                _(
                    "The rule does not allow repeating the call (retries = 0). Look at the service's own list of tasks,"
                    " then retry the job."
                ),
            )
        if memo.sent is not None:
            self._journal.history.note(
                job, "repeated", _("{call}: the answer to an earlier call was lost", call=called(number, part))
            )
        call = _made(job, request, memo, partial(self._pages_done, job), draft)
        remote = not service.repeatable
        broken: tuple[str, ...] = ()
        if remote:  # our own engine looks into the file itself
            call = self._with_recognition(job, call, request)
            broken = self._broken(job, request)
        paths = [path for _, path in call.files]
        try:
            most = self._settings.monthly_calls(name)
            self._journal.calls.intend(job, number, part, draft, service=name, receipt=remote, most_calls=most)
        except QuotaSpentError as error:
            raise ServiceError(error.what, error.advice, kind="quota", answered=False) from error

        was_taken: list[str] = []

        def taken(task: str, hashes: tuple[str, ...]) -> None:
            was_taken.append(task)
            work.learn(paths, hashes)
            self._at_work[job.id, call.idempotency_key] = name, task
            self._journal.calls.submitted(job, number, part, task, work.news(), receipt=remote)

        try:
            with self._under_way(job, number, part, call.idempotency_key, (name, "")):
                answer = service.call(call, taken)
        except ServiceError as error:
            # What fails the job is taken back with the plan to fail it: until then the intent must stand, or a crash
            # in between would repeat in silence a call that has been answered.
            if error.answered and self.decide(job, error, name).kind != "fail":
                self._journal.calls.refused(job, number, part)
            elif not error.answered and error.kind != "lost" and not error.of_task:
                unsent, untaken = error.kind == "down", error.kind == "limited"
                self._journal.calls.withdrawn(job, number, part, unsent=unsent, untaken=untaken, keep=memo.sent)
            raise
        except BaseException:  # the input could not be read, or the like
            if not was_taken:
                self._journal.calls.withdrawn(job, number, part, unsent=True, keep=memo.sent)
            raise
        work.learn(paths, answer.hashes)
        answer = replace(answer, warnings=(*answer.warnings, *broken))
        self._write_down(job, request, answer, work.news(), name, receipt=remote)
        return answer

    def _with_recognition(self, job: Job, call: Call, request: Request) -> Call:
        """The call asking for recognition where its file needs it and the rule does not say."""
        if not is_automatic(contract().known(call.operation), call.parameters):
            return call
        password = str(call.parameters.get("password", ""))
        found = {path: self._settings.unread(path, password) for path in request.inputs}
        scopes = {unread.scope for unread in found.values()} - {""}
        if not scopes:
            return call
        for path, unread in found.items():
            self._note_once(job, _asked_for(path.name, unread) if unread.scope else "")
        scope = EVERYWHERE if EVERYWHERE in scopes else WHERE_NEEDED
        return replace(call, parameters={SCOPE: scope, **call.parameters, SWITCH: 1})

    def _broken(self, job: Job, request: Request) -> tuple[str, ...]:
        """Say of which of the job's files a call is about to break the signatures, in its history and as warnings."""
        operation = step_of(job.rule, request.number).operation
        if not changes_pdfs(operation):
            return ()
        try:
            passwords = tuple(_secrets(operation, _parameters(job, request)))
        except SecretError:  # gone since a task began: what it has made is wanted all the same
            passwords = ()
        own = {member.path for member in job.members}.intersection(request.inputs)
        signed = [path for path in request.inputs if path in own and self._settings.signed(path, passwords)]
        broken = tuple(broken_signature(path.name) for path in signed)
        for sentence in broken:
            self._note_once(job, sentence)
        return broken

    def _note_once(self, job: Job, text: str) -> None:
        """Add a line to a job's history that earlier tries of the call may have added."""
        if text and not any(entry.text == text for entry in self._journal.history.events(job.id)):
            self._journal.history.note(job, "noted", text)

    def _write_down(
        self, job: Job, request: Request, answer: Answer, hashes: tuple[str, ...] | None, name: str, *, receipt: bool
    ) -> None:
        """Hold on to an answer until the journal has it: it may have cost money, and a full disk passes."""
        text, waits = _kept(answer), None
        instead = in_place(step_of(job.rule, request.number), request.number, name, self._settings.resolved)
        while True:
            try:
                self._journal.calls.answered(
                    job,
                    request.number,
                    request.part,
                    text,
                    hashes,
                    # those of reading are about another result, and of a call that asks they come again
                    warnings=() if request.number < 0 or answer.questions else answer.warnings,
                    of_step=instead,
                    pages=answer.pages,
                    notes=() if answer.questions else answer.notes,
                    receipt=receipt,
                )
            except sqlite3.OperationalError as error:
                if waits is None:
                    waits = Trouble("state", str(job.path), unwritten(job.path.name, error))
                    logger.bind(job=job.id).error("{}", waits.message)
                    self._observer.publish(waits)
                time.sleep(_JOURNAL_PAUSE_SECONDS)
            else:
                if waits is not None:
                    self._observer.publish(replace(waits, over=True))
                return

    def decide(self, job: Job, error: ServiceError, name: str = "") -> Decision:
        """Return what a failure means for the job. name: of the service, where the failure does not say it."""
        try:
            repeatable = self._service(error.service or name or self._settings.resolved("")).repeatable
        except ServiceError:
            repeatable = True  # there is none just now: our own engine is being started again, and it costs nothing
        return after_service_error(error, job.attempts, job.rule.retries, repeatable=repeatable)


def unwritten(name: str, error: sqlite3.Error) -> str:
    """Of a job, by the name of its file, that the journal's disk is full or away."""
    return _(
        "The journal cannot be written to ({reason}); {name} is waiting for the disk.",
        reason=str(error) or type(error).__name__,
        name=name,
    )


# ---------- what goes out ----------


def _made(job: Job, request: Request, memo: CallMemo, on_pages: OnPages, draft: DeliveryPlan | None) -> Call:
    """The call as the client takes it. Raises PaperchuteError, and OSError for files that cannot be read."""
    operation = step_of(job.rule, request.number).operation
    parameters = {**links_of(job, operation, request.inputs, draft), **_parameters(job, request)}
    for secret in _secrets(operation, parameters):  # whatever a service says of them; some were written out in a list
        in_use(secret)
    if operation == contract().upload.id:
        parameters["metadata"] = _metadata(job, parameters.get("metadata"))
    files, parameters = parts_for(operation, request.inputs, parameters, job.rule.folder)
    return Call(
        operation=operation,
        files=tuple(files),
        parameters=parameters,
        idempotency_key=_key(job, request.number, request.part, memo.round),
        keys={member.path: member.key for member in job.members},
        folder=job.rule.folder,
        timeout=job.rule.timeout,
        hosts=job.rule.hosts,
        protection=job.rule.protection,
        on_pages=on_pages,
    )


def _key(job: Job, number: int, part: str, round_: int) -> str:
    """Name a call for the service."""
    step = f"{number + 1}.{part}" if part else f"{number + 1}"
    return f"{job.token}-{step}-{round_ + 1}"


def _metadata(job: Job, given: Value | None) -> str:
    """Give what the rule says of the document, and what finds it again here where the rule says nothing of that."""
    ruled = json.loads(given) if isinstance(given, str) and given else given if isinstance(given, dict) else {}
    return json.dumps({"source": job.path.name, "job": job.token, **ruled}, ensure_ascii=False)


def _parameters(job: Job, request: Request) -> dict[str, Value]:
    """Give a call's parameters as they go out. Raises SecretError."""
    kept = {name: value for name, value in request.parameters.items() if name not in request.given}
    return {**_resolved(job, step_of(job.rule, request.number).operation, kept), **request.given}


def _resolved(job: Job, operation: str, parameters: Mapping[str, Value]) -> dict[str, Value]:
    """Parameters with their secrets in place of the references; only ever held for the length of a call."""
    known = contract().known(operation)
    resolved: dict[str, Value] = {}
    for name, value in parameters.items():
        parameter = known.parameter(name)
        if parameter is None or not parameter.is_secret:
            resolved[name] = value
        elif isinstance(value, list):
            resolved[name] = [plain(job, reference) for reference in value]
        else:
            resolved[name] = plain(job, value)
    return resolved


def plain(job: Job, reference: object) -> str:
    """A secret in place of its reference; empty for none. Raises SecretError."""
    return resolve(str(reference), from_name(job.rule, job.relative)) if reference else ""


def _secrets(operation: str, parameters: Mapping[str, Value]) -> Iterator[str]:
    """Give the passwords among a call's parameters."""
    for name, value in parameters.items():
        parameter = contract().known(operation).parameter(name)
        if parameter is not None and parameter.is_secret:
            yield from (str(secret) for secret in (value if isinstance(value, list) else [value]) if secret)


# ---------- what comes back ----------


def _kept(answer: Answer) -> str:
    """An answer for the journal.

    What it takes to fetch the result goes on working: should a service have put a password into an address, the address
    is asked for anew.
    """
    told = {"file_name": masked(answer.file_name)}
    working = {name: masked(getattr(answer, name), sure=True) for name in ("task_id", "download_url")}
    return json.dumps({**vars(answer), **told, **working})


def _expired(error: ServiceError, job: Job, *, again: bool) -> ServiceError:
    """Our own engine does the work again for nothing; a remote service might charge for it."""
    if again:
        return ServiceError(error.what, error.advice, kind="transient", code=error.code, reason=error.reason)
    return ServiceError(
        _("The result for {name} is no longer on the service.", name=job.path.name),
        _("Retry the job to have it done, and perhaps charged, again."),
        kind="permanent",
        code=error.code,
        reason=error.reason,
    )


def _asked_for(name: str, unread: Unread) -> str:
    """Return what a remote service was asked to recognise of a file, as a sentence."""
    if not unread.pages:
        return _(
            "Text recognition was requested: pictures on {pages} of {name} look like text.",
            pages=told_of_pages(unread.pictures),
            name=name,
        )
    pages = told_of_pages(sorted({*unread.pages, *unread.pictures}))
    return _(
        "Text recognition was requested: {pages} of {name} cannot be read completely without it.",
        pages=pages,
        name=name,
    )
