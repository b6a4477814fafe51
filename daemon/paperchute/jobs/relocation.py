"""Moving an original: planned first, then done, and taken up again after a crash at any moment.

A set whose folder holds more than the set goes file by file, and the folder stays with the rest.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath

from paperchute.files import beneath, copies, placement
from paperchute.files.copies import move_across
from paperchute.files.folder import Folder
from paperchute.files.names import is_private, is_temporary, is_transfer
from paperchute.jobs.inputs import late_files
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import FilingPlan, Job, Member, Original
from paperchute.rules.destinations import siblings_of
from paperchute.rules.match import is_set_end

# ---------- where originals may lie ----------


def root_of(job: Job, path: Path) -> Path:
    """The configured folder that a path of a job's originals lies in. Raises ValueError where it lies in none."""
    rule = job.rule
    root = _root_of(rule.folder, rule.original, path.parent)
    if root is None:
        raise ValueError(f"{path} is in no folder of the rule {rule.name!r}")
    return root


@lru_cache(maxsize=1024)
def _root_of(hot: Path, original: str, folder: Path) -> Path | None:
    beside = siblings_of(hot)
    elsewhere = [Path(original)] if Path(original).is_absolute() else []
    found = [root for root in (*elsewhere, beside.done, beside.failed, hot) if folder.is_relative_to(root)]
    return max(found, key=lambda root: len(root.parts), default=None)


def holding(job: Job, path: Path, *, make: bool = False) -> beneath.Holding:
    """The open folder that holds a path of a job's originals, and its name there. Raises OSError."""
    return beneath.holder(root_of(job, path), path, make=make)


def is_there(job: Job, path: Path) -> bool:
    """Decide whether anything is at a path of a job's originals."""
    return beneath.status_of(root_of(job, path), path) is not None


# ---------- moving ----------


def move(journal: Journal, original: Original, plan: FilingPlan, planned: FilingPlan | None) -> Path | None:
    """Move it as planned; its new path, or None when it was not there. planned: what the journal holds of that already.

    Raises OSError; the plan then stands and is taken up again.
    """
    if planned != plan:
        if not still_ours(original):
            return None
        journal.plans.plan_filing(original.job, plan, original.index)
    if plan.copied:
        return _finish_copy(journal, original, plan)
    if not plan.parted and has_more(original.job):
        plan = planned_apart(original.job, plan)
        journal.plans.plan_filing(original.job, plan, original.index)
    if plan.parted:
        return _move_apart(journal, original, plan)
    if not still_ours(original):
        _remove(original, _copy_of(original, plan))
        return plan.target if _is_ours(original, plan.target) else None
    with holding(original.job, plan.source) as (source, name), _room(original, plan) as folder:
        for candidate in placement.numbered(folder.path / plan.target.name):
            if candidate != plan.target:
                plan = replace(plan, target=candidate)
                journal.plans.plan_filing(original.job, plan, original.index)
            try:
                placed = source.place_new(name, folder, candidate.name)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                break
            if placed:
                if original.key is None:
                    put_back_late(journal, original.job, candidate)
                return candidate
    return _copy(journal, original, plan)


def _copy(journal: Journal, original: Original, plan: FilingPlan) -> Path:
    """Move to another file system: a copy under a hidden name first, which only its publishing takes away."""
    copy = _copy_of(original, plan)
    with (
        holding(original.job, plan.source) as (source, name),
        holding(original.job, copy, make=True) as (folder, hidden),
    ):
        folder.remove(hidden)
        copies.copy(source, name, folder, hidden)
    plan = replace(plan, copied=True)
    journal.plans.plan_filing(original.job, plan, original.index)
    return _finish_copy(journal, original, plan)


def _finish_copy(journal: Journal, original: Original, plan: FilingPlan) -> Path:
    """Publish the whole copy, then let the original go; either may have happened before a crash."""
    copy = _copy_of(original, plan)
    if is_there(original.job, copy):
        with holding(original.job, copy) as (folder, hidden):
            for candidate in placement.numbered(plan.target):
                if candidate != plan.target:
                    plan = replace(plan, target=candidate)
                    journal.plans.plan_filing(original.job, plan, original.index)
                if folder.place_new(hidden, folder, candidate.name):
                    break
    elif not is_there(original.job, plan.target) and still_ours(original):
        plan.target.parent.stat()  # raises while the other disk is away
        return _copy(journal, original, plan)  # somebody took the copy: the original does not go without one
    target = plan.target

    def is_copied(folder: Folder, name: str, relative: PurePosixPath) -> bool:
        """Decide whether the copy is the file as it is now: somebody may have saved it anew."""
        place = target / relative
        if folder.key(name) is None:
            return is_there(original.job, place)
        with holding(original.job, place) as (there, copy):
            return there.key(copy) is not None and there.hash(copy) == folder.hash(name)

    _delete(original, is_copied)
    return target


def move_back(original: Original, source: Path) -> bool:
    """Move what was filed at `source` to where it was dropped. False when something is there. Raises OSError."""
    job = original.job
    with holding(job, source) as (folder, name), holding(job, original.home, make=True) as (home, new):
        return move_across(folder, name, home, new, f"{original.token}-back")


def still_ours(original: Original) -> bool:
    """Decide whether it is what the job was made for. A set is ours as long as its folder is there."""
    return _is_ours(original, original.path)


def _is_ours(original: Original, path: Path) -> bool:
    """Decide whether it is itself at `path`: it was never moved, or has arrived there by a rename."""
    root = root_of(original.job, path)
    if original.key is None:
        status = beneath.status_of(root, path)
        return status is not None and stat.S_ISDIR(status.st_mode)
    now = beneath.key_of(root, path)
    return now is not None and now.same_bytes_likely(original.key)


def _room(original: Original, plan: FilingPlan) -> Folder:
    """The folder that it is to be moved into, made; beside what is no folder, one that bears a number."""
    root = root_of(original.job, plan.target)
    with beneath.opened(root, make=True) as top:
        return top.room_for(plan.target.relative_to(root).parts[:-1])


def _copy_of(original: Original, plan: FilingPlan) -> Path:
    return plan.target.with_name(placement.temporary_name(original.token))


# ---------- deleting ----------


def delete(original: Original) -> None:
    """Delete it. Of a set only the files that the job was made for, and what came into it later stays."""
    if has_more(original.job):
        delete_apart(original.job, Folder.unlink)
        return
    keys = {member.path: member.key for member in spent(original.job)}

    def is_member(folder: Folder, name: str, relative: PurePosixPath) -> bool:
        key, now = keys.get(original.path / relative), folder.key(name)
        return key is not None and now is not None and now.same_bytes_likely(key)

    _delete(original, is_member)


def is_being_deleted(original: Original) -> bool:
    """Decide whether a set lies aside, where nobody sees it, on its way to be deleted."""
    return is_there(original.job, _aside(original))


def _delete(original: Original, own: Callable[[Folder, str, PurePosixPath], bool]) -> None:
    """Take away what is `own`: the file, or of a set each file, asked for by its folder, name and path below the set.

    A set goes out of sight first, so that nobody takes a part of it for a set, and loses what is ours there.
    """
    if original.key is not None:
        if _is_ours(original, original.path):
            _remove(original, original.path)
        return
    job, aside = original.job, _aside(original)
    with holding(job, aside) as (folder, hidden):
        if not folder.is_folder(hidden):
            if not still_ours(original):
                return
            if folder.status(hidden) is not None:
                folder.unlink(hidden)  # a link or file that somebody put there
            with holding(job, original.path) as (source, name):
                source.place_new(name, folder, hidden)
        with folder.child(hidden) as inside:
            _delete_in(inside, PurePosixPath(), own)
        if not folder.rmdir(hidden):  # what came into it later is not ours
            with holding(job, original.home, make=True) as (home, _):
                next(place for place in placement.numbered(original.home) if folder.place_new(hidden, home, place.name))


def _delete_in(folder: Folder, at: PurePosixPath, own: Callable[[Folder, str, PurePosixPath], bool]) -> None:
    for name in folder.names():
        if folder.is_folder(name):
            with folder.child(name) as inside:
                _delete_in(inside, at / name, own)
            folder.rmdir(name)
        elif own(folder, name, at / name):
            folder.unlink(name)


def _remove(original: Original, path: Path) -> None:
    if is_there(original.job, path):
        with holding(original.job, path) as (folder, name):
            folder.remove(name)


def _aside(original: Original) -> Path:
    # of a claimed set too: nobody takes it for a claim
    return original.home.with_name(placement.temporary_name(original.token))


# ---------- a set whose folder holds more than the set ----------


def has_more(job: Job) -> bool:
    """Decide whether the folder of a set holds more than the set. Raises OSError."""
    return job.path.is_dir() and any(path.is_relative_to(job.path) for path in late_files(job))


def planned_apart(job: Job, plan: FilingPlan) -> FilingPlan:
    """The plan for the files alone, into a folder that nobody has yet, and that no link leads to. Raises OSError."""
    root = root_of(job, plan.target)
    with beneath.opened(root, make=True) as top, top.room_for(plan.target.relative_to(root).parts[:-1]) as folder:
        places = placement.numbered(folder.path / plan.target.name)
        target = next(place for place in places if folder.status(place.name) is None)
    return replace(plan, target=target, parted=True)


def _move_apart(journal: Journal, original: Original, plan: FilingPlan) -> Path:
    """As `move_apart`; where a link or file has appeared on its way, beside that."""
    try:
        return move_apart(original.job, plan.target)
    except NotADirectoryError:
        plan = planned_apart(original.job, plan)
        journal.plans.plan_filing(original.job, plan, original.index)
        return move_apart(original.job, plan.target)


def move_apart(job: Job, target: Path) -> Path:
    """Move every file of a set that is still what it was into the folder `target`; may be done again after a crash.

    Raises OSError.
    """
    for member in all_of(job):
        if not is_unchanged(job, member):
            continue
        place = target / member.path.relative_to(job.path)
        with holding(job, member.path) as (source, name), holding(job, place, make=True) as (folder, wanted):
            if folder.key(wanted) is not None and folder.hash(wanted) == source.hash(name):
                source.unlink(name)  # a crash came between its copy and this
                continue
            token = f"{job.token}-apart"
            next(new for new in placement.numbered(place) if move_across(source, name, folder, new.name, token))
    remove_empty(job)
    return target


def delete_apart(job: Job, discard: Callable[[Folder, str], None]) -> None:
    """Have `discard` take every file of a job that is still what it was. Raises OSError."""
    for member in spent(job):
        if is_unchanged(job, member):
            with holding(job, member.path) as (folder, name):
                discard(folder, name)
    remove_empty(job)


def put_back_late(journal: Journal, job: Job, target: Path) -> None:
    """Put back what came into the folder in the moment in which it was moved to `target`. Raises OSError."""
    if job.facts is None:
        return
    known = {member.path.relative_to(job.path).as_posix() for member in all_of(job)}
    with holding(job, target) as (folder, name), folder.child(name) as top:
        late = [path for path in top.files() if path.as_posix() not in known]
        for relative in late:
            if goes_along(job, relative):
                continue
            place = job.path / relative
            with top.below(relative.parts[:-1]) as source, holding(job, place, make=True) as (home, _):
                next(new for new in placement.numbered(place) if source.place_new(relative.name, home, new.name))
            journal.history.note(job, "late", f"{relative} stays in its folder")


def goes_along(job: Job, relative: PurePosixPath) -> bool:
    """Decide whether what lies in a set's folder at `relative`, and is none of its files, goes where the folder goes.

    Housekeeping of programs does, and what was told of as unfit when the job was made.
    """
    unfit = {PurePath(one).as_posix() for one in job.facts.unfit} if job.facts is not None else set()
    if any(one.as_posix() in unfit for one in (relative, *relative.parents)):
        return True
    temporary = is_temporary(relative.name) and not is_transfer(relative.name)
    return temporary or any(map(is_private, relative.parts[:-1]))


def spent(job: Job) -> tuple[Member, ...]:
    """The files of a set that nobody needs once it is done: what was left out of its result is not among them."""
    return tuple(m for m in all_of(job) if m in job.members or is_set_end(job.rule, m.path.relative_to(job.path)))


def all_of(job: Job) -> tuple[Member, ...]:
    """The files of a set, those that the job does not take included."""
    others = job.facts.others if job.facts is not None else ()
    return tuple({member.path: member for member in (*others, *job.members)}.values())


def is_unchanged(job: Job, member: Member) -> bool:
    """Decide whether the file is there and has the bytes that it had, as far as its stat tells."""
    try:
        with holding(job, member.path) as (folder, name):
            now = folder.key(name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return now is not None and now.same_bytes_likely(member.key)


def remove_empty(job: Job) -> None:
    """Remove the folder of a set, and those below it, where nothing is left in them. Raises OSError."""
    if is_there(job, job.path):
        with holding(job, job.path) as (folder, name):
            _remove_empty(folder, name)


def _remove_empty(folder: Folder, name: str) -> None:
    if not folder.is_folder(name):
        return
    with folder.child(name) as inside:
        for inner in inside.names():
            _remove_empty(inside, inner)
    folder.rmdir(name)
