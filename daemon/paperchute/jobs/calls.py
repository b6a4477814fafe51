"""One call of one step: made once, written down before and after, and never made again once it was answered."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from loguru import logger

from paperchute.contract import Value, contract, told_of_pages
from paperchute.contract.recognition import EVERYWHERE, SCOPE, SWITCH, WHERE_NEEDED, Unread, is_automatic
from paperchute.errors import PaperchuteError
from paperchute.events import Observer, Pages, StepStarted, Trouble
from paperchute.jobs.circuit import Decision, after_service_error
from paperchute.jobs.journal import Journal, QuotaSpentError
from paperchute.jobs.model import CallMemo, DeliveryPlan, Job, called
from paperchute.jobs.work import Opener, Request, Service, Settings, Work
from paperchute.language import _, ngettext
from paperchute.redaction import in_use, masked
from paperchute.rules.output import from_name
from paperchute.rules.secrets import passwords_before, passwords_for, resolve
from paperchute.service.model import Answer, Call, OnPages, ServiceError
from paperchute.service.upload import parts_for

_JOURNAL_PAUSE_SECONDS = 2.0
Fetch = TypeVar("Fetch")
_PASSWORDS_OF_TWO = ("targetPassword", "insertPassword")


class Caller:
    """Makes the calls of jobs. Stateless but for its tools, so any number of workers may share one."""

    def __init__(
        self, journal: Journal, service: Callable[[], Service], settings: Settings, observer: Observer
    ) -> None:
        self._journal = journal
        self._service = service
        self._settings = settings
        self._observer = observer
        self._lanes = threading.BoundedSemaphore(settings.lanes)

    def answer(self, work: Work, request: Request, draft: DeliveryPlan | None = None) -> Answer:
        """The answer of a call: recorded, waited for, or asked for now.

        draft: where its result is going to be built, to be noted with the intent. Raises ServiceError,
        InputChangedError, PaperchuteError and OSError.
        """
        self._step_started(work.job, request.number)
        if answer := work.answer(request.number, request.part):
            return answer
        with self._lanes:
            try:
                if work.memo(request.number, request.part).task is not None:
                    return self._resumed_task(work, request)
                return self._call(work, request, draft)
            except ServiceError as error:
                again = unlocked(work.job, request, error, self._settings.opener, work.passwords, self._settings.typed)
            self._journal.calls.refused(work.job, request.number, request.part)
            work.renew(self._journal.calls.memos(work.job))
            return self._call(work, again, draft)

    def _resumed_task(self, work: Work, request: Request) -> Answer:
        """The answer of a call that the service has taken before a crash or a pause: asked for, not made again."""
        number, part = request.number, request.part
        job, memo, service = work.job, work.memo(number, part), self._service()
        assert memo.task is not None
        try:
            answer = service.resume(memo.task, job.path.name, (), job.rule.timeout)
        except ServiceError as error:
            if error.kind == "task" and service.repeatable:
                self._journal.calls.forget_answer(job, number, part)
                raise _expired(error, job, again=True) from error
            if error.kind != "lost" and self.decide(job, error).kind != "fail":
                self._journal.calls.refused(job, number, part)
            raise
        self._write_down(job, request, answer, None, receipt=not service.repeatable)
        return answer

    def _step_started(self, job: Job, number: int) -> None:
        steps = job.rule.steps
        operation = steps[number].operation
        self._observer.publish(StepStarted(job.id, job.path.name, job.rule.name, operation, number + 1, len(steps)))

    def _pages_done(self, job: Job, done: int, total: int) -> None:
        self._observer.publish(Pages(job.id, done, total))

    def is_remote(self) -> bool:
        """Whether the service is another's, which does not honour idempotency keys. Raises ServiceError."""
        return not self._service().repeatable

    def fetched(self, job: Job, number: int, part: str, fetch: Callable[[Service, str], Fetch]) -> Fetch:
        """What `fetch` gets of the call's result from the service, told the operation. Raises ServiceError, OSError."""
        try:
            return fetch(self._service(), job.rule.steps[number].operation)
        except ServiceError as error:
            if error.kind != "task":
                raise
            again = self._service().repeatable
            if again:
                self._journal.calls.forget_answer(job, number, part)
            raise _expired(error, job, again=again) from error

    def _call(self, work: Work, request: Request, draft: DeliveryPlan | None) -> Answer:
        job, number, part = work.job, request.number, request.part
        operation = job.rule.steps[number].operation
        service = self._service()
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
        call = _made(job, request, memo, partial(self._pages_done, job))
        remote = not service.repeatable
        if remote:  # our own engine looks into the file itself
            call = self._with_recognition(job, call, request)
        paths = [path for _, path in call.files]
        try:
            self._journal.calls.intend(
                job, number, part, draft, receipt=remote, most_calls=self._settings.monthly_calls()
            )
        except QuotaSpentError as error:
            raise ServiceError(error.what, error.advice, kind="quota") from error

        def taken(task: str, hashes: tuple[str, ...]) -> None:
            work.learn(paths, hashes)
            self._journal.calls.submitted(job, number, part, task, work.news(), receipt=remote)

        try:
            answer = service.call(call, taken)
        except ServiceError as error:
            # What fails the job is taken back by `_fail`: until the failure is planned the intent must stand, or a
            # crash in between would repeat in silence a call that has been answered.
            if error.kind != "lost" and self.decide(job, error).kind != "fail":
                self._taken_back(job, request, memo, error.turned_away, unsent=error.kind == "down")
            raise
        except BaseException:
            self._taken_back(job, request, memo, True, unsent=True)  # the input could not be read, or the like
            raise
        work.learn(paths, answer.hashes)
        self._write_down(job, request, answer, work.news(), receipt=remote)
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

    def _note_once(self, job: Job, text: str) -> None:
        """Add a line to a job's history that earlier tries of the call may have added."""
        if text and not any(entry.text == text for entry in self._journal.history.events(job.id)):
            self._journal.history.note(job, "noted", text)

    def _taken_back(self, job: Job, request: Request, memo: CallMemo, turned_away: bool, *, unsent: bool) -> None:
        """A call's intent, unless an earlier call still has no answer and this one tells nothing of it.

        That one may have been done, and only the same key finds it again.
        """
        if memo.sent is not None and turned_away:
            self._journal.calls.not_repeated(job, unsent=unsent)
        else:
            self._journal.calls.refused(job, request.number, request.part, unsent=unsent)

    def _write_down(
        self, job: Job, request: Request, answer: Answer, hashes: tuple[str, ...] | None, *, receipt: bool
    ) -> None:
        """Hold on to an answer until the journal has it: it may have cost money, and a full disk passes."""
        text, waits = _kept(answer), None
        while True:
            try:
                self._journal.calls.answered(
                    job,
                    request.number,
                    request.part,
                    text,
                    hashes,
                    warnings=answer.warnings,
                    pages=answer.pages,
                    notes=answer.notes,
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

    def decide(self, job: Job, error: ServiceError) -> Decision:
        """What a failure means for the job."""
        try:
            repeatable = self._service().repeatable
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


def _made(job: Job, request: Request, memo: CallMemo, on_pages: OnPages) -> Call:
    """The call as the client takes it. Raises PaperchuteError, and OSError for files that cannot be read."""
    operation = job.rule.steps[request.number].operation
    kept = {name: value for name, value in request.parameters.items() if name not in request.given}
    parameters = {**_resolved(job, operation, kept), **request.given}
    _note_secrets(operation, parameters)
    if operation == contract().upload.id:
        parameters["metadata"] = _metadata(job, parameters.get("metadata"))
    files, parameters = parts_for(operation, request.inputs, parameters, job.rule.folder)
    step = f"{request.number + 1}.{request.part}" if request.part else f"{request.number + 1}"
    return Call(
        operation=operation,
        files=tuple(files),
        parameters=parameters,
        idempotency_key=f"{job.token}-{step}-{memo.round + 1}",
        keys={member.path: member.key for member in job.members},
        folder=job.rule.folder,
        timeout=job.rule.timeout,
        hosts=job.rule.hosts,
        protection=job.rule.protection,
        on_pages=on_pages,
    )


def _metadata(job: Job, given: Value | None) -> str:
    """What the rule says of the document, with what finds it again here: the source's name and the job."""
    ruled = json.loads(given) if isinstance(given, str) and given else given if isinstance(given, dict) else {}
    return json.dumps({**ruled, "source": job.path.name, "job": job.token}, ensure_ascii=False)


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


def _note_secrets(operation: str, parameters: Mapping[str, Value]) -> None:
    """Whatever a service says of them, none of the call's passwords is told on; some were written out in a list."""
    for name, value in parameters.items():
        parameter = contract().known(operation).parameter(name)
        if parameter is not None and parameter.is_secret:
            for secret in value if isinstance(value, list) else [value]:
                in_use(str(secret or ""))


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


# ---------- locked PDFs ----------


def unlocked(
    job: Job,
    request: Request,
    error: ServiceError,
    opener: Opener,
    beside: Sequence[str] = (),
    typed: Callable[[Job], Sequence[str]] = lambda job: (),
) -> Request:
    """The refused call with the passwords of the rule, or those that somebody has typed, that open its inputs.

    error: the service's refusal. Raises it, with what was tried in its text, when there is no password for an input.
    beside: passwords that came with the job's files, for what its steps have made.
    """
    if error.kind != "password":
        raise error
    own_passwords, missing = passwords_for(job.rule, job.relative)
    passwords = list(dict.fromkeys([*typed(job), *own_passwords]))
    if request.number or len(request.inputs) > 1:  # several may be what earlier rounds of a merge have joined
        before = passwords_before(job.rule, job.relative, request.number + (len(request.inputs) > 1))
        passwords = list(dict.fromkeys([*passwords, *before, *beside]))
    if not passwords and not missing:
        raise error
    own = request.given.get("passwords")
    given = own if isinstance(own, list) and len(own) == len(request.inputs) else [""] * len(request.inputs)
    found = [
        _opening(path, [mine, *passwords] if mine else passwords, opener)
        for path, mine in zip(request.inputs, given, strict=True)
    ]
    if None in found or not any(found):
        closed = [path.name for path, password in zip(request.inputs, found, strict=True) if password is None]
        tried = _("The password that was typed does not open it.") if typed(job) else ""
        tried = tried or _none_opens(len(passwords), closed if len(request.inputs) > 1 else [])
        raise ServiceError(
            " ".join([error.what, tried, *missing]), error.advice, kind=error.kind, code=error.code, reason=error.reason
        )
    values = _as_parameters(job, request, [password or "" for password in found])
    return replace(request, given={**request.given, **values})


def _none_opens(passwords: int, files: Sequence[str]) -> str:
    """What was tried in vain. files: which are still locked, where there are several."""
    if not files:
        return ngettext(
            "The rule's password does not open it.", "None of the rule's {n} passwords opens it.", passwords
        )
    return ngettext(
        "The rule's password does not open {files}.",
        "None of the rule's {n} passwords opens {files}.",
        passwords,
        files=", ".join(files),
    )


def _opening(path: Path, passwords: Sequence[str], opener: Opener) -> str | None:
    """The password for a file, empty for one that is not locked; None when there is none."""
    number = opener(path, passwords)
    if number is None:
        return None
    return passwords[number] if number >= 0 else ""


def _as_parameters(job: Job, request: Request, found: Sequence[str]) -> Mapping[str, Value]:
    operation = contract().known(job.rule.steps[request.number].operation)
    if operation.parameter("passwords") is not None:
        return {"passwords": list(found)}
    if all(operation.parameter(name) is not None for name in _PASSWORDS_OF_TWO):
        return {name: password for name, password in zip(_PASSWORDS_OF_TWO, found, strict=False) if password}
    return {"password": next(password for password in found if password)}


def _asked_for(name: str, unread: Unread) -> str:
    """What a remote service was asked to recognise of a file, as a sentence."""
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
