"""What files an operation's result may hold: an allow-list, since a service's word for it is no reason to open them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from paperchute.contract import Operation, kind_of
from paperchute.contract.kinds import PICTURES, canonical, is_text, kind_of_bytes

_FONTS = ("woff", "woff2", "ttf", "otf")
_BESIDE = {
    "md": ("txt", "json", *PICTURES),
    "html": ("css", "svg", *_FONTS, *PICTURES),  # and no scripts
    "json": ("md", *PICTURES),
}
"""What comes with a result of a kind, in the same archive."""
_SEVERAL = {
    "document-parsing": ("md", "json"),
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
    """What a result that is a single file may be, the usual kind first."""
    return tuple(map(canonical, _SEVERAL.get(operation.id, (operation.output_ext,))))


def may_be_delivered(path: Path, name: str, operation: Operation) -> bool:
    """Whether the file at `path` may be delivered as `name`, a path below the result's folder.

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
    """Whether the content may stand in a file of this suffix, in its canonical spelling. Raises OSError."""
    if suffix in _TEXTS:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return is_text(head) and not _is_another_text(head, suffix)
    kind = kind_of(path)
    return kind == suffix or (kind == "zip" and suffix in _ZIPPED)


def _is_another_text(head: bytes, suffix: str) -> bool:
    """Whether it is a whole web page, such as a sign-in page in between, or a JSON object, such as an error."""
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
