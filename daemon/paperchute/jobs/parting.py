"""Parting a set from what came into its folder late: its files go one by one, and the folder stays with the rest."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from paperchute.files import placing
from paperchute.files.folders import TransferError, files_below
from paperchute.files.identity import hash_of, key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.lateness import late_files
from paperchute.jobs.records import FilingPlan, Job, Member
from paperchute.rules.match import is_set_end


def has_more(job: Job) -> bool:
    """Whether the folder of a set holds more than the set. Raises OSError."""
    return job.path.is_dir() and any(path.is_relative_to(job.path) for path in late_files(job))


def planned_apart(plan: FilingPlan) -> FilingPlan:
    """The plan for the files alone, into a folder that nobody has yet."""
    target = next(place for place in placing.numbered(plan.target) if not os.path.lexists(place))
    return replace(plan, target=target, parted=True)


def move_apart(job: Job, target: Path, across: Callable[[Path, Path], bool]) -> Path:
    """Move every file of a set that is still what it was into the folder `target`; may be done again after a crash.

    across: moves one file to where nothing is, as `moving.place_across`. Raises OSError.
    """
    for member in all_of(job):
        if not is_unchanged(member):
            continue
        place = target / member.path.relative_to(job.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if key_of(place) is not None and hash_of(place) == hash_of(member.path):
            member.path.unlink()  # a crash came between its copy and this
        elif not any(across(member.path, candidate) for candidate in placing.numbered(place)):
            raise AssertionError("numbered() never ends")
    remove_empty(job.path)
    return target


def delete_apart(job: Job, remove: Callable[[Path], None]) -> None:
    """Have `remove` take every file of a job that is still what it was. Raises OSError."""
    for member in spent(job):
        if is_unchanged(member):
            remove(member.path)
    remove_empty(job.path)


def spent(job: Job) -> tuple[Member, ...]:
    """The files of a set that nobody needs once it is done: what was left out of its result is not among them."""
    return tuple(m for m in all_of(job) if m in job.members or is_set_end(job.rule, m.path.relative_to(job.path)))


def put_back_late(journal: Journal, job: Job, target: Path) -> None:
    """Put back what came into the folder in the moment in which it was moved to `target`. Raises OSError."""
    if job.facts is None:
        return
    known = {member.path.relative_to(job.path) for member in all_of(job)}
    with contextlib.suppress(TransferError):
        for name in map(Path, files_below(str(target))):
            if name not in known:
                place = job.path / name
                place.parent.mkdir(parents=True, exist_ok=True)
                next(candidate for candidate in placing.numbered(place) if placing.place_new(target / name, candidate))
                journal.note_event(job, "late", f"{name} stays in its folder")


def all_of(job: Job) -> tuple[Member, ...]:
    """The files of a set, those that the job does not take included."""
    others = job.facts.others if job.facts is not None else ()
    return tuple({member.path: member for member in (*others, *job.members)}.values())


def is_unchanged(member: Member) -> bool:
    """Whether the file is there and has the bytes that it had, as far as its stat tells."""
    now = key_of(member.path)
    return now is not None and now.same_bytes_likely(member.key)


def remove_empty(top: Path) -> None:
    """Remove the folders at and below `top` in which nothing is left."""
    for folder, _, _ in os.walk(top, topdown=False) if not top.is_symlink() else ():
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106 - os.walk gives text
