"""What undoing a job would mean: what goes to the trash, what comes back, and why it may be left alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement
from paperchute.files.folder import Folder
from paperchute.files.identity import FileKey
from paperchute.files.names import OWN_TEMPORARY, listed
from paperchute.jobs import delivery, relocation
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import FilingPlan, Job, Member, Original, Written, originals_of
from paperchute.jobs.undo.plan import Marked, Removal, Return, UndoPlan
from paperchute.language import _


class CannotUndo(PaperchuteError):
    """Why a job is left as it is."""


@dataclass(frozen=True)
class Undo:
    """What undoing the jobs on one input means, as far as can be told before it."""

    jobs: tuple[Job, ...]
    """Those of several rules on the same input are undone together; what was asked for comes first."""
    plan: UndoPlan
    stays: tuple[Path, ...]
    """Originals that lie where they were dropped all the time."""
    notes: tuple[str, ...]
    """What does not come back all the same, a sentence each."""


def assess(journal: Journal, job: Job, coming: Collection[Path] = (), *, to_make_again: bool = False) -> Undo:
    """Return what undoing this job means. Raises CannotUndo.

    coming: originals that undoing later jobs brings back first; these results of this job lie there then.
    to_make_again: the results matter no more, so those that are gone, changed or taken are left as they are.
    """
    jobs = _together(journal, job)
    if job.rule.shared:
        raise CannotUndo(_("Its hot folder is shared, and another Paperchute would take the original again at once."))
    try:
        looked_for = _removals_left if to_make_again else _removals
        removals = tuple(removal for one in jobs for removal in looked_for(journal, one, coming))
        filed, returns = _returns(journal, jobs)
        present = tuple(_marked(journal, one, returns) for one in jobs)
    except OSError as error:
        raise CannotUndo(unusable(error, job.path)) from error
    stays = tuple(member.path for member in job.members) if filed is None else ()
    return Undo(jobs, UndoPlan(present, removals, returns), stays, tuple(_lost(journal, jobs)))


def unusable(error: OSError, path: Path) -> str:
    """Return which place cannot be used, and why. path: the place where the error names none."""
    place = Path(os.fsdecode(error.filename2 or error.filename or path))
    if OWN_TEMPORARY in place.name:
        place = place.parent
    return _("{place} cannot be used ({reason}).", place=place, reason=error.strerror or error)


def _together(journal: Journal, job: Job) -> tuple[Job, ...]:
    """The job with those of other rules on the very same input, which has one original only."""
    jobs = (job, *(journal.undos.companions(job) if job.rule.also else ()))
    for one in jobs:
        if one.state == "undone":
            raise CannotUndo(_("It has already been undone."))
        if one.state == "failed":
            raise CannotUndo(
                _(
                    "Job {job} ({rule}) has failed: its original is in the failed folder.",
                    job=one.id,
                    rule=one.rule.name,
                )
            )
        if one.state not in ("done", "warned"):
            raise CannotUndo(_("Job {job} ({rule}) has not ended yet.", job=one.id, rule=one.rule.name))
        if not one.rule.steps:
            raise CannotUndo(_("Another version of Paperchute did it, whose notes this one cannot read."))
    return jobs


# ---------- results ----------


def _removals(journal: Journal, job: Job, coming: Collection[Path]) -> Iterator[Removal]:
    written = {path: _known(journal, job, path) for path in job.outputs}
    folder = _folder_of_results(journal, job)
    if folder is not None and not any(path.is_relative_to(folder) for path in coming):
        hashes = {path.relative_to(folder).as_posix(): one.sha256 for path, one in written.items()}
        if is_just(delivery.root_of_results(job, folder.parent), folder, hashes):
            yield Removal(job.id, folder, _hidden(job, folder, 0), hashes)
            return
    for number, (path, one) in enumerate(written.items()):
        if path not in coming:
            _look_at(journal, job, one)
        yield Removal(job.id, path, _hidden(job, path, number), {"": one.sha256})


def _removals_left(journal: Journal, job: Job, coming: Collection[Path]) -> Iterator[Removal]:
    """Those results, each by itself, that lie there as they were delivered."""
    for number, path in enumerate(job.outputs):
        try:
            one = _known(journal, job, path)
            if path not in coming:
                _look_at(journal, job, one)
        except CannotUndo:
            continue
        yield Removal(job.id, path, _hidden(job, path, number), {"": one.sha256})


def _known(journal: Journal, job: Job, path: Path) -> Written:
    """Return what the journal knows of a result. Raises CannotUndo where it is another job's by now."""
    written = journal.plans.written(path)
    if written is None:
        raise CannotUndo(_("It is not known whether {name} is unchanged: the journal does not say.", name=path))
    if written.job != job.id:
        raise CannotUndo(_("Job {job} has replaced {name} since; undo that first.", job=written.job, name=path))
    return written


def _look_at(journal: Journal, job: Job, written: Written) -> None:
    """Raise CannotUndo where a result is no longer what was delivered."""
    path = written.path
    taker = journal.undos.taker(path, job.id)
    if is_just(delivery.root_of_results(job, path.parent), path, {"": written.sha256}):
        open_ = journal.queries.job(taker) if taker is not None else None
        if open_ is not None and open_.finished is None:
            raise CannotUndo(_("Job {job} is at work on {name}.", job=taker, name=path))
        return
    if beneath.status_of(delivery.root_of_results(job, path.parent), path) is not None:
        raise CannotUndo(_("{name} was changed since it was delivered.", name=path))
    if taker is not None:
        raise CannotUndo(_("Job {job} has taken {name}; undo that first.", job=taker, name=path))
    raise CannotUndo(_("{name} is no longer there.", name=path))


def _folder_of_results(journal: Journal, job: Job) -> Path | None:
    """The folder that appeared with the results and that nobody had before; None where there is none."""
    plan = journal.plans.delivery(job)
    if plan is None or not plan.is_folder or plan.moves is not None or delivery.is_configured(job, plan.final):
        return None
    return plan.final if job.outputs and all(path.is_relative_to(plan.final) for path in job.outputs) else None


def _hidden(job: Job, path: Path, number: int) -> Path:
    return path.with_name(placement.temporary_name(f"{job.token}-undo-{number}"))


# ---------- originals ----------


def _returns(journal: Journal, jobs: Sequence[Job]) -> tuple[Job | None, tuple[Return, ...]]:
    """The job that filed the originals, and their ways back; no job where they lie where they were dropped."""
    why_not = _("The original {name} is no longer where it was put.", name=jobs[0].path.name)
    if not jobs[0].rule.folder.is_dir():
        raise CannotUndo(_("The hot folder {folder} is not there.", folder=jobs[0].rule.folder))
    # the last of several rules to end has filed it; the others only planned to
    for one in sorted(jobs, key=lambda one: (one.finished or 0.0, one.id), reverse=True):
        if one.rule.original == "keep" or not one.members:
            if all(relocation.is_there(one, member.path) for member in one.members):
                return None, ()
            continue
        if one.rule.original in ("delete", "trash"):
            gone = one.rule.original == "delete"
            why_not = _("Its rule deletes originals.") if gone else _("Its original went to the trash.")
            continue
        plans = journal.plans.filings(one)
        if any(plan.parted for plan in plans.values()):
            raise CannotUndo(_("More came into its folder, so its files were filed one by one."))
        if journal.retention.has_expired(one):
            why_not = _("Its original went to the trash, as `keep_done` says.")
            continue
        if plans and all(relocation.is_there(one, plan.target) for plan in plans.values()):
            return one, tuple(_return(one, original, plans.get(original.index)) for original in originals_of(one))
    raise CannotUndo(why_not)


def _return(job: Job, original: Original, plan: FilingPlan | None) -> Return:
    if plan is None:
        raise CannotUndo(_("The original {name} is no longer where it was put.", name=original.path.name))
    if relocation.is_there(job, original.home):
        raise CannotUndo(
            _("Another file of the name {name} is in {folder}.", name=original.home.name, folder=original.home.parent)
        )
    hashes = contents(relocation.root_of(job, plan.target), plan.target)
    check_unchanged(job, original, plan.target, hashes)
    hidden = original.home.with_name(placement.temporary_name(f"{original.token}-undo"))
    return Return(job.id, original.index, plan.target, original.home, hidden, hashes)


def check_unchanged(job: Job, original: Original, place: Path, found: dict[str, str]) -> None:
    """Raise CannotUndo where the original, or a file of a set, is not what was worked on. found: its `contents`."""
    hashes = dict(zip((member.path for member in job.members), job.hashes or (), strict=False))
    known = relocation.all_of(job) if original.key is None else (job.members[original.index],)
    names = {_below(original, member): member for member in known}
    others = [name for name in found if name not in names and not relocation.goes_along(job, PurePosixPath(name))]
    if others:
        raise CannotUndo(_("Other files lie in {place} by now: {names}.", place=place, names=listed(others)))
    for name, member in names.items():
        sha256 = hashes.get(member.path, "")
        now = found.get(name)
        same = now == sha256 if sha256 else now is not None and _has_size(job, place / name, member.key)
        if not same:
            raise CannotUndo(_("The original {name} has been changed or removed since.", name=place / name))


def _below(original: Original, member: Member) -> str:
    return "" if original.key is not None else member.path.relative_to(original.path).as_posix()


def _has_size(job: Job, path: Path, key: FileKey) -> bool:
    """Of a file that no step has read there is no hash, and a move to another disk changes all else of its key."""
    now = beneath.key_of(relocation.root_of(job, path), path)
    return now is not None and now.size == key.size


def _marked(journal: Journal, job: Job, returns: Sequence[Return]) -> Marked:
    """The job's mark: by what its inputs are where they lie now, which they stay if they are only renamed."""
    present = tuple(Member(member.path, _key_now(job, member, returns)) for member in job.members)
    return Marked(job.id, job.state, journal.undos.is_kept(job), job.members, present)


def _key_now(job: Job, member: Member, returns: Sequence[Return]) -> FileKey:
    for one in returns:
        if member.path.is_relative_to(one.home):
            place = one.source / member.path.relative_to(one.home)
            return beneath.key_of(relocation.root_of(job, place), place) or member.key
    return member.key


# ---------- what is lost all the same ----------


def _lost(journal: Journal, jobs: Sequence[Job]) -> Iterator[str]:
    for job in jobs:
        for path in job.outputs if job.rule.on_conflict == "replace" else ():
            earlier = journal.undos.replaced(job, path)
            if earlier is not None:
                yield _(
                    "The earlier {name}, by job {job}, was replaced and does not come back.", name=path, job=earlier
                )


# ---------- what files hold ----------


def contents(root: Path, path: Path) -> dict[str, str]:
    """sha256 of the file at `path`, under the empty name, or of those in the folder there, by their paths below it.

    Links and the like in a folder are told with an empty hash. Nothing for nothing. Raises OSError.
    """
    try:
        with beneath.holder(root, path) as (folder, name):
            if not folder.is_folder(name):
                return {"": folder.hash(name)} if folder.key(name) is not None else {}
            with folder.child(name) as inside:
                return {relative.as_posix(): _hash_below(inside, relative) for relative in inside.files()}
    except (FileNotFoundError, NotADirectoryError):
        return {}


def _hash_below(folder: Folder, relative: PurePosixPath) -> str:
    with folder.below(relative.parts[:-1]) as inner:
        return inner.hash(relative.name) if inner.key(relative.name) is not None else ""


def is_just(root: Path, path: Path, hashes: Mapping[str, str]) -> bool:
    """Decide whether just these files, with these bytes, are at `path`. Raises OSError."""
    return contents(root, path) == dict(hashes)
