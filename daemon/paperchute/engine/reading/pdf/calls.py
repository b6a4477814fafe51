"""PDFium's functions for many objects or characters of a page at once.

ctypes makes a Python object of every pointer and structure, and of every argument whose type is declared, and lets go
of the interpreter's lock for each call, which costs more than PDFium's own work when it is done for every object. Here
handles are plain addresses (int), results go into arrays, the loops run inside `map`, and the lock is kept, as no call
takes long. Where there are most, no types are declared at all: the text page is one ready-made argument, and results go
where references made beforehand point to.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium_c

_ADDRESS = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_INT = ctypes.c_int

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Addresses = npt.NDArray[np.uint64]
Handle = Any
"""The address of a page or text page as a ready-made argument."""


def _call(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """PDFium's function of that name, taking and giving the ctypes types given; none given takes what comes."""
    function: Any = ctypes.PYFUNCTYPE(result)(address_of(getattr(pdfium_c, name)))
    function.argtypes = arguments or None
    return function  # type: ignore[no-any-return]


def address_of(handle: Any) -> int:
    """The address a pypdfium2 handle points to."""
    return ctypes.cast(handle, _ADDRESS).value or 0


_set_mode = _call("FPDFTextObj_SetTextRenderMode", _INT, _ADDRESS, _INT)
_set_pen = _call("FPDFPageObj_SetStrokeWidth", _INT, _ADDRESS, ctypes.c_float)
_transform = _call("FPDFPageObj_Transform", None, _ADDRESS, *(ctypes.c_double,) * 6)
_is_embedded = _call("FPDFFont_GetIsEmbedded", _INT, _ADDRESS)
_kind = _call("FPDFPageObj_GetType", _INT, _ADDRESS)
_object_matrix = _call("FPDFPageObj_GetMatrix", _INT, _ADDRESS, _ADDRESS)
_is_active = _call("FPDFPageObj_GetIsActive", _INT, _ADDRESS, _ADDRESS)
_bounds = _call("FPDFPageObj_GetBounds", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_fill_color = _call("FPDFPageObj_GetFillColor", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_count_children = _call("FPDF_StructElement_CountChildren", _INT, _ADDRESS)
_child = _call("FPDF_StructElement_GetChildAtIndex", _ADDRESS, _ADDRESS, _INT)
_child_content_id = _call("FPDF_StructElement_GetChildMarkedContentID", _INT, _ADDRESS, _INT)
_element_kind = _call("FPDF_StructElement_GetType", ctypes.c_ulong, _ADDRESS, _ADDRESS, ctypes.c_ulong)
_count_attributes = _call("FPDF_StructElement_GetAttributeCount", _INT, _ADDRESS)
_attributes = _call("FPDF_StructElement_GetAttributeAtIndex", _ADDRESS, _ADDRESS, _INT)
_value = _call("FPDF_StructElement_Attr_GetValue", _ADDRESS, _ADDRESS, ctypes.c_char_p)
_number = _call("FPDF_StructElement_Attr_GetNumberValue", _INT, _ADDRESS, _ADDRESS)

_LONGEST_KIND = 128  # bytes
_kind_room = ctypes.create_string_buffer(_LONGEST_KIND)
_kind_place = ctypes.addressof(_kind_room)
_MOST_ATTRIBUTES = 16  # of an element: a bound on work on hostile structures


def is_embedded(font: int) -> bool:
    """Decide whether the file has a font's own data."""
    return bool(_is_embedded(font) == 1)


def outline(text: int, mode: int, pen: float) -> bool:
    """Measure a text object as if its letters had an outline; it is drawn as before. Whether PDFium did.

    mode: its own rendering mode; pen: the width of the outline in points.
    """
    if not (_set_mode(text, pdfium_c.FPDF_TEXTRENDERMODE_STROKE) and _set_pen(text, pen)):
        return False
    _transform(text, 1, 0, 0, 1, 0, 0)  # has it measured anew
    return bool(_set_mode(text, mode))


def matrix_of(item: int) -> tuple[float, float, float, float, float, float] | None:
    """The matrix of a page object (ISO 32000-1, 8.3.3); None where PDFium has none."""
    found = (ctypes.c_float * 6)()
    if not _object_matrix(item, ctypes.addressof(found)):
        return None
    a, b, c, d, e, f = found
    return a, b, c, d, e, f


def is_active(item: int) -> bool:
    """Decide whether a page object is drawn."""
    found = ctypes.c_int(1)
    _is_active(item, ctypes.addressof(found))
    return bool(found.value)


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


def count_children(element: int) -> int:
    """Return how many children an element of the structure (ISO 32000-1, 14.7.2) has."""
    return max(int(_count_children(element)), 0)


def child_element(element: int, index: int) -> int:
    """A child of an element of the structure; 0 where it is marked content."""
    return _child(element, index) or 0


def child_content_id(element: int, index: int) -> int:
    """The marked content that is a child of an element of the structure; -1 where it is none."""
    return int(_child_content_id(element, index))


def element_kind(element: int) -> str:
    """The standard type (ISO 32000-1, 14.8.4) of an element of the structure; empty where it has none."""
    length = _element_kind(element, _kind_place, _LONGEST_KIND)
    return _kind_room.raw[: length - 2].decode("utf-16-le", "replace") if 2 < length < _LONGEST_KIND else ""


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


_HYPHENS = re.compile("[\x02\ufffe]")
_BATCH = 512  # characters or objects that are asked about at a time
_NO_COLOR = (0, 0, 0, 256)  # its alpha is none


class _Room:
    """Room for what one function tells of `_BATCH` things: `width` numbers each, written to `parts` places.

    It is used over and over, and so, as PDFium itself, by one thread at a time. unknown: what stands for what PDFium
    does not know.
    """

    def __init__(
        self, name: str, kind: Any, width: int, parts: int = 1, unknown: float | tuple[float, ...] = 0
    ) -> None:
        self._unknown = unknown
        self._function = _call(name, ctypes.c_int)
        self._room = (kind * (_BATCH * width))()
        self._array = np.frombuffer(self._room, kind).reshape(_BATCH, width)
        step = ctypes.sizeof(kind) * width // parts
        references = [ctypes.byref(self._room, n * step) for n in range(_BATCH * parts)]
        self._targets = [references[n::parts] for n in range(parts)]

    def told(self, asked: Sequence[Any], *page: Handle) -> Floats:
        """A row for each of what is asked about: handles, or numbers of characters of a page."""
        found = np.empty((len(asked), self._array.shape[1]))
        for start in range(0, len(asked), _BATCH):
            part = asked[start : start + _BATCH]
            self._array[: len(part)] = self._unknown
            _drain(map(self._function, *map(repeat, page), part, *self._targets))
            found[start : start + _BATCH] = self._array[: len(part)]
        return found


_page_object = _call("FPDFPage_GetObject", _SIZE)
_font = _call("FPDFTextObj_GetFont", _SIZE)
_mode = _call("FPDFTextObj_GetTextRenderMode", _INT)
_content_id = _call("FPDFPageObj_GetMarkedContentID", _INT)
_form_object = _call("FPDFFormObj_GetObject", _SIZE)
_text_object = _call("FPDFText_GetTextObject", _SIZE)
_unicode = _call("FPDFText_GetUnicode", ctypes.c_uint)
_unmapped = _call("FPDFText_HasUnicodeMapError", ctypes.c_int)
_text = _call("FPDFText_GetText", ctypes.c_int)
_size = _call("FPDFText_GetFontSize", ctypes.c_double)
_count_segments = _call("FPDFPath_CountSegments", _INT)
_segment = _call("FPDFPath_GetPathSegment", _SIZE)
_segment_kind = _call("FPDFPathSegment_GetType", _INT)
_segment_closes = _call("FPDFPathSegment_GetClose", _INT)
_loose_boxes = _Room("FPDFText_GetLooseCharBox", ctypes.c_float, 4)
_ink_boxes = _Room("FPDFText_GetCharBox", ctypes.c_double, 4, parts=4)
_origins = _Room("FPDFText_GetCharOrigin", ctypes.c_double, 2, parts=2)
_matrices = _Room("FPDFText_GetMatrix", ctypes.c_float, 6)
_fill_colors = _Room("FPDFPageObj_GetFillColor", ctypes.c_uint, 4, parts=4, unknown=_NO_COLOR)
_stroke_colors = _Room("FPDFPageObj_GetStrokeColor", ctypes.c_uint, 4, parts=4, unknown=_NO_COLOR)
_pens = _Room("FPDFPageObj_GetStrokeWidth", ctypes.c_float, 1)
_own_matrices = _Room("FPDFPageObj_GetMatrix", ctypes.c_float, 6, unknown=(1, 0, 0, 1, 0, 0))
_all_bounds = _Room("FPDFPageObj_GetBounds", ctypes.c_float, 4, parts=4)
_draw_modes = _Room("FPDFPath_GetDrawMode", ctypes.c_int, 2, parts=2)
_segment_points = _Room("FPDFPathSegment_GetPoint", ctypes.c_float, 2, parts=2)


def handle_of(page: Any) -> Handle:
    """The handle by which the functions here know a pypdfium2 page or text page."""
    return _ADDRESS.from_param(address_of(page.raw))


def page_objects(page: Handle, count: int) -> list[int]:
    """The first `count` objects of a page."""
    return list(filter(None, map(_page_object, repeat(page), range(count))))


def form_objects(form: int, count: int) -> list[int]:
    """The first `count` objects of a form."""
    return list(filter(None, map(_form_object, repeat(_ADDRESS.from_param(form)), range(count))))


def kinds(items: Iterable[int]) -> list[int]:
    """Return what page objects are: the numbers that PDFium has for text, paths, pictures, shadings and forms."""
    return list(map(_kind, items))


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


def text_objects(page: Handle, indices: Sequence[int]) -> Addresses:
    """The address of each character's text object; 0 for characters that PDFium made up."""
    return np.fromiter(map(_text_object, repeat(page), indices), np.uint64, len(indices))


def unmapped(page: Handle, indices: Sequence[int]) -> list[bool]:
    """Return whether the font of each character gives no Unicode value for it."""
    return [found == 1 for found in map(_unmapped, repeat(page), indices)]


def font_sizes(page: Handle, indices: Sequence[int]) -> Floats:
    """The font sizes of the characters, before their matrices."""
    return np.fromiter(map(_size, repeat(page), indices), np.float64, len(indices))


def loose_boxes(page: Handle, indices: Sequence[int]) -> Floats:
    """(left, top, right, bottom) in user space of the characters, as wide as they advance and as high as their font."""
    return _loose_boxes.told(indices, page)


def ink_boxes(page: Handle, indices: Sequence[int]) -> Floats:
    """(left, right, bottom, top) in user space of what the characters print."""
    return _ink_boxes.told(indices, page)


def origins(page: Handle, indices: Sequence[int]) -> Floats:
    """The origins (x, y) of the characters on their baseline, in user space."""
    return _origins.told(indices, page)


def matrices(page: Handle, indices: Sequence[int]) -> Floats:
    """The text matrices (ISO 32000-1, 9.4.4) of the characters: a, b, c, d, e, f."""
    return _matrices.told(indices, page)


def handles(items: Iterable[int]) -> list[Handle]:
    """The addresses of page objects as ready-made arguments."""
    return list(map(_ADDRESS.from_param, items))


def fonts(texts: Sequence[Handle]) -> tuple[Addresses, Integers]:
    """The fonts of text objects, 0 where there is none, and their text rendering modes."""
    count = len(texts)
    return np.fromiter(map(_font, texts), np.uint64, count), np.fromiter(map(_mode, texts), np.int64, count)


def content_ids(items: Iterable[Handle]) -> list[int]:
    """The marked content (ISO 32000-1, 14.6) each object is in; -1 for none."""
    return list(map(_content_id, items))


def fill_colors(items: Sequence[Handle]) -> list[tuple[int, int, int, int] | None]:
    """(red, green, blue, alpha), each up to 255, of the fills of objects; None where PDFium does not know."""
    return _colors(_fill_colors, items)


def stroke_colors(items: Sequence[Handle]) -> list[tuple[int, int, int, int] | None]:
    """The same of the lines of paths."""
    return _colors(_stroke_colors, items)


def pens(items: Sequence[Handle]) -> list[float]:
    """How thick the lines of paths are in their own space; 0 where PDFium does not know."""
    found: list[float] = _pens.told(items)[:, 0].tolist()
    return found


def _colors(room: _Room, items: Sequence[Handle]) -> list[tuple[int, int, int, int] | None]:
    found = room.told(items).astype(np.int64).tolist()
    return [None if color[3] == _NO_COLOR[3] else tuple(color) for color in found]


def own_matrices(items: Sequence[Handle]) -> Floats:
    """The matrices (ISO 32000-1, 8.3.3) of page objects: a, b, c, d, e, f; the identity where PDFium has none."""
    return _own_matrices.told(items)


def all_bounds(items: Sequence[Handle]) -> Floats:
    """(left, bottom, right, top) of page objects in the space of their container; zeros where PDFium has none."""
    return _all_bounds.told(items)


def draw_modes(paths: Sequence[Handle]) -> list[tuple[int, int]]:
    """(fill mode, whether it is stroked) of paths."""
    return [(fill, stroke) for fill, stroke in _draw_modes.told(paths).astype(np.int64).tolist()]


def count_segments(paths: Iterable[Handle]) -> list[int]:
    """Return how many segments each path has."""
    return [max(count, 0) for count in map(_count_segments, paths)]


def segments(paths: Sequence[Handle], counts: Sequence[int]) -> tuple[Floats, list[int], list[int]]:
    """The first segments of paths, so many of each: rows (x, y) in the path's space, kinds, which close a subpath."""
    places = chain.from_iterable(map(range, counts))
    found = handles(map(_segment, chain.from_iterable(map(repeat, paths, counts)), places))
    return _segment_points.told(found), list(map(_segment_kind, found)), list(map(_segment_closes, found))


def are_pale(items: Sequence[Handle], faintest: int) -> list[bool]:
    """Return whether the fill of each object is on white paper less than `faintest` of 255 darker than that."""
    found = _fill_colors.told(items)
    pale: list[bool] = ((255 - found[:, :3].min(axis=1)) * found[:, 3] < faintest * 255).tolist()
    return pale


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else "\0"


# Where one of two is no number these take the first, so that a word is judged by the end whose place is known.
def smaller(first: Floats, second: Floats) -> Floats:
    """The smaller of each two."""
    return np.where(second < first, second, first)


def larger(first: Floats, second: Floats) -> Floats:
    """The larger of each two."""
    return np.where(second > first, second, first)
