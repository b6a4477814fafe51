"""Fonts as word processors know them: family names for PostScript names, and how wide text is in the standard ones."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import Line, Style
from paperchute.engine.writing.office.runs import Run, runs_of_span
from paperchute.engine.writing.tex_fonts import kind_of_font

SERIF = "Times New Roman"
SANS = "Arial"
MONO = "Courier New"
SINGLE = 240
"""A single line, in the unit of `line_multiple`."""

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
    "nimbusmonops": MONO,
    "dejavuserif": "DejaVu Serif",
    "dejavusans": "DejaVu Sans",
    "dejavusansmono": "DejaVu Sans Mono",
    "sfui": SANS,
    "symbol": "",  # their letters have become Unicode, which these fonts do not hold
    "wingdings": "",
    "zapfdingbats": "",
    "urwpalladiol": "Palatino Linotype",
    "urwbookman": "Bookman Old Style",
}
_NUMBERED = {"C059": "Century Schoolbook", "P052": "Palatino Linotype"}
"""URW's fonts whose names are numbers, and their likes."""
_OF_TEX = {"serif": SERIF, "sans-serif": SANS, "monospace": MONO}
_STYLES = re.compile(
    r"^(?:bold|bd|italic|ital|it|oblique|obl|regular|regu|reg|roman|roma|medium|medi|semibold|demi|book|"
    r"light|black|heavy|condensed|cond|mt|ps|psmt|std|identity|h)$",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
_JOINED_STYLES = re.compile(r"(?:PSMT|PS|MT|BoldIt|ReguItal)$")


@dataclass(frozen=True, slots=True)
class FontSettings:
    """What is known of fonts without having them."""

    pitch: float = 1.16
    """From line to line when set single, of the font size, in families that are not listed: Arial and Times New Roman
    have 1.15, DejaVu Sans 1.164."""

    least_name: int = 3
    """Letters of a family's name: shorter ones are a typesetting program's own."""

    stretch: tuple[int, int] = (70, 140)
    """Per cent of letters' widths; beyond it the text was read wrongly, and stretching it would show. 4 of 42
    sample documents have lines between 70 and 60 or 119 and 140, 2 between 70 and 80 or 140 and 161."""

    fits: float = 2.0
    """Per cent by which text may be too short or too long without being stretched: less is not seen. Lines near it
    are many: some change in 5 of 42 sample documents at 1.7, in 8 at 2.3."""

    script: float = 0.65
    """Of the font size: raised and lowered letters, about two thirds. Chosen by eye; 3 of 42 samples have any."""

    line_multiple: tuple[int, int] = (200, 720)
    """240ths of a single line (`w:line`, RTF's `sl`): from five sixths, as letters would lie over each other
    below, to three lines."""


FONTS = FontSettings()

# From line to line when set single, as a multiple of the size: ascent, descent and gap of the fonts' own tables.
_PITCHES = {"Noto": 1.362, "Calibri": 1.22, "Tahoma": 1.207, "Verdana": 1.215, "Segoe": 1.33, "Courier": 1.133}


def natural_pitch(name: str) -> float:
    """How far apart a family's lines are when a word processor sets them single, as a multiple of the font size."""
    return _PITCHES.get(name.split(" ", 1)[0], FONTS.pitch)


def line_multiple(pitch: float, font: str) -> int:
    """A pitch in 240ths of what the font's own line takes, as Word and RTF want it; single for a pitch of 0."""
    least, most = FONTS.line_multiple
    return max(least, min(round(SINGLE * pitch / natural_pitch(font)), most)) if pitch else SINGLE


@cache
def family(font: str) -> str:
    """The family of a PostScript font name, without weight and slant; empty when the name tells nothing.

    `LiberationSans-BoldItalic` is Liberation Sans, `TimesNewRomanPSMT` Times New Roman, and TeX's CMR10 Times New
    Roman, which is its like everywhere. Other names with numbers in them (AdvP41461E) are a typesetting program's own.
    """
    if (kind := kind_of_font(font)) is not None:
        return _OF_TEX[kind]
    name = font.lstrip(".").split("_", 1)[0]
    parts = [part for part in re.split(r"[-,]", name) if part]
    for end in range(len(parts), 1, -1):  # before Roman goes: Nimbus-Roman
        if (known := _SAME.get(re.sub(r"[^a-z]", "", "".join(parts[:end]).lower()))) is not None:
            return known
    while len(parts) > 1 and all(_STYLES.match(word) for word in _WORDS.findall(parts[-1])):
        parts.pop()
    base = _JOINED_STYLES.sub("", " ".join(parts)) or name
    key = re.sub(r"[^a-z]", "", base.lower())
    if key in _SAME:
        return _SAME[key]
    if base[:4] in _NUMBERED:
        return _NUMBERED[base[:4]]
    if len(key) < FONTS.least_name or any(character.isdigit() for character in base) or not base[0].isupper():
        return ""
    if " " in font:
        return font
    words = [word for piece in base.split() for word in (_WORDS.findall(piece) if piece.isalpha() else [piece])]
    while len(words) > 1 and _STYLES.match(words[-1]):
        words.pop()
        if (known := _SAME.get("".join(words).lower())) is not None:  # before Roman goes as well: NimbusRomanRegular
            return known
    return " ".join(words)


STANDARD = {SANS: "Helvetica", SERIF: "Times", MONO: "Courier"}
_SUFFIXES = {
    "Helvetica": ("", "-Bold", "-Oblique", "-BoldOblique"),
    "Courier": ("", "-Bold", "-Oblique", "-BoldOblique"),
    "Times": ("-Roman", "-Bold", "-Italic", "-BoldItalic"),
}


def narrowing(lines: Sequence[Line], room: float, usual: str) -> int:
    """Per cent by which letters must be narrower so that reflowed lines take no more room than they had in print.

    A line that stands alone stays one, `room` being the points that its paragraph has; several become no longer on the
    whole than they were. Recognised text is set in another font than its print's, which is often narrower.

    usual: as in `fitting`. 100 where the text fits, or its fonts are not known.
    """
    natural = [_natural(tuple(run for span in line.spans for run in runs_of_span(span)), usual) for line in lines]
    if not natural or min(natural) <= 0 or any(line.quad.angle for line in lines):
        return 100
    had = room if len(lines) == 1 else sum(line.quad.box.width for line in lines)
    wanted = 100 * had / sum(natural)
    return max(FONTS.stretch[0], int(wanted)) if wanted < 100 - FONTS.fits else 100


def fitting(runs: tuple[Run, ...], width: float, usual: str) -> int:
    """Per cent by which letters must be stretched for the runs to be `width` points long.

    usual: the family of text whose font is unknown. 100 where a font is none of the standard ones, whose widths are
    known, and where the text fits.
    """
    total = _natural(runs, usual)
    if total <= 0 or width <= 0:
        return 100
    wanted = 100 * width / total
    least, most = FONTS.stretch
    return round(wanted) if least <= wanted <= most and abs(wanted - 100) > FONTS.fits else 100


def _natural(runs: tuple[Run, ...], usual: str) -> float:
    """The width of runs in one line as they are, in points; 0 where a font is none of the standard ones."""
    total = 0.0
    for run in runs:
        name = family(run.style.font) or (MONO if run.style.mono else usual)
        if name not in STANDARD or run.rtl or run.style.size <= 0:
            return 0.0
        total += text_width(run.text, run.style, name)
    return total


def text_width(text: str, style: Style, name: str) -> float:
    """The width of a line of text in one of the standard families, in points."""
    base = STANDARD[name]
    font = base + _SUFFIXES[base][style.bold + 2 * style.italic]
    size = style.size * (FONTS.script if style.script else 1.0)
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
