"""PDFs that were cut off: many writers put what holds the pages together at the very end."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from loguru import logger

_MOST_BYTES = 256 << 20
"""Of the file, and of what its compressed objects become."""

_MOST_PAGES = 20_000
_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s+\d{1,5}\s+obj\b")
_STREAM = re.compile(rb"stream\r?\n(.*?)(?:endstream|\Z)", re.DOTALL)
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_FIRST = re.compile(rb"/First\s+(\d{1,9})")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_BOX = re.compile(rb"/MediaBox\b")
_LETTER = b"[0 0 612 792]"  # points; for pages whose size was said by what is lost


def rebuilt(path: Path, target: Path) -> bool:
    """Whether the pages still in the file could be put under a new root, in `target`; in the order in which they stand
    in the file."""
    if path.stat().st_size > _MOST_BYTES:
        return False
    data = path.read_bytes()
    plain, packed = _objects(data)
    pages: dict[int, bool] = {}
    for number, body in [*plain, *packed.items()]:
        if _PAGE.search(body):
            pages.pop(number, None)  # what stands later replaces what stood before
            pages[number] = bool(_BOX.search(body))
    if not pages or len(pages) > _MOST_PAGES:
        return False
    root = max(number for number, _ in [*plain, *packed.items()]) + 1
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    box = b"" if all(pages.values()) else b"/MediaBox" + _LETTER
    added = packed | {
        root: b"<</Type/Catalog/Pages %d 0 R>>" % (root + 1),
        root + 1: b"<</Type/Pages/Count %d/Kids[%b]%b>>" % (len(pages), kids, box),
    }
    with target.open("wb") as file:
        file.write(data + b"\nendstream\nendobj\n")
        file.writelines(b"%d 0 obj\n%b\nendobj\n" % item for item in added.items())
        file.write(b"trailer\n<</Root %d 0 R/Size %d>>\n%%%%EOF\n" % (root, root + 2))
    logger.info("repaired: {} pages were found in a file whose end is missing", len(pages))
    return True


def _objects(data: bytes) -> tuple[list[tuple[int, bytes]], dict[int, bytes]]:
    """Objects by number: (the dictionaries of those that stand in the file, those inside object streams)."""
    found = list(_OBJECT.finditer(data))
    plain: list[tuple[int, bytes]] = []
    packed: dict[int, bytes] = {}
    room = _MOST_BYTES
    ends = [*(m.start() for m in found), len(data)][1:]
    for match, end in zip(found, ends, strict=True):
        body = data[match.end() : end]
        head = body.partition(b"stream")[0]
        plain.append((int(match[1]), head))
        if _PACKED.search(head) and (stream := _STREAM.search(body)):
            text = _inflated(stream[1], room) if b"/FlateDecode" in head else stream[1]
            room -= len(text)
            packed |= _unpacked(text, _FIRST.search(head))
    return plain, packed


def _inflated(data: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, max(most, 1))
    except zlib.error:
        return b""


def _unpacked(text: bytes, first: re.Match[bytes] | None) -> dict[int, bytes]:
    """The objects of an object stream (ISO 32000-1, 7.5.7): pairs of number and place, then the objects."""
    start = int(first[1]) if first else 0
    numbers = [int(n) for n in text[:start].split() if n.isdigit()]
    places = [start + place for place in numbers[1::2]]
    ends = [*places[1:], len(text)]
    return {n: text[a:b].strip() for n, a, b in zip(numbers[0::2], places, ends, strict=False)}
