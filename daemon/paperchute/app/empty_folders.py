"""Folders that a drop brought go once they are empty, when all of the drop has been quiet for a while.

A drop is a folder that appeared below a hot folder while Paperchute looked, with all that is in it. Who made a folder
by hand waits before putting anything into it, so one without a file for a minute is there to stay, and so is whatever
was there at the first look, and what has become of a hot folder that is another one now (a stick, a share).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from loguru import logger

from paperchute.files import beneath
from paperchute.files.names import folded, is_half_made, is_hidden, is_private
from paperchute.jobs.journal import Journal
from paperchute.rules.model import Rule
from paperchute.watch.roots import DEEPEST

_QUIET_SECONDS = 600.0
"""Nothing has come, gone or been renamed in all of a drop; no copy that still goes on pauses for so long."""
_BY_HAND_SECONDS = 60.0
"""A folder without a file for so long was not copied here."""
_MOST_ENTRIES = 20_000
"""Of one hot folder; where there are more, all folders stay."""
_SETTING = "folders brought"

Below = PurePosixPath
"""A folder's path below its hot folder."""


class _State(NamedTuple):
    inode: int
    mtime: int
    """When a name in it last came, went or was changed, in nanoseconds."""
    is_bare: bool
    """It holds nothing but folders that are looked into."""


@dataclass
class _Drop:
    """What one drop brought. inode: of its uppermost folder. since: Unix time of the last look before it appeared."""

    inode: int
    since: float
    appeared: float
    """On the monotonic clock, as `quiet`: since when it has looked as it does."""
    quiet: float
    brought: bool = False
    """It has had a file."""
    shape: dict[Below, _State] = field(default_factory=dict)


@dataclass
class _Hot:
    """One hot folder. identity: its device and inode. looked: Unix time of the last look."""

    identity: tuple[int, int]
    looked: float
    standing: dict[Below, int]
    """Folders that stay, with their inodes."""
    drops: dict[Below, _Drop]


class EmptyFolders:
    """Remembers which folders drops brought, over restarts too, and removes those. For one thread."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._hot: dict[Path, _Hot] = {}

    def look(self, hot: Path, rules: Sequence[Rule], written: frozenset[Path], now: float, clock: float) -> list[Path]:
        """Look through a hot folder; returns the folders that were removed.

        Args:
            hot: The hot folder.
            rules: Those in force.
            written: Folders that rules fill, as `names.folded` has them.
            now: Unix time.
            clock: The monotonic clock.

        Raises OSError where the folder cannot be looked through.
        """
        if not _may_go([rule for rule in rules if rule.enabled and rule.folder == hot]):
            self._hot.pop(hot, None)
            return []
        status = hot.stat()
        found = _folders(hot, written)
        if found is None:
            return []
        known = self._hot.get(hot)
        if known is None or known.identity != (status.st_dev, status.st_ino):
            known = self._hot[hot] = self._first_look(hot, found, (status.st_dev, status.st_ino), now, clock)
        before = {at: drop.brought for at, drop in known.drops.items()}
        removed = [path for at in _appear(known, found, clock) for path in self._settle(hot, known, at, found, clock)]
        known.looked = now
        if before != {at: drop.brought for at, drop in known.drops.items()}:
            self._remember(hot, known)
        return removed

    def _first_look(
        self, hot: Path, found: dict[Below, _State], identity: tuple[int, int], now: float, clock: float
    ) -> _Hot:
        drops = {}
        for name, (inode, since) in self._remembered(hot).items():
            at = Below(name)
            if at in found and found[at].inode == inode:
                drops[at] = _Drop(inode, since, clock, clock, brought=True)
        standing = {at: state.inode for at, state in found.items() if not _is_below(at, drops)}
        return _Hot(identity, now, standing, drops)

    def _settle(self, hot: Path, known: _Hot, at: Below, found: dict[Below, _State], clock: float) -> Iterator[Path]:
        """Decide what is to become of a drop; yields the folders of it that were removed."""
        drop = known.drops[at]
        shape = {one: state for one, state in found.items() if _is_below(one, (at,))}
        if shape != drop.shape or not all(state.is_bare for state in shape.values()):
            drop.shape, drop.quiet = shape, clock
        if not all(state.is_bare for state in shape.values()):
            drop.brought = True
            return
        has_open = self._journal.queries.has_open_below(hot / at, drop.since)
        drop.brought = drop.brought or has_open is not None
        is_quiet = clock - drop.quiet >= _QUIET_SECONDS
        by_hand = not drop.brought and clock - drop.appeared >= _BY_HAND_SECONDS
        if has_open is None and (is_quiet or by_hand):  # nothing in it was done here, so it is no business of ours
            known.standing |= {one: state.inode for one, state in shape.items()}
            del known.drops[at]
        if has_open is not False or not is_quiet:
            return
        drop.quiet = clock
        try:
            yield from _removed(hot, shape)
        except OSError as error:
            logger.debug("the empty folder {} stays for now ({})", hot / at, error)

    def _remembered(self, hot: Path) -> dict[str, tuple[int, float]]:
        with suppress(ValueError, TypeError, AttributeError):
            found = json.loads(self._journal.settings.get(_SETTING) or "{}").get(str(hot), {})
            return {str(name): (int(inode), float(since)) for name, (inode, since) in found.items()}
        return {}

    def _remember(self, hot: Path, known: _Hot) -> None:
        brought = {str(at): (drop.inode, drop.since) for at, drop in known.drops.items() if drop.brought}
        everything = {str(path): self._remembered(path) for path in self._hot}
        self._journal.settings.set(_SETTING, json.dumps({**everything, str(hot): brought}))


def _may_go(rules: Sequence[Rule]) -> bool:
    """Decide whether the rules of a hot folder let its empty folders go, all of them."""
    return bool(rules) and all(
        rule.recursive
        and rule.gather != "folder"
        and not rule.shared
        and rule.original != "keep"
        and rule.empty_folders == "remove"
        for rule in rules
    )


def _folders(hot: Path, written: frozenset[Path]) -> dict[Below, _State] | None:
    """Every folder below a hot folder that is looked into, those above first; None where there is too much."""
    found: dict[Below, _State] = {}
    ahead = [Below()]
    seen = 0
    while ahead:
        at = ahead.pop()
        status = (hot / at).lstat()
        is_bare = True
        with os.scandir(hot / at) as entries:
            for entry in entries:
                seen += 1
                below = at / entry.name
                if seen > _MOST_ENTRIES:
                    return None
                if entry.is_dir(follow_symlinks=False) and _enters(hot, below, written):
                    ahead.append(below)
                else:
                    is_bare = False
        if at.parts:
            found[at] = _State(status.st_ino, status.st_mtime_ns, is_bare)
    return dict(sorted(found.items()))


def _enters(hot: Path, at: Below, written: frozenset[Path]) -> bool:
    is_own = is_private(at.name) or is_half_made(at.name) or is_hidden(at.name)
    return not is_own and len(at.parts) < DEEPEST and folded(hot / at) not in written


def _appear(known: _Hot, found: dict[Below, _State], clock: float) -> list[Below]:
    """Note which drops have appeared or are gone; returns those that are there."""
    renamed = {inode for at, inode in known.standing.items() if at not in found}
    known.standing = {at: inode for at, inode in known.standing.items() if at in found}
    known.drops = {at: drop for at, drop in known.drops.items() if at in found and found[at].inode == drop.inode}
    for at, state in found.items():
        if at in known.standing or _is_below(at, known.drops):
            continue
        if state.inode in renamed:
            known.standing |= {one: inside.inode for one, inside in found.items() if _is_below(one, (at,))}
        else:
            known.drops[at] = _Drop(state.inode, known.looked, clock, clock)
    return list(known.drops)


def _is_below(at: Below, folders: Container[Below]) -> bool:
    return any(one in folders for one in (at, *at.parents))


def _removed(hot: Path, shape: dict[Below, _State]) -> Iterator[Path]:
    """Remove these folders, the lowest first, as far as they are still what they were and empty. Raises OSError."""
    with beneath.opened(hot) as root:
        for at, state in reversed(shape.items()):
            with root.below(at.parts[:-1]) as parent:
                status = parent.status(at.name)
                is_same = status is not None and stat.S_ISDIR(status.st_mode) and status.st_ino == state.inode
                if not is_same or not parent.rmdir(at.name):
                    return
            logger.info("the empty folder {} was removed: what came in it is done", hot / at)
            yield hot / at
