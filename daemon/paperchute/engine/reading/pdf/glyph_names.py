"""What the names of glyphs mean, by the rules of the Adobe Glyph List specification.

PDFium knows the single names of that list. Here are the names that are put together by its rules, of which every part
is a letter, a digit or a number of Unicode, and names that TeX's fonts use beside the list.
"""

from __future__ import annotations

import re
import string
import unicodedata

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

# Linotype's numbers for the glyphs of its Mathematical Pi fonts, which name them so in every file. Seen by two who read
# papers apart from each other, or in the order of the alphabet.
_LINOTYPES = {
    **{9001 + n: letter for n, letter in enumerate("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ")},
    **{9251 + n: letter for n, letter in enumerate("αβγδεζηθικλμνξοπρσςτυφχψω")},
    **dict(zip((11001, 11002, 11003, 11004, 11005, 11006, 11009, 11011, 11013, 11015), "+−×÷=±∞∼≡≈", strict=True)),
    **dict(zip((11021, 11022, 11032, 11033, 11034, 11349, 11350, 11569, 17033, 17034), "<>′″°≤≥*●○", strict=True)),
    **dict(zip((17039, 17040, 20848, 20849, 20850, 20853, 20854, 20881, 20888), "■□∫(){}√∑", strict=True)),
}
_LINOTYPE = re.compile(r"H(\d{4,5})")

_LISTED = {
    name: letter
    for names, letters in (
        (
            "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk",
            " !\"#$%&'()*",
        ),
        ("plus comma hyphen period slash colon semicolon less equal greater question at", "+,-./:;<=>?@"),
        ("bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright", "[\\]^_`{|}"),
        ("asciitilde exclamdown cent sterling currency yen brokenbar section copyright ordfeminine", "~¡¢£¤¥¦§©ª"),
        ("guillemotleft logicalnot registered degree plusminus twosuperior threesuperior mu paragraph", "«¬®°±²³µ¶"),
        ("periodcentered onesuperior ordmasculine guillemotright onequarter onehalf threequarters", "·¹º»¼½¾"),
        ("questiondown multiply divide AE ae Oslash oslash germandbls Eth eth Thorn thorn OE oe", "¿×÷ÆæØøßÐðÞþŒœ"),
        ("quoteleft quoteright quotedblleft quotedblright quotesinglbase quotedblbase endash emdash", "‘’“”‚„–—"),
        ("bullet ellipsis dagger daggerdbl perthousand guilsinglleft guilsinglright Euro trademark", "•…†‡‰‹›€™"),
        ("minus fraction florin dotlessi Lslash lslash infinity partialdiff summation product radical", "−⁄ƒıŁł∞∂∑∏√"),
        ("integral approxequal notequal lessequal greaterequal lozenge arrowleft arrowright", "∫≈≠≤≥◊←→"),
    )
    for name, letter in zip(names.split(), letters, strict=True)
}
"""Of the list: signs, and letters whose names are no letter with an accent and no Greek one."""

_ACCENTED = re.compile("([A-Za-z])(acute|grave|circumflex|dieresis|tilde|caron|cedilla|ring|macron|breve|ogonek)")
_ACCENTS = {"circumflex": "circumflex", "dieresis": "diaeresis", "ring": "ring above"}


def listed(name: str) -> str:
    """Return what a single name means by the list itself, as far as its Latin and Greek letters and common signs go.

    For the fonts of which PDFium does not ask it: those whose letters are drawn by content (Type 3).
    """
    known = _PARTS.get(name) or _LISTED.get(name)
    if known:
        return known
    accented = _ACCENTED.fullmatch(name)
    case = "small" if name[:1].islower() else "capital"
    spoken = f"greek {case} letter {name}"
    if accented:
        spoken = f"latin {case} letter {accented[1]} with {_ACCENTS.get(accented[2], accented[2])}"
    try:
        return unicodedata.lookup(spoken)
    except KeyError:
        return ""


def meaning(name: str) -> str | None:
    """The text that a glyph of that name stands for, without its slash; empty where the rules do not say.

    None for a single word: PDFium knows its meaning if the list has it, and so never asks.
    """
    if len(name) > _LONGEST:
        return ""
    name = name.partition(".")[0]
    if name in _OWN:
        return _OWN[name]
    if numbered := _LINOTYPE.fullmatch(name):
        return _LINOTYPES.get(int(numbered[1]), "")
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
