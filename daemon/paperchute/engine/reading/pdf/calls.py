"""PDFium's functions for many objects or characters of a page at once.

ctypes makes a Python object of every pointer and structure, and of every argument whose type is declared, which costs
more than PDFium's own work when it is done for every object. Here handles are plain addresses (int), results go into
arrays, and the loops run inside `map`. For characters, of which there are most, no types are declared at all: the text
page is one ready-made handle, and results go where references made beforehand point to.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium_c

_ADDRESS = ctypes.c_void_p
_INT = ctypes.c_int


def _call(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """PDFium's function of that name, taking and giving the ctypes types given, apart from pypdfium2's own binding."""
    known = getattr(pdfium_c, name)
    address = ctypes.cast(known, _ADDRESS).value
    function: Any = type(known)(address)
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


_font = _call("FPDFTextObj_GetFont", _ADDRESS, _ADDRESS)
_mode = _call("FPDFTextObj_GetTextRenderMode", _INT, _ADDRESS)
_set_mode = _call("FPDFTextObj_SetTextRenderMode", _INT, _ADDRESS, _INT)
_set_pen = _call("FPDFPageObj_SetStrokeWidth", _INT, _ADDRESS, ctypes.c_float)
_transform = _call("FPDFPageObj_Transform", None, _ADDRESS, *(ctypes.c_double,) * 6)
_is_embedded = _call("FPDFFont_GetIsEmbedded", _INT, _ADDRESS)
_content_id = _call("FPDFPageObj_GetMarkedContentID", _INT, _ADDRESS)
_form_object = _call("FPDFFormObj_GetObject", _ADDRESS, _ADDRESS, ctypes.c_ulong)
_kind = _call("FPDFPageObj_GetType", _INT, _ADDRESS)
_object_matrix = _call("FPDFPageObj_GetMatrix", _INT, _ADDRESS, _ADDRESS)
_bounds = _call("FPDFPageObj_GetBounds", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_fill_color = _call("FPDFPageObj_GetFillColor", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_draw_mode = _call("FPDFPath_GetDrawMode", _INT, _ADDRESS, _ADDRESS, _ADDRESS)
_count_segments = _call("FPDFPath_CountSegments", _INT, _ADDRESS)
_segment = _call("FPDFPath_GetPathSegment", _ADDRESS, _ADDRESS, _INT)
_segment_point = _call("FPDFPathSegment_GetPoint", _INT, _ADDRESS, _ADDRESS, _ADDRESS)
_segment_kind = _call("FPDFPathSegment_GetType", _INT, _ADDRESS)
_segment_closes = _call("FPDFPathSegment_GetClose", _INT, _ADDRESS)
_count_children = _call("FPDF_StructElement_CountChildren", _INT, _ADDRESS)
_child = _call("FPDF_StructElement_GetChildAtIndex", _ADDRESS, _ADDRESS, _INT)
_child_content_id = _call("FPDF_StructElement_GetChildMarkedContentID", _INT, _ADDRESS, _INT)
_element_kind = _call("FPDF_StructElement_GetType", ctypes.c_ulong, _ADDRESS, _ADDRESS, ctypes.c_ulong)
_count_attributes = _call("FPDF_StructElement_GetAttributeCount", _INT, _ADDRESS)
_attributes = _call("FPDF_StructElement_GetAttributeAtIndex", _ADDRESS, _ADDRESS, _INT)
_value = _call("FPDF_StructElement_Attr_GetValue", _ADDRESS, _ADDRESS, ctypes.c_char_p)
_number = _call("FPDF_StructElement_Attr_GetNumberValue", _INT, _ADDRESS, _ADDRESS)

_LONGEST_KIND = 128  # bytes
_MOST_ATTRIBUTES = 16  # of an element: a bound on work on hostile structures


def address_of(handle: Any) -> int:
    """The address a pypdfium2 handle points to."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def fonts(objects: Sequence[int]) -> list[tuple[int, int]]:
    """(font, text rendering mode) of text objects; font 0 where there is none."""
    return [(font or 0, mode) for font, mode in zip(map(_font, objects), map(_mode, objects), strict=True)]


def is_embedded(font: int) -> bool:
    """Whether the file has a font's own data."""
    return bool(_is_embedded(font) == 1)


def outline(text: int, mode: int, pen: float) -> bool:
    """Measure a text object as if its letters had an outline; it is drawn as before. Whether PDFium did.

    mode: its own rendering mode; pen: the width of the outline in points.
    """
    if not (_set_mode(text, pdfium_c.FPDF_TEXTRENDERMODE_STROKE) and _set_pen(text, pen)):
        return False
    _transform(text, 1, 0, 0, 1, 0, 0)  # has it measured anew
    return bool(_set_mode(text, mode))


def content_ids(objects: Sequence[int]) -> list[int]:
    """The marked content (ISO 32000-1, 14.6) each object is in; -1 for none."""
    return list(map(_content_id, objects))


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


def bounds(item: int) -> tuple[float, float, float, float] | None:
    """(left, bottom, right, top) of a page object in the space of its container; None where PDFium has none."""
    found = (ctypes.c_float * 4)()
    start = ctypes.addressof(found)
    if not _bounds(item, start, start + 4, start + 8, start + 12):
        return None
    left, bottom, right, top = found
    return left, bottom, right, top


def fill_color(item: int) -> tuple[int, int, int, int] | None:
    """(red, green, blue, alpha), each up to 255, of an object's fill; None where PDFium does not know."""
    found = (ctypes.c_uint * 4)()
    start = ctypes.addressof(found)
    if not _fill_color(item, start, start + 4, start + 8, start + 12):
        return None
    red, green, blue, alpha = found
    return red, green, blue, alpha


def are_pale(items: Sequence[int], faintest: int) -> list[bool]:
    """Whether the fill of each object is on white paper less than `faintest` of 255 darker than that."""
    found = np.zeros((len(items), 4), np.uint32)
    start, end = found.ctypes.data, found.ctypes.data + found.nbytes
    known = list(map(_fill_color, items, *(range(start + at, end + at, 16) for at in (0, 4, 8, 12))))
    ink = (255 - found[:, :3].astype(np.int64).min(axis=1)) * found[:, 3]
    pale: list[bool] = ((ink < faintest * 255) & (np.array(known, dtype=np.int64) != 0)).tolist()
    return pale


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


def count_children(element: int) -> int:
    """How many children an element of the structure (ISO 32000-1, 14.7.2) has."""
    return max(int(_count_children(element)), 0)


def child_element(element: int, index: int) -> int:
    """A child of an element of the structure; 0 where it is marked content."""
    return _child(element, index) or 0


def child_content_id(element: int, index: int) -> int:
    """The marked content that is a child of an element of the structure; -1 where it is none."""
    return int(_child_content_id(element, index))


def element_kind(element: int) -> str:
    """The standard type (ISO 32000-1, 14.8.4) of an element of the structure; empty where it has none."""
    buffer = ctypes.create_string_buffer(_LONGEST_KIND)
    length = _element_kind(element, ctypes.addressof(buffer), _LONGEST_KIND)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace") if 2 < length < _LONGEST_KIND else ""


def attribute(element: int, name: bytes) -> float | None:
    """The first number of that name among the attributes of an element of the structure; None where there is none."""
    value = ctypes.c_float()
    for n in range(min(_count_attributes(element), _MOST_ATTRIBUTES)):
        attributes = _attributes(element, n)
        found = _value(attributes, name) if attributes else None
        if found and _number(found, ctypes.addressof(value)):
            return value.value
    return None


def _drain(calls: Iterable[Any]) -> None:
    deque(calls, maxlen=0)


Floats = npt.NDArray[np.float64]
Handle = ctypes.c_void_p

_HYPHENS = re.compile("[\x02\ufffe]")
_BATCH = 512  # characters that are asked about at a time


def _char_call(name: str, result: Any) -> Callable[..., Any]:
    """PDFium's function of that name, apart from pypdfium2's own binding, with no types declared for arguments."""
    known = getattr(pdfium_c, name)
    address = ctypes.cast(known, ctypes.c_void_p).value
    function: Any = type(known)(address)
    function.restype, function.argtypes = result, None
    return function  # type: ignore[no-any-return]


class _Room:
    """Room for what one function tells of `_BATCH` characters: `width` numbers each, written to `parts` places.

    It is used over and over, and so, as PDFium itself, by one thread at a time.
    """

    def __init__(self, name: str, kind: Any, width: int, parts: int = 1) -> None:
        self._function = _char_call(name, ctypes.c_int)
        self._room = (kind * (_BATCH * width))()
        self._array = np.frombuffer(self._room, kind).reshape(_BATCH, width)
        step = ctypes.sizeof(kind) * width // parts
        references = [ctypes.byref(self._room, n * step) for n in range(_BATCH * parts)]
        self._targets = [references[n::parts] for n in range(parts)]

    def told(self, page: Handle, indices: Sequence[int]) -> Floats:
        """A row for each of the characters; zeros where PDFium does not know."""
        found = np.zeros((len(indices), self._array.shape[1]))
        for start in range(0, len(indices), _BATCH):
            part = indices[start : start + _BATCH]
            self._array[: len(part)] = 0
            deque(map(self._function, repeat(page), part, *self._targets), maxlen=0)
            found[start : start + _BATCH] = self._array[: len(part)]
        return found


_page_object = _char_call("FPDFPage_GetObject", ctypes.c_size_t)
_text_object = _char_call("FPDFText_GetTextObject", ctypes.c_size_t)
_unicode = _char_call("FPDFText_GetUnicode", ctypes.c_uint)
_unmapped = _char_call("FPDFText_HasUnicodeMapError", ctypes.c_int)
_text = _char_call("FPDFText_GetText", ctypes.c_int)
_size = _char_call("FPDFText_GetFontSize", ctypes.c_double)
_loose_boxes = _Room("FPDFText_GetLooseCharBox", ctypes.c_float, 4)
_ink_boxes = _Room("FPDFText_GetCharBox", ctypes.c_double, 4, parts=4)
_origins = _Room("FPDFText_GetCharOrigin", ctypes.c_double, 2, parts=2)
_matrices = _Room("FPDFText_GetMatrix", ctypes.c_float, 6)


def handle_of(page: Any) -> Handle:
    """The handle by which the functions here know a pypdfium2 page or text page."""
    return ctypes.cast(page.raw, Handle)


def page_objects(page: Handle, count: int, texts: Collection[int]) -> list[tuple[int, int]]:
    """(object, kind) of the first `count` objects of a page. texts: those known to be text, as most are."""
    found = [item for item in map(_page_object, repeat(page), range(count)) if item]
    return [(item, pdfium_c.FPDF_PAGEOBJ_TEXT if item in texts else _kind(item)) for item in found]


def text(page: Handle, count: int) -> str:
    """The first `count` characters, one each so that places agree; U+0000 for those without a Unicode value.

    PDFium counts a character beyond U+FFFF as two, which stay the two surrogates that they are in UTF-16.
    """
    buffer = (ctypes.c_ushort * (count + 1))()
    written = _text(page, 0, count, buffer)
    if written == count + 1:  # else PDFium left some out
        found = bytes(buffer)[:-2].decode("utf-16-le", "replace")
        if len(found) == count:
            # PDFium may have written other hyphens than it read
            return _HYPHENS.sub(lambda match: _character(_unicode(page, match.start())), found)
    return "".join(map(_character, map(_unicode, repeat(page), range(count))))


def text_objects(page: Handle, indices: Sequence[int]) -> list[int]:
    """The address of each character's text object; 0 for characters that PDFium made up."""
    return list(map(_text_object, repeat(page), indices))


def unmapped(page: Handle, indices: Sequence[int]) -> list[bool]:
    """Whether the font of each character gives no Unicode value for it."""
    return [found == 1 for found in map(_unmapped, repeat(page), indices)]


def font_sizes(page: Handle, indices: Sequence[int]) -> list[float]:
    """The font sizes of the characters, before their matrices."""
    return list(map(_size, repeat(page), indices))


def loose_boxes(page: Handle, indices: Sequence[int]) -> Floats:
    """(left, top, right, bottom) in user space of the characters, as wide as they advance and as high as their font."""
    return _loose_boxes.told(page, indices)


def ink_boxes(page: Handle, indices: Sequence[int]) -> Floats:
    """(left, right, bottom, top) in user space of what the characters print."""
    return _ink_boxes.told(page, indices)


def origins(page: Handle, indices: Sequence[int]) -> Floats:
    """The origins (x, y) of the characters on their baseline, in user space."""
    return _origins.told(page, indices)


def matrices(page: Handle, indices: Sequence[int]) -> Floats:
    """The text matrices (ISO 32000-1, 9.4.4) of the characters: a, b, c, d, e, f."""
    return _matrices.told(page, indices)


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else "\0"


# Where one of two is no number these take the first, so that a word is judged by the end whose place is known.
def smaller(first: Floats, second: Floats) -> Floats:
    """The smaller of each two."""
    return np.where(second < first, second, first)


def larger(first: Floats, second: Floats) -> Floats:
    """The larger of each two."""
    return np.where(second > first, second, first)
