"""A job as the journal keeps it and as the rest of the house sees it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from paperchute.files.identity import FileKey
from paperchute.language import _
from paperchute.rules.document_fields import READING
from paperchute.rules.model import Rule
from paperchute.service.model import ServiceError

State = Literal["queued", "running", "waiting", "done", "warned", "failed", "cancelled", "undone"]
"""queued and waiting jobs will run (waiting: not before `due`); warned: done with warnings, since the result lacks some
of what was asked for; cancelled: the input changed or went away first; undone: a person has taken it back."""

Stage = Literal["steps", "delivering", "filing", "failing"]
"""How far a job has come. What a stage does is planned in the journal before the stage is entered."""


@dataclass(frozen=True)
class Member:
    """One input of a job."""

    path: Path
    """Where it was found."""
    key: FileKey
    """What it was then."""


@dataclass(frozen=True)
class SetFacts:
    """What is known of a set beside the files that a job takes of it."""

    others: tuple[Member, ...] = ()
    """The other files that lay in its folder."""
    warnings: tuple[str, ...] = ()
    """What is to be said of it, a sentence each."""
    held: str = ""
    """Why it must not be done as it is, in words for a person; empty = it may."""
    after: int | None = None
    """The job that it came too late for."""
    unfit: tuple[str, ...] = ()
    """What else lay in its folder and is no file for anybody, by its path there."""


@dataclass(frozen=True)
class Job:
    """One run of one rule on one input: a file, a gathered set, or none on a schedule."""

    id: int
    token: str
    """Unique over all journals; names temporary files and idempotency keys."""
    rule: Rule
    """As it was when the job was written down."""
    path: Path
    """The file, or the sub-folder of a set."""
    relative: PurePosixPath
    """The same below the hot folder."""
    members: tuple[Member, ...]
    is_set: bool
    """Whether it is a sub-folder."""
    state: State
    stage: Stage
    attempts: int
    """Failed tries of the present step."""
    due: float
    """Unix time before which it does not run."""
    created: float
    started: float | None
    """When it first ran."""
    finished: float | None
    error: str | None
    """Of the latest failure, also while waiting."""
    error_code: str | None
    """The service's code of that, or a word of our own."""
    hashes: tuple[str, ...] | None
    """sha256 of the members as they were read, in their order and empty for those not read yet; None before that."""
    outputs: tuple[Path, ...]
    """The results in place."""
    note: str | None
    """What became of it where there is no result."""
    warnings: tuple[str, ...] = ()
    """What its result lacks of what was asked for, a sentence each."""
    facts: SetFacts | None = None
    """Of a set that is a folder."""
    undecided: bool = False
    """Whether which rule has it hangs on what its document says, which nobody knows yet."""

    @property
    def home(self) -> Path:
        """Where the input was dropped: `path`, but for shared rules, whose inputs are claimed first."""
        return self.rule.folder / Path(self.relative)

    @property
    def result(self) -> Path | None:
        """What people are shown as the result: the one file, or the folder that holds all; None without any."""
        if len(self.outputs) < 2:
            return next(iter(self.outputs), None)
        return Path(os.path.commonpath(self.outputs))


@dataclass(frozen=True)
class Original:
    """What of a job's originals is moved by itself: a file, or the folder of a set."""

    job: Job
    index: int
    """0 for what the job is named after; the files that belong to it follow."""
    path: Path
    relative: PurePosixPath
    """Below the hot folder."""
    key: FileKey | None
    """What the file was; None for a folder."""

    @property
    def token(self) -> str:
        """Names its temporary files."""
        return f"{self.job.token}-{self.index}" if self.index else self.job.token

    @property
    def home(self) -> Path:
        """Where it was dropped."""
        return self.job.rule.folder / self.relative


def originals_of(job: Job) -> list[Original]:
    """Everything of a job's originals. What belongs together without a folder lies in one, side by side."""
    if job.is_set:
        return [Original(job, 0, job.path, job.relative, None)]
    return [
        Original(job, index, member.path, job.relative.with_name(member.path.name), member.key)
        for index, member in enumerate(job.members)
    ]


@dataclass(frozen=True)
class Output:
    """A received file in the job's work folder."""

    name: str
    """Its path below the step's folder."""
    size: int
    """In bytes."""
    sha256: str
    """As hex."""


@dataclass(frozen=True)
class CallMemo:
    """What the journal knows of one call of one step of a job."""

    round: int = 0
    """How many tries of this call have plainly ended without a usable result. A repetition within one round is the same
    call to a service that honours idempotency keys."""
    sent: float | None = None
    """Unix time when the call was about to go out; None before, and after a refusal."""
    task: str | None = None
    """Its id at the service, which has taken it and not answered yet."""
    answer: str | None = None
    """JSON of `service.model.Answer`."""
    outputs: tuple[Output, ...] | None = None
    """What was downloaded."""
    service: str | None = None
    """Whom it went to last, by the name of the service; None where it never went out, or did so under an earlier
    release."""
    is_unsure: bool = False
    """Whether that service may have taken an earlier try of it, whose answer never came."""

    @property
    def is_bound(self) -> bool:
        """Whether that service has it, or may have it, so that no other one is asked."""
        return self.is_unsure or any(one is not None for one in (self.sent, self.task, self.answer))


def called(number: int, part: str) -> str:
    """How a call is named in a job's history: its step, and which of the step's calls it is where there are several."""
    if number < 0:
        return _("what the document says") if number == READING else _("whether it was scanned before")
    if part:
        return _("step {number}, part {part}", number=number + 1, part=part)
    return _("step {number}", number=number + 1)


@dataclass(frozen=True)
class Move:
    """One of several results on its way into a folder that exists."""

    name: str
    """Its path below the hidden folder."""
    target: str
    """Its path below the folder that exists."""
    over: bool = False
    """Whether it replaces an earlier result of the rule."""
    copied: bool = False
    """Whether it goes to another file system by a copy, which may be in place already."""


@dataclass(frozen=True)
class DeliveryPlan:
    """Where a job's outputs are about to appear."""

    temporary: Path
    """Where they lie ready, hidden beside `final`."""
    final: Path
    is_folder: bool = False
    extension: str | None = None
    """What the rule's template fixed, without its dot; None = as the result is."""
    wanted: Path | None = None
    """`final` before it got a number."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """sha256 of what lies ready, by its path below `temporary`; the empty path for `temporary` itself."""
    documents: tuple[str, ...] = ()
    """Folders in it whose files belong together."""
    moves: tuple[Move, ...] | None = None
    """What goes where in a folder that exists; None = it appears whole."""

    @property
    def is_pair(self) -> bool:
        """Whether a result and a file about it go into the folder `final` side by side, under one stem."""
        return self.is_folder and self.final == self.temporary.parent


@dataclass(frozen=True)
class Written:
    """A file that a rule's job has put in place."""

    path: Path
    sha256: str
    """Of what it held then."""
    rule: str
    wanted: Path
    """Where it would be without a number."""
    job: int
    size: int | None = None
    """In bytes; None where an earlier release put it in place."""


@dataclass(frozen=True)
class FilingPlan:
    """Where an original is about to go."""

    source: Path
    target: Path
    copied: bool = False
    """Whether its copy on another file system is whole, under a hidden name beside `target` or in place already."""
    parted: bool = False
    """Whether the folder of a set stays where it is, since more came into it; its files go into `target` one by one."""


@dataclass(frozen=True)
class HistoryEntry:
    """One line of a job's history."""

    job: int
    at: float
    """Unix time."""
    kind: str
    text: str


@dataclass(frozen=True)
class NewJob:
    """What the intake asks to be written down. The fields are those of `Job`."""

    rule: Rule
    path: Path
    relative: PurePosixPath
    members: tuple[Member, ...]
    is_set: bool = False
    whole: str = ""
    """Of a set that several rules have, which set it is, whatever each of them takes of its files; else empty."""
    facts: SetFacts | None = None
    ladder: tuple[str, ...] = ()
    """Where what the document says decides: the fingerprints of all rules that may have it, in order."""


@dataclass(frozen=True)
class Line:
    """The jobs of one rule that may run now, oldest first. Of two lines the one of the higher priority goes first."""

    priority: int
    folder: Path
    rule: str
    """Its name."""
    oldest: int = field(default=0, compare=False)
    """The number of the job that has waited longest."""


@dataclass(frozen=True)
class Changed:
    """A file or set that watching must judge again."""

    path: Path
    gap: float = 0.0
    """Seconds it took to change; 0 = unknown."""


@dataclass(frozen=True)
class Outcome:
    """How a run of a job ended."""

    kind: Literal["done", "failed", "cancelled", "waiting", "service", "storage"]
    """done, failed and cancelled are for good, and what is done may have warnings. waiting: it comes back by itself;
    service: the whole service must wait; storage: a disk or share refuses."""
    job: Job
    error: ServiceError | None = None
    """What the service said."""
    changed: tuple[Changed, ...] = ()
    """What watching must look at again."""
    alone: bool = False
    """Of storage: only this job's own files are refused."""


@dataclass(frozen=True)
class WaitingJobs:
    """Jobs of one rule that wait for one reason."""

    rule: str
    reason: str
    """A sentence."""
    count: int
    due: float
    """Unix time of the next try; 0 = none is set."""
    is_held: bool
    """Whether they wait for their rule."""
    is_of_service: bool
    """Whether it is what the service has answered, or that it has not."""


@dataclass(frozen=True)
class Counts:
    """Jobs by state."""

    by_state: dict[State, int] = field(default_factory=dict)

    def of(self, *states: State) -> int:
        """Return how many jobs are in any of these states."""
        return sum(self.by_state.get(state, 0) for state in states)
