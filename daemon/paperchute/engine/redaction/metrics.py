"""How far the glyphs of a font advance (ISO 32000-1, 9.2.4), so that what stays keeps its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from ctypes import byref, c_float
from dataclasses import dataclass
from functools import cache
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pikepdf import Array, Dictionary, Name, Object, Stream

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.reading.pdf.glyph_names import listed
from paperchute.engine.reading.pdf.styles import SUBSET

_USUAL = 1.0  # advance of a CID that says none, in text space units (ISO 32000-1, 9.7.4.3)
_CODES = 256
_MOST_CIDS = 0x10000
_ORDERINGS = ("Japan1", "GB1", "CNS1", "Korea1", "KR", "UCS")
"""Collections of glyphs of which it is known what letters they are."""
_NUMBER = re.compile(r"(?!uni[0-9A-F]{4}|u[0-9A-F]{4,6}$)[A-Za-z_]{0,6}[._]?[0-9]{1,5}")
"""Names that only count glyphs, such as `g12` and `C0_3`."""
_SYMBOLIC = 4  # of a descriptor's flags: letters beyond the standard Latin ones
_STANDARD = ("Helvetica", "Arial", "Times", "Courier")


@dataclass(frozen=True, slots=True)
class Metrics:
    """Of one font: bytes of a code, and the advance of each in text space units; `usual` for codes not named."""

    width: int
    advances: Mapping[int, float]
    usual: float | None

    def codes(self, shown: bytes) -> Iterator[tuple[bytes, float | None]]:
        """Part a shown string into codes, each with its advance; None where that is not known."""
        for start in range(0, len(shown), self.width):
            code = shown[start : start + self.width]
            yield code, self.advances.get(int.from_bytes(code), self.usual)


def metrics_of(font: Any) -> Metrics | None:
    """Give the metrics of a font; None where its codes are mapped or laid in a way that is not followed here."""
    if not isinstance(font, Dictionary):
        return None
    try:
        if font.get(Name.Subtype) == Name.Type0:
            return _composite(font)
        return _simple(font)
    except (*FAULTS, ArithmeticError):
        return None


def _simple(font: Object) -> Metrics | None:
    widths = font.get(Name.Widths)
    unit = 0.001
    if font.get(Name.Subtype) == Name.Type3:
        unit = float(font.FontMatrix[0])
    if not isinstance(widths, Array):
        return _standard(font)
    first = int(font.get(Name.FirstChar, 0))
    advances = {first + place: float(width) * unit for place, width in enumerate(list(widths)[:_CODES])}
    descriptor = font.get(Name.FontDescriptor)
    missing = descriptor.get(Name.MissingWidth, 0) if isinstance(descriptor, Dictionary) else 0
    return Metrics(1, advances, float(missing) * unit)


def _standard(font: Object) -> Metrics | None:
    """Of the fonts that each reader has (9.6.2.2)."""
    base = SUBSET.sub("", str(font.get(Name.BaseFont, "")).removeprefix("/"))
    if not base.startswith(_STANDARD):
        return None
    encoding = font.get(Name.Encoding)
    differences = encoding.get(Name.Differences) if isinstance(encoding, Dictionary) else None
    named = encoding.get(Name.BaseEncoding) if isinstance(encoding, Dictionary) else encoding
    codec = "mac_roman" if named == Name.MacRomanEncoding else "cp1252"
    letters = {code: bytes([code]).decode(codec, "ignore") for code in range(32, _CODES)}
    if named is None:
        letters = {code: letter for code, letter in letters.items() if code < 127 and letter not in "'`"}
    code = 0
    for item in differences if isinstance(differences, Array) else ():
        if isinstance(item, Name):
            letters[code] = listed(str(item)[1:])
            code += 1
        else:
            code = int(item)
    known = _standard_widths(base)
    return Metrics(1, {code: known[letter] for code, letter in letters.items() if letter in known}, None)


@cache
def _standard_widths(base: str) -> Mapping[str, float]:
    family = "Courier" if base.startswith("Courier") else "Times" if base.startswith("Times") else "Helvetica"
    slanted = "Oblique" if family != "Times" else "Italic"
    style = ("Bold" if "Bold" in base else "") + (slanted if "Italic" in base or "Oblique" in base else "")
    name = f"{family}-{style}" if style else {"Times": "Times-Roman"}.get(family, family)
    letters = [chr(code) for code in (*range(32, 0x180), *range(0x2010, 0x2040), 0x20AC, 0x2122)]
    width, found = c_float(), {}
    with closing(pdfium.PdfDocument.new()) as document:
        font = pdfium_c.FPDFText_LoadStandardFont(document, name.encode())
        for letter in letters:
            if pdfium_c.FPDFFont_GetGlyphWidth(font, ord(letter), 1000.0, byref(width)) and width.value:
                found[letter] = width.value / 1000
        pdfium_c.FPDFFont_Close(font)
    return found


def _composite(font: Object) -> Metrics | None:
    """Fonts of many glyphs whose codes are the glyphs' own numbers, two bytes each, and that run along the line."""
    if font.get(Name.Encoding) != Name("/Identity-H"):
        return None
    below = font.DescendantFonts[0]
    advances: dict[int, float] = {}
    items = list(below.get(Name.W, ()))
    at = 0
    while at + 1 < len(items):
        first, second = int(items[at]), items[at + 1]
        if isinstance(second, Array):
            advances |= {first + place: float(width) / 1000 for place, width in enumerate(second)}
            at += 2
        else:
            last = min(int(second), _MOST_CIDS)
            advances |= dict.fromkeys(range(first, last + 1), float(items[at + 2]) / 1000)
            at += 3
    usual = below.get(Name.DW)
    return Metrics(2, advances, float(usual) / 1000 if usual is not None else _USUAL)


def is_drawn(font: Any) -> bool:
    """Decide whether the glyphs of a font are drawings as far as anybody knows.

    They are in Type 3, where one may show a whole word, and in fonts that do not say what their codes mean.
    """
    if not isinstance(font, Dictionary | Stream):
        return False
    if font.get(Name.Subtype) == Name.Type3:
        return True
    if isinstance(font.get(Name.ToUnicode), Stream):
        return False
    try:
        return _says_no_letters(font)
    except (*FAULTS, ArithmeticError):
        return True


def _says_no_letters(font: Object) -> bool:
    """Decide whether codes stand for glyphs by their numbers alone (ISO 32000-1, 9.10.2)."""
    if font.get(Name.Subtype) == Name.Type0:
        below = font.DescendantFonts[0].get(Name.CIDSystemInfo, Dictionary())
        is_numbered = str(font.get(Name.Encoding, "")).startswith("/Identity") or isinstance(font.Encoding, Stream)
        return is_numbered and str(below.get("/Ordering", "")) not in _ORDERINGS
    encoding, descriptor = font.get(Name.Encoding), font.get(Name.FontDescriptor)
    if isinstance(encoding, Dictionary) and isinstance(encoding.get(Name.Differences), Array):
        names = (str(item)[1:] for item in encoding.Differences if isinstance(item, Name))
        return any(_NUMBER.fullmatch(name) and not listed(name) for name in names)
    is_symbolic = isinstance(descriptor, Dictionary) and int(descriptor.get("/Flags", 0)) & _SYMBOLIC
    return (
        isinstance(descriptor, Dictionary) and bool(is_symbolic) and encoding is None and Name.FontFile2 in descriptor
    )
