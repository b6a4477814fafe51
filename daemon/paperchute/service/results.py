"""Fetching a result: streamed to a hidden name, checked for size and kind, unpacked where it is several files."""

from __future__ import annotations

import time
from pathlib import Path

import httpx

from paperchute.contract import Operation, contract, kind_of
from paperchute.contract.kinds import canonical
from paperchute.files import placing
from paperchute.files.names import safe_name, shorten
from paperchute.redaction import bounded
from paperchute.service.kinds import fits, main_kinds, may_be_delivered
from paperchute.service.records import Answer, Fetched, ServiceError
from paperchute.service.unpack import unpack
from paperchute.service.wire import TRANSFER_SECONDS, Wire, blocks

_MOST_BYTES = 20 << 30  # so that one answer does not fill a disk
_LEAST_BYTES = 512 << 20  # taken of a result whose size was not announced, however little was sent
_MOST_RATIO = 1000  # times what was sent: as well as deflate packs at best
_SLACK_BYTES = 1 << 20  # an announced size may be rounded
_LEAST_SPEED = 1024  # bytes a second, over TRANSFER_SECONDS and more


def stream_to(wire: Wire, answer: Answer, place: Path) -> None:
    """Fetch the bytes of a result to `place`.

    Raises ServiceError: kind task when it is no longer there, transient when it is not what was promised; and OSError.
    """
    try:
        with wire.result(answer.download_url) as response:
            if response.status_code in (403, 404, 410):
                raise ServiceError(
                    "The service no longer has the result.", "Try the job again.", kind="task", code="05004"
                )
            if response.status_code != 200:
                kind = "transient" if response.status_code in contract().retry_http else "permanent"
                raise ServiceError(f"The result cannot be fetched (HTTP {response.status_code}).", kind=kind)
            _write(response, place, _most(answer))
    except (httpx.TransportError, httpx.StreamError, httpx.DecodingError) as error:
        raise ServiceError("The result broke off while it was fetched.", kind="transient") from error
    size = place.stat().st_size
    if answer.size is not None and size != answer.size:
        raise ServiceError(
            f"The result came with {size} bytes, and the service announced {answer.size}.", kind="transient"
        )


def _most(answer: Answer) -> int:
    """How many bytes a result may have. Raises ServiceError when more than that are announced.

    Without an announcement it goes by what was sent: a page of drawings of a few kilobytes becomes a picture of some
    megabytes, and no operation makes more than a thousand times as much of a whole document.
    """
    if answer.size is None:
        return _LEAST_BYTES if answer.sent is None else min(_MOST_BYTES, max(_LEAST_BYTES, answer.sent * _MOST_RATIO))
    if answer.size > _MOST_BYTES:
        raise ServiceError(
            f"The service announces a result of {answer.size >> 30} GB, which is not fetched.", kind="permanent"
        )
    return answer.size + _SLACK_BYTES


def _write(response: httpx.Response, place: Path, most: int) -> None:
    began, written = time.monotonic(), 0
    with place.open("wb") as file:
        for block in blocks(response):
            file.write(block)
            written += len(block)
            if written > most:
                raise ServiceError("The result is far larger than it was announced.", kind="transient")
            seconds = time.monotonic() - began
            if seconds > TRANSFER_SECONDS and written < seconds * _LEAST_SPEED:
                raise ServiceError("The result comes too slowly to ever arrive.", kind="transient")


def settled(place: Path, answer: Answer, operation: str) -> Fetched:
    """What lies at `place`, by its content; an archive is unpacked there. Raises ServiceError for what is not right."""
    known = contract().known(operation)
    kind = kind_of(place)
    if kind == "zip" and "ofd" not in main_kinds(known):
        return _unpacked(place, known)
    name = _name(answer.file_name, known, place, kind)
    return Fetched(name, (name,))


def _unpacked(place: Path, operation: Operation) -> Fetched:
    """Unpack the archive at `place`: to a folder there, or where it holds a single file to that file."""
    archive = placing.archive_of(place)
    place.replace(archive)
    try:
        place.mkdir()
        files = unpack(archive, place)
        names = [file.relative_to(place).as_posix() for file in files]
        for file, name in zip(files, names, strict=True):
            if not may_be_delivered(file, name, operation):
                raise ServiceError(
                    f"The service sent {bounded(repr(name), 100)}, which is not a result of {operation.id}."
                    " Nothing of it was delivered.",
                    "Try the job again; if it comes back, ask the service's provider.",
                    kind="transient",
                )
        if len(files) > 1:
            return Fetched("", tuple(names))
        alone = files[0].replace(archive)
        placing.remove(place)
        alone.replace(place)
        return Fetched(files[0].name, (files[0].name,))
    finally:
        placing.remove(archive)


def _name(announced: str, operation: Operation, place: Path, kind: str) -> str:
    """The result's name, its suffix as its content is. Raises ServiceError for content that cannot be right."""
    allowed = main_kinds(operation)
    name = shorten(safe_name(announced or f"result.{operation.output_ext}"), "").lstrip(".") or "result"
    stem, dot, suffix = name.rpartition(".")
    extension = next((k for k in dict.fromkeys((canonical(suffix), *allowed)) if k in allowed and fits(place, k)), None)
    if extension is None or kind == "empty":
        raise ServiceError(
            f"The service sent a result of kind {kind}, where {operation.output_ext} was due.", kind="transient"
        )
    return name if dot and canonical(suffix) == extension else shorten(stem or name, f".{extension}")
