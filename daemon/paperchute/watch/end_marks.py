"""Does a file end where its format says it must? The cheapest sign that a writer has not stopped half-way."""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from paperchute.files.identity import opened

_TAIL = 66_000  # a ZIP end record (22 bytes) with the longest comment (65,535 bytes) fits
_GIF_WALKED = 64 << 20  # bytes; larger ones wait as files without an end mark do
_JSON_WHOLE = 1 << 20  # bytes; JSON up to here is parsed, beyond it only its last bracket is looked at


def end_mark(path: str | Path, size: int) -> bool | None:
    """Return whether the file at `path`, `size` bytes long, ends as its format requires.

    True: complete. False: certainly not, something is still missing, or the file is no longer `size` bytes long.
    None: the format has no end mark, is not one of those known here (PDF, ZIP family, PNG, JPEG, GIF, WebP, TIFF,
    RTF, HTML, JSON), or other data follows the mark, as some cameras and gateways write it. Raises OSError.
    """
    with opened(path) as raw, io.BufferedReader(raw) as file:
        ended = _ended(file, os.fspath(path), size)
        return ended if os.fstat(raw.fileno()).st_size == size else False


def _ended(file: BinaryIO, path: str, size: int) -> bool | None:
    head = file.read(16)
    for magic, check in _CHECKS:
        if head.startswith(magic):
            return check(file, head, size)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _length(8 + struct.unpack_from("<I", head, 4)[0], size)
    if path.lower().endswith(".json"):
        return _json(file, size)
    return True if b"</html>" in _tail(file, size, 1024).lower() else None


def _tail(file: BinaryIO, size: int, count: int) -> bytes:
    file.seek(max(0, size - count))
    return file.read(count)


def _length(declared: int, size: int) -> bool | None:
    if size < declared:
        return False
    return True if size <= declared + declared % 2 else None


def _pdf(file: BinaryIO, head: bytes, size: int) -> bool | None:
    if b"%%EOF" in _tail(file, size, 1024):  # readers look that far (ISO 32000-1, annex H, note 18)
        return True
    return None if b"%%EOF" in _tail(file, size, _TAIL) else False


def _zip(file: BinaryIO, head: bytes, size: int) -> bool | None:
    """The end record is this archive's (and not that of one stored inside) if the directory ends where it begins."""
    tail = _tail(file, size, _TAIL)
    start = size - len(tail)
    at = tail.rfind(b"PK\x05\x06")
    while at >= 0:
        if len(tail) - at >= 22:
            length, offset, comment = struct.unpack_from("<IIH", tail, at + 12)
            zip64 = 0xFFFFFFFF in (length, offset)
            if zip64 or offset + length == start + at:
                return _length(start + at + 22 + comment, size)
        at = tail.rfind(b"PK\x05\x06", 0, at)
    return False


def _png(file: BinaryIO, head: bytes, size: int) -> bool | None:
    mark = b"\x00\x00\x00\x00IEND\xaeB`\x82"
    tail = _tail(file, size, _TAIL)
    if tail.endswith(mark):
        return True
    return None if mark in tail else False


def _jpeg(file: BinaryIO, head: bytes, size: int) -> bool | None:
    if b"\xff\xd9" in _tail(file, size, 64):
        return True
    # Phones write films and depth maps behind the picture: find the end of the picture itself, past the headers,
    # whose thumbnails have ends of their own.
    at = 2
    while True:
        file.seek(at)
        segment = file.read(4)
        if len(segment) < 4 or segment[0] != 0xFF:
            return False
        at += 2 + int.from_bytes(segment[2:], "big")
        if segment[1] == 0xDA:  # start of scan: from here on FF is followed by 00 unless it is a marker
            break
    file.seek(at)
    last = b""
    while block := file.read(1 << 20):
        if b"\xff\xd9" in last + block:
            return None
        last = block[-1:]
    return False


def _gif(file: BinaryIO, head: bytes, size: int) -> bool | None:
    """Its end is a single `;`, which stands among its pixels as well: only a walk over its blocks finds it (GIF89a)."""
    if size > _GIF_WALKED or len(head) < 13:
        return None if size > _GIF_WALKED else False
    file.seek(13 + _gif_colours(head[10]))
    while kind := file.read(1):
        if kind == b";":
            return True if not file.read(_TAIL).strip(b"\0") else None
        if kind not in b"!,":
            return None
        fields = file.read(1 if kind == b"!" else 9)
        if kind == b"," and len(fields) == 9:
            file.seek(_gif_colours(fields[8]) + 1, os.SEEK_CUR)
        while (length := file.read(1)) not in (b"", b"\0"):
            file.seek(length[0], os.SEEK_CUR)
    return False


def _gif_colours(flags: int) -> int:
    """Bytes of the table of colours that follows where these flags stand."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _tiff(file: BinaryIO, head: bytes, size: int) -> bool | None:
    """No end mark, but the header names where the first directory is: writers put it in last."""
    order = "<" if head[:1] == b"I" else ">"
    if len(head) < 8:
        return False
    first = struct.unpack_from(order + "I", head, 4)[0]
    return None if 0 < first < size else False


def _rtf(file: BinaryIO, head: bytes, size: int) -> bool | None:
    return _tail(file, size, 1024).rstrip(b"\0\r\n\t ").endswith(b"}")


def _json(file: BinaryIO, size: int) -> bool | None:
    if size > _JSON_WHOLE:
        return None if _tail(file, size, 64).rstrip().endswith((b"}", b"]")) else False
    file.seek(0)
    text = file.read(_JSON_WHOLE)
    try:
        json.loads(text, parse_int=str)  # Python refuses to make a number of thousands of digits
    except json.JSONDecodeError as error:
        ended = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
        return False if ended else None  # else JSON lines, or no JSON at all
    except (UnicodeDecodeError, RecursionError):
        return None
    return True


_CHECKS: tuple[tuple[bytes, Callable[[BinaryIO, bytes, int], bool | None]], ...] = (
    (b"%PDF", _pdf),
    (b"PK\x03\x04", _zip),
    (b"PK\x05\x06", _zip),
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF8", _gif),
    (b"II*\x00", _tiff),
    (b"MM\x00*", _tiff),
    (b"{\\rtf", _rtf),
)
