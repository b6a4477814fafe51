"""What the names of glyphs mean, by the rules of the Adobe Glyph List specification.

PDFium knows the single names of that list. Here are the names that are put together by its rules, of which every part
is a letter, a digit or a number of Unicode, and names that TeX's fonts use beside the list.
"""

from __future__ import annotations

import re
import string

_LONGEST = 128  # characters of a name (ISO 32000-1, annex C: 127 bytes)
_UNI = re.compile(r"uni((?:[0-9A-F]{4})+)")
_U = re.compile(r"u([0-9A-F]{4,6})")
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PARTS = {
    **{letter: letter for letter in string.ascii_letters},
    **{name: str(value) for value, name in enumerate(_DIGITS)},
    **{name: name for name in ("ff", "fi", "fl", "ffi", "ffl")},
    "longs": "ſ",
    "hyphen": "-",
}
# TeX's own, in its fonts of signs and in those of Czech and Greek, which the list has not:
_OWN = {
    "dotlessj": "ȷ",
    "angbracketleft": "⟨",
    "angbracketright": "⟩",
    "mapsto": "↦",
    "lessmuch": "≪",
    "greatermuch": "≫",
    "csquotedblright": "“",
    "finalsigma": "ς",
    "lamda": "λ",
    "ohm": "Ω",
}


def meaning(name: str) -> str | None:
    """The text that a glyph of that name stands for, without its slash; empty where the rules do not say.

    None for a single word: PDFium knows its meaning if the list has it, and so never asks.
    """
    if len(name) > _LONGEST:
        return ""
    name = name.partition(".")[0]
    if name in _OWN:
        return _OWN[name]
    if name.isalpha():
        return None
    parts = [_part(part) for part in name.split("_")]
    return "".join(parts) if all(parts) else ""


def _part(name: str) -> str:
    if name in _PARTS:
        return _PARTS[name]
    if numbers := _UNI.fullmatch(name):
        codes = [int(numbers[1][start : start + 4], 16) for start in range(0, len(numbers[1]), 4)]
    elif number := _U.fullmatch(name):
        codes = [int(number[1], 16)]
    else:
        return ""
    text = "".join(chr(code) for code in codes if code < 0xD800 or 0xDFFF < code < 0x110000)
    return text if len(text) == len(codes) and text.isprintable() else ""
