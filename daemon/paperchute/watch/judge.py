"""Is this file complete? The settle rule of watching.md section 8, on one file, without threads."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from paperchute.files.identity import FileKey, key_from
from paperchute.files.names import companion_of
from paperchute.files.writer import writer_open
from paperchute.watch.end_marks import ends_well

Reason = Literal["open", "empty", "incomplete", "companion", "settling"]

GRACE_SECONDS = 0.25  # no end mark, and nobody has it open
WINDOW_SECONDS = 2.0  # no end mark, and whether somebody has it open cannot be known
POLLED_WINDOW_SECONDS = 5.0  # the same on a share, where sizes are seen late
HOLD_SECONDS = 10.0  # empty, or its end mark is missing
OPEN_LOOK_SECONDS = 0.5
COMPANION_LOOK_SECONDS = 1.0
OPEN_FOR_EVER_SECONDS = 60.0  # a program that keeps its file open without writing is believed no longer


@dataclass(frozen=True)
class Verdict:
    """ready: take it, as `key`. wait: look again in `seconds`, for `reason`. gone: no regular file is there."""

    kind: Literal["ready", "wait", "gone"]
    key: FileKey | None = None
    seconds: float = 0.0
    reason: Reason = "settling"


@dataclass
class Look:
    """What is remembered of a file between two looks. Times are monotonic seconds.

    last: when it last changed or an event came. renamed: it came by a rename, which nobody does before he is done.
    """

    last: float
    renamed: bool = False
    seen: FileKey | None = None


def judge(path: Path, look: Look, now: float, *, least: float, trust_lease: bool, polled: bool) -> Verdict:
    """One look at a file. least: seconds of quiet the folder asks for, or that were learned. Updates `look`.

    Raises OSError for trouble with the folder (permission, lost share).
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Verdict("gone")
    if not stat.S_ISREG(status.st_mode):
        return Verdict("gone")
    key = key_from(status)
    if look.seen is not None and key != look.seen:
        look.last = now
        look.renamed = look.renamed and key.inode != look.seen.inode
    look.seen = key
    quiet = now - look.last
    writer = writer_open(path) if trust_lease else None
    if writer is True and quiet < OPEN_FOR_EVER_SECONDS:
        return Verdict("wait", key, OPEN_LOOK_SECONDS, "open")
    if companion_of(path) is not None:
        return Verdict("wait", key, COMPANION_LOOK_SECONDS, "companion")
    need, reason = _needed_quiet(path, key, look, writer, polled)
    if not look.renamed:
        need = max(need, least)
    if quiet < need:
        return Verdict("wait", key, max(0.01, min(need - quiet, 1.0)), reason)
    return Verdict("ready", key)


def _needed_quiet(path: Path, key: FileKey, look: Look, writer: bool | None, polled: bool) -> tuple[float, Reason]:
    if key.size == 0:
        return HOLD_SECONDS, "empty"
    try:
        mark = ends_well(path, key.size)
    except FileNotFoundError:
        return 0.0, "settling"
    if mark is False:
        return HOLD_SECONDS, "incomplete"
    if mark or look.renamed:
        return 0.0, "settling"
    if writer is False:
        return GRACE_SECONDS, "settling"
    return (POLLED_WINDOW_SECONDS if polled else WINDOW_SECONDS), "settling"
