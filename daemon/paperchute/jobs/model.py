"""A job as the journal keeps it and as the rest of the house sees it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from paperchute.files.identity import FileKey
from paperchute.rules.model import Rule
from paperchute.service.model import ServiceError

State = Literal["queued", "running", "waiting", "done", "warned", "failed", "cancelled"]
"""queued and waiting jobs will run (waiting: not before `due`); warned: done with warnings, since the result lacks some
of what was asked for; cancelled: the input changed or went away first."""

Stage = Literal["steps", "delivering", "filing", "failing"]
"""How far a job has come. What a stage does is planned in the journal before the stage is entered."""


@dataclass(frozen=True)
class Member:
    """One input of a job: where it was found and what it was then."""

    path: Path
    key: FileKey


@dataclass(frozen=True)
class SetFacts:
    """What is known of a set beside the files that a job takes of it.

    others: the other files that lay in its folder. warnings: what is to be said of it, a sentence each. held: why it
    must not be done as it is, in words for a person; empty = it may. after: the job that it came too late for.
    """

    others: tuple[Member, ...] = ()
    warnings: tuple[str, ...] = ()
    held: str = ""
    after: int | None = None


@dataclass(frozen=True)
class Job:
    """One run of one rule on one input (a file, or a gathered set).

    path: the file, or the sub-folder of a set; relative: the same below the hot folder. token: unique over all
    journals; names temporary files and idempotency keys. attempts: failed tries of the present step. due: Unix time
    before which it does not run. started: when it first ran. error_*: of the latest failure, also while waiting.
    hashes: sha256 of the members as they were read, in their order and empty for those not read yet; None before that.
    warnings: what its result lacks of what was asked for, a sentence each. facts: of a set that is a folder.
    """

    id: int
    token: str
    rule: Rule
    path: Path
    relative: PurePosixPath
    members: tuple[Member, ...]
    is_set: bool
    state: State
    stage: Stage
    attempts: int
    due: float
    created: float
    started: float | None
    finished: float | None
    error: str | None
    error_code: str | None
    hashes: tuple[str, ...] | None
    outputs: tuple[Path, ...]
    note: str | None
    warnings: tuple[str, ...] = ()
    facts: SetFacts | None = None

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
class Thing:
    """What of a job's originals is moved by itself: a file, or the folder of a set, whose `key` is None.

    index: 0 for what the job is named after; the files that belong to it follow. relative: below the hot folder.
    """

    job: Job
    index: int
    path: Path
    relative: PurePosixPath
    key: FileKey | None

    @property
    def token(self) -> str:
        """Names its temporary files."""
        return f"{self.job.token}-{self.index}" if self.index else self.job.token

    @property
    def home(self) -> Path:
        """Where it was dropped."""
        return self.job.rule.folder / self.relative


def things_of(job: Job) -> list[Thing]:
    """Everything of a job's originals. What belongs together without a folder lies in one, side by side."""
    if job.is_set:
        return [Thing(job, 0, job.path, job.relative, None)]
    return [
        Thing(job, index, member.path, job.relative.with_name(member.path.name), member.key)
        for index, member in enumerate(job.members)
    ]


@dataclass(frozen=True)
class Output:
    """A received file in the job's work folder: its path below the step's folder, size in bytes, sha256 as hex."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class StepMemo:
    """What the journal knows of one call of one step of a job.

    round: how many tries of this call have plainly ended without a usable result; a repetition within one round is the
    same call to a service that honours idempotency keys. sent: Unix time when the call was about to go out, None
    before and after a refusal. task: its id when the service has taken it and not answered yet. answer: JSON of
    `service.model.Answer`. outputs: what was downloaded.
    """

    round: int = 0
    sent: float | None = None
    task: str | None = None
    answer: str | None = None
    outputs: tuple[Output, ...] | None = None


def called(number: int, part: str) -> str:
    """How a call is named in a job's history: its step, and which of the step's calls it is where there are several."""
    return f"step {number + 1}, part {part}" if part else f"step {number + 1}"


@dataclass(frozen=True)
class Move:
    """One of several results on its way into a folder that exists: its path below the hidden folder, and below that.

    over: it takes the place of an earlier result of the rule. copied: to another file system, where it may be in place.
    """

    name: str
    target: str
    over: bool = False
    copied: bool = False


@dataclass(frozen=True)
class DeliveryPlan:
    """Where a job's outputs are about to appear: `temporary` beside `final`, on the same file system.

    extension: what the rule's template fixed, without its dot; None = as the result is. wanted: `final` before it got
    a number. hashes: sha256 of what lies ready, by its path below `temporary`; empty for `temporary` itself.
    documents: folders in it whose files belong together. moves: None = it appears whole.
    """

    temporary: Path
    final: Path
    is_folder: bool = False
    extension: str | None = None
    wanted: Path | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[str, ...] = ()
    moves: tuple[Move, ...] | None = None


@dataclass(frozen=True)
class Written:
    """A file that a rule's job has put in place, and what it held then. wanted: where it would be without a number."""

    path: Path
    sha256: str
    rule: str
    wanted: Path
    job: int


@dataclass(frozen=True)
class FilingPlan:
    """Where an original is about to go.

    copied: its copy on another file system is whole, under a hidden name beside `target` or in place already.
    parted: the folder of a set stays where it is, since more came into it; its files go into `target` one by one.
    """

    source: Path
    target: Path
    copied: bool = False
    parted: bool = False


@dataclass(frozen=True)
class Event:
    """One line of a job's history. at: Unix time."""

    job: int
    at: float
    kind: str
    text: str


@dataclass(frozen=True)
class NewJob:
    """What the intake asks to be written down.

    whole: of a set that several rules have, which set it is, whatever each of them takes of its files; else empty.
    facts: of a set that is a folder.
    """

    rule: Rule
    path: Path
    relative: PurePosixPath
    members: tuple[Member, ...]
    is_set: bool = False
    whole: str = ""
    facts: SetFacts | None = None


@dataclass(frozen=True)
class Line:
    """The jobs of one hot folder and priority that may run now, oldest first. Of two lines the higher goes first."""

    priority: int
    folder: Path


@dataclass(frozen=True)
class Changed:
    """Handed back to watching: this file or set must be judged again. gap: seconds it took to change; 0 = unknown."""

    path: Path
    gap: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """How a run of a job ended.

    done, failed, cancelled: for good; what is done may have warnings. waiting: it comes back by itself. service: the
    whole service must wait, for `error`. storage: a disk or share refuses. changed: what watching must look at again.
    """

    kind: Literal["done", "failed", "cancelled", "waiting", "service", "storage"]
    job: Job
    error: ServiceError | None = None
    changed: tuple[Changed, ...] = ()


@dataclass(frozen=True)
class Counts:
    """Jobs by state."""

    by_state: dict[State, int] = field(default_factory=dict)

    def of(self, *states: State) -> int:
        """How many jobs are in any of these states."""
        return sum(self.by_state.get(state, 0) for state in states)
