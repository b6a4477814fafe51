"""PDFium's functions for many things at once.

ctypes makes a Python object of every pointer and structure, which costs more than PDFium's own work when it is done for
every character. Here handles are plain addresses (int), results go into one array, and the loops run inside `map`.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

import pypdfium2.raw as pdfium_c

_HYPHENS = re.compile("[\x02\ufffe]")
_ADDRESS = ctypes.c_void_p
_INT = ctypes.c_int


def _call(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """PDFium's function of that name, taking and giving the ctypes types given, apart from pypdfium2's own binding."""
    known = getattr(pdfium_c, name)
    address = ctypes.cast(known, _ADDRESS).value
    function: Any = type(known)(address)
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


_text_object = _call("FPDFText_GetTextObject", _ADDRESS, _ADDRESS, _INT)
_loose_box = _call("FPDFText_GetLooseCharBox", _INT, _ADDRESS, _INT, _ADDRESS)
_origin = _call("FPDFText_GetCharOrigin", _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS)
_unicode = _call("FPDFText_GetUnicode", ctypes.c_uint, _ADDRESS, _INT)
_unmapped = _call("FPDFText_HasUnicodeMapError", _INT, _ADDRESS, _INT)
_text = _call("FPDFText_GetText", _INT, _ADDRESS, _INT, _INT, _ADDRESS)
_matrix = _call("FPDFText_GetMatrix", _INT, _ADDRESS, _INT, _ADDRESS)
_size = _call("FPDFText_GetFontSize", ctypes.c_double, _ADDRESS, _INT)
_font = _call("FPDFTextObj_GetFont", _ADDRESS, _ADDRESS)
_mode = _call("FPDFTextObj_GetTextRenderMode", _INT, _ADDRESS)
_content_id = _call("FPDFPageObj_GetMarkedContentID", _INT, _ADDRESS)
_page_object = _call("FPDFPage_GetObject", _ADDRESS, _ADDRESS, _INT)
_form_object = _call("FPDFFormObj_GetObject", _ADDRESS, _ADDRESS, ctypes.c_ulong)
_kind = _call("FPDFPageObj_GetType", _INT, _ADDRESS)
_object_matrix = _call("FPDFPageObj_GetMatrix", _INT, _ADDRESS, _ADDRESS)
_fill_color = _call("FPDFPageObj_GetFillColor", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_draw_mode = _call("FPDFPath_GetDrawMode", _INT, _ADDRESS, _ADDRESS, _ADDRESS)
_count_segments = _call("FPDFPath_CountSegments", _INT, _ADDRESS)
_segment = _call("FPDFPath_GetPathSegment", _ADDRESS, _ADDRESS, _INT)
_segment_point = _call("FPDFPathSegment_GetPoint", _INT, _ADDRESS, _ADDRESS, _ADDRESS)
_segment_kind = _call("FPDFPathSegment_GetType", _INT, _ADDRESS)
_segment_closes = _call("FPDFPathSegment_GetClose", _INT, _ADDRESS)


def address_of(handle: Any) -> int:
    """The address a pypdfium2 handle points to."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def text(textpage: int, count: int) -> str:
    """The first `count` characters, one each so that places agree; U+0000 for those without a Unicode value."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = _text(textpage, 0, count, ctypes.addressof(buffer))
    if written == count + 1:  # else PDFium left some out
        found = bytes(buffer)[:-2].decode("utf-16-le", "replace")
        if len(found) == count and not _HYPHENS.search(found):  # it may have written other hyphens than it read
            return found
    codes = map(_unicode, repeat(textpage), range(count))
    return "".join(chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\0" for code in codes)


def unmapped(textpage: int, indices: Sequence[int]) -> list[bool]:
    """Whether the font of each character gives no Unicode value for it."""
    return [found == 1 for found in map(_unmapped, repeat(textpage), indices)]


def text_objects(textpage: int, count: int) -> list[int | None]:
    """The text object of each of the first `count` characters; None for those PDFium made up."""
    return list(map(_text_object, repeat(textpage), range(count)))


def loose_boxes(textpage: int, indices: Sequence[int]) -> list[tuple[float, float, float, float]]:
    """(left, top, right, bottom) in user space of the characters, as wide as they advance and as high as their font."""
    boxes = (ctypes.c_float * (4 * len(indices)))()
    start = ctypes.addressof(boxes)
    _drain(map(_loose_box, repeat(textpage), indices, range(start, start + 16 * len(indices), 16)))
    flat = iter(boxes[:])
    return list(zip(flat, flat, flat, flat, strict=True))


def origins(textpage: int, indices: Sequence[int]) -> list[tuple[float, float]]:
    """The origins of the characters on their baseline, in user space."""
    points = (ctypes.c_double * (2 * len(indices)))()
    start = ctypes.addressof(points)
    end = start + 16 * len(indices)
    _drain(map(_origin, repeat(textpage), indices, range(start, end, 16), range(start + 8, end + 8, 16)))
    flat = iter(points[:])
    return list(zip(flat, flat, strict=True))


def matrices(textpage: int, indices: Sequence[int]) -> list[tuple[float, float, float, float, float, float]]:
    """The text matrices (ISO 32000-1, 9.4.4) of the characters."""
    found = (ctypes.c_float * (6 * len(indices)))()
    start = ctypes.addressof(found)
    _drain(map(_matrix, repeat(textpage), indices, range(start, start + 24 * len(indices), 24)))
    flat = iter(found[:])
    return list(zip(flat, flat, flat, flat, flat, flat, strict=True))


def font_sizes(textpage: int, indices: Sequence[int]) -> list[float]:
    """The font sizes of the characters, before their matrices."""
    return list(map(_size, repeat(textpage), indices))


def fonts(objects: Sequence[int]) -> list[tuple[int, int]]:
    """(font, text rendering mode) of text objects; font 0 where there is none."""
    return [((_font(item) or 0), _mode(item)) if item else (0, 0) for item in objects]


def content_ids(objects: Sequence[int]) -> list[int]:
    """The marked content (ISO 32000-1, 14.6) each object is in; -1 for none."""
    return list(map(_content_id, objects))


def page_objects(page: int, count: int) -> list[tuple[int, int]]:
    """(object, kind) of the first `count` objects of a page."""
    found = [item for item in map(_page_object, repeat(page), range(count)) if item]
    return list(zip(found, map(_kind, found), strict=True))


def form_objects(form: int, count: int) -> list[tuple[int, int]]:
    """(object, kind) of the first `count` objects of a form."""
    found = [item for item in map(_form_object, repeat(form), range(count)) if item]
    return list(zip(found, map(_kind, found), strict=True))


def matrix_of(item: int) -> tuple[float, float, float, float, float, float] | None:
    """The matrix of a page object (ISO 32000-1, 8.3.3); None where PDFium has none."""
    found = (ctypes.c_float * 6)()
    if not _object_matrix(item, ctypes.addressof(found)):
        return None
    a, b, c, d, e, f = found
    return a, b, c, d, e, f


def fill_color(item: int) -> tuple[int, int, int, int] | None:
    """(red, green, blue, alpha), each up to 255, of an object's fill; None where PDFium does not know."""
    found = (ctypes.c_uint * 4)()
    start = ctypes.addressof(found)
    if not _fill_color(item, start, start + 4, start + 8, start + 12):
        return None
    red, green, blue, alpha = found
    return red, green, blue, alpha


def draw_mode(path: int) -> tuple[int, int]:
    """(fill mode, whether it is stroked) of a path."""
    found = (ctypes.c_int * 2)()
    _draw_mode(path, ctypes.addressof(found), ctypes.addressof(found) + 4)
    fill, stroke = found
    return fill, stroke


def count_segments(path: int) -> int:
    """How many segments a path has."""
    return max(int(_count_segments(path)), 0)


def segments(path: int, count: int) -> list[tuple[float, float, int, int]]:
    """(x, y, kind, whether it closes the subpath) of the first `count` segments of a path, in the path's own space."""
    found = [item for item in map(_segment, repeat(path), range(count)) if item]
    points = (ctypes.c_float * (2 * len(found)))()
    start = ctypes.addressof(points)
    end = start + 8 * len(found)
    _drain(map(_segment_point, found, range(start, end, 8), range(start + 4, end + 4, 8)))
    flat = iter(points[:])
    return list(zip(flat, flat, map(_segment_kind, found), map(_segment_closes, found), strict=True))


def _drain(calls: Iterable[Any]) -> None:
    deque(calls, maxlen=0)
