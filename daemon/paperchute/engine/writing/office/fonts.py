"""PostScript font names to the family names that word processors know."""

from __future__ import annotations

import re
from functools import cache

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
