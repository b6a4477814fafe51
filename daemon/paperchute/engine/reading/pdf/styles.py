"""How text looks: fonts and colours."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from typing import Any

import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import UNSEEN
from paperchute.engine.reading.layout.marks import Font
from paperchute.engine.reading.pdf import calls

SUBSET = re.compile(r"^[A-Z]{6}\+")
"""The tag of a subset before a font's name (ISO 32000-1, 9.6.4)."""

_BOLD = re.compile(
    r"bold|black|heavy|(?<![a-z])(?:bd|demi|semibd)(?![a-z])|^cmb|^sfbx|-medi|\.bi?(?:\+\d+)?$", re.IGNORECASE
)
_NOT_BOLD = re.compile(r"regular|roman|book(?!man)|light|thin|medium|normal|ital|obli", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|^cmti|^cmsl|^cmbxti|^sfti|\.b?i(?:\+\d+)?$", re.IGNORECASE)
_MONO = re.compile(
    r"mono|courier|consol|typewriter|menlo|inconsolata|source ?code|fira ?code|^cmtt|^sftt|lettergothic", re.IGNORECASE
)
_SMALL_CAPS = re.compile(r"small ?-?caps|^cmb?csc|^ec[co]?c\d|^lmcsc|^lmroman\w*caps|caps\d|-(?:\w*)sc$", re.IGNORECASE)
_MATH = re.compile(
    r"^cm(?:mi|sy|ex|bsy|mib)\d|^(?:msa|msb)m|^(?:euler|eu[rfs][mb])\d|math|^symbol|^mt(?:mi|sy|ex)", re.IGNORECASE
)

# Font descriptor flags, ISO 32000-1 table 123.
_FIXED_PITCH = 1 << 0  # bit 1
_ITALIC_FLAG = 1 << 6  # bit 7
_FORCE_BOLD = 1 << 18  # bit 19
_BOLD_WEIGHT = 650  # between semibold, 600, and bold, 700 (CSS Fonts 4, font-weight)
_STROKED = 2  # text rendering mode fill and stroke: the usual way to fake bold


class Fonts:
    """The fonts of one document, looked at once each."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Font] = {}

    def of(self, address: int, mode: int) -> Font:
        """The font at `address` (0: none) as shown by a text rendering mode (ISO 32000-1, 9.3.6).

        That of unseen text over a scan is whatever the recognising program took, often a typewriter's.
        """
        if not address:
            return Font()
        key = (address, mode)
        font = self._known.get(key)
        if font is None:
            font = _read(ctypes.cast(address, pdfium_c.FPDF_FONT), mode == _STROKED)
            unseen = mode == pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE
            self._known[key] = font = replace(font, mono=False) if unseen else font
        return font


def _read(raw: Any, stroked: bool) -> Font:
    length = pdfium_c.FPDFFont_GetBaseFontName(raw, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 1))
    pdfium_c.FPDFFont_GetBaseFontName(raw, buffer, length)
    name = SUBSET.sub("", buffer.value.decode("utf-8", "replace"))
    flags = max(pdfium_c.FPDFFont_GetFlags(raw), 0)
    slope = ctypes.c_int()
    sloped = bool(pdfium_c.FPDFFont_GetItalicAngle(raw, slope)) and slope.value != 0
    return Font(
        name=name,
        bold=stroked or bool(flags & _FORCE_BOLD) or is_bold(name, pdfium_c.FPDFFont_GetWeight(raw)),
        italic=sloped or bool(flags & _ITALIC_FLAG) or bool(_ITALIC.search(name)),
        mono=bool(flags & _FIXED_PITCH) or bool(_MONO.search(name)),
        math=bool(_MATH.search(name)),
        small_caps=bool(_SMALL_CAPS.search(name)),
    )


def is_bold(name: str, weight: int) -> bool:
    """By the name where it tells; PDFium guesses the weight from the width of stems, and often wrongly."""
    return bool(_BOLD.search(name)) or (weight >= _BOLD_WEIGHT and not _NOT_BOLD.search(name))


def shown(color: tuple[int, int, int, int]) -> str:
    """(red, green, blue, alpha) as it shows on white paper: #rrggbb."""
    *parts, alpha = color
    if alpha < 255:
        parts = [255 - (255 - part) * alpha // 255 for part in parts]
    return "#{:02x}{:02x}{:02x}".format(*parts)


def text_color(item: int, mode: int) -> str:
    """The colour of a text object by its rendering mode (ISO 32000-1, 9.3.6), as in `Style.color`."""
    if mode == pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE:
        return UNSEEN
    color = calls.fill_color(item)
    found = shown(color) if color is not None else ""
    return "" if found == "#000000" else found
