"""Filing: what becomes of the originals, after delivery or after a failure. Planned first, then done, then marked."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from send2trash import send2trash

from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement
from paperchute.jobs import relocation
from paperchute.jobs.error_texts import error_text_path, failed_place, remove_text, write_text
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import FilingPlan, Job, Original, originals_of
from paperchute.jobs.relocation import holding, is_there, root_of
from paperchute.language import _
from paperchute.rules.destinations import siblings

Fate = Literal["filed", "kept", "away"]
"""away: the original was not to be found, and should it turn up again it is still to be filed."""


def plans_for(job: Job) -> dict[int, FilingPlan]:
    """Where each original of the originals of a job that is done will be moved; none for what stays, or is not there.

    What is going to be deleted is planned to stay where it is, which says after a crash that it was there.
    """
    if job.rule.original == "keep":
        return {}
    return {original.index: _plan_for(original) for original in originals_of(job) if relocation.still_ours(original)}


def file_originals(journal: Journal, job: Job, planned: Mapping[int, FilingPlan]) -> Fate:
    """Do with the originals what the rule says. planned: what the journal holds of that already.

    Only the very files the job was made for are touched: one that has taken a name meanwhile stays. Raises OSError.
    """
    if job.rule.original == "keep":
        return "kept"
    if not job.members:
        return "filed"  # on a schedule there is no original
    filed = [_file(journal, original, planned.get(original.index)) for original in originals_of(job)]
    return "filed" if any(filed) else "away"


def file_failure(journal: Journal, job: Job, companions: Sequence[Job] = ()) -> bool:
    """Put the originals and `NAME.error.txt` into the failed sibling. True when the originals stay (rule keeps them).

    companions: jobs of other rules that failed on the same input; what became of them stands in the same text.
    Raises OSError.
    """
    failed = siblings(job.rule).failed
    stays = job.rule.original == "keep"
    places: dict[int, Path] = {}
    for original in () if stays else originals_of(job):
        plan = planned = journal.plans.filing(job, original.index)
        if plan is None or not (plan.copied or plan.target.is_relative_to(failed)):
            # not where it would have gone, had the job been done
            plan = FilingPlan(original.path, failed / original.relative)
        if moved := relocation.move(journal, original, plan, planned):
            places[original.index] = moved
    texts = [journal.plans.failure_text(one) for one in (job, *companions)]
    write_text(journal, job, error_text_path(job, places.get(0, failed / job.relative)), "\n".join(texts))
    for one in companions:
        for index, moved in places.items():
            journal.plans.plan_filing(one, FilingPlan(originals_of(job)[index].path, moved), index)
    return stays


def bring_back(journal: Journal, job: Job) -> None:
    """Retry by hand: move failed originals back into their hot folder, where they are taken up again.

    One that lies there already, and was not taken up yet, stays.

    Raises PaperchuteError when one is no longer where it was filed, or its place is taken; then none was moved.
    """
    if not job.members:
        placement.remove(error_text_path(job, failed_place(job)))
        journal.inserts.rearm(job)
        return
    plans = []
    for original in originals_of(job):
        plan = journal.plans.filing(job, original.index)
        if plan is None or not is_there(job, plan.target):
            if plan is not None and relocation.still_ours(original):
                continue
            where = plan.target if plan else original.path
            raise PaperchuteError(
                _("{name} cannot be tried again: it is no longer at {place}.", name=original.path.name, place=where),
                _("Drop it into the hot folder again."),
            )
        if is_there(job, original.home):
            raise _place_taken(original)
        plans.append((original, plan))
    for original, plan in plans:
        if not relocation.move_back(original, plan.target):
            raise _place_taken(original)
        remove_text(journal, job, error_text_path(job, plan.target))
    if job.rule.shared:
        journal.completion.hand_on(job, _("It was put back for whichever Paperchute takes it first."))


def is_waiting_for_help(journal: Journal, job: Job) -> bool:
    """Decide whether a failed job's original still lies where it was filed, or was left in place by its rule."""
    if not job.members:
        text = error_text_path(job, failed_place(job))
        return os.path.lexists(text) or not os.path.lexists(text.parent)
    plan = journal.plans.filing(job)
    return plan is None or is_there(job, plan.target) or not os.path.lexists(plan.target.parent)


def put_right(journal: Journal, job: Job) -> None:
    """A job is done: what earlier failures of a file of its name left in the failed sibling is no longer true.

    A failed original goes with its text where it is empty, or where its bytes are kept as this job's original; any
    other stays, and its text says that a later one was done. Raises OSError.
    """
    for failed in journal.completion.failed_before(job):
        plan = journal.plans.filing(failed)
        if plan is None or not is_there(failed, plan.target):
            continue
        text = error_text_path(failed, plan.target)
        if len(failed.members) == 1 and _is_needless(journal, job, failed, plan.target):
            with holding(failed, plan.target) as (folder, name):
                folder.unlink(name)
            remove_text(journal, failed, text)
        else:
            later = _("A later file of this name was done by job {job}; this one was not.", job=job.id)
            write_text(journal, failed, text, f"{later}\n\n{journal.plans.failure_text(failed)}")


def _is_needless(journal: Journal, job: Job, failed: Job, place: Path) -> bool:
    """Tell whether nothing is lost with a failed original: it is empty, or lies as an original of the later job too."""
    status = beneath.status_of(root_of(failed, place), place)
    if status is None or not stat.S_ISREG(status.st_mode):
        return False
    if status.st_size == 0:
        return True
    later = journal.queries.job(job.id)
    if job.rule.original == "delete" or later is None or not later.hashes:
        return False
    with holding(failed, place) as (folder, name):
        return folder.hash(name) in later.hashes


def _plan_for(original: Original) -> FilingPlan:
    rule = original.job.rule
    if rule.original in ("delete", "trash"):
        return FilingPlan(original.path, original.path)
    folder = siblings(rule).done if rule.original == "done" else Path(rule.original)
    return FilingPlan(original.path, folder / original.relative)


def _file(journal: Journal, original: Original, planned: FilingPlan | None) -> bool:
    """Do with one original what the rule says; False when it was not to be found."""
    fate = original.job.rule.original
    if fate not in ("delete", "trash"):
        plan = planned or (_plan_for(original) if relocation.still_ours(original) else None)
        return plan is not None and relocation.move(journal, original, plan, planned) is not None
    if not relocation.still_ours(original) and not relocation.is_being_deleted(original):
        return planned is not None
    if fate == "trash" and relocation.has_more(original.job):
        relocation.delete_apart(original.job, lambda folder, name: send2trash(str(folder.path / name)))
    elif fate == "trash":
        send2trash(str(original.path))
    else:
        relocation.delete(original)
    return True


def _place_taken(original: Original) -> PaperchuteError:
    return PaperchuteError(
        _(
            "{name} cannot be tried again: another file of that name is in {folder}.",
            name=original.path.name,
            folder=original.home.parent,
        ),
        _("Wait until that one is done, or move it away."),
    )
