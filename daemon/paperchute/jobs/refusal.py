"""What a disk has refused: where, whether other files meet it too, and what a person can do about it."""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path

from paperchute.files.names import OWN_TEMPORARY
from paperchute.files.sharing import HeldError
from paperchute.jobs.model import Job
from paperchute.language import _

_FORBIDDEN = (errno.EACCES, errno.EPERM)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_SHORTEST_PAUSE, _PAUSE_SHARE, _LONGEST_PAUSE = 2.0, 0.125, 60.0
"""A job whose own files are refused tries again after an eighth of its age, so that hundreds of them cost little."""


@dataclass(frozen=True)
class Refusal:
    """An error of a disk or share while a job was worked on."""

    what: str
    """A sentence for people."""
    pause: float = 0.0
    """Where only files of this job are refused, such as one that its owner alone may read, it waits so many seconds by
    itself. With 0 the others of its hot folder wait with it, since they would meet the same."""


def refusal_of(job: Job, error: OSError) -> Refusal:
    """Return what an error means for its job, and for the others of the same hot folder."""
    place = _place_of(job, error)
    forbidden = error.errno in _FORBIDDEN and not isinstance(error, HeldError)
    what = _told_of_right(job, place, error) if forbidden else _told(job, place, error)
    of_this_job = place != job.rule.folder and place.is_relative_to(job.rule.folder)
    if not of_this_job or not isinstance(error, PermissionError):
        return Refusal(what)
    age = time.time() - job.created
    return Refusal(what, min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, age * _PAUSE_SHARE)))


def _place_of(job: Job, error: OSError) -> Path:
    """The file or folder that has to be put right. Of a move that may be either end, and the error does not say it."""
    first = Path(os.fsdecode(error.filename or job.path))
    second = Path(os.fsdecode(error.filename2)) if error.filename2 else None
    if second is not None and isinstance(error, HeldError):
        return first
    if second is not None and error.errno in _FORBIDDEN:
        for folder in (first, first.parent):
            if folder.is_dir() and not os.access(folder, os.W_OK):
                return folder
        if _is_fixed(error, second):
            return first
    place = second or first
    return place.parent if OWN_TEMPORARY in place.name else place


def _is_fixed(error: OSError, second: Path) -> bool:
    """Decide whether what was to be moved to `second` is itself the matter.

    It is locked, or another user's in a folder with the sticky bit: both say EPERM, where a folder's rights say EACCES.
    """
    return error.errno == errno.EPERM and os.access(second.parent, os.W_OK)


def _told(job: Job, place: Path, error: OSError) -> str:
    name = job.path.name
    if error.errno in _FULL:
        return _(
            "{name}: there is no room left on the disk of {place}. The work goes on once there is.",
            name=name,
            place=place,
        )
    return _("{name}: {place} cannot be used ({reason}).", name=name, place=place, reason=error.strerror or error)


def _told_of_right(job: Job, place: Path, error: OSError) -> str:
    name = job.path.name
    if place.is_file() and not os.access(place, os.R_OK):
        return _("{name}: Paperchute may not read {place}. Give it permission to.", name=name, place=place)
    if error.errno == errno.EPERM and str(place) == error.filename:
        return _("{name}: Paperchute may not move {place}. Give it permission to.", name=name, place=place)
    while not place.is_dir() and place != place.parent:
        place = place.parent
    return _("{name}: Paperchute may not write to {place}. Give it permission to.", name=name, place=place)
