"""Filing: what becomes of the originals, after delivery or after a failure. Planned first, then done, then marked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from send2trash import send2trash

from paperchute.errors import PaperchuteError
from paperchute.files import placing
from paperchute.jobs import moving
from paperchute.jobs.error_text import warnings_text
from paperchute.jobs.journal import Journal
from paperchute.jobs.moving import Thing, things_of
from paperchute.jobs.records import FilingPlan, Job
from paperchute.rules.siblings import siblings

Fate = Literal["filed", "kept", "away"]
"""away: the original was not to be found, and should it turn up again it is still to be filed."""


def plans_for(job: Job) -> dict[int, FilingPlan]:
    """Where each thing of the originals of a job that is done will be moved; none for what stays, or is not there.

    What is going to be deleted is planned to stay where it is, which says after a crash that it was there.
    """
    if job.rule.original == "keep":
        return {}
    return {thing.index: _plan_for(thing) for thing in things_of(job) if moving.still_ours(thing)}


def file_originals(journal: Journal, job: Job, planned: Mapping[int, FilingPlan]) -> Fate:
    """Do with the originals what the rule says. planned: what the journal holds of that already.

    Only the very files the job was made for are touched: one that has taken a name meanwhile stays. Raises OSError.
    """
    if job.rule.original == "keep":
        return "kept"
    if not job.members:
        return "filed"  # on a schedule there is no original
    filed = [_file(journal, thing, planned.get(thing.index)) for thing in things_of(job)]
    return "filed" if any(filed) else "away"


def file_failure(journal: Journal, job: Job, companions: Sequence[Job] = ()) -> bool:
    """Put the originals and `NAME.error.txt` into the failed sibling. True when the originals stay (rule keeps them).

    companions: jobs of other rules that failed on the same input; what became of them stands in the same text.
    Raises OSError.
    """
    failed = siblings(job.rule).failed
    stays = job.rule.original == "keep"
    places: dict[int, Path] = {}
    for thing in () if stays else things_of(job):
        plan = planned = journal.filing(job, thing.index)
        if plan is None or not (plan.copied or plan.target.is_relative_to(failed)):
            # not where it would have gone, had the job been done
            plan = FilingPlan(thing.path, failed / thing.relative)
        if moved := moving.move(journal, thing, plan, planned):
            places[thing.index] = moved
    place = places.get(0, failed / job.relative)
    place.parent.mkdir(parents=True, exist_ok=True)
    texts = [journal.failure_text(one) for one in (job, *companions)]
    placing.write_whole(error_text_path(place), "\n".join(texts))
    for one in companions:
        for index, moved in places.items():
            journal.plan_filing(one, FilingPlan(things_of(job)[index].path, moved), index)
    return stays


def failed_place(job: Job) -> Path:
    """Where the original of a failed job would lie if it had one: its texts lie beside."""
    return siblings(job.rule).failed / Path(job.relative)


def error_text_path(original: Path) -> Path:
    """Where the error text of a failed original lies."""
    return original.with_name(original.name + ".error.txt")


def write_warnings(job: Job) -> None:
    """Say in the failed sibling, where people look for what needs them, what a result lacks. Raises OSError."""
    path = warnings_path(job)
    path.parent.mkdir(parents=True, exist_ok=True)
    placing.write_whole(path, warnings_text(job))


def warnings_path(job: Job) -> Path:
    """Where the text about a job's warnings lies until somebody takes it away, who has seen it then."""
    original = siblings(job.rule).failed / Path(job.relative)
    return original.with_name(original.name + ".warnings.txt")


def bring_back(journal: Journal, job: Job) -> None:
    """Retry by hand: move failed originals back into their hot folder, where they are taken up again.

    Raises PaperchuteError when one is no longer where it was filed, or its place is taken; then none was moved.
    """
    if not job.members:
        placing.remove(error_text_path(failed_place(job)))
        journal.rearm(job)
        return
    plans = [(thing, journal.filing(job, thing.index)) for thing in things_of(job)]
    for thing, plan in plans:
        if plan is None or not os.path.lexists(plan.target):
            where = plan.target if plan else thing.path
            raise PaperchuteError(
                f"{thing.path.name} cannot be tried again: it is no longer at {where}.",
                "Drop it into the hot folder again.",
            )
        if os.path.lexists(thing.home):
            raise _place_taken(thing)
    for thing, plan in plans:
        assert plan is not None
        thing.home.parent.mkdir(parents=True, exist_ok=True)
        if not moving.place_across(plan.target, thing.home):
            raise _place_taken(thing)
        placing.remove(error_text_path(plan.target))


def is_waiting_for_help(journal: Journal, job: Job) -> bool:
    """Whether a failed job's original still lies where it was filed, or was left in place by its rule."""
    if not job.members:
        text = error_text_path(failed_place(job))
        return os.path.lexists(text) or not os.path.lexists(text.parent)
    plan = journal.filing(job)
    return plan is None or os.path.lexists(plan.target) or not os.path.lexists(plan.target.parent)


def forget_error_text(job: Job) -> None:
    """Remove the text of an earlier failure whose original was moved back by hand: it is no longer true.

    Raises OSError.
    """
    original = siblings(job.rule).failed / Path(job.relative)
    text = error_text_path(original)
    if os.path.lexists(text) and not os.path.lexists(original):
        placing.remove(text)


def _plan_for(thing: Thing) -> FilingPlan:
    rule = thing.job.rule
    if rule.original in ("delete", "trash"):
        return FilingPlan(thing.path, thing.path)
    folder = siblings(rule).done if rule.original == "done" else Path(rule.original)
    return FilingPlan(thing.path, folder / thing.relative)


def _file(journal: Journal, thing: Thing, planned: FilingPlan | None) -> bool:
    """Do with one thing what the rule says; False when it was not to be found."""
    original = thing.job.rule.original
    if original not in ("delete", "trash"):
        plan = planned or (_plan_for(thing) if moving.still_ours(thing) else None)
        return plan is not None and moving.move(journal, thing, plan, planned) is not None
    if not moving.still_ours(thing) and not moving.is_being_deleted(thing):
        return planned is not None
    if original == "trash":
        send2trash(str(thing.path))
    else:
        moving.delete(thing)
    return True


def _place_taken(thing: Thing) -> PaperchuteError:
    return PaperchuteError(
        f"{thing.path.name} cannot be tried again: another file of that name is in {thing.home.parent}.",
        "Wait until that one is done, or move it away.",
    )
