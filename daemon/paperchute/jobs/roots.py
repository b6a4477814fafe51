"""Which configured folder a path of a job's originals lies in: from there it is reached without following a link."""

from __future__ import annotations

import errno
from pathlib import Path

from paperchute.files import beneath, placing
from paperchute.files.beneath import Folder
from paperchute.jobs.records import Job
from paperchute.rules.siblings import siblings


def root_of(job: Job, path: Path) -> Path:
    """The configured folder that a path of a job's originals lies in. Raises ValueError where it lies in none."""
    rule, beside = job.rule, siblings(job.rule)
    elsewhere = [Path(rule.original)] if Path(rule.original).is_absolute() else []
    roots = (*elsewhere, beside.done, beside.failed, rule.folder)
    found = [root for root in roots if path != root and path.is_relative_to(root)]
    if not found:
        raise ValueError(f"{path} is in no folder of the rule {rule.name!r}")
    return max(found, key=lambda root: len(root.parts))


def holding(job: Job, path: Path, *, make: bool = False) -> beneath.Holding:
    """The open folder that holds a path of a job's originals, and its name there. Raises OSError."""
    return beneath.holder(root_of(job, path), path, make=make)


def is_there(job: Job, path: Path) -> bool:
    """Whether anything is at a path of a job's originals."""
    return beneath.status_of(root_of(job, path), path) is not None


def move_across(source: Folder, name: str, folder: Folder, new: str, token: str) -> bool:
    """As `Folder.place_new`, to another file system too, where a copy comes first. token: names that copy.

    False when something is at the new place. Raises OSError.
    """
    try:
        return source.place_new(name, folder, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    temporary = placing.temporary_name(token)
    folder.remove(temporary)
    source.copy(name, folder, temporary)
    copied = folder.hash(temporary) if folder.key(temporary) is not None else None
    if not folder.place_new(temporary, folder, new):
        folder.remove(temporary)
        return False
    if copied is None or (source.key(name) is not None and source.hash(name) == copied):
        source.remove(name)  # else it was saved anew meanwhile, and stays
    return True
