"""Is it complete? One look at a file or a set, and what follows from it."""

from __future__ import annotations

import math
import os
import stat
import time
from dataclasses import dataclass
from typing import Literal

from paperchute.files.identity import FileKey
from paperchute.files.names import COMPANIONS
from paperchute.files.open_files import writer_open
from paperchute.files.presence import is_there
from paperchute.files.sets import ElsewhereError, HiddenError, Inside, TransferError, Unfit, inside, key_if_file
from paperchute.watch.end_marks import end_mark
from paperchute.watch.interface import Reason
from paperchute.watch.roots import SET_QUIET_MOST, Entry, Members, Root, Signature

# Seconds of quiet before something is taken (docs/watching.md#waiting-times).
GRACE = 0.25  # no end mark, and nobody has it open
WINDOW = 2.0  # no end mark, and whether somebody has it open cannot be told
POLLED_WINDOW = 5.0  # the same, where changes are seen by polling only
HOLD = 10.0  # until then more is expected at any moment, and whoever works off what is there waits for it
OPEN_FOR_EVER = 60.0  # an open file that does not change any more belongs to a program that never closes its files

# Seconds after which an empty or cut file, or a set that lacks files, is given out all the same, so that a person
# hears of it. The times of files grow with `settle`, which says that writers here take their time.
EMPTY_HOLD = 3600.0  # many scanners make the file first and write when the last page is through; and an hour a second
UNSEEN_HOLD = 60.0  # cut, and whether somebody has it open cannot be told: a slow line, or a scanner between two pages
CUT_MORE = 60.0  # cut: for each second of `settle`
MISSING_HOLD = 86_400.0  # a set is scanned over a day, and its end mark comes last

_OPEN_PAUSE = 0.5  # the close event normally comes first
_COMPANION_PAUSE = 1.0  # nothing tells when a companion goes
_LATER = 10.0  # neither does anything tell when a file has come from the cloud, or is shown again
LOOK_PAUSE = 2.0  # between two looks at what is held, should no event tell of it


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
    path = root.real + os.sep + name
    try:
        look = _set_look(path, entry) if entry.is_set else key_if_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except ElsewhereError:
        entry.changed = now
        return Wait("cloud", _LATER, stuck=True)
    except HiddenError:
        return Wait("hidden", _LATER, stuck=True)
    except TransferError:
        entry.changed = now
        return Wait("companion", _COMPANION_PAUSE)
    except PermissionError:
        return Wait("denied", _LATER, stuck=True)
    except OSError:
        return Wait("settling", 1.0)
    if look is None:
        return "gone"
    if look == entry.reported:
        return "rest"
    if look != entry.look:
        if entry.look is not None:
            _changed(root, entry, look, now)
        entry.look = look
    entry.told = False
    quiet = now - entry.changed
    if isinstance(look, tuple):
        return _set_verdict(root, name, entry, look, quiet) or "ready"
    return _file_verdict(root, name, look, quiet, renamed=entry.how == "renamed") or "ready"


def _changed(root: Root, entry: Entry, look: Signature, now: float) -> None:
    """What was looked at before is something else now. Where no events tell of it, a set's new files are seen here."""
    if isinstance(look, tuple) and isinstance(entry.look, tuple):
        if root.polled and {name for name, _ in look} - {name for name, _ in entry.look}:
            note_gap(root, entry, now)
        entry.how = "appeared"
        if entry.told:
            return  # `changed` says when it was
    entry.changed = now


def note_gap(root: Root, entry: Entry, now: float) -> None:
    """One more file has come into a set, which may have been taken already."""
    gap = now - entry.changed
    if gap <= SET_QUIET_MOST:  # what comes later is not one copying any more
        entry.gap = max(entry.gap, gap)
        if entry.reported is not None:
            root.learn_set(entry.gap)


def _file_verdict(root: Root, name: str, key: FileKey, quiet: float, renamed: bool) -> Wait | None:
    obstacle, need = _need(root, root.real + os.sep + name, key, quiet, renamed)
    if obstacle and (wait := _blocked(obstacle, quiet, need)):
        return wait
    if obstacle:
        return None
    if not renamed:
        need = max(need, root.patience(name))
    return Wait("settling", min(need - quiet, 1.0)) if quiet < need else None


def _set_verdict(root: Root, name: str, entry: Entry, members: Members, quiet: float) -> Wait | None:
    """A set is complete when its count or end mark is there, when it was moved in whole, or after some quiet."""
    if not members:
        return Wait("unfit" if entry.unfit else "empty", 0.0, stuck=True)
    of_set = {relative[len(name) + 1 :]: (relative, key) for relative, key in members}
    names = root.interest.naming(root.hot, root.hot.path / name, tuple(of_set))
    if names.complete is False:
        return Wait("missing", LOOK_PAUSE, stuck=True) if quiet < MISSING_HOLD else None
    whole = entry.how == "renamed"
    need = 0.0 if whole else root.set_patience(entry.gap)
    if names.complete:
        need = min(need, root.hot.settle)
    if quiet < need:
        return Wait("more", min(need - quiet, LOOK_PAUSE))
    for below, (relative, key) in of_set.items():
        obstacle, alone = _need(root, root.real + os.sep + relative, key, quiet, renamed=whole)
        if below not in names.counted and obstacle in ("empty", "incomplete"):
            continue
        if obstacle and (wait := _blocked(obstacle, quiet, need + alone)):
            return wait
        need = need if obstacle else max(need, alone)
    return Wait("settling", need - quiet) if quiet < need else None


def _need(root: Root, path: str, key: FileKey, quiet: float, renamed: bool) -> tuple[Reason | None, float]:
    """What stands in the way of taking a file, if anything does; and the seconds of quiet after which it is taken."""
    writer = writer_open(path) if root.leases else None
    settle = root.hot.settle
    if writer and quiet < OPEN_FOR_EVER:
        return "open", math.inf
    if _has_companion(root, path):
        return "companion", math.inf
    if key.size == 0:
        hold = EMPTY_HOLD * max(1.0, settle)
        return "empty", HOLD if renamed or time.time() - key.mtime / 1e9 > hold else hold
    try:
        ended = end_mark(path, key.size)
    except OSError:
        ended = None  # whoever works on it will say why it cannot be read
    if ended is False:
        return "incomplete", HOLD if renamed else (HOLD if writer is False else UNSEEN_HOLD) + CUT_MORE * settle
    if ended or renamed:
        return None, 0.0
    if writer is False:
        return None, GRACE
    return None, POLLED_WINDOW if root.polled else WINDOW


def _has_companion(root: Root, path: str) -> bool:
    """Tell if a download into `path` goes on. Where every name is heard of, only those that were need be looked for."""
    if not root.listed or root.polled:
        return any(is_there(path + end) for end in COMPANIONS)
    relative = root.relative(path)
    return any(relative + end in root.transfers and is_there(path + end) for end in COMPANIONS)


def _blocked(obstacle: Reason, quiet: float, hold: float) -> Wait | None:
    """The wait that an obstacle asks for; None when it has been waited for long enough, `hold` seconds.

    An empty or cut file that nobody writes to any more is given out then: whoever works on it refuses it with a reason,
    and a person finds that beside the file instead of a file that nothing ever happens to.
    """
    if obstacle == "open":
        return Wait(obstacle, _OPEN_PAUSE)
    if quiet >= hold:
        return None
    pause = _COMPANION_PAUSE if obstacle == "companion" else min(hold - quiet, LOOK_PAUSE)
    return Wait(obstacle, pause, stuck=quiet >= HOLD)


def _set_look(top: str, entry: Entry) -> Members:
    """Look at the files of the sub-folder `top`; `entry.unfit` has what else is there.

    Raises TransferError, and OSError.
    """
    name = os.path.basename(top)  # noqa: PTH119 - as the table has it
    found = inside(top)
    entry.unfit = tuple((name + os.sep + relative, why) for relative, why in to_be_told(top, found).items())
    return tuple((name + os.sep + relative, key) for relative, key in found.files.items())


def to_be_told(top: str, found: Inside) -> dict[str, Unfit]:
    """Choose what a set must not lose in silence: all that is unfit, but of temporary files the whole documents."""
    return {
        relative: why
        for relative, why in found.unfit.items()
        if why != "temporary" or is_whole_document(os.path.join(top, relative))  # noqa: PTH118 - as `inside` has it
    }


def is_whole_document(path: str) -> bool:
    """Decide whether a file is a document from beginning to end, or a folder, whatever its name may mean."""
    try:
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            return True
        return stat.S_ISREG(status.st_mode) and end_mark(path, status.st_size) is True
    except OSError:
        return False
