"""Undoing several jobs: which ones, what that means, and doing it. From any process, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.app import failures
from paperchute.app.places import State
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.undo.assessment import CannotUndo, Undo, assess, unusable
from paperchute.jobs.undo.execution import carry_on, carry_out
from paperchute.jobs.undo.trash import Trash
from paperchute.language import _


@dataclass(frozen=True)
class Left:
    """A job that is left as it is."""

    job: Job
    why: str


@dataclass(frozen=True)
class Preview:
    """What undoing some jobs means, in the order in which it would be done: what was done last comes first."""

    undos: tuple[Undo, ...]
    left: tuple[Left, ...]


def job_of(journal: Journal, number: int) -> Job:
    """The job of that number. Raises PaperchuteError."""
    job = journal.queries.job(number)
    if job is None:
        raise PaperchuteError(
            _("There is no job {number}.", number=number), _("`{command}` lists them.", command=command("jobs"))
        )
    return job


def preview(journal: Journal, jobs: Sequence[Job]) -> Preview:
    """Return what undoing these jobs means; the one that ended last comes first in them."""
    undos: list[Undo] = []
    left: list[Left] = []
    seen: set[int] = set()
    coming: set[Path] = set()
    for job in jobs:
        if job.id in seen:
            continue
        try:
            undo = assess(journal, job, coming)
        except CannotUndo as error:
            left.append(Left(job, error.what))
            continue
        seen |= {one.id for one in undo.jobs}
        coming |= {one.home for one in undo.plan.returns} | set(undo.stays)
        undos.append(undo)
    return Preview(tuple(undos), tuple(left))


def preview_again(journal: Journal, job: Job) -> Undo:
    """Return what making a job's results again means. Raises PaperchuteError where its originals are not there."""
    if not job.members:
        raise CannotUndo(_("It was done without a file, on its schedule."))
    return assess(journal, job, to_make_again=True)


def make_again(journal: Journal, state: State, number: int) -> None:
    """Have a job's originals done anew, by the rules as they are now; what is left of its results goes to the trash.

    From any process; the daemon takes the originals up. Raises PaperchuteError where they are not there, and OSError.
    """
    trash = Trash(state.trash)
    with state.undoing() as alone:
        if not alone:
            raise PaperchuteError(_("Something is already being undone."), _("Wait until that is done."))
        carry_on(journal, trash)
        undo = preview_again(journal, job_of(journal, number))
        try:
            carry_out(journal, undo, trash)
        except OSError as error:
            raise CannotUndo(unusable(error, undo.jobs[0].path)) from error
    for one in undo.jobs:
        failures.retry(journal, one.id)


def undo_jobs(journal: Journal, state: State, jobs: Sequence[Job]) -> tuple[list[Undo], list[Left]]:
    """Undo these jobs, one input after the other; those that were undone, and those that were left, with the reason.

    Raises PaperchuteError where another process is at it.
    """
    done: list[Undo] = []
    left: list[Left] = []
    seen: set[int] = set()
    trash = Trash(state.trash)
    with state.undoing() as alone:
        if not alone:
            raise PaperchuteError(_("Something is already being undone."), _("Wait until that is done."))
        carry_on(journal, trash)
        for job in jobs:
            if job.id in seen:
                continue
            try:
                undo = assess(journal, job)
                carry_out(journal, undo, trash)
            except CannotUndo as error:
                left.append(Left(job, error.what))
            except OSError as error:
                left.append(Left(job, unusable(error, job.path)))
            else:
                seen |= {one.id for one in undo.jobs}
                done.append(undo)
    return done, left
