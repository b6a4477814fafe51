"""Results as they lie in their folders now: opened by the journal's own paths, through no link, and packed together."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from paperchute.app.result_text import PLAIN, READ, plain_text
from paperchute.errors import PaperchuteError
from paperchute.files import beneath
from paperchute.files.reader import readers
from paperchute.jobs.delivery import root_of_results
from paperchute.jobs.journal import Journal
from paperchute.language import _

_BLOCK = 256 << 10
_MOST_FILES = 10_000
_MOST_BYTES = 8 << 30
"""Of one archive: beyond, a file manager and a share serve better than a browser."""
_MOST_READ = 32 << 20
_MOST_CHARACTERS = 20_000
_SIDE = 1400
"""Pixels of a page that is to be read."""


@dataclass(frozen=True)
class Result:
    """A result of a job, by the journal's own path."""

    path: Path
    root: Path
    """The configured folder that it lies in: from there on no link is followed."""

    def open(self) -> io.BufferedReader:
        """The file as it lies there now. Raises PaperchuteError where it does not, or only a link leads to it."""
        try:
            return beneath.reading(self.path, self.root)
        except OSError as error:
            raise PaperchuteError(
                _("{name} cannot be read ({reason}).", name=self.path.name, reason=error.strerror),
                _("It may have been moved or renamed since."),
            ) from error


def results_of(journal: Journal, number: int) -> list[Result]:
    """List the results of a job that are not taken back. Raises PaperchuteError where it has none."""
    job = journal.queries.job(number)
    if job is None or not job.outputs or job.state not in ("done", "warned"):
        raise PaperchuteError(_("Job {number} has no result.", number=number))
    return [Result(path, root_of_results(job, path.parent)) for path in job.outputs]


def content(file: io.BufferedReader) -> Iterator[bytes]:
    """The bytes of an open file, which is closed afterwards."""
    with file:
        while block := file.read(_BLOCK):
            yield block


def packed(results: Sequence[Result]) -> Iterator[bytes]:
    """The bytes of a ZIP archive of the results, made while it is sent.

    All of them are looked at before the first byte. Raises PaperchuteError for one that cannot be had or for too many;
    a result that goes while the archive is sent ends it short, so that nobody takes it for whole.
    """
    size = 0
    for one in results:
        with one.open() as file:
            size += os.fstat(file.fileno()).st_size
    if len(results) > _MOST_FILES or size > _MOST_BYTES:
        raise PaperchuteError(
            _("The results are more than {files} files or {size} GB.", files=_MOST_FILES, size=_MOST_BYTES >> 30),
            _("Fetch them one by one, or from their folder."),
        )
    return _archive(results)


def _archive(results: Sequence[Result]) -> Iterator[bytes]:
    sent = _Sent()
    with zipfile.ZipFile(cast(BinaryIO, sent), "w", zipfile.ZIP_STORED) as archive:
        for one, name in zip(results, _names(results), strict=True):
            with one.open() as file, archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                for block in content(file):
                    member.write(block)
                    yield sent.taken()
    yield sent.taken()


def _names(results: Sequence[Result]) -> list[str]:
    """The paths of the results below the folder that they share."""
    shared = Path(os.path.commonpath([one.path.parent for one in results]))
    return [one.path.relative_to(shared).as_posix() for one in results]


class _Sent(io.RawIOBase):
    """What an archive is written to: a stream that is emptied as it grows."""

    def __init__(self) -> None:
        super().__init__()
        self._held = bytearray()

    def writable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def write(self, block: Any, /) -> int:
        """See io.RawIOBase."""
        self._held += block
        return len(block)

    def taken(self) -> bytes:
        """Return what has come since it was asked last."""
        held = bytes(self._held)
        self._held.clear()
        return held


def shown(result: Result, page: int) -> dict[str, Any]:
    """A page of a result as a picture, and its text: what the fenced reader makes of it, nothing of the file itself.

    page: from 1. The picture is a PNG; empty where there is none. Raises PaperchuteError where the file is not there.
    """
    picture, pages = b"", 1
    with result.open() as file:
        size = os.fstat(file.fileno()).st_size
        whole = file.read() if size <= _MOST_READ else b""
    try:
        asked = {"do": "thumbnail", "path": str(result.path), "root": str(result.root), "side": _SIDE, "page": page}
        said, picture = readers.read(result.path.name, asked, b"")
        pages = int(said["pages"])
    except (PaperchuteError, OSError):
        pass  # not everything has pages; the text may be all
    return {"name": result.path.name, "picture": picture, "pages": pages, "text": _text(result.path, whole)}


def _text(path: Path, whole: bytes) -> list[str]:
    suffix = path.suffix.lower()
    try:
        if suffix in PLAIN:
            text = plain_text(whole)
        elif suffix in READ:
            text = str(readers.read(path.name, {"do": "result text", "name": path.name}, whole)[0].get("text", ""))
        else:
            text = ""
    except (PaperchuteError, OSError):
        text = ""
    return text[:_MOST_CHARACTERS].strip().splitlines()
