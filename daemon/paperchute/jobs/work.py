"""A job at work: what is known of its steps while it runs, and what it needs of the service."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from paperchute.contract import Value
from paperchute.contract.recognition import Unread
from paperchute.jobs.model import CallMemo, DeliveryPlan, Job
from paperchute.rules.model import Rule
from paperchute.rules.service_names import DEFAULT
from paperchute.service.model import Answer, Call, Fetched, ServiceError


class Service(Protocol):
    """What a job needs of the client. `repeatable`: the service honours idempotency keys."""

    @property
    def repeatable(self) -> bool:
        """See `ServiceClient.repeatable`."""

    def call(self, call: Call, on_task: Callable[[str, tuple[str, ...]], None]) -> Answer:
        """See `ServiceClient.call`."""

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer:
        """See `ServiceClient.resume`."""

    def abandon(self, key: str, task: str) -> None:
        """See `ServiceClient.abandon`."""

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        """See `ServiceClient.fetch`."""

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        """See `ServiceClient.download`."""


class Model(Protocol):
    """What a job needs of a language model."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def address(self) -> str:
        """Where questions go."""

    def ask(self, body: bytes) -> str:
        """Return the text of its answer to a request. Raises ModelError."""


Opener = Callable[[Path, Sequence[str]], int | None]
"""(a PDF, passwords) -> the number of the first that opens it; -1 when it is not locked, None when none does."""


@dataclass(frozen=True)
class Standing:
    """What the rule file says now of a job that has made no call yet."""

    changed: bool = False
    """Whether its rule is another one than at the drop, or none any more."""
    rule: Rule | None = None
    """The rule of its name and hot folder as it stands now; None where there is none."""
    waits: str = ""
    """Why it must wait, in a sentence that says what helps; empty where it need not."""


@dataclass(frozen=True)
class Settings:
    """What jobs are run by, beside their own rules. What may change while they run is asked for each time."""

    work: Path
    """Folder for received files, on any file system."""
    workers: int = 4
    """How many jobs run at the same time."""
    lanes: int = 4
    """How many calls may be at work at the same time, of all jobs together."""
    rules: Callable[[], Sequence[Rule]] = lambda: ()
    """The enabled rules of the rule file, as it is now."""
    resolved: Callable[[str], str] = lambda name: name or DEFAULT
    """The one name of a service that a step asks (`rules.service_names`)."""
    not_asked: Callable[[str], ServiceError | None] = lambda name: None
    """Why a service does no work just now; None where it is to be asked."""
    away: Callable[[str, ServiceError], None] = lambda name, error: None
    """Is told that a service does no work, where another one does it instead."""
    monthly_calls: Callable[[str], int | None] = lambda name: None
    """How many times a service may be asked in a month; None = any number."""
    in_force: Callable[[Job], bool] = lambda job: True
    """Whether the steps of a job's rule are still those of the rule file."""
    ladder: Callable[[Job], Sequence[Rule]] = lambda job: (job.rule,)
    """The rules as they stand that may have a job's file, by all but what its document says, in order."""
    standing: Callable[[Job], Standing] = lambda job: Standing()
    """What the rule file says now of a job; asked before its first call."""
    not_before: Callable[[Job], float] = lambda job: 0.0
    """Unix time at which the hours of a job's rule begin, when it is outside of them; else 0."""
    pages: Callable[[Job], int | None] = lambda job: None
    """How many pages a job's inputs have, None = unknown; asked only where a rule's `output` says so."""
    page_count: Callable[[Path, Sequence[str]], int | None] = lambda path, passwords: None
    """How many pages a PDF has, opened with one of the passwords, None = unknown; asked for Bates numbers alone."""
    unread: Callable[[Path, str], Unread] = lambda path, password: Unread()
    """What of a file, opened with a password, nobody reads without recognition; asked before calls to a remote service
    whose rule says nothing about it."""
    signed: Callable[[Path, Sequence[str]], bool] = lambda path, passwords: False
    """Whether a file is a PDF, opened with one of the passwords, that somebody has signed; asked before calls to a
    remote service that make another PDF of it."""
    opener: Opener = lambda path, passwords: None
    """Finds the password of a locked PDF."""
    model: Callable[[], Model | None] = lambda: None
    """The language model of the rule file, as it is now; None where there is none."""
    typed: Callable[[Job], Sequence[str]] = lambda job: ()
    """Passwords that somebody has typed for a job."""


@dataclass(frozen=True)
class Request:
    """One call of a step, before anything of it is resolved or sent."""

    number: int
    """Of the step, from 0."""
    inputs: tuple[Path, ...]
    """Files of the job, or from earlier steps."""
    parameters: Mapping[str, Value]
    """The rule's, secrets as references."""
    part: str = ""
    """Which of the step's calls it is; empty for the only one, and for the last of a merge in rounds."""
    given: Mapping[str, Value] = field(default_factory=dict)
    """Values that stand over the rule's, secrets themselves; never written down."""


class Work:
    """What is known of a job's steps while it runs, so that the journal need not be asked again and again.

    Several threads may make calls of one job.
    """

    def __init__(
        self,
        job: Job,
        memos: Mapping[tuple[int, str], CallMemo] | None = None,
        draft: DeliveryPlan | None = None,
    ) -> None:
        """memos: what the journal knows of each call, by step and part. draft: the delivery noted in the journal."""
        self.job = job
        self.draft = draft
        self.draft_is_noted = draft is not None
        self.said: Mapping[str, str] = {}  # what the document says of itself, by field
        self.decided: Mapping[str, str] = {}  # what a person has said of pages, by field
        self.fields = b""  # the same as the file that `write_fields` asks for
        self.passwords: tuple[str, ...] = ()  # that came with the job's files; never written down
        self._memos = dict(memos or {})
        self._lock = threading.Lock()
        self._recorded = job.hashes
        self._hashes = {m.path: sha256 for m, sha256 in zip(job.members, job.hashes or (), strict=False) if sha256}

    def memo(self, number: int, part: str = "") -> CallMemo:
        """Return what the journal knew of a call when the run began."""
        return self._memos.get((number, part), CallMemo())

    def renew(self, memos: Mapping[tuple[int, str], CallMemo]) -> None:
        """Take over what the journal knows by now."""
        self._memos = dict(memos)

    def answer(self, number: int, part: str = "") -> Answer | None:
        """The recorded answer of a call. However old it is: whether its result is still there, the service knows."""
        text = self.memo(number, part).answer
        if text is None:
            return None
        raw = json.loads(text)
        lists = {name: tuple(raw.get(name, ())) for name in ("hashes", "warnings", "notes", "questions")}
        return Answer(**{**raw, **lists})

    @property
    def hashes(self) -> tuple[str, ...]:
        """sha256 of the job's members as they were read, in their order; empty where one was not read yet."""
        return tuple(self._hashes.get(member.path, "") for member in self.job.members)

    def learn(self, paths: Iterable[Path], hashes: Sequence[str]) -> None:
        """Files were read and had these sha256."""
        with self._lock:
            self._hashes.update(zip(paths, hashes, strict=False))

    def news(self) -> tuple[str, ...] | None:
        """`hashes`, each time there is more to them than the journal has; else None."""
        with self._lock:
            found = self.hashes
            if found == self._recorded or not any(found):
                return None
            self._recorded = found
            return found
