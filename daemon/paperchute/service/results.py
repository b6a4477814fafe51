"""Fetching a result: streamed to a hidden name, checked for size and kind, unpacked where it is several files."""

from __future__ import annotations

import shutil
import stat
import time
import zipfile
from pathlib import Path, PurePosixPath

from paperchute.contract import Operation, contract, kind_of
from paperchute.contract.kinds import BROKEN_ZIP, PICTURES, canonical, check_directory, is_text, kind_of_bytes
from paperchute.files import placement
from paperchute.files.names import safe_name, shorten
from paperchute.language import _
from paperchute.redaction import bounded
from paperchute.service.exchange import BROKEN, TRANSFER_SECONDS, Incoming
from paperchute.service.model import Answer, Fetched, ServiceError
from paperchute.service.wire import Wire

_FONTS = ("woff", "woff2", "ttf", "otf")
_BESIDE = {
    "md": ("txt", "json", *PICTURES),
    "html": ("css", "svg", *_FONTS, *PICTURES),  # and no scripts
    "json": ("md", *PICTURES),
}
"""What comes with a result of a kind, in the same archive."""
_SEVERAL = {
    "document-layout": ("pdf", "txt"),
    "document-parsing": ("md", "json"),
    "pdf-compare": ("pdf", "json"),
    "pdf-split": ("pdf",),
    "pdf-generate": ("pdf", "html"),  # generationType
    "magic-color": ("pdf", *PICTURES),
    "pdf-to-img": PICTURES,
}
"""Operations whose results may be of several kinds, or are always an archive."""
_TEXTS = ("md", "txt", "csv", "json", "html", "css", "svg")
_ZIPPED = ("ofd",)  # a container that is told from any other archive by its name alone
_HEAD = 8192


def main_kinds(operation: Operation) -> tuple[str, ...]:
    """Return what a result that is a single file may be, the usual kind first."""
    return tuple(map(canonical, _SEVERAL.get(operation.id, (operation.output_ext,))))


def may_be_delivered(path: Path, name: str, operation: Operation) -> bool:
    """Decide whether the file at `path` may be delivered as `name`, a path below the result's folder.

    By its suffix, which decides what a double click does, and by its content. Raises OSError.
    """
    parts = PurePosixPath(name).parts
    if any(part.startswith(".") for part in parts):
        return False
    if any(PurePosixPath(part).suffix.lower() in _BUNDLES or ".{" in part for part in parts[:-1]):
        return False
    kinds = main_kinds(operation)
    allowed = {*kinds, *(kind for main in kinds for kind in _BESIDE.get(main, ()))}
    suffix = canonical(PurePosixPath(name).suffix)
    return suffix in allowed and fits(path, suffix)


def fits(path: Path, suffix: str) -> bool:
    """Decide whether the content may stand in a file of this suffix, in its canonical spelling. Raises OSError."""
    if suffix in _TEXTS:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return is_text(head) and not _is_another_text(head, suffix)
    kind = kind_of(path)
    return kind == suffix or (kind == "zip" and suffix in _ZIPPED)


def _is_another_text(head: bytes, suffix: str) -> bool:
    """Decide whether it is a whole web page, such as a sign-in page in between, or a JSON object, such as an error."""
    start = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n").lower()
    if start.startswith(("<!doctype html", "<html")):
        return suffix != "html"
    if suffix == "json":
        return kind_of_bytes(head) != "json"
    return start.startswith("{") and suffix not in ("txt", "css") and kind_of_bytes(head) == "json"


_BUNDLES = (
    *(".app", ".bundle", ".framework", ".plugin", ".kext", ".pkg", ".mpkg"),
    *(".workflow", ".action", ".prefpane", ".saver", ".scptd", ".wdgt"),
)
"""Folders that macOS runs or installs when they are opened; `.{` makes a folder a system object on Windows."""

_MOST_MEMBERS = 100_000
_MOST_RATIO_UNPACKED = 200  # text compresses a hundredfold; a bomb ten-thousandfold
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what every program reads; others take memory at will
_SMALL = 10 << 20  # below this the ratio does not matter


def unpack(archive: Path, folder: Path) -> list[Path]:
    """Extract all files of `archive` below `folder`, in the archive's order; returns their paths.

    Names that the system takes for one, though they differ, get numbers. Entries that point outside, are links, or
    repeat a name, and archives that unpack to far more than they hold, are refused as a broken result (ServiceError).
    Raises OSError.
    """
    try:
        with archive.open("rb") as file:
            check_directory(file)
        with zipfile.ZipFile(archive) as opened:
            members = [m for m in opened.infolist() if not m.is_dir()]
            _check(members, archive.stat().st_size)
            paths = []
            for member in members:
                path = folder.joinpath(*(shorten(safe_name(part), "") for part in _parts(member)))
                path.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as source, placement.create_apart(path) as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                    paths.append(Path(target.name))
            return paths
    except (FileExistsError, *BROKEN_ZIP) as error:
        raise _broken() from error


def _check(members: list[zipfile.ZipInfo], packed: int) -> None:
    if any(m.compress_type not in _PACKINGS or not 0 <= m.header_offset < packed for m in members):
        raise _broken()
    if len({_parts(m) for m in members}) < len(members):
        raise _broken()
    total = sum(m.file_size for m in members)
    if not members or len(members) > _MOST_MEMBERS or total > _MOST_BYTES:
        raise _broken()
    if total > _SMALL and total > packed * _MOST_RATIO_UNPACKED:
        raise _broken()


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16):
        raise _broken()
    return path.parts


def _broken() -> ServiceError:
    return ServiceError(_("The service sent an archive that cannot be unpacked safely."), kind="transient")


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
            if response.status in (403, 404, 410):
                raise ServiceError(
                    _("The service no longer has the result."), _("Try the job again."), kind="task", code="05004"
                )
            if response.status != 200:
                kind = "transient" if response.status in contract().retry_http else "permanent"
                raise ServiceError(
                    _("The result cannot be fetched (HTTP {status}).", status=response.status), kind=kind
                )
            _write(response, place, _most(answer))
    except BROKEN as error:
        raise ServiceError(_("The result was cut off while it was being fetched."), kind="transient") from error
    size = place.stat().st_size
    if answer.size is not None and size != answer.size:
        raise ServiceError(
            _(
                "The result has {size} bytes, but the service announced {announced}.",
                size=size,
                announced=answer.size,
            ),
            kind="transient",
        )


def _most(answer: Answer) -> int:
    """Return how many bytes a result may have. Raises ServiceError when more than that are announced.

    Without an announcement it goes by what was sent: a page of drawings of a few kilobytes becomes a picture of some
    megabytes, and no operation makes more than a thousand times as much of a whole document.
    """
    if answer.size is None:
        return _LEAST_BYTES if answer.sent is None else min(_MOST_BYTES, max(_LEAST_BYTES, answer.sent * _MOST_RATIO))
    if answer.size > _MOST_BYTES:
        raise ServiceError(
            _("The service announces a result of {gigabytes} GB, which is not fetched.", gigabytes=answer.size >> 30),
            kind="permanent",
        )
    return answer.size + _SLACK_BYTES


def _write(response: Incoming, place: Path, most: int) -> None:
    began, written = time.monotonic(), 0
    with place.open("wb") as file:
        for block in response.blocks():
            file.write(block)
            written += len(block)
            if written > most:
                raise ServiceError(_("The result is far larger than it was announced."), kind="transient")
            seconds = time.monotonic() - began
            if seconds > TRANSFER_SECONDS and written < seconds * _LEAST_SPEED:
                raise ServiceError(_("The result is arriving too slowly."), kind="transient")


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
    archive = placement.archive_of(place)
    placement.place_over(place, archive)
    try:
        place.mkdir()
        files = unpack(archive, place)
        names = [file.relative_to(place).as_posix() for file in files]
        for file, name in zip(files, names, strict=True):
            if not may_be_delivered(file, name, operation):
                raise ServiceError(
                    _(
                        "The service sent {name}, which is not a result of {operation}. Nothing of it was delivered.",
                        name=bounded(repr(name), 100),
                        operation=operation.id,
                    ),
                    _("Try the job again; if it comes back, ask the service's provider."),
                    kind="transient",
                )
        if len(files) > 1:
            return Fetched("", tuple(names))
        alone = placement.place_over(files[0], archive)
        placement.remove(place)
        placement.place_over(alone, place)
        return Fetched(files[0].name, (files[0].name,))
    finally:
        placement.remove(archive)


def _name(announced: str, operation: Operation, place: Path, kind: str) -> str:
    """The result's name, its suffix as its content is. Raises ServiceError for content that cannot be right."""
    allowed = main_kinds(operation)
    name = shorten(safe_name(announced or f"result.{operation.output_ext}"), "").lstrip(".") or "result"
    stem, dot, suffix = name.rpartition(".")
    extension = next((k for k in dict.fromkeys((canonical(suffix), *allowed)) if k in allowed and fits(place, k)), None)
    if extension is None or kind == "empty":
        raise ServiceError(
            _(
                "The service sent a result of kind {kind}, where {wanted} was due.",
                kind=kind,
                wanted=operation.output_ext,
            ),
            kind="transient",
        )
    return name if dot and canonical(suffix) == extension else shorten(stem or name, f".{extension}")
