"""The settling table: what has appeared, and when to look at it again. One thread judges, any may report."""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loguru import logger

from paperchute.files.identity import FileKey
from paperchute.files.names import is_temporary, natural_order
from paperchute.watch.judge import GRACE_SECONDS, HOLD_SECONDS, Look, judge
from paperchute.watch.records import HotFolder, Ready, Waiting

_SET_QUIET_SECONDS = 2.0
_TROUBLE_LOOK_SECONDS = 2.0
_LEARNED_LIMIT_SECONDS = 30.0

Members = tuple[tuple[Path, FileKey], ...]


@dataclass(frozen=True)
class Ground:
    """What is known of a hot folder's file system. trust_lease: the writer check works; polled: no events come."""

    folder: HotFolder
    trust_lease: bool
    polled: bool


@dataclass
class _Entry:
    """One file, or one gathered set, of one hot folder. generation: a newer report makes older appointments void."""

    ground: Ground
    path: Path
    is_set: bool
    first: float
    look: Look
    generation: int = 0
    reason: str = "settling"
    reported: Members | None = None
    pending: bool = True
    members: dict[Path, Look] = field(default_factory=dict)


class Settler:
    """Takes reports of paths, gives `Ready` once each content. About half a kilobyte a pending path."""

    def __init__(self, ready: Callable[[Ready], None]) -> None:
        """ready: called on the settle thread; must not block for long."""
        self._ready = ready
        self._entries: dict[tuple[Path, Path], _Entry] = {}
        self._heap: list[tuple[float, int, tuple[Path, Path], int]] = []
        self._order = itertools.count()
        self._learned: dict[tuple[Path, str], float] = {}
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="settle", daemon=True)

    def start(self) -> None:
        """Begin judging."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; what is pending is found again by the next start's scan."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def is_alive(self) -> bool:
        """Whether the settle thread lives."""
        return self._thread.is_alive()

    def report(self, ground: Ground, path: Path, *, is_set: bool, closed: bool, renamed: bool) -> None:
        """Something happened at `path`: a file of `ground`, or inside the set at `path`."""
        now = time.monotonic()
        with self._changed:
            place = (ground.folder.path, path)
            entry = self._entries.get(place)
            if entry is None:
                entry = self._entries[place] = _Entry(ground, path, is_set, now, Look(now))
            if not entry.pending:
                entry.first = now
            entry.ground = ground
            entry.pending = True
            entry.generation += 1
            entry.look.last = now
            entry.look.renamed = renamed
            self._appoint(place, entry, 0.0 if closed or renamed else GRACE_SECONDS)

    def forget(self, path: Path) -> None:
        """The file or set at `path` has been dealt with and moved away: whatever comes there next is new."""
        with self._changed:
            for place in [p for p in self._entries if p[1] == path]:
                del self._entries[place]

    def drop_folder(self, folder: Path) -> None:
        """A hot folder is no longer watched."""
        with self._changed:
            for place in [p for p in self._entries if p[0] == folder]:
                del self._entries[place]

    def drop_missing(self, folder: Path, found: set[Path]) -> None:
        """A scan saw all of `folder`: what was reported before and is not among `found` is gone."""
        with self._changed:
            for place in [
                p for p, e in self._entries.items() if p[0] == folder and not e.pending and p[1] not in found
            ]:
                del self._entries[place]

    def known(self, folder: Path, path: Path) -> Members | None:
        """What was last given as ready for `path`, or None; for scans to see whether anything is new."""
        with self._changed:
            entry = self._entries.get((folder, path))
            return entry.reported if entry is not None else None

    def is_pending(self, folder: Path, path: Path) -> bool:
        """Whether `path` is being judged already."""
        with self._changed:
            entry = self._entries.get((folder, path))
            return entry is not None and entry.pending

    def learn(self, path: Path, gap: float) -> None:
        """A file grew after it was taken: its folder and suffix wait longer from now on (watching.md section 8)."""
        with self._changed:
            kind = (path.parent, path.suffix.lower())
            self._learned[kind] = min(_LEARNED_LIMIT_SECONDS, max(self._learned.get(kind, 0.0), 0.5 + 1.5 * gap))

    def waiting(self, longer_than: float = 1.0) -> list[Waiting]:
        """What has appeared and is not taken yet after some seconds."""
        now = time.monotonic()
        with self._changed:
            return [
                Waiting(e.path, e.reason, now - e.first)  # type: ignore[arg-type]
                for e in self._entries.values()
                if e.pending and now - e.first > longer_than
            ]

    def settled(self) -> bool:
        """Nothing is being judged, but for files that somebody keeps open or downloads into for a long time."""
        now = time.monotonic()
        with self._changed:
            return not any(
                e.pending and not (e.reason in ("open", "companion") and now - e.first > HOLD_SECONDS)
                for e in self._entries.values()
            )

    # ---------- the settle thread ----------

    def _appoint(self, place: tuple[Path, Path], entry: _Entry, seconds: float) -> None:
        heapq.heappush(self._heap, (time.monotonic() + seconds, next(self._order), place, entry.generation))
        self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._stopping and (not self._heap or self._heap[0][0] > time.monotonic()):
                    self._changed.wait(self._heap[0][0] - time.monotonic() if self._heap else None)
                if self._stopping:
                    return
                _, _, place, generation = heapq.heappop(self._heap)
                entry = self._entries.get(place)
            if entry is None or entry.generation != generation:
                continue
            try:
                self._judge(place, entry, generation)
            except OSError as error:
                logger.debug("{} cannot be looked at yet: {}", entry.path, error)
                self._again(place, entry, generation, _TROUBLE_LOOK_SECONDS)

    def _again(self, place: tuple[Path, Path], entry: _Entry, generation: int, seconds: float) -> None:
        with self._changed:
            if entry.generation == generation:
                self._appoint(place, entry, seconds)

    def _judge(self, place: tuple[Path, Path], entry: _Entry, generation: int) -> None:
        outcome = self._judge_set(entry) if entry.is_set else self._judge_file(entry, entry.path, entry.look)
        if isinstance(outcome, float):
            self._again(place, entry, generation, outcome)
            return
        with self._changed:
            if entry.generation != generation:
                return
            if not outcome:
                self._entries.pop(place, None)
                return
            entry.pending = False
            entry.members.clear()
            if outcome == entry.reported:
                return
            entry.reported = outcome
        self._ready(Ready(entry.ground.folder.path, entry.path, outcome, entry.is_set))

    def _judge_file(self, entry: _Entry, path: Path, look: Look) -> Members | float:
        """The file as ready, nothing when it is gone, or seconds until the next look."""
        ground = entry.ground
        least = max(ground.folder.settle, self._learned.get((path.parent, path.suffix.lower()), 0.0))
        verdict = judge(path, look, time.monotonic(), least=least, trust_lease=ground.trust_lease, polled=ground.polled)
        if verdict.kind == "wait":
            entry.reason = verdict.reason
            return verdict.seconds
        if verdict.key is None:
            return ()
        return ((path, verdict.key),)

    def _judge_set(self, entry: _Entry) -> Members | float:
        """The set as ready once every file in it is complete and none has come or changed for a while."""
        now = time.monotonic()
        paths, unfinished = files_of_set(entry.path)
        if unfinished:
            entry.reason = "companion"
            return 1.0
        for path in paths:
            if path not in entry.members:
                entry.members[path] = Look(now)
                entry.look.last = now
        for path in entry.members.keys() - set(paths):
            del entry.members[path]
            entry.look.last = now
        members: list[tuple[Path, FileKey]] = []
        waits = []
        for path in natural_order(paths):
            before = entry.members[path].seen
            outcome = self._judge_file(entry, path, entry.members[path])
            if before is not None and entry.members[path].seen != before:
                entry.look.last = now
            if isinstance(outcome, float):
                waits.append(outcome)
            else:
                members.extend(outcome)
        if waits:
            return max(waits)
        if not members:
            return ()
        quiet = now - entry.look.last
        need = max(entry.ground.folder.settle, _SET_QUIET_SECONDS)
        if quiet < need:
            entry.reason = "settling"
            return max(0.01, need - quiet)
        return tuple(members)


def files_of_set(folder: Path) -> tuple[list[Path], bool]:
    """Regular files below `folder`, and whether a temporary one among them shows that more is to come.

    Housekeeping files of desktops and file managers (.DS_Store and the like) are no sign of that.
    """
    files, unfinished = [], False
    for base, folders, names in os.walk(folder, followlinks=False):
        for name in names:
            path = Path(base, name)
            if is_temporary(name):
                unfinished = unfinished or not name.startswith((".", "~", "Thumbs", "desktop"))
            elif not path.is_symlink():
                files.append(path)
        unfinished = unfinished or any(is_temporary(name) and not name.startswith(".") for name in folders)
        folders[:] = [name for name in folders if not is_temporary(name)]
    return files, unfinished
