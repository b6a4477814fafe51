"""The settle thread: keeps what has been seen, judges it when its time has come, and hands over what is complete.

One thread owns all entries, so nothing needs a lock: everybody else posts messages to its inbox and goes on.
Folders take turns, so a drop of 100,000 files into one does not hold up another.
"""

from __future__ import annotations

import heapq
import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from loguru import logger

from paperchute.files.identity import FileKey, key_of
from paperchute.files.names import is_transfer, natural_order
from paperchute.files.presence import is_folder, is_there
from paperchute.watch.actor import Actor
from paperchute.watch.interface import How, Out, Ready
from paperchute.watch.judge import GRACE, LOOK_PAUSE, Wait, judge, note_gap
from paperchute.watch.roots import Entry, Root

_FIRST_LOOK = {"appeared": GRACE, "listed": GRACE if sys.platform == "win32" else 0.0}
"""Seconds until a new file is looked at. On Windows a look keeps others from deleting its folder, so what programs make
for a moment only is left alone; elsewhere what a scan finds is taken at once."""
_AFTER_A_FAULT = 5.0  # seconds until something that made us stumble is looked at again


class Settler(Actor):
    """Judges the files and sets of some hot folders on one thread; `Ready` records go to `out`."""

    def __init__(self, out: Out, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds that only go up."""
        super().__init__("settle")
        self._out = out
        self._clock = clock
        self._later: list[tuple[float, int, Root, str, Entry]] = []  # a heap by due time
        self._turns: deque[Root] = deque()  # the roots with entries due now
        self._order = itertools.count()

    # What others may post, from any thread: never blocks, never raises.

    def seen(self, root: Root, relative: str, how: How, folder: bool = False) -> None:
        """A file, or a folder, was noticed at `relative` below the root."""
        self._post(self._seen, root, relative, how, folder)

    def gone(self, root: Root, relative: str) -> None:
        """What was at `relative` has probably gone; looked at before it is believed, since events come late."""
        self._post(self._gone, root, relative)

    def again(self, root: Root, relative: str, key: FileKey | None, gap: float) -> None:
        """See `Watcher.again`."""
        self._post(self._again, root, relative, key, gap)

    def listed(self, root: Root, gaps: int) -> None:
        """A look at everything has ended; it was begun when `root.gaps` was `gaps`."""
        self._post(self._listed, root, gaps)

    def refilter(self, root: Root) -> None:
        """Drop what is pending and no longer wanted."""
        self._post(self._refilter, root)

    def unsettled(self, roots: Iterable[Root], timeout: float) -> int | None:
        """Return how many subjects are still about to be judged once all that was posted before is taken in.

        None when there is no answer within `timeout` seconds.
        """
        return self._ask(timeout, self._count, tuple(roots))

    def expected(self, root: Root, timeout: float) -> list[str] | None:
        """The subjects of one root that are about to be judged; None when there is no answer within `timeout`."""
        return self._ask(timeout, self._names, root)

    # The thread.

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._take_in(self._pause())
                self._ripen()
                self._judge_one()
            except Exception:  # noqa: BLE001 - one bad file or a raising `wanted` must not end the watch over all others
                logger.exception("The settle thread stumbled and goes on.")

    def _pause(self) -> float | None:
        """Seconds until something is due; None when nothing is."""
        if self._turns:
            return 0.0
        return max(0.0, self._later[0][0] - self._clock()) if self._later else None

    def _ripen(self) -> None:
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            due, _, root, name, entry = heapq.heappop(self._later)
            if entry.due == due:
                self._line_up(root, name, entry)

    def _judge_one(self) -> None:
        if not self._turns:
            return
        root = self._turns.popleft()
        name, entry, due = root.turn.popleft()
        if root.turn:
            self._turns.append(root)
        if entry.due != due or root.removed:
            return  # something newer is known of it
        entry.due = 0.0
        try:
            self._judge(root, name, entry)
        except BaseException:
            self._plan(root, name, entry, _AFTER_A_FAULT)
            raise

    def _judge(self, root: Root, name: str, entry: Entry) -> None:
        verdict = judge(root, name, entry, self._clock())
        entry.reason, entry.stuck = None, False
        if isinstance(verdict, Wait):
            entry.reason, entry.stuck = verdict.reason, verdict.stuck
            if verdict.pause:
                self._plan(root, name, entry, verdict.pause)
        elif verdict == "gone":
            self._drop(root, name, entry)
        elif verdict == "ready":
            entry.reported = entry.look
            if entry.gap:
                root.learn_set(entry.gap)
            self._out.put(_ready(root, name, entry))

    def _plan(self, root: Root, name: str, entry: Entry, pause: float) -> None:
        """Judge the entry in `pause` seconds; this replaces an earlier plan."""
        entry.due = self._clock() + pause
        if pause > 0:
            heapq.heappush(self._later, (entry.due, next(self._order), root, name, entry))
        else:
            self._line_up(root, name, entry)

    def _line_up(self, root: Root, name: str, entry: Entry) -> None:
        if not root.turn:
            self._turns.append(root)
        root.turn.append((name, entry, entry.due))

    @staticmethod
    def _drop(root: Root, name: str, entry: Entry) -> None:
        entry.due = 0.0
        if root.table.get(name) is entry:
            del root.table[name]

    # The messages.

    def _seen(self, root: Root, relative: str, how: How, folder: bool) -> None:
        subject = None if root.removed else root.subject(relative, folder)
        if subject is None:
            if not folder and is_transfer(relative):
                root.transfers.add(relative)
            return
        name, is_set = subject
        entry = root.table.get(name)
        now = self._clock()
        appeared = how in ("appeared", "renamed")
        if is_set and not (folder and relative == name):
            how = "listed" if how == "listed" else "appeared" if how == "renamed" else how  # not the set as a whole
        if entry is None or entry.is_set != is_set:
            if not root.interest.wanted(root.hot, root.hot.path / name):
                return
            entry = root.table[name] = Entry(is_set, how, now)
        elif how == "listed":
            if entry.due:
                return
        else:
            if is_set and appeared:
                note_gap(root, entry, now)
            if not entry.due and not entry.stuck:
                entry.since = now
            entry.how, entry.changed, entry.told = how, now, True
            if is_set and 0 < entry.due <= now + _look_after(root, how):
                return  # the planned look will find that it is not quiet yet
        if is_set:
            pause = 0.0 if how == "listed" and entry.look else _look_after(root, how)
        else:
            pause = _FIRST_LOOK.get(how, 0.0)
        self._plan(root, name, entry, pause)

    @staticmethod
    def _listed(root: Root, gaps: int) -> None:
        root.listed = root.gaps == gaps

    def _gone(self, root: Root, relative: str) -> None:
        root.transfers.discard(relative)
        entry = root.table.get(relative)
        if entry is not None:
            if not is_there(root.real + os.sep + relative):
                self._drop(root, relative, entry)
            elif not entry.due:  # else it came while everything was looked at, and its time is known
                self._plan(root, relative, entry, 0.0)
        elif root.hot.gather and relative.partition(os.sep)[0] in root.table:
            self._seen(root, relative, "closed", folder=False)  # its set has changed

    def _again(self, root: Root, relative: str, key: FileKey | None, gap: float) -> None:
        path = root.hot.path / relative
        subject = root.subject(relative, is_folder(path))
        if subject is None or root.removed:
            return
        name, is_set = subject
        if not gap and key is not None:
            gap = _grown_after(path, key)
        if gap > 0 and not is_set:  # what came late into a set was noticed when it came
            root.learn(name, gap)
        now = self._clock()
        entry = root.table.get(name)
        if entry is None:
            entry = root.table[name] = Entry(is_set, "closed", now)
        if entry.is_set or key is None or entry.reported == key:
            entry.reported = None
            entry.how, entry.since, entry.changed, entry.told = "closed", now, now, True
            self._plan(root, name, entry, 0.0)

    def _refilter(self, root: Root) -> None:
        for name, entry in list(root.table.items()):
            pending = entry.due or entry.stuck
            subject = root.subject(name, entry.is_set)
            if pending and (subject is None or not root.interest.wanted(root.hot, root.hot.path / name)):
                self._drop(root, name, entry)

    @staticmethod
    def _count(roots: tuple[Root, ...]) -> int:
        return sum(1 for root in roots for entry in root.table.values() if entry.due and not entry.stuck)

    @staticmethod
    def _names(root: Root) -> list[str]:
        held = ("empty", "incomplete")  # for long, and yet whoever gathers must not go on without them
        found = root.table.items()
        return [name for name, entry in found if entry.due and (not entry.stuck or entry.reason in held)]


def _look_after(root: Root, how: How) -> float:
    """Seconds from a change of a set until it is looked at: sooner where it may be complete at once.

    What events do not tell only the difference between two looks does, so the first one is not put off there.
    """
    if root.polled:
        return 0.0
    return GRACE if root.hot.prompt or how == "renamed" else LOOK_PAUSE


def _ready(root: Root, name: str, entry: Entry) -> Ready:
    path = root.hot.path / name
    if isinstance(entry.look, FileKey):
        return Ready(root.hot.path, path, ((path, entry.look),))
    keys = {root.hot.path / relative: key for relative, key in entry.look or ()}
    members = tuple((member, keys[member]) for member in natural_order(keys))
    unfit = tuple((root.hot.path / relative, why) for relative, why in entry.unfit)
    return Ready(root.hot.path, path, members, is_set=True, unfit=unfit)


def _grown_after(path: Path, key: FileKey) -> float:
    """Seconds between what `key` was and the last change of other bytes at `path`; 0 when only times changed."""
    try:
        now = key_of(path)
    except OSError:
        now = None
    if now is None or now.same_bytes_likely(key):
        return 0.0
    return max(0.0, (now.mtime - key.mtime) / 1e9)
