"""Who watches a hot folder: each Paperchute leaves a mark in it, so that two of them are told of each other.

Marks are for telling alone. What others write there is taken for hostile: it is read with bounds, through no link, and
whatever it says stops no work.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import re
import secrets
import socket
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from loguru import logger

from paperchute.files import beneath
from paperchute.files.folder import Folder
from paperchute.files.names import WATCHERS
from paperchute.language import _

BEAT_SECONDS = 60.0
"""Between two signs of life in one folder: seldom enough for a disk that sleeps."""
_LEASE_SECONDS = 3 * BEAT_SECONDS
"""Without one for so long a mark is taken for a leftover."""
_FORGOTTEN_SECONDS = 86_400.0
"""After so long a leftover is removed; a machine that slept leaves its mark anew."""
_MOST = 100
"""Marks of one folder that are looked at."""
_MOST_BYTES = 4096
_LONGEST = 200
"""Characters of a word that a mark gives, most of all of its folder's path: up to six bytes each in its file."""
_NAME = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Mark:
    """Who watches."""

    user: str
    host: str
    state: str
    """The path of its state folder there."""
    node: str
    """Names the journal (`claims.node_of`)."""
    shared: bool = False
    """Whether its rules claim each file before they take it."""

    def __str__(self) -> str:
        return f"{self.user}@{self.host} ({self.state})"


def own_mark(state: Path, node: str) -> Mark:
    """Make the mark of this Paperchute."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        user = "?"
    return Mark(_plain(user), _plain(socket.gethostname()), _plain(str(state)), node)


class Marks:
    """Leaves and reads marks. For one thread."""

    def __init__(self, own: Mark) -> None:
        self._own = own
        self._name = secrets.token_hex(8)
        self._beaten: dict[Path, float] = {}

    def tend(self, hot: Path, *, shared: bool) -> list[Mark]:
        """Leave our mark, when it is time to, and find those of others who take what we take. Raises OSError.

        Where we may not write, nobody hears of us, and we hear of the others by our own clock.
        """
        with beneath.opened(hot) as top:
            try:
                self._beat(top, hot, shared=shared)
            except OSError as error:
                logger.debug("no mark can be left in {} ({})", hot, error)
            if not top.is_folder(WATCHERS):
                return []
            with top.child(WATCHERS) as place:
                own = place.status(self._name)
                now = own.st_mtime if own is not None else time.time()
                others = list(self._others(place, now))
        return [one for one in others if not (shared and one.shared)]

    def withdraw(self, hot: Path) -> None:
        """Take our mark away, and what held it where it was the last. Raises OSError."""
        self._beaten.pop(hot, None)
        with beneath.opened(hot) as top:
            if top.is_folder(WATCHERS):
                with top.child(WATCHERS) as place:
                    place.unlink(self._name)
                top.rmdir(WATCHERS)

    def _beat(self, top: Folder, hot: Path, *, shared: bool) -> None:
        now = time.monotonic()
        if now - self._beaten.get(hot, -BEAT_SECONDS) < BEAT_SECONDS and top.is_folder(WATCHERS):
            return
        is_new = top.status(WATCHERS) is None
        with top.child(WATCHERS, make=True) as place:
            if is_new:
                _open_to_all(place, top)
            text = json.dumps({**asdict(self._own), "shared": shared})
            place.write_whole(self._name, text, f"{self._name}-mark", 0o644)
        self._beaten[hot] = now

    def _others(self, place: Folder, now: float) -> Iterator[Mark]:
        """The marks of others that live. Our own of an earlier run, and what is long forgotten, is removed."""
        for name in islice((name for name in place.names() if _NAME.fullmatch(name) and name != self._name), _MOST):
            status = place.status(name)
            if status is None or not stat.S_ISREG(status.st_mode):
                continue
            age = now - status.st_mtime
            mark = _read(place, name, status)
            was_ours = (mark.node, mark.host, mark.state) == (self._own.node, self._own.host, self._own.state)
            if was_ours or age > _FORGOTTEN_SECONDS:
                with contextlib.suppress(OSError):
                    place.unlink(name)
            elif abs(age) <= _LEASE_SECONDS:
                yield mark


def told_of_others(hot: Path, others: list[Mark]) -> str:
    """Say who else watches a hot folder, and what to do."""
    return _(
        "{folder} is watched by another Paperchute too, of {who}: both take each file, and pay for it. Leave it to one "
        "of them, or write `shared = true` in the rules of both.",
        folder=hot,
        who=", ".join(map(str, others[:3])),
    )


def _read(place: Folder, name: str, status: os.stat_result) -> Mark:
    """A mark as its file has it; what cannot be read is told by its owner's number."""
    try:
        with place.open(name) as file:
            raw = json.loads(file.read(_MOST_BYTES + 1))
        user, host, state, node = (_plain(str(raw[key])) for key in ("user", "host", "state", "node"))
        return Mark(user, host, state, node, raw.get("shared") is True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Mark(str(status.st_uid), "?", "?", "")


def _plain(text: str) -> str:
    """A word of a mark, short and without signs that steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST])


def _open_to_all(place: Folder, hot: Folder) -> None:
    """Let those who may write into the hot folder leave their marks, and remove none but their own."""
    if sys.platform == "win32":
        return
    around = hot.owner()
    with place.listable() as handle, contextlib.suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(around.st_mode) | stat.S_ISVTX)
        os.fchown(handle, -1, around.st_gid)
