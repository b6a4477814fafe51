"""CSS font families for the fonts of a PDF: the font itself where a reader has it, else one of its kind."""

from __future__ import annotations

import re

_STYLES = re.compile(
    r"[-,_ ]?(?:Bold|Italic|Oblique|Regular|Book|Medium|Light|Semibold|SemiBold|Demi|Black|Thin|Heavy|"
    r"Condensed|It|Bd|Rg|PSMT|PS|MT|Std|Pro|Identity-H)+$|[-,]Roman$"
)
_SERIF = re.compile(
    r"serif(?<!sans)(?<!sans-)|times|roman|garamond|georgia|minion|palatino|bookman|century|cambria|charter|caslon|"
    r"baskerville|didot|bodoni|cmr|cmb|cmti|nimbusrom|song|ming|mincho|utopia|tinos|lora|merriweather|playfair|stix|latinmodern",
    re.IGNORECASE,
)
_SANS = re.compile(r"sans|arial|helvet|verdana|gothic|lmss|cmss", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|lmtt|fixed|menlo", re.IGNORECASE)
_WORD_EDGES = re.compile(r"(?<=[a-z])(?=[A-Z])")


def font_family(name: str, mono: bool) -> str:
    """A CSS font-family value for a PostScript name, safe inside an attribute with double quotes."""
    plain = re.sub(r"[^A-Za-z0-9 -]", "", name)
    family = plain
    while (shorter := _STYLES.sub("", family)) != family:
        family = shorter
    generic = "monospace" if mono or _MONO.search(plain) else "sans-serif"
    if generic == "sans-serif" and _SERIF.search(plain) and not _SANS.search(plain):
        generic = "serif"
    spaced = _WORD_EDGES.sub(" ", family)
    known = [f"'{text}'" for text in dict.fromkeys((spaced, family)) if text]
    return ",".join([*known, generic])


def natural_width(text: str) -> float:
    """About how wide a text is set without justifying, in shares of the font size."""
    return sum(_width(character) for character in text)


def _width(character: str) -> float:
    if character in " iljtfrI.,;:!|'()[]":
        return 0.29
    if character in "mwMW@%—":
        return 0.82
    if character >= "\u2e80":
        return 1.0
    return 0.67 if character.isupper() else 0.5
