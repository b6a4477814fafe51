"""The state of one hot folder: what is known of each of its files and sets."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from pathlib import Path

from paperchute.files.identity import FileKey
from paperchute.files.names import is_half_made, is_private, is_temporary
from paperchute.files.sets import Unfit
from paperchute.watch.interface import HotFolder, How, Interest, Reason

Members = tuple[tuple[str, FileKey], ...]
"""(path relative to the hot folder, key) of each file of a set."""
Signature = FileKey | Members
"""What a subject is right now."""

SCAN_PAUSE = {"win32": 10.0, "darwin": 30.0}.get(sys.platform, 60.0)
"""Seconds. Windows tells of a write when it reaches the disk, macOS folds events; Linux tells when it lost some."""
POLL_PAUSE = 2.0


DEEPEST = 64
"""Levels of sub-folders that are looked into. Deeper ones are a program's own, or made to be endless."""

SET_QUIET = 10.0
"""Seconds without a new file after which a set counts as complete, at least. People who drag files into a new folder
and copies over Wi-Fi pause for 2 to 5 s between two files; a batch waits as long (`quiet`)."""
SET_QUIET_MOST = 120.0
"""Seconds that a set is waited for however it is filled: who pauses longer needs a count or an end mark."""
_GAPS = 3.0  # a pause three times as long as the longest so far is rare in one copying
_FADING = 0.75  # what was learned from one slow copying fades with each quicker one
_SETS = "/"  # no suffix, so it stands for sets among what was learned


class Entry:
    """What is known of one subject: a file, or a set (a gathered sub-folder)."""

    __slots__ = (
        *("changed", "due", "gap", "how", "is_set", "look", "reason", "reported", "since", "stuck", "told", "unfit"),
    )

    def __init__(self, is_set: bool, how: How, now: float) -> None:
        self.is_set = is_set
        self.how = how
        self.since = now  # when it was first seen; all times are monotonic seconds
        self.changed = now  # when it last changed
        self.gap = 0.0  # of a set: the longest time between two of its files
        self.due = 0.0  # when it is judged next; 0 = at rest until something is seen of it
        self.look: Signature | None = None  # what it was when last looked at
        self.unfit: tuple[tuple[str, Unfit], ...] = ()  # of a set: what else lay in it then, as paths of the table
        self.told = True  # an event has told of a change since then, and when it was
        self.reported: Signature | None = None  # what it was when reported ready
        self.reason: Reason | None = None  # why it is not taken yet
        self.stuck = False  # nothing is expected of it unless somebody changes it


class Root:
    """One hot folder. The table of entries is changed by the settle thread alone; others only look names up in it.

    The fields below the table belong to the thread that goes round the folders.
    """

    def __init__(self, hot: HotFolder, interest: Interest) -> None:
        self.hot = hot
        self.interest = interest
        self.table: dict[str, Entry] = {}  # by path relative to the hot folder
        self.learned: dict[str, float] = {}  # by suffix: seconds that writers here were seen to pause
        self.turn: deque[tuple[str, Entry, float]] = deque()  # entries due now, oldest first
        self.transfers: set[str] = set()  # unfinished downloads beside: a file may wait for one of them
        self.listed = False  # all of those that are there are in the set
        self.gaps = 0  # how often a look was asked for because something may have been missed
        self.removed = False

        self.real = os.fspath(hot.path)  # the folder with symlinks resolved, as it is watched
        self.identity: tuple[int, int] | None = None  # (device, inode) of the folder looked after; None = none is
        self.polled = True  # no events come from here: it is looked through every POLL_PAUSE
        self.remote = False
        self.refused = False  # some sub-folder could not be watched or listed
        self.denied: set[str] = set()  # those that the last look was refused
        self.leases = False  # the writer check works here
        self.scan_at = 0.0
        self.full_scan = True
        self.scanned = False  # looked through since that was last asked for, or known to be out of reach
        self.scan_seconds = 0.0  # what the last scan took
        self.retry_at = 0.0
        self.pause = 0.0  # the last back-off

    @property
    def deep(self) -> bool:
        """Whether sub-folders matter."""
        return self.hot.recursive or self.hot.gather

    def relative(self, path: str) -> str:
        """The path below the watched folder `self.real`, without its leading separator; empty for the folder itself."""
        return path[len(self.real) :].lstrip(os.sep)

    def subject(self, relative: str, folder: bool) -> tuple[str, bool] | None:
        """Which subject a file (or folder) belongs to, and whether that is a set; None = none that could be taken."""
        top, separator, _ = relative.partition(os.sep)
        *above, name = relative.split(os.sep)  # noqa: PTH206 - for every event
        if not name or any(is_private(one) or is_half_made(one) for one in above):
            return None
        if (is_private(name) or is_half_made(name)) if folder else is_temporary(name):
            return None
        if self.hot.gather and (separator or folder):
            return top, True
        if folder or (separator and not self.hot.recursive) or not (separator or self.hot.files):
            return None
        return relative, False

    def patience(self, relative: str) -> float:
        """Seconds that a subject must have been quiet because the rule or experience with its suffix says so."""
        learned = self.learned.get(Path(relative).suffix.lower(), 0.0) if self.learned else 0.0
        return max(self.hot.settle, learned)

    def learn(self, relative: str, gap: float) -> None:
        """A writer paused `gap` seconds between two parts of a file: wait for its like longer, 30 s at most."""
        suffix = Path(relative).suffix.lower()
        self.learned[suffix] = min(30.0, max(self.learned.get(suffix, 0.0), 0.5 + 1.5 * gap))

    def set_patience(self, gap: float) -> float:
        """Seconds without a new file that complete a set with pauses of up to `gap` seconds between its files."""
        learned = self.learned.get(_SETS, 0.0)
        return max(self.hot.settle, min(SET_QUIET_MOST, max(SET_QUIET, _GAPS * gap, learned)))

    def learn_set(self, gap: float) -> None:
        """A set was filled with pauses of up to `gap` seconds: the next ones are waited for accordingly."""
        wait = max(_GAPS * gap, _FADING * self.learned.get(_SETS, 0.0))
        if wait > SET_QUIET:
            self.learned[_SETS] = min(SET_QUIET_MOST, wait)
        else:
            self.learned.pop(_SETS, None)

    def want_scan(self, pause: float = 0.0) -> None:
        """Have everything compared again `pause` seconds from now, or as soon as was asked before.

        With a pause, scans in a row leave half of the time to others.
        """
        self.full_scan = True
        self.gaps += 1
        self.listed = False
        due = time.monotonic() + max(pause, self.scan_seconds if pause else 0.0)
        self.scan_at = due if self.scanned else min(self.scan_at, due)
        self.scanned = False

    def scan_done(self, seconds: float) -> None:
        """Plan the next scan after one of `seconds`: 1 % of a core at most, 10 % where only scans see anything."""
        self.scan_seconds = seconds
        poll = self.polled or self.refused
        self.scan_at = time.monotonic() + (max(POLL_PAUSE, 10 * seconds) if poll else max(SCAN_PAUSE, 100 * seconds))
        self.full_scan = poll or sys.platform != "linux"
        self.scanned = True
