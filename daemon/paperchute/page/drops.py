"""Files and folders that people drop on the page: received apart from the hot folder, and put into it whole."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BufferedWriter
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from paperchute.errors import PaperchuteError
from paperchute.files.beneath import opened
from paperchute.files.copies import move_across
from paperchute.files.folder import Folder
from paperchute.files.names import is_hidden, is_private, is_temporary, is_transfer, safe_name, shorten
from paperchute.files.placement import numbered, remove
from paperchute.language import _

_MOST_FILES = 10_000
"""Of one dropped folder: a set that is larger goes in by the file manager."""
_DEEPEST = 16
"""Folders within folders of one."""
_MOST_ARRIVING = 8
"""Dropped folders that arrive at once: pages that were closed leave theirs behind."""
_FORGOTTEN = 600.0
"""Seconds without a file after which such a folder is taken for abandoned."""
_KEPT_FREE = 64 << 20
"""Bytes that are left on a disk: the journal and the work on what has come need room, too."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass
class _Set:
    """A folder that arrives: what it is called, where it is to go, and how far it is."""

    name: str
    hot: Path
    files: int = 0
    growing: int = 0
    touched: float = field(default_factory=time.monotonic)
    end: asyncio.Task[None] | None = None
    """What gives it up; held here so that it is not lost."""


class Drops:
    """The folder in which uploads grow. It is emptied at the start: what was cut off is sent again."""

    def __init__(self, place: Path) -> None:
        """Raises OSError."""
        remove(place)
        place.mkdir(mode=0o700)
        self._place = place
        self._sets: dict[str, _Set] = {}

    def check_room(self, folder: Path, size: int) -> None:
        """Raises PaperchuteError where so many bytes do not fit, neither here nor in the hot folder."""
        for place in (self._place, folder):
            try:
                free = shutil.disk_usage(place).free
            except OSError:  # a folder that is away is told of when something goes into it
                continue
            if size > free - _KEPT_FREE:
                raise PaperchuteError(
                    _(
                        "{size} MB do not fit on the disk of {folder}, which has {free} MB left.",
                        size=-(-size >> 20),
                        folder=place,
                        free=free >> 20,
                    ),
                    _("Free some space, then drop it again."),
                )

    async def receive(self, content: AsyncIterator[bytes], size: int | None, folder: Path, name: str) -> str:
        """Put a file into a hot folder; the name it has there, with a number where the wanted one is taken.

        size: how many bytes there must be, where that is known. Raises PaperchuteError for a name that no rule could
        take or a file that came in part, and OSError.
        """
        wanted = fitting(name)
        self.check_room(folder, size or 0)
        with opened(self._place) as apart:
            growing = secrets.token_hex(16)
            try:
                await _grow(apart, growing, content, size, wanted)
                return await run_in_threadpool(_place, apart, growing, folder, wanted)
            finally:
                apart.remove(growing)

    # ---------- folders ----------

    async def begin(self, hot: Path, name: str) -> str:
        """A folder is about to come, file by file: what it is called until it is placed.

        Raises PaperchuteError for a name that no rule could take or while too many arrive, and OSError.
        """
        wanted = fitting(name)
        if len(self._sets) >= _MOST_ARRIVING:
            raise PaperchuteError(
                _("{name} was not taken: too many folders are still arriving.", name=wanted),
                _("Drop it again in a few minutes."),
            )
        token = secrets.token_hex(16)
        (self._place / token).mkdir()
        self._sets[token] = arriving = _Set(wanted, hot)
        arriving.end = asyncio.create_task(self._give_up(token, arriving))
        return token

    async def _give_up(self, token: str, arriving: _Set) -> None:
        """Forget a folder of which nothing comes any more: its page was closed, or its machine sleeps."""
        while self._sets.get(token) is arriving:
            left = _FORGOTTEN - (time.monotonic() - arriving.touched)
            if left <= 0 and not arriving.growing:
                del self._sets[token]
                with suppress(OSError):  # the next start removes it
                    await self._discard(token, arriving)
            else:
                await asyncio.sleep(max(left, 1.0))

    async def _discard(self, token: str, arriving: _Set) -> None:
        """Remove what has come, when nothing writes there any more: an open file cannot be removed everywhere."""
        if not arriving.growing:
            await run_in_threadpool(remove, self._place / token)

    async def receive_into(self, token: str, content: AsyncIterator[bytes], size: int | None, path: str) -> bool:
        """A file of the folder, by its path in it; False for what programs hide there, which is passed over.

        Raises KeyError for a folder that is not arriving, PaperchuteError as `receive`, and OSError.
        """
        arriving = self._sets[token]
        self.check_room(arriving.hot, size or 0)
        parts = path.split("/")
        if len(parts) > _DEEPEST or arriving.files >= _MOST_FILES:
            raise PaperchuteError(
                _("{name} has too many files, or folders within folders, for the page.", name=arriving.name),
                _("Move it into the hot folder with the file manager."),
            )
        if any(map(is_transfer, parts)):
            raise PaperchuteError(
                _("{name} holds a file that is still being downloaded.", name=arriving.name), _("Drop it again.")
            )
        if any(map(is_private, parts)) or (is_hidden(parts[-1]) and is_temporary(parts[-1])):
            async for _block in content:
                pass
            return False
        *inner, wanted = map(_spelled, parts)  # what is no document among them is told of with the set
        arriving.growing += 1
        try:
            with opened(self._place / token) as whole, whole.below(inner, make=True) as folder:
                names = (one.name for one in numbered(Path(wanted)))  # two names may have come to fit as one
                free = next(name for name in names if folder.status(name) is None)
                try:
                    await _grow(folder, free, self._wanted(token, content), size, wanted)
                except BaseException:
                    folder.remove(free)
                    raise
            arriving.files += 1
            return True
        finally:
            arriving.growing -= 1
            arriving.touched = time.monotonic()
            if token not in self._sets:
                await self._discard(token, arriving)

    async def _wanted(self, token: str, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The content, while the folder arrives. Raises KeyError when it does no longer."""
        async for block in content:
            if token not in self._sets:
                raise KeyError(token)
            yield block

    async def place(self, token: str, files: int) -> str:
        """Put the folder into its hot folder, in one step; the name it has there. In any case it arrives no longer.

        files: how many it must have. Raises KeyError, PaperchuteError for a folder that came in part or is empty, and
        OSError.
        """
        arriving = self._sets.pop(token)  # so that nothing more comes to it
        try:
            if arriving.growing or arriving.files != files:
                raise PaperchuteError(_("{name} did not arrive completely.", name=arriving.name), _("Drop it again."))
            if not files:
                raise PaperchuteError(_("{name} holds no file that a rule could take.", name=arriving.name))
            with opened(self._place) as apart:
                return await run_in_threadpool(_place, apart, token, arriving.hot, arriving.name)
        finally:
            await self._discard(token, arriving)

    async def forget(self, token: str) -> None:
        """A folder will not come whole; what came of it goes. Raises KeyError, and OSError."""
        await self._discard(token, self._sets.pop(token))


def fitting(name: str) -> str:
    """A name as it can stand in a hot folder. Raises PaperchuteError for one that Paperchute passes over."""
    wanted = _spelled(name)
    if is_temporary(wanted) or is_hidden(wanted):
        raise PaperchuteError(
            _("{name} has the name of a temporary or hidden file, which no rule takes.", name=wanted),
            _("Give it another name."),
        )
    return wanted


def _spelled(name: str) -> str:
    """Spell a name so that every system has it, and without folders."""
    wanted = safe_name(name.replace("\\", "/").rpartition("/")[2])
    stem, dot, suffix = wanted.rpartition(".")
    return shorten(stem, dot + suffix) if stem and len(suffix) < 20 else shorten(wanted, "")


async def _grow(folder: Folder, name: str, content: AsyncIterator[bytes], size: int | None, wanted: str) -> None:
    came = 0
    try:
        with folder.create(name) as file:
            async for block in content:
                came += len(block)
                await run_in_threadpool(file.write, block)
            await run_in_threadpool(_reach_disk, file)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise PaperchuteError(
            _("The disk is full, so {name} was not taken.", name=wanted), _("Free some space, then drop it again.")
        ) from error
    if size is not None and came != size:
        raise PaperchuteError(_("{name} did not arrive completely.", name=wanted), _("Drop it again."))


def _reach_disk(file: BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())


def _place(apart: Folder, growing: str, folder: Path, wanted: str) -> str:
    """Under the first name that is free. Raises OSError."""
    with opened(folder) as hot:
        for candidate in numbered(folder / wanted):
            if move_across(apart, growing, hot, candidate.name, growing):
                return candidate.name
    raise AssertionError("numbered() never ends")
