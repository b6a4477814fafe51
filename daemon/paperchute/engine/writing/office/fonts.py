"""Fonts as word processors know them: family names for PostScript names, and how wide text is in the standard ones."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from functools import cache

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import Style
from paperchute.engine.writing.office.runs import Run

SERIF = "Times New Roman"
SANS = "Arial"
MONO = "Courier New"

_SAME = {
    "times": SERIF,
    "timesnewroman": SERIF,
    "nimbusroman": SERIF,
    "nimbusromnol": SERIF,
    "helvetica": SANS,
    "arial": SANS,
    "nimbussans": SANS,
    "nimbussanl": SANS,
    "courier": MONO,
    "couriernew": MONO,
    "nimbusmonol": MONO,
    "dejavuserif": "DejaVu Serif",
    "dejavusans": "DejaVu Sans",
    "dejavusansmono": "DejaVu Sans Mono",
    "sfui": SANS,
    "symbol": "",  # their letters have become Unicode, which these fonts do not hold
    "wingdings": "",
    "zapfdingbats": "",
    "urwpalladiol": "Palatino Linotype",
}
_STYLES = re.compile(
    r"^(?:bold|bd|italic|ital|it|oblique|obl|regular|regu|reg|roman|roma|medium|medi|semibold|demi|book|"
    r"light|black|heavy|condensed|cond|mt|ps|psmt|std|identity|h)$",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
_JOINED_STYLES = re.compile(r"(?:PSMT|PS|MT|BoldIt|ReguItal)$")


# From line to line when set single, as a multiple of the size: ascent, descent and gap of the fonts' own tables.
_PITCHES = {"Noto": 1.362, "Calibri": 1.22, "Tahoma": 1.207, "Verdana": 1.215, "Segoe": 1.33, "Courier": 1.133}


def natural_pitch(name: str) -> float:
    """How far apart a family's lines are when a word processor sets them single, as a multiple of the font size."""
    return _PITCHES.get(name.split(" ", 1)[0], 1.16)


@cache
def family(font: str) -> str:
    """The family of a PostScript font name, without weight and slant; empty when the name tells nothing.

    `LiberationSans-BoldItalic` is Liberation Sans, `TimesNewRomanPSMT` Times New Roman. Names with numbers in them
    (CMR10, AdvP41461E) are a typesetting program's own.
    """
    name = font.lstrip(".").split("_", 1)[0]
    parts = [part for part in re.split(r"[-,]", name) if part]
    while len(parts) > 1 and all(_STYLES.match(word) for word in _WORDS.findall(parts[-1])):
        parts.pop()
    base = _JOINED_STYLES.sub("", " ".join(parts)) or name
    key = re.sub(r"[^a-z]", "", base.lower())
    if key in _SAME:
        return _SAME[key]
    if len(key) < 3 or any(character.isdigit() for character in base) or not base[0].isupper():
        return ""
    if " " in font:
        return font
    words = [word for piece in base.split() for word in (_WORDS.findall(piece) if piece.isalpha() else [piece])]
    while len(words) > 1 and _STYLES.match(words[-1]):
        words.pop()
    return " ".join(words)


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
