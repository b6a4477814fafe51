"""Files that people drop on the page: received apart from the hot folder, and put into it whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from io import BufferedWriter
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from paperchute.errors import PaperchuteError
from paperchute.files.beneath import opened
from paperchute.files.copies import move_across
from paperchute.files.folder import Folder
from paperchute.files.names import is_temporary, safe_name, shorten
from paperchute.files.placement import numbered, remove
from paperchute.language import _


class Drops:
    """The folder in which uploads grow. It is emptied at the start: what was cut off is sent again."""

    def __init__(self, place: Path) -> None:
        """Raises OSError."""
        remove(place)
        place.mkdir(mode=0o700)
        self._place = place

    async def receive(self, content: AsyncIterator[bytes], size: int | None, folder: Path, name: str) -> str:
        """Put a file into a hot folder; the name it has there, with a number where the wanted one is taken.

        size: how many bytes there must be, where that is known. Raises PaperchuteError for a name that no rule could
        take or a file that came in part, and OSError.
        """
        wanted = fitting(name)
        with opened(self._place) as apart:
            growing = secrets.token_hex(16)
            try:
                with apart.create(growing) as file:
                    came = 0
                    async for block in content:
                        came += len(block)
                        await run_in_threadpool(file.write, block)
                    await run_in_threadpool(_reach_disk, file)
                if size is not None and came != size:
                    raise PaperchuteError(_("{name} did not come whole.", name=wanted), _("Drop it again."))
                return await run_in_threadpool(_place, apart, growing, folder, wanted)
            finally:
                apart.remove(growing)


def fitting(name: str) -> str:
    """A name as it can stand in a hot folder. Raises PaperchuteError for one that Paperchute passes over."""
    last = name.replace("\\", "/").rpartition("/")[2]
    wanted = safe_name(last)
    stem, dot, suffix = wanted.rpartition(".")
    wanted = shorten(stem, dot + suffix) if stem and len(suffix) < 20 else shorten(wanted, "")
    if is_temporary(wanted):
        raise PaperchuteError(
            _("{name} has the name of a temporary or hidden file, which no rule takes.", name=wanted),
            _("Give it another name."),
        )
    return wanted


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
