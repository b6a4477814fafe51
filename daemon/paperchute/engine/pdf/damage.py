"""Pages of a PDF whose content is damaged: a viewer shows what comes before the damage and says nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pikepdf

from paperchute.engine.pdf.document import unlocked

_EMPTY = bytes(256)
"""What a lost block of a disk reads as; shorter runs may be meant."""
_MOST_BYTES = 64 << 20  # of a page's content: a bound on memory
_FAULTS = (pikepdf.PdfError, ValueError, RuntimeError, TypeError, AttributeError)


def damaged_pages(path: Path, password: str, indices: Iterable[int]) -> list[int]:
    """Which of the 0-based pages have content that cannot be unpacked to its end; none where qpdf cannot say."""
    found: list[int] = []
    try:
        with unlocked(path, password) as pdf:
            for index in dict.fromkeys(indices):
                if any(map(_is_damaged, _contents(pdf.pages[index]))):
                    found.append(index)
    except (*_FAULTS, pikepdf.PasswordError, IndexError):
        pass  # reading it has a say of its own
    return found


def _contents(page: pikepdf.Page) -> Iterator[Any]:
    content = page.obj.get("/Contents")
    if isinstance(content, pikepdf.Array):
        yield from content
    elif content is not None:
        yield content


def _is_damaged(stream: Any) -> bool:
    """Whether a stream is none, or is broken off (RFC 1950: it ends with a checksum), or was overwritten with zeros."""
    if not isinstance(stream, pikepdf.Stream):
        return True
    if stream.get("/Filter") == pikepdf.Name.FlateDecode and "/DecodeParms" not in stream:
        packed = stream.read_raw_bytes()
        unpacking = zlib.decompressobj()
        try:
            unpacking.decompress(packed, _MOST_BYTES)
        except zlib.error:
            return True
        return bool(packed) and not unpacking.eof and not unpacking.unconsumed_tail
    try:
        data = stream.read_bytes()
    except _FAULTS:
        return True
    # The pixels of a picture between text (ISO 32000-1, 8.9.7) may be zeros.
    return _EMPTY in data and b"ID" not in data
