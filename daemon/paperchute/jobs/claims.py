"""Several Paperchutes on one shared folder: each file is taken by the one that renames it first.

A claim is an atomic rename into a hidden folder of this Paperchute's own inside the hot folder, so on the same file
system even where the hot folder is the mount point itself. A heartbeat file there shows that its owner lives; what an
owner held whose heartbeat has stopped goes back into the hot folder. Times are compared between files of the share
alone, as its server wrote them, so the machines' own clocks do not matter.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from loguru import logger

from paperchute.files import placing
from paperchute.files.names import CLAIM
from paperchute.jobs.journal import Journal
from paperchute.jobs.moving import things_of
from paperchute.jobs.records import Job

BEAT_SECONDS = 10.0
LEASE_SECONDS = 60.0
"""Without a heartbeat for so long an owner is taken for dead."""

_HEARTBEAT = ".heartbeat"
_BACK = ".back-"


def node_of(journal: Journal) -> str:
    """The name of this Paperchute among others, made once: the machine's name and a few random letters."""
    node = journal.setting("node")
    if node is None:
        host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname())[:40].strip("-") or "host"
        node = f"{host}-{secrets.token_hex(4)}"
        journal.set_setting("node", node)
    return node


class Claims:
    """What this Paperchute has claimed in shared hot folders. Thread-safe: its state is in the folders."""

    def __init__(self, node: str) -> None:
        self._node = node

    def place(self, hot: Path) -> Path:
        """Where claimed files of a hot folder lie."""
        return hot / f"{CLAIM}{self._node}"

    def take(self, hot: Path, path: Path) -> Path | None:
        """Claim the file or set at `path`; where it is now. None when another was first, or one of its name is held.

        Raises OSError when the share refuses.
        """
        place = self.place(hot)
        if not place.is_dir():
            place.mkdir(exist_ok=True)
            self.beat(hot)
        claimed = place / path.relative_to(hot)
        claimed.parent.mkdir(parents=True, exist_ok=True)
        try:
            return claimed if placing.place_new(path, claimed) else None
        except FileNotFoundError:
            # A reply lost on its way makes NFS report failure after success: what counts is where the file is.
            return claimed if os.path.lexists(claimed) and not os.path.lexists(path) else None

    def give_back(self, job: Job) -> None:
        """Put a claimed input back into the hot folder, where it is judged again. Raises OSError."""
        for thing in things_of(job):
            for path in list(_files(thing.path)):
                _put_back(path, thing.home / path.relative_to(thing.path))
            _remove_empty(thing.path)

    def beat(self, hot: Path) -> float:
        """Show that we live; the time by the share's server, as Unix seconds. Raises OSError."""
        heartbeat = self.place(hot) / _HEARTBEAT
        heartbeat.write_text(str(time.time()), "utf-8")
        return heartbeat.stat().st_mtime

    def tend(self, hot: Path) -> None:
        """Show that we live, and return what the dead held. Raises OSError."""
        ours = self.place(hot)
        others = [place for place in hot.glob(f"{CLAIM}*") if place != ours]
        if not others and not ours.is_dir():
            return
        ours.mkdir(exist_ok=True)
        now = self.beat(hot)
        for place in others:
            if _BACK in place.name or now - _last_beat(place) > LEASE_SECONDS:
                self._return(place, hot)

    def restore(self, hot: Path, in_use: Iterable[Path]) -> None:
        """After a start: what was claimed just before a crash and never written down goes back. Raises OSError.

        in_use: inputs of the jobs that will still run.
        """
        _empty(self.place(hot), hot, set(in_use))

    def _return(self, place: Path, hot: Path) -> None:
        """Rename a dead one's folder, so that a late riser finds its inputs gone, and empty it.

        Several survivors may empty it together: each file goes back by one rename.
        """
        if _BACK not in place.name:
            taken = place.with_name(f"{place.name}{_BACK}{self._node}")
            with contextlib.suppress(FileNotFoundError):
                place.rename(taken)
                logger.warning("{} has not been heard of; what it had claimed goes back into {}", place.name, hot)
            place = taken
        _empty(place, hot, set())


def _empty(place: Path, hot: Path, in_use: set[Path]) -> None:
    for path in list(_files(place)):
        if in_use.isdisjoint((path, *path.parents)):
            with contextlib.suppress(FileNotFoundError):
                _put_back(path, hot / path.relative_to(place))
    if not list(_files(place)):
        placing.remove(place)


def _files(top: Path) -> Iterator[Path]:
    """Every claimed file at or below `top`."""
    found = top.rglob("*") if top.is_dir() else [top]
    return (path for path in found if path.name != _HEARTBEAT and (path.is_symlink() or path.is_file()))


def _put_back(path: Path, home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    for candidate in placing.numbered(home):
        if placing.place_new(path, candidate):
            return


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not list(_files(folder)):
        placing.remove(folder)


def _last_beat(place: Path) -> float:
    try:
        return (place / _HEARTBEAT).stat().st_mtime
    except FileNotFoundError:
        return place.stat().st_mtime  # its owner has only just made it
