"""Pages of a PDF whose content is damaged: a viewer shows what comes before the damage and says nothing."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pikepdf

from paperchute.engine.pdf.document import FAULTS

_EMPTY = bytes(256)
"""What a lost block of a disk reads as; shorter runs may be meant."""
_MOST_BYTES = 64 << 20  # of a page's content: a bound on memory
_LEAST_BYTES = 32
"""Of a stream that holds anything: as long is nothing at all once it is encrypted (ISO 32000-1, 7.6.2)."""
_MOST_USED = 200  # forms of a page that are looked at, and fonts: a bound on work


def damaged_pages(
    opening: Callable[[], AbstractContextManager[pikepdf.Pdf]], indices: Iterable[int]
) -> list[int] | None:
    """Which of the 0-based pages cannot be shown to their end; None where qpdf can read nothing of the file at all."""
    found: list[int] = []
    known: dict[tuple[int, int], bool] = {}
    try:
        with opening() as pdf:
            pages = {index: pdf.pages[index] for index in dict.fromkeys(indices) if index < len(pdf.pages)}
            bare = [index for index, page in pages.items() if "/Contents" not in page.obj]
            found = [index for index, page in pages.items() if _has_damage(page, known)]
            # Of a sound file such pages are blank.
            found += bare if pdf.get_warnings() else []
    except pikepdf.PasswordError:
        pass  # reading it has a say of its own
    except FAULTS:
        return found or None
    return sorted(found)


def _has_damage(page: pikepdf.Page, known: dict[tuple[int, int], bool]) -> bool:
    """Decide whether anything that a page's text is made of is damaged. known: of streams that several pages use."""
    resources = page.obj.get("/Resources")
    contents = list(_contents(page))
    if not _has_fonts(resources) and any(_has_text(stream) for stream in contents):
        return True
    for stream in itertools.chain(contents, _used(resources)):
        number = stream.objgen if isinstance(stream, pikepdf.Stream) else (0, 0)
        if number == (0, 0) or number not in known:
            known[number] = _is_damaged(stream)
        if known[number]:
            return True
    return False


def _contents(page: pikepdf.Page) -> Iterator[Any]:
    content = page.obj.get("/Contents")
    if isinstance(content, pikepdf.Array):
        yield from content
    elif content is not None:
        yield content


def _used(resources: Any) -> Iterator[pikepdf.Stream]:
    """Yield what a page draws as a whole, and what its fonts say of their characters."""
    if not isinstance(resources, pikepdf.Dictionary):
        return
    forms, fonts = resources.get("/XObject"), resources.get("/Font")
    if isinstance(forms, pikepdf.Dictionary):
        for _, form in itertools.islice(forms.items(), _MOST_USED):
            if isinstance(form, pikepdf.Stream) and form.get("/Subtype") == pikepdf.Name.Form:
                yield form
    if isinstance(fonts, pikepdf.Dictionary):
        for _, font in itertools.islice(fonts.items(), _MOST_USED):
            said = font.get("/ToUnicode") if isinstance(font, pikepdf.Dictionary) else None
            if isinstance(said, pikepdf.Stream):
                yield said


def _has_fonts(resources: Any) -> bool:
    return isinstance(resources, pikepdf.Dictionary) and bool(resources.get("/Font"))


def _has_text(stream: Any) -> bool:
    """Decide whether a stream sets a font, which only resources name."""
    try:
        return isinstance(stream, pikepdf.Stream) and b" Tf" in stream.read_bytes()
    except FAULTS:
        return True


def _is_damaged(stream: Any) -> bool:
    """Tell if a stream is none, or is broken off (RFC 1950: it ends with a checksum), or was overwritten with zeros."""
    if not isinstance(stream, pikepdf.Stream):
        return True
    length = stream.get("/Length")
    if isinstance(length, int) and length > _LEAST_BYTES and not stream.read_raw_bytes():
        return True  # it has no end, so qpdf takes nothing of it
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
    except FAULTS:
        return True
    # The pixels of a picture between text (ISO 32000-1, 8.9.7) may be zeros.
    return _EMPTY in data and b"ID" not in data
