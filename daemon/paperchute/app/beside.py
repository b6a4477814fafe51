"""What lies beside a file that is ready, or in a sub-folder, and says something about it: sidecars and job.toml."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from paperchute.files.identity import FileKey, key_of
from paperchute.files.writer import writer_open
from paperchute.jobs.model import Member, NewJob
from paperchute.rules.sidecar import JOB_FILE, SUFFIX
from paperchute.watch.records import Ready, Waiting

_EMPTY_SECONDS = 10.0  # an empty file that nobody writes to is expected to be filled until then
_UNKNOWN_SECONDS = 2.0  # quiet that is asked for where nobody can tell whether it is being written


class NotWholeError(Exception):
    """A sidecar is there, and still being written."""


def with_wishes(new: NewJob, ready: Ready) -> NewJob:
    """The same job with the sidecar of its file, or the job.toml of its sub-folder, as a further member.

    Raises NotWholeError, and OSError.
    """
    if ready.is_set:
        found = next(((path, key) for path, key in ready.members if path == ready.path / JOB_FILE), None)
        if found is None or any(member.path == found[0] for member in new.members):
            return new
        return replace(new, members=(*new.members, Member(*found)))
    path = new.path.with_name(new.path.name + SUFFIX)
    key = key_of(path)
    if key is None:
        return new
    if not _is_whole(path, key):
        raise NotWholeError
    return replace(new, members=(*new.members, Member(path, key)))


class Orphans:
    """Sidecars whose file is not there: they wait for it. Told by one thread, and any may look."""

    def __init__(self) -> None:
        self._seen: dict[Path, float] = {}

    def add(self, path: Path) -> None:
        """A sidecar is complete."""
        self._seen.setdefault(path, time.monotonic())

    def waiting(self) -> list[Waiting]:
        """Those that still are, and wait."""
        found = []
        for path, since in list(self._seen.items()):
            if not os.path.lexists(path):
                self._seen.pop(path, None)
            elif not os.path.lexists(path.with_name(path.name[: -len(SUFFIX)])):
                found.append(Waiting(path, "partner", time.monotonic() - since))
        return found


def _is_whole(path: Path, key: FileKey) -> bool:
    quiet = time.time() - key.mtime / 1e9
    writer = writer_open(path)
    if writer:
        return False
    if key.size == 0:
        return quiet >= _EMPTY_SECONDS
    return writer is False or quiet >= _UNKNOWN_SECONDS
