"""Moving one thing of a job's originals: planned first, then done, and taken up again after a crash at any moment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from paperchute.files import placing
from paperchute.files.identity import FileKey, hash_of, key_of
from paperchute.jobs import parting
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import FilingPlan, Job


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
    return thing.path.is_dir() if thing.key is None else is_same(thing.path, thing.key)


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
        plan = parting.planned_apart(plan)
        journal.plan_filing(thing.job, plan, thing.index)
    if plan.parted:
        return parting.move_apart(thing.job, plan.target, place_across)
    if not still_ours(thing):
        placing.remove(_copy_of(thing, plan))
        return plan.target if _is_original(thing, plan.target) else None
    plan.target.parent.mkdir(parents=True, exist_ok=True)
    for candidate in placing.numbered(plan.target):
        if candidate != plan.target:
            plan = replace(plan, target=candidate)
            journal.plan_filing(thing.job, plan, thing.index)
        try:
            placed = placing.place_new(plan.source, candidate)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return _copy(journal, thing, plan)
        if placed:
            if thing.key is None:
                parting.put_back_late(journal, thing.job, candidate)
            return candidate
    raise AssertionError("numbered() never ends")


def place_across(source: Path, target: Path) -> bool:
    """As `placing.place_new`, from one file system to another too."""
    try:
        return placing.place_new(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    temporary = target.with_name(placing.temporary_name(f"back-{source.stat().st_ino}"))
    placing.copy_tree(source, temporary)
    if not placing.place_new(temporary, target):
        placing.remove(temporary)
        return False
    placing.remove(source)
    return True


def is_same(path: Path, key: FileKey, sha256: str | None = None) -> bool:
    """Whether the file at `path` still is the one of `key`: by its stat, or where only times differ, by its hash."""
    now = key_of(path)
    if now is None or not now.same_bytes_likely(key):
        return False
    return now == key or sha256 is None or hash_of(path) == sha256


def delete(thing: Thing) -> None:
    """Delete it. Of a set only the files that the job was made for, and what came into it later stays."""
    if parting.has_more(thing.job):
        parting.delete_apart(thing.job, Path.unlink)
    else:
        _delete(thing, _is_member(thing))


def is_being_deleted(thing: Thing) -> bool:
    """Whether a set lies aside, where nobody sees it, on its way to be deleted."""
    return _present(_aside(thing))


def _copy(journal: Journal, thing: Thing, plan: FilingPlan) -> Path:
    """Move to another file system: a copy under a hidden name first, which only its publishing takes away."""
    placing.copy_tree(plan.source, _copy_of(thing, plan))
    plan = replace(plan, copied=True)
    journal.plan_filing(thing.job, plan, thing.index)
    return _finish_copy(journal, thing, plan)


def _finish_copy(journal: Journal, thing: Thing, plan: FilingPlan) -> Path:
    """Publish the whole copy, then let the original go; either may have happened before a crash."""
    copy = _copy_of(thing, plan)
    if _present(copy):
        for candidate in placing.numbered(plan.target):
            if candidate != plan.target:
                plan = replace(plan, target=candidate)
                journal.plan_filing(thing.job, plan, thing.index)
            if placing.place_new(copy, candidate):
                break
    elif not _present(plan.target) and still_ours(thing):
        plan.target.parent.stat()  # raises while the other disk is away
        return _copy(journal, thing, plan)  # somebody took the copy: the original does not go without one
    target = plan.target
    _delete(thing, lambda path, relative: _present(target / relative))
    return target


def _copy_of(thing: Thing, plan: FilingPlan) -> Path:
    return plan.target.with_name(placing.temporary_name(thing.token))


def _is_original(thing: Thing, target: Path) -> bool:
    """Whether it has itself arrived at `target` by a rename."""
    return target.is_dir() if thing.key is None else is_same(target, thing.key)


def _is_member(thing: Thing) -> Callable[[Path, Path], bool]:
    """Whether a file of a set is one the job was made for. It lies at a path, and below the set at a relative one."""
    keys = {member.path: member.key for member in parting.spent(thing.job)}

    def is_member(path: Path, relative: Path) -> bool:
        key = keys.get(thing.path / relative)
        return key is not None and is_same(path, key)

    return is_member


def _delete(thing: Thing, own: Callable[[Path, Path], bool]) -> None:
    """Delete it. A set goes aside first, so that nobody ever sees, or takes, a part of it, and loses what is `own`."""
    if thing.key is not None:
        if is_same(thing.path, thing.key):
            thing.path.unlink(missing_ok=True)
        return
    aside = _aside(thing)
    if not _present(aside):
        if not thing.path.is_dir():
            return
        thing.path.rename(aside)
    for path in sorted(aside.rglob("*"), reverse=True):  # what lies deeper comes first
        if path.is_symlink() or not path.is_dir():
            if own(path, path.relative_to(aside)):
                path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()
    if any(aside.iterdir()):  # what came into it later is not ours
        next(place for place in placing.numbered(thing.home) if placing.place_new(aside, place))
    else:
        aside.rmdir()


def _aside(thing: Thing) -> Path:
    return thing.home.with_name(
        placing.temporary_name(thing.token)
    )  # of a claimed set too: nobody takes it for a claim


def _present(path: Path) -> bool:
    return os.path.lexists(path)
