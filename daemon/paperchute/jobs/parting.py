"""Parting a set from what came into its folder late: its files go one by one, and the folder stays with the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from paperchute.files import beneath, placement
from paperchute.files.beneath import Folder
from paperchute.files.copies import move_across
from paperchute.files.names import is_temporary, is_transfer
from paperchute.jobs.journal import Journal
from paperchute.jobs.lateness import late_files
from paperchute.jobs.records import FilingPlan, Job, Member
from paperchute.jobs.roots import holding, is_there, root_of
from paperchute.rules.match import is_set_end


def has_more(job: Job) -> bool:
    """Whether the folder of a set holds more than the set. Raises OSError."""
    return job.path.is_dir() and any(path.is_relative_to(job.path) for path in late_files(job))


def planned_apart(job: Job, plan: FilingPlan) -> FilingPlan:
    """The plan for the files alone, into a folder that nobody has yet, and that no link leads to. Raises OSError."""
    root = root_of(job, plan.target)
    with beneath.opened(root, make=True) as top, top.room_for(plan.target.relative_to(root).parts[:-1]) as folder:
        places = placement.numbered(folder.path / plan.target.name)
        target = next(place for place in places if folder.status(place.name) is None)
    return replace(plan, target=target, parted=True)


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


def spent(job: Job) -> tuple[Member, ...]:
    """The files of a set that nobody needs once it is done: what was left out of its result is not among them."""
    return tuple(m for m in all_of(job) if m in job.members or is_set_end(job.rule, m.path.relative_to(job.path)))


def put_back_late(journal: Journal, job: Job, target: Path) -> None:
    """Put back what came into the folder in the moment in which it was moved to `target`. Raises OSError."""
    if job.facts is None:
        return
    known = {member.path.relative_to(job.path).as_posix() for member in all_of(job)}
    with holding(job, target) as (folder, name), folder.child(name) as top:
        late = [path for path in top.files() if path.as_posix() not in known]
        for relative in late:
            if is_temporary(relative.name) and not is_transfer(relative.name):
                continue  # housekeeping of other programs stays with the folder
            place = job.path / relative
            with top.below(relative.parts[:-1]) as source, holding(job, place, make=True) as (home, _):
                next(new for new in placement.numbered(place) if source.place_new(relative.name, home, new.name))
            journal.note_event(job, "late", f"{relative} stays in its folder")


def all_of(job: Job) -> tuple[Member, ...]:
    """The files of a set, those that the job does not take included."""
    others = job.facts.others if job.facts is not None else ()
    return tuple({member.path: member for member in (*others, *job.members)}.values())


def is_unchanged(job: Job, member: Member) -> bool:
    """Whether the file is there and has the bytes that it had, as far as its stat tells."""
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
