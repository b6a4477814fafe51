"""Characters as they are to be written: signs of old fonts, ligatures, and what has no Unicode value."""

from __future__ import annotations

import re
import unicodedata

UNREADABLE = "\ufffd"
# One character for each, so that places in the text stay places on the page. PDFium gives a hyphen that ends a line as
# U+0002 or U+FFFE.
_PLACES = {
    **dict.fromkeys([*range(0x01, 0x09), *range(0x0E, 0x1C), 0x200B, 0xFEFF], " "),
    **dict.fromkeys([0x02, 0xAD, 0xFFFE], "-"),
    0: UNREADABLE,
}
_PLACED = re.compile(f"[{''.join(map(chr, sorted(_PLACES)))}]")
# Bullets of the Symbol and Wingdings fonts, which have no Unicode map and so stand in the private use area.
_SYMBOLS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0A8: "◦", 0xF06E: "▪", 0xF06F: "◦", 0xF0D8: "▸", 0xF0FC: "✓", 0xF02D: "-"}
# Signs and pieces of large brackets that Adobe's list of glyph names put there before Unicode had them.
_SYMBOLS |= dict(zip(range(0xF8E6, 0xF8FF), "⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", strict=True))
# Old-style figures and the letters of small capitals, as the same list has them (zerooldstyle, Asmall ...).
_SYMBOLS |= {code: chr(code - 0xF700) for code in (*range(0xF730, 0xF73A), *range(0xF761, 0xF77B))}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_REPLACED = re.compile("[\ufb00-\ufb06\ue000-\uf8ff\u2f00-\u2fd5]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
_ITALIC = re.compile("[\U0001d434-\U0001d467\U0001d6e2-\U0001d71b]")
"""Mathematical italic letters; others of formulas, such as 𝔼, are not just a letter in another style."""


def placed(text: str) -> str:
    """The text with one readable character for each, so that places in it stay places on the page."""
    return _PLACED.sub(_placed, text)


def printed(parts: list[str], text: str) -> list[str]:
    """Parts of a text as they are to be written."""
    if not _REPLACED.search(text):
        return parts
    return [part if part.isascii() else _REPLACED.sub(_printed, part) for part in parts]


def _placed(match: re.Match[str]) -> str:
    return _PLACES[ord(match[0])]


def _printed(match: re.Match[str]) -> str:
    if len(match[0]) == 2:
        letter = match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        return unicodedata.normalize("NFKC", letter) if _ITALIC.match(letter) else letter
    code = ord(match[0])
    if code in _LIGATURES:
        return _LIGATURES[code]
    if "\u2f00" <= match[0] <= "\u2fd5":  # a radical for the character of its look, as many fonts that have both say
        return unicodedata.normalize("NFKC", match[0])
    return _SYMBOLS.get(code, chr(code - 0xF000) if 0xF020 < code < 0xF07F else UNREADABLE)
