"""Several Paperchutes on one shared folder: each file is taken by the one that renames it first.

A claim is an atomic rename into a hidden folder of this Paperchute's own inside the hot folder, so on the same file
system even where the hot folder is the mount point itself. A heartbeat file there shows that its owner lives; what an
owner held whose heartbeat has stopped goes back into the hot folder. Times are compared between files of the share
alone, as its server wrote them, so the machines' own clocks do not matter.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import socket
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from loguru import logger

from paperchute.files import beneath, placement
from paperchute.files.folder import Folder
from paperchute.files.names import CLAIM, OWN_TEMPORARY
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, originals_of

BEAT_SECONDS = 10.0
LEASE_SECONDS = 60.0
"""Without a heartbeat for so long an owner is taken for dead."""

_HEARTBEAT = ".heartbeat"
_BACK = ".back-"
_NODE = r"[A-Za-z0-9-]{1,40}-[0-9a-f]{8}"
_CLAIM_NAME = re.compile(rf"{re.escape(CLAIM)}{_NODE}(?:{re.escape(_BACK)}{_NODE})?")
"""How `node_of` names a Paperchute, and so its folder and what another one gives back."""


def node_of(journal: Journal) -> str:
    """The name of this Paperchute among others, made once: the machine's name and a few random letters."""
    node = journal.settings.get("node")
    if node is None:
        host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname())[:40].strip("-") or "host"
        node = f"{host}-{secrets.token_hex(4)}"
        journal.settings.set("node", node)
    return node


class Claims:
    """What this Paperchute has claimed in shared hot folders. Thread-safe: its state is in the folders."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._reported: set[tuple[Path, str]] = set()

    def place(self, hot: Path) -> Path:
        """Return where claimed files of a hot folder lie."""
        return hot / self._name

    def take(self, hot: Path, path: Path) -> Path | None:
        """Claim the file or set at `path`; where it is now. None when another was first, or one of its name is held.

        Raises OSError when the share refuses, or somebody else's folder bears the name of ours.
        """
        parts = path.relative_to(hot).parts
        claimed = self.place(hot) / path.relative_to(hot)
        with beneath.opened(hot) as top:
            if top.status(self._name) is None:
                self._beat(top)
            with (
                self._ours(top) as place,
                place.below(parts[:-1], make=True) as target,
                _below_or_none(top, parts[:-1]) as source,
            ):
                try:
                    return claimed if source is not None and source.place_new(parts[-1], target, parts[-1]) else None
                except FileNotFoundError:
                    # A reply lost on its way makes NFS report failure after success: what counts is where the file is.
                    gone = source is None or source.status(parts[-1]) is None
                    return claimed if gone and target.status(parts[-1]) is not None else None

    def give_back(self, job: Job) -> None:
        """Put a claimed input back into the hot folder, where it is judged again. Raises OSError."""
        hot = job.rule.folder
        with beneath.opened(hot) as top:
            for original in originals_of(job):
                below = PurePosixPath(original.path.relative_to(hot))
                with _below_or_none(top, below.parts[:-1]) as folder:
                    if folder is None or folder.status(below.name) is None:  # it has been filed, or deleted
                        continue
                    if not folder.is_folder(below.name):
                        _put_back(folder, below.name, top, original.relative)
                        continue
                    with folder.child(below.name) as inside:
                        _empty(inside, top, original.relative)
                    folder.rmdir(below.name)

    def beat(self, hot: Path) -> float:
        """Show that we live; the time by the share's server, as Unix seconds. Raises OSError."""
        with beneath.opened(hot) as top:
            return self._beat(top)

    def tend(self, hot: Path) -> None:
        """Show that we live, and return what the dead held. Raises OSError.

        What only looks like somebody's claims is left alone, and said once.
        """
        with beneath.opened(hot) as top:
            found = [name for name in top.names() if name.startswith(CLAIM)]
            if not found:
                return
            now = self._beat(top)
            for name in found:
                if name != self._name:
                    self._look_at(top, name, now)

    def restore(self, hot: Path, in_use: Iterable[Path]) -> None:
        """After a start: what was claimed just before a crash and never written down goes back. Raises OSError.

        in_use: inputs of the jobs that will still run.
        """
        place = self.place(hot)
        used = {PurePosixPath(path.relative_to(place)) for path in in_use if path.is_relative_to(place)}
        with beneath.opened(hot) as top:
            if not top.is_folder(self._name):
                return
            with self._ours(top) as ours:
                _empty(ours, top, PurePosixPath(), used)
                if set(ours.names()) <= {_HEARTBEAT}:
                    ours.unlink(_HEARTBEAT)
            top.rmdir(self._name)

    @property
    def _name(self) -> str:
        return f"{CLAIM}{self._node}"

    def _beat(self, top: Folder) -> float:
        with self._ours(top, make=True) as place:
            place.write_whole(_HEARTBEAT, str(time.time()), f"{self._node}-beat")
            status = place.status(_HEARTBEAT)
            if status is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(place.path / _HEARTBEAT))
            return status.st_mtime

    def _ours(self, top: Folder, *, make: bool = False) -> Folder:
        """Our claim folder. Raises OSError where something else bears its name: a link, or another user's folder."""
        place = top.child(self._name, make=make)
        if _is_mine(place):
            return place
        place.close()
        raise PermissionError(
            errno.EPERM, "it is another user's folder under the name of this Paperchute's; remove it", str(place.path)
        )

    def _look_at(self, top: Folder, name: str, now: float) -> None:
        if not _CLAIM_NAME.fullmatch(name):
            self._leave(top, name, "it is not named after a Paperchute")
            return
        try:
            with top.child(name) as place:
                status = place.status(_HEARTBEAT)
                if status is None:
                    why = "it has no heartbeat"
                    if now - place.owner().st_mtime <= LEASE_SECONDS:
                        return  # its owner has only just made it
                elif not stat.S_ISREG(status.st_mode):
                    why = "its heartbeat is not a file"
                elif status.st_uid != place.owner().st_uid:
                    why = "its heartbeat is another user's"
                else:
                    why = ""
                    if _BACK not in name and now - status.st_mtime <= LEASE_SECONDS:
                        return
        except FileNotFoundError:
            return
        except NotADirectoryError:
            why = "it is a link or a file"
        if why:
            self._leave(top, name, why)
        else:
            self._return(top, name)

    def _leave(self, top: Folder, name: str, why: str) -> None:
        if (top.path, name) not in self._reported:
            self._reported.add((top.path, name))
            logger.warning("{} looks like claimed files, but {}: it is left alone", top.path / name, why)

    def _return(self, top: Folder, name: str) -> None:
        """Rename a dead one's folder, so that a late riser finds its inputs gone, and empty it.

        Several survivors may empty it together: each file goes back by one rename.
        """
        if _BACK not in name:
            taken = f"{name}{_BACK}{self._node}"
            with contextlib.suppress(FileNotFoundError):
                if not top.place_new(name, top, taken):
                    return  # it was given back before, and that is not at its end
                logger.warning("{} has not been heard of; what it had claimed goes back into {}", name, top.path)
            name = taken
        with contextlib.suppress(FileNotFoundError), top.child(name) as place:
            _empty(place, top, PurePosixPath())
            if set(place.names()) <= {_HEARTBEAT}:
                place.unlink(_HEARTBEAT)
        top.rmdir(name)


def _is_mine(place: Folder) -> bool:
    """Tell if a folder is ours: of the user that new files get from its file system, which a share's server names."""
    if sys.platform == "win32":
        return True  # the share's own list says who may make a folder there; a link was refused when it was opened
    owner = place.owner().st_uid
    if owner == os.geteuid():
        return True
    probe = placement.temporary_name(secrets.token_hex(16))
    try:
        with place.create(probe) as file:
            here = os.fstat(file.fileno()).st_uid
    except PermissionError:
        return False
    place.unlink(probe)
    return owner == here


def _empty(folder: Folder, top: Folder, home: PurePosixPath, in_use: Collection[PurePosixPath] = ()) -> None:
    """Put what is in a claim folder, or below it, back to `home` in the hot folder `top`."""
    for name in folder.names():
        if PurePosixPath(name) in in_use or name == _HEARTBEAT:
            continue
        with contextlib.suppress(FileNotFoundError):
            if folder.is_folder(name):
                inner = [path.relative_to(name) for path in in_use if path.parts[0] == name]
                with folder.child(name) as inside:
                    _empty(inside, top, home / name, inner)
                folder.rmdir(name)
            elif name.endswith(OWN_TEMPORARY):
                folder.unlink(name)  # a heartbeat of ours, half written
            else:
                _put_back(folder, name, top, home / name)


def _put_back(folder: Folder, name: str, top: Folder, home: PurePosixPath) -> None:
    with top.room_for(home.parts[:-1]) as target:
        for candidate in placement.numbered(Path(home.name)):
            if folder.place_new(name, target, candidate.name):
                return


@contextlib.contextmanager
def _below_or_none(top: Folder, parts: Sequence[str]) -> Iterator[Folder | None]:
    try:
        folder = top.below(parts)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    with folder:
        yield folder
