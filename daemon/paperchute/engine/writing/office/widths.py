"""How wide text is in the standard fonts, so that text of an unknown font can be fitted to the place it was printed."""

from __future__ import annotations

import ctypes
import unicodedata
from functools import cache

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import Style
from paperchute.engine.writing.office.fonts import MONO, SANS, SERIF, family
from paperchute.engine.writing.office.runs import Run

STANDARD = {SANS: "Helvetica", SERIF: "Times", MONO: "Courier"}
_SUFFIXES = {
    "Helvetica": ("", "-Bold", "-Oblique", "-BoldOblique"),
    "Courier": ("", "-Bold", "-Oblique", "-BoldOblique"),
    "Times": ("-Roman", "-Bold", "-Italic", "-BoldItalic"),
}
_LEAST, _MOST = 70, 140  # per cent; beyond it the text was read wrongly, and stretching it would show


def fitting(runs: tuple[Run, ...], width: float, usual: str) -> int:
    """Per cent by which letters must be stretched for the runs to be `width` points long.

    usual: the family of text whose font is unknown. 100 where a font is none of the standard ones, whose widths are
    known, and where the text fits within two per cent.
    """
    total = 0.0
    for run in runs:
        name = family(run.style.font) or (MONO if run.style.mono else usual)
        if name not in STANDARD or run.rtl or run.style.size <= 0:
            return 100
        total += text_width(run.text, run.style, name)
    if total <= 0 or width <= 0:
        return 100
    wanted = 100 * width / total
    return round(wanted) if _LEAST <= wanted <= _MOST and abs(wanted - 100) > 2 else 100


def text_width(text: str, style: Style, name: str) -> float:
    """The width of a line of text in one of the standard families, in points."""
    base = STANDARD[name]
    font = base + _SUFFIXES[base][style.bold + 2 * style.italic]
    size = style.size * (0.65 if style.script else 1.0)
    return sum(_share(font, character) for character in text) * size


@cache
def _share(font: str, character: str) -> float:
    """A character's width as a share of the font size. East Asian ones fill a square."""
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if unicodedata.combining(character):
        return 0.0
    width = ctypes.c_float()
    pdfium_c.FPDFFont_GetGlyphWidth(_fonts()[1][font], ord(character), 1.0, width)
    return width.value


@cache
def _fonts() -> tuple[pdfium.PdfDocument, dict[str, object]]:
    """The standard fonts as PDFium holds them (ISO 32000-1, 9.6.2.2), and the empty document they live in."""
    document = pdfium.PdfDocument.new()
    names = [base + suffix for base, suffixes in _SUFFIXES.items() for suffix in suffixes]
    return document, {name: pdfium_c.FPDFText_LoadStandardFont(document, name.encode()) for name in names}
