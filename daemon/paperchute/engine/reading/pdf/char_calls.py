"""PDFium's functions for characters, each called for many characters at once.

ctypes makes a Python object of every argument whose type is declared, of every pointer and of every structure, which
costs more than PDFium's own work when it is done for every character. So the text page is one ready-made handle,
results go where references made beforehand point to, and the loops run inside `map`.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium_c

Floats = npt.NDArray[np.float64]
Handle = ctypes.c_void_p

_HYPHENS = re.compile("[\x02\ufffe]")
_BATCH = 512


def _call(name: str, result: Any) -> Callable[..., Any]:
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
        self._function = _call(name, ctypes.c_int)
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


_text_object = _call("FPDFText_GetTextObject", ctypes.c_void_p)
_unicode = _call("FPDFText_GetUnicode", ctypes.c_uint)
_unmapped = _call("FPDFText_HasUnicodeMapError", ctypes.c_int)
_text = _call("FPDFText_GetText", ctypes.c_int)
_size = _call("FPDFText_GetFontSize", ctypes.c_double)
_loose_boxes = _Room("FPDFText_GetLooseCharBox", ctypes.c_float, 4)
_origins = _Room("FPDFText_GetCharOrigin", ctypes.c_double, 2, parts=2)
_matrices = _Room("FPDFText_GetMatrix", ctypes.c_float, 6)


def handle_of(textpage: Any) -> Handle:
    """The handle by which the functions here know a pypdfium2 text page."""
    return ctypes.cast(textpage.raw, Handle)


def text(page: Handle, count: int) -> str:
    """The first `count` characters, one each so that places agree; U+0000 for those without a Unicode value."""
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
    return [found or 0 for found in map(_text_object, repeat(page), indices)]


def unmapped(page: Handle, indices: Sequence[int]) -> list[bool]:
    """Whether the font of each character gives no Unicode value for it."""
    return [found == 1 for found in map(_unmapped, repeat(page), indices)]


def font_sizes(page: Handle, indices: Sequence[int]) -> list[float]:
    """The font sizes of the characters, before their matrices."""
    return list(map(_size, repeat(page), indices))


def loose_boxes(page: Handle, indices: Sequence[int]) -> Floats:
    """(left, top, right, bottom) in user space of the characters, as wide as they advance and as high as their font."""
    return _loose_boxes.told(page, indices)


def origins(page: Handle, indices: Sequence[int]) -> Floats:
    """The origins (x, y) of the characters on their baseline, in user space."""
    return _origins.told(page, indices)


def matrices(page: Handle, indices: Sequence[int]) -> Floats:
    """The text matrices (ISO 32000-1, 9.4.4) of the characters: a, b, c, d, e, f."""
    return _matrices.told(page, indices)


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\0"
