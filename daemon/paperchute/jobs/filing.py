"""Filing: what becomes of the originals, after delivery or after a failure. Planned first, then done, then marked."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from send2trash import send2trash

from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement
from paperchute.jobs import moving, parting
from paperchute.jobs.error_text import warnings_text
from paperchute.jobs.journal import Journal
from paperchute.jobs.moving import Thing, things_of
from paperchute.jobs.privacy import privacy_of
from paperchute.jobs.records import FilingPlan, Job, Written
from paperchute.jobs.roots import holding, is_there, root_of
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
    texts = [journal.failure_text(one) for one in (job, *companions)]
    _write_text(journal, job, error_text_path(places.get(0, failed / job.relative)), "\n".join(texts))
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


def write_warnings(journal: Journal, job: Job) -> None:
    """Say in the failed sibling, where people look for what needs them, what a result lacks. Raises OSError."""
    _write_text(journal, job, warnings_path(job), warnings_text(job))


def warnings_path(job: Job) -> Path:
    """Where the text about a job's warnings lies until somebody takes it away, who has seen it then."""
    original = siblings(job.rule).failed / Path(job.relative)
    return original.with_name(original.name + ".warnings.txt")


def remove_warnings(journal: Journal, job: Job) -> None:
    """Somebody has seen to a job's warnings: their text may go. Raises OSError."""
    _remove_text(journal, job, warnings_path(job))


def bring_back(journal: Journal, job: Job) -> None:
    """Retry by hand: move failed originals back into their hot folder, where they are taken up again.

    Raises PaperchuteError when one is no longer where it was filed, or its place is taken; then none was moved.
    """
    if not job.members:
        placement.remove(error_text_path(failed_place(job)))
        journal.rearm(job)
        return
    plans = [(thing, journal.filing(job, thing.index)) for thing in things_of(job)]
    for thing, plan in plans:
        if plan is None or not is_there(job, plan.target):
            where = plan.target if plan else thing.path
            raise PaperchuteError(
                f"{thing.path.name} cannot be tried again: it is no longer at {where}.",
                "Drop it into the hot folder again.",
            )
        if is_there(job, thing.home):
            raise _place_taken(thing)
    for thing, plan in plans:
        assert plan is not None
        if not moving.move_back(thing, plan.target):
            raise _place_taken(thing)
        _remove_text(journal, job, error_text_path(plan.target))


def is_waiting_for_help(journal: Journal, job: Job) -> bool:
    """Whether a failed job's original still lies where it was filed, or was left in place by its rule."""
    if not job.members:
        text = error_text_path(failed_place(job))
        return os.path.lexists(text) or not os.path.lexists(text.parent)
    plan = journal.filing(job)
    return plan is None or is_there(job, plan.target) or not os.path.lexists(plan.target.parent)


def forget_error_text(journal: Journal, job: Job) -> None:
    """Remove the text of an earlier failure whose original was moved back by hand: it is no longer true.

    Raises OSError.
    """
    original = siblings(job.rule).failed / Path(job.relative)
    if not is_there(job, original):
        _remove_text(journal, job, error_text_path(original))


def put_right(journal: Journal, job: Job) -> None:
    """A job is done: what earlier failures of a file of its name left in the failed sibling is no longer true.

    A failed original goes with its text where it is empty, or where its bytes are kept as this job's original; any
    other stays, and its text says that a later one was done. Raises OSError.
    """
    for failed in journal.failed_before(job):
        plan = journal.filing(failed)
        if plan is None or not is_there(failed, plan.target):
            continue
        text = error_text_path(plan.target)
        if len(failed.members) == 1 and _is_needless(journal, job, failed, plan.target):
            with holding(failed, plan.target) as (folder, name):
                folder.unlink(name)
            _remove_text(journal, failed, text)
        else:
            later = f"A later file of this name was done by job {job.id}; this one was not.\n"
            _write_text(journal, failed, text, f"{later}\n{journal.failure_text(failed)}")


def _is_needless(journal: Journal, job: Job, failed: Job, place: Path) -> bool:
    """Whether nothing is lost with a failed original: it is empty, or lies as an original of the later job too."""
    status = beneath.status_of(root_of(failed, place), place)
    if status is None or not stat.S_ISREG(status.st_mode):
        return False
    if status.st_size == 0:
        return True
    later = journal.job(job.id)
    if job.rule.original == "delete" or later is None or not later.hashes:
        return False
    with holding(failed, place) as (folder, name):
        return folder.hash(name) in later.hashes


def _write_text(journal: Journal, job: Job, place: Path, text: str) -> None:
    """Put a text for people at `place`, over an earlier one that nobody has changed; else beside what is there."""
    root = siblings(job.rule).failed
    sha256 = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    mode = privacy_of(_originals(journal, job)).file_mode
    with beneath.opened(root, make=True) as top, top.room_for(place.relative_to(root).parts[:-1]) as folder:
        for candidate in placement.numbered(folder.path / place.name):
            there = folder.key(candidate.name)
            known = journal.written(candidate)
            ours = (sha256, known.sha256 if known else "")  # the very text is there where a crash came after it
            if folder.status(candidate.name) is None or (there and folder.hash(candidate.name) in ours):
                folder.write_whole(candidate.name, text, f"{job.token}-text", mode)
                journal.remember(Written(candidate, sha256, job.rule.name, place, job.id))
                return


def _originals(journal: Journal, job: Job) -> Iterator[Path]:
    """Where the files of a job may lie by now."""
    plans = journal.filings(job)
    for index, member in enumerate(job.members):
        yield member.path
        if job.is_set and 0 in plans:
            yield plans[0].target / member.path.relative_to(job.path)
        elif index in plans:
            yield plans[index].target


def _remove_text(journal: Journal, job: Job, place: Path) -> None:
    """Take a text for people away, also where it got a number, unless somebody has changed it."""
    texts = {one.path: one for one in (journal.written(place), *journal.written_by(job)) if one and one.wanted == place}
    for text in texts.values():
        if is_there(job, text.path):
            with holding(job, text.path) as (folder, name):
                if folder.key(name) is not None and folder.hash(name) == text.sha256:
                    folder.unlink(name)


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
    if original == "trash" and parting.has_more(thing.job):
        parting.delete_apart(thing.job, lambda folder, name: send2trash(str(folder.path / name)))
    elif original == "trash":
        send2trash(str(thing.path))
    else:
        moving.delete(thing)
    return True


def _place_taken(thing: Thing) -> PaperchuteError:
    return PaperchuteError(
        f"{thing.path.name} cannot be tried again: another file of that name is in {thing.home.parent}.",
        "Wait until that one is done, or move it away.",
    )
