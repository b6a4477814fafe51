"""Fetching a result: streamed to a hidden name, checked for size and kind, unpacked where it is several files."""

from __future__ import annotations

import time
from pathlib import Path

import httpx

from paperchute.contract import Operation, contract, kind_of
from paperchute.contract.kinds import canonical, matches_extension
from paperchute.files import placing
from paperchute.files.names import safe_name, shorten
from paperchute.service import failures
from paperchute.service.records import Answer, Fetched, ServiceError
from paperchute.service.unpack import unpack
from paperchute.service.wire import TRANSFER_SECONDS, Wire

_MOST_BYTES = 20 << 30
_BLOCK = 1 << 18
_SLACK_BYTES = 1 << 20
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
            _write(response, place, _MOST_BYTES if answer.size is None else answer.size + _SLACK_BYTES)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise failures.from_transport(error, wire.base, sent=False) from error
    except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL, ValueError) as error:
        raise ServiceError("The result broke off while it was fetched.", kind="transient") from error
    size = place.stat().st_size
    if answer.size is not None and size != answer.size:
        raise ServiceError(
            f"The result came with {size} bytes, and the service announced {answer.size}.", kind="transient"
        )


def _write(response: httpx.Response, place: Path, most: int) -> None:
    began, written = time.monotonic(), 0
    with place.open("wb") as file:
        for block in response.iter_bytes(_BLOCK):
            file.write(block)
            written += len(block)
            if written > most:
                raise ServiceError("The result is far larger than it was announced.", kind="transient")
            seconds = time.monotonic() - began
            if seconds > TRANSFER_SECONDS and written < seconds * _LEAST_SPEED:
                raise ServiceError("The result comes too slowly to ever arrive.", kind="transient")


def settled(place: Path, answer: Answer, operation: str) -> Fetched:
    """What lies at `place`, by its content; an archive is unpacked there. Raises ServiceError for what is not right."""
    kind = kind_of(place)
    if kind == "zip":
        return _unpacked(place)
    name = _name(answer.file_name, contract().known(operation), kind)
    return Fetched(name, (name,))


def _unpacked(place: Path) -> Fetched:
    """Unpack the archive at `place`: to a folder there, or where it holds a single file to that file."""
    archive = placing.archive_of(place)
    place.replace(archive)
    try:
        place.mkdir()
        files = unpack(archive, place)
        if len(files) > 1:
            return Fetched("", tuple(file.relative_to(place).as_posix() for file in files))
        alone = files[0].replace(archive)
        placing.remove(place)
        alone.replace(place)
        return Fetched(files[0].name, (files[0].name,))
    finally:
        placing.remove(archive)


def _name(announced: str, operation: Operation, kind: str) -> str:
    """The result's name, its suffix as its content is. Raises ServiceError for content that cannot be right."""
    name = shorten(safe_name(announced or f"result.{operation.output_ext}"), "")
    allowed = {canonical(operation.output_ext), *map(canonical, operation.reads)}
    if not any(matches_extension(kind, extension) for extension in allowed):
        raise ServiceError(
            f"The service sent a result of kind {kind}, where {operation.output_ext} was due.", kind="transient"
        )
    stem, dot, suffix = name.rpartition(".")
    if dot and matches_extension(kind, suffix):
        return name
    extension = operation.output_ext if matches_extension(kind, operation.output_ext) else kind
    return shorten(stem or name, f".{extension}")
