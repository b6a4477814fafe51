"""Moving one thing of a job's originals: planned first, then done, and taken up again after a crash at any moment."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from paperchute.files import beneath, copies, placement
from paperchute.files.beneath import Folder
from paperchute.files.copies import move_across
from paperchute.files.identity import FileKey, hash_of, key_from, key_of
from paperchute.jobs import parting
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import FilingPlan, Job
from paperchute.jobs.roots import holding, is_there, root_of


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


def still_ours(thing: Thing) -> bool:
    """Whether it is what the job was made for. A set is ours as long as its folder is there."""
    return _is_ours(thing, thing.path)


def move(journal: Journal, thing: Thing, plan: FilingPlan, planned: FilingPlan | None) -> Path | None:
    """Move it as planned; its new path, or None when it was not there. planned: what the journal holds of that already.

    Raises OSError; the plan then stands and is taken up again.
    """
    if planned != plan:
        if not still_ours(thing):
            return None
        journal.plan_filing(thing.job, plan, thing.index)
    if plan.copied:
        return _finish_copy(journal, thing, plan)
    if not plan.parted and parting.has_more(thing.job):
        plan = parting.planned_apart(thing.job, plan)
        journal.plan_filing(thing.job, plan, thing.index)
    if plan.parted:
        return _move_apart(journal, thing, plan)
    if not still_ours(thing):
        _remove(thing, _copy_of(thing, plan))
        return plan.target if _is_ours(thing, plan.target) else None
    with holding(thing.job, plan.source) as (source, name), _room(thing, plan) as folder:
        for candidate in placement.numbered(folder.path / plan.target.name):
            if candidate != plan.target:
                plan = replace(plan, target=candidate)
                journal.plan_filing(thing.job, plan, thing.index)
            try:
                placed = source.place_new(name, folder, candidate.name)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                break
            if placed:
                if thing.key is None:
                    parting.put_back_late(journal, thing.job, candidate)
                return candidate
    return _copy(journal, thing, plan)


def _move_apart(journal: Journal, thing: Thing, plan: FilingPlan) -> Path:
    """As `parting.move_apart`; where a link or file has appeared on its way, beside that."""
    try:
        return parting.move_apart(thing.job, plan.target)
    except NotADirectoryError:
        plan = parting.planned_apart(thing.job, plan)
        journal.plan_filing(thing.job, plan, thing.index)
        return parting.move_apart(thing.job, plan.target)


def move_back(thing: Thing, source: Path) -> bool:
    """Move what was filed at `source` to where it was dropped. False when something is there. Raises OSError."""
    job = thing.job
    with holding(job, source) as (folder, name), holding(job, thing.home, make=True) as (home, new):
        return move_across(folder, name, home, new, f"{thing.token}-back")


def is_same(path: Path, key: FileKey, sha256: str | None = None) -> bool:
    """Whether the file at `path` still is the one of `key`: by its stat, or where only times differ, by its hash."""
    now = key_of(path)
    if now is None or not now.same_bytes_likely(key):
        return False
    return now == key or sha256 is None or hash_of(path) == sha256


def delete(thing: Thing) -> None:
    """Delete it. Of a set only the files that the job was made for, and what came into it later stays."""
    if parting.has_more(thing.job):
        parting.delete_apart(thing.job, Folder.unlink)
        return
    keys = {member.path: member.key for member in parting.spent(thing.job)}

    def is_member(folder: Folder, name: str, relative: PurePosixPath) -> bool:
        key, now = keys.get(thing.path / relative), folder.key(name)
        return key is not None and now is not None and now.same_bytes_likely(key)

    _delete(thing, is_member)


def is_being_deleted(thing: Thing) -> bool:
    """Whether a set lies aside, where nobody sees it, on its way to be deleted."""
    return is_there(thing.job, _aside(thing))


def _copy(journal: Journal, thing: Thing, plan: FilingPlan) -> Path:
    """Move to another file system: a copy under a hidden name first, which only its publishing takes away."""
    copy = _copy_of(thing, plan)
    with holding(thing.job, plan.source) as (source, name), holding(thing.job, copy, make=True) as (folder, hidden):
        folder.remove(hidden)
        copies.copy(source, name, folder, hidden)
    plan = replace(plan, copied=True)
    journal.plan_filing(thing.job, plan, thing.index)
    return _finish_copy(journal, thing, plan)


def _finish_copy(journal: Journal, thing: Thing, plan: FilingPlan) -> Path:
    """Publish the whole copy, then let the original go; either may have happened before a crash."""
    copy = _copy_of(thing, plan)
    if is_there(thing.job, copy):
        with holding(thing.job, copy) as (folder, hidden):
            for candidate in placement.numbered(plan.target):
                if candidate != plan.target:
                    plan = replace(plan, target=candidate)
                    journal.plan_filing(thing.job, plan, thing.index)
                if folder.place_new(hidden, folder, candidate.name):
                    break
    elif not is_there(thing.job, plan.target) and still_ours(thing):
        plan.target.parent.stat()  # raises while the other disk is away
        return _copy(journal, thing, plan)  # somebody took the copy: the original does not go without one
    target = plan.target

    def is_copied(folder: Folder, name: str, relative: PurePosixPath) -> bool:
        """Whether the copy is the file as it is now: somebody may have saved it anew."""
        place = target / relative
        if folder.key(name) is None:
            return is_there(thing.job, place)
        with holding(thing.job, place) as (copies, copy):
            return copies.key(copy) is not None and copies.hash(copy) == folder.hash(name)

    _delete(thing, is_copied)
    return target


def _room(thing: Thing, plan: FilingPlan) -> Folder:
    """The folder that it is to be moved into, made; beside what is no folder, one that bears a number."""
    root = root_of(thing.job, plan.target)
    with beneath.opened(root, make=True) as top:
        return top.room_for(plan.target.relative_to(root).parts[:-1])


def _copy_of(thing: Thing, plan: FilingPlan) -> Path:
    return plan.target.with_name(placement.temporary_name(thing.token))


def _is_ours(thing: Thing, path: Path) -> bool:
    """Whether it is itself at `path`: it was never moved, or has arrived there by a rename."""
    status = beneath.status_of(root_of(thing.job, path), path)
    if status is None:
        return False
    if thing.key is None:
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISREG(status.st_mode) and key_from(status).same_bytes_likely(thing.key)


def _delete(thing: Thing, own: Callable[[Folder, str, PurePosixPath], bool]) -> None:
    """Take away what is `own`: the file, or of a set each file, asked for by its folder, name and path below the set.

    A set goes out of sight first, so that nobody takes a part of it for a set, and loses what is ours there.
    """
    if thing.key is not None:
        if _is_ours(thing, thing.path):
            _remove(thing, thing.path)
        return
    job, aside = thing.job, _aside(thing)
    with holding(job, aside) as (folder, hidden):
        if not folder.is_folder(hidden):
            if not still_ours(thing):
                return
            if folder.status(hidden) is not None:
                folder.unlink(hidden)  # a link or file that somebody put there
            with holding(job, thing.path) as (source, name):
                source.place_new(name, folder, hidden)
        with folder.child(hidden) as inside:
            _delete_in(inside, PurePosixPath(), own)
        if not folder.rmdir(hidden):  # what came into it later is not ours
            with holding(job, thing.home, make=True) as (home, _):
                next(place for place in placement.numbered(thing.home) if folder.place_new(hidden, home, place.name))


def _delete_in(folder: Folder, at: PurePosixPath, own: Callable[[Folder, str, PurePosixPath], bool]) -> None:
    for name in folder.names():
        if folder.is_folder(name):
            with folder.child(name) as inside:
                _delete_in(inside, at / name, own)
            folder.rmdir(name)
        elif own(folder, name, at / name):
            folder.unlink(name)


def _remove(thing: Thing, path: Path) -> None:
    if is_there(thing.job, path):
        with holding(thing.job, path) as (folder, name):
            folder.remove(name)


def _aside(thing: Thing) -> Path:
    # of a claimed set too: nobody takes it for a claim
    return thing.home.with_name(placement.temporary_name(thing.token))
