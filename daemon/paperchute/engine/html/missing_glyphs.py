"""Glyphs that stand for what no font has: a font's first, `.notdef`, an empty box, or nothing in Liberation."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Callable, Mapping
from itertools import pairwise

from pikepdf import Dictionary, Name, Stream

_DICT_INTEGER = 29
_CHAR_STRINGS = 17


def missing_codes(font: Dictionary, meanings: Mapping[int, str]) -> frozenset[int]:
    """The codes by which a composite font, as cairo embeds it, draws its `.notdef`; codes are glyphs' numbers there.

    In fonts of one byte cairo keeps only letters that it has found. Empty for a font that is built otherwise.

    meanings: of the codes. Where `.notdef` shows nothing, only what should be seen is missing, and no space.
    """
    descendants = font.get(Name.DescendantFonts)
    descriptor = descendants[0].get(Name.FontDescriptor, Dictionary()) if descendants else Dictionary()
    for key, outlines in _FORMATS.items():
        program = descriptor.get(key)
        if isinstance(program, Stream):
            try:
                first, *others = outlines(program.read_bytes())
            except (struct.error, KeyError, ValueError, IndexError):
                continue
            return frozenset(
                code
                for code, outline in enumerate(others, 1)
                if outline == first and (first or any(map(is_seen, meanings.get(code, ""))))
            )
    return frozenset()


def is_seen(character: str) -> bool:
    """Decide whether it shows something where it stands: a letter, figure, mark of punctuation or sign."""
    return unicodedata.category(character)[0] in "LNPS"


def _of_true_type(data: bytes) -> list[bytes]:
    """The glyphs of a TrueType font, each as it is written in the table `glyf`."""
    (count,) = struct.unpack_from(">H", data, 4)
    tables = {
        tag: data[start : start + length]
        for tag, _sum, start, length in (struct.unpack_from(">4sLLL", data, 12 + 16 * n) for n in range(count))
    }
    (is_long,) = struct.unpack_from(">h", tables[b"head"], 50)
    form, unit = (">L", 1) if is_long else (">H", 2)
    count = len(tables[b"loca"]) // struct.calcsize(form)
    places = struct.unpack_from(f">{count}{form[1]}", tables[b"loca"])
    return [tables[b"glyf"][unit * start : unit * end] for start, end in pairwise(places)]


def _of_cff(data: bytes) -> list[bytes]:
    """The glyphs of a font in the Compact Font Format, each as its program (Adobe technical note 5176)."""
    _names, behind = _index(data, data[2])
    (top, *_others), _behind = _index(data, behind)
    place = 0
    while place < len(top):  # cairo writes the places of things as integers of four bytes, whatever their size
        if top[place] == _DICT_INTEGER and top[place + 5] == _CHAR_STRINGS:
            return _index(data, *struct.unpack_from(">l", top, place + 1))[0]
        place += 5 if top[place] == _DICT_INTEGER else 1
    return []


def _index(data: bytes, start: int) -> tuple[list[bytes], int]:
    """The parts of an INDEX, and where what follows it begins."""
    (count,) = struct.unpack_from(">H", data, start)
    if not count:
        return [], start + 2
    size = data[start + 2]
    first = start + 3
    ends = [int.from_bytes(data[first + size * n : first + size * (n + 1)]) for n in range(count + 1)]
    before = first + size * (count + 1) - 1
    return [data[before + a : before + b] for a, b in pairwise(ends)], before + ends[-1]


_FORMATS: Mapping[Name, Callable[[bytes], list[bytes]]] = {Name.FontFile2: _of_true_type, Name.FontFile3: _of_cff}
