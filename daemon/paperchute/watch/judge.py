"""Is it complete? One look at a file or a set, and what follows from it."""

from __future__ import annotations

import math
import os
import stat
from dataclasses import dataclass
from typing import Literal

from paperchute.files.identity import FileKey, key_from
from paperchute.files.names import COMPANIONS, is_temporary, is_transfer
from paperchute.files.writer import writer_open
from paperchute.watch.end_marks import end_mark
from paperchute.watch.records import Reason
from paperchute.watch.roots import Entry, Root

# Seconds of quiet before something is taken (watching a hot folder: what can be guaranteed, section 8).
GRACE = 0.25  # no end mark, and nobody has it open
WINDOW = 2.0  # no end mark, and whether somebody has it open cannot be told
POLLED_WINDOW = 5.0  # the same, where changes are seen by polling only
SET_QUIET = 2.0  # a whole set
HOLD = 10.0  # empty or unfinished: until then more is expected at any moment
OPEN_FOR_EVER = 60.0  # an open file that does not change any more belongs to a program that never closes its files

_OPEN_PAUSE = 0.5  # the close event normally comes first
_COMPANION_PAUSE = 1.0  # nothing tells when a companion goes
_RECALL = stat.FILE_ATTRIBUTE_OFFLINE | 0x0040_0000  # Windows: the bytes are still in the cloud (RECALL_ON_DATA_ACCESS)


@dataclass(frozen=True, slots=True)
class Wait:
    """Not yet: look again after `pause` seconds, or, with 0, when something happens to it.

    stuck: nothing more is expected by itself.
    """

    reason: Reason
    pause: float
    stuck: bool = False


Verdict = Wait | Literal["gone", "rest", "ready"]
"""gone: nothing (or no file) is there; rest: it is what was reported before; ready: complete, as `entry.look` says."""


def judge(root: Root, name: str, entry: Entry, now: float) -> Verdict:
    """Look at the subject `name` of `root` at the monotonic time `now`; updates `entry.look` and `entry.changed`."""
    try:
        look = _members(root, name) if entry.is_set else _key(root.real + os.sep + name)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except _TransferSeen:
        entry.changed = now
        return Wait("companion", _COMPANION_PAUSE)
    except OSError:
        return Wait("settling", 1.0)
    if look is None:
        return "gone"
    if look == entry.reported:
        return "rest"
    if look != entry.look:
        if entry.look is not None:
            entry.changed = now
        entry.look = look
    quiet = now - entry.changed
    if isinstance(look, tuple):
        return _set_verdict(root, name, look, quiet) or "ready"
    return _file_verdict(root, name, look, quiet, renamed=entry.how == "renamed") or "ready"


def _file_verdict(root: Root, name: str, key: FileKey, quiet: float, renamed: bool) -> Wait | None:
    obstacle, need = _need(root, root.real + os.sep + name, key.size, quiet, renamed)
    if obstacle and (wait := _blocked(obstacle, quiet)):
        return wait
    if not renamed:
        need = max(need, root.patience(name))
    return Wait("settling", min(need - quiet, 1.0)) if quiet < need else None


def _set_verdict(root: Root, name: str, members: tuple[tuple[str, FileKey], ...], quiet: float) -> Wait | None:
    if not members:
        return Wait("empty", 0.0, stuck=True)
    need = max(SET_QUIET, root.patience(name))
    if quiet < need:
        return Wait("settling", need - quiet)
    for relative, key in members:
        obstacle, alone = _need(root, root.real + os.sep + relative, key.size, quiet, renamed=False)
        if obstacle and (wait := _blocked(obstacle, quiet)):
            return wait
        need = max(need, alone)
    return Wait("settling", need - quiet) if quiet < need else None


def _need(root: Root, path: str, size: int, quiet: float, renamed: bool) -> tuple[Reason | None, float]:
    """What stands in the way of taking a file, or else the seconds it must have been quiet."""
    writer = writer_open(path) if root.leases else None
    if writer and quiet < OPEN_FOR_EVER:
        return "open", math.inf
    if _has_companion(root, path):
        return "companion", math.inf
    if size == 0:
        return "empty", HOLD
    try:
        ended = end_mark(path, size)
    except OSError:
        ended = None  # whoever works on it will say why it cannot be read
    if ended is False:
        return "incomplete", HOLD
    if ended or renamed:
        return None, 0.0
    if writer is False:
        return None, GRACE
    return None, POLLED_WINDOW if root.polled else WINDOW


def _has_companion(root: Root, path: str) -> bool:
    """Whether a download into `path` goes on. Where every name is heard of, only those that were need be looked for."""
    if not root.listed or root.polled:
        return any(os.path.lexists(path + end) for end in COMPANIONS)
    relative = root.relative(path)
    return any(relative + end in root.transfers and os.path.lexists(path + end) for end in COMPANIONS)


def _blocked(obstacle: Reason, quiet: float) -> Wait | None:
    """The wait that an obstacle asks for; None when it has been waited for long enough.

    An empty or cut file that nobody writes to any more is given out after the hold: whoever works on it refuses it
    with a reason, and a person finds that beside the file instead of a file that nothing ever happens to.
    """
    if obstacle == "open":
        return Wait(obstacle, _OPEN_PAUSE)
    held = quiet >= HOLD
    if obstacle == "companion":
        return Wait(obstacle, _COMPANION_PAUSE, stuck=held)
    return None if held else Wait(obstacle, HOLD - quiet)


def _key(path: str) -> FileKey | None:
    status = os.lstat(path)
    recalled = getattr(status, "st_file_attributes", 0) & _RECALL
    return key_from(status) if stat.S_ISREG(status.st_mode) and not recalled else None


class _TransferSeen(Exception):
    """A download into the set is still going on."""


def _members(root: Root, name: str) -> tuple[tuple[str, FileKey], ...] | None:
    """The files below the sub-folder `name` with their keys; None when it is no folder (any more). Raises OSError."""
    top = root.real + os.sep + name
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        return None
    members: list[tuple[str, FileKey]] = []
    folders = [top]
    while folders:
        with os.scandir(folders.pop()) as items:
            for item in items:
                if is_transfer(item.name):
                    raise _TransferSeen
                if is_temporary(item.name):
                    continue
                if item.is_dir(follow_symlinks=False):
                    folders.append(item.path)
                elif (key := _key(item.path)) is not None:
                    members.append((root.relative(item.path), key))
    return tuple(sorted(members, key=lambda member: member[0]))
