"""Displayed formulas: lines set mostly in formula fonts or signs."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.records import Word

_SHARE = 0.5
_MOST_LINES = 12
_PLAIN_SIGNS = frozenset("+<=>|~")


def is_formula(lines: Sequence[TextLine]) -> bool:
    """Whether a paragraph is a displayed formula.

    At least half of its characters are set in a formula font (Computer Modern Math, Symbol, ...) or are mathematical
    signs, at least one of them is no plain letter or digit, and there are few ordinary words.
    """
    if len(lines) > _MOST_LINES or not any(map(_is_formal, [word for line in lines for word in line.words])):
        return False
    total = formal = prose = 0
    sign = False
    for line in lines:
        for word in line.words:
            total += len(word.text)
            signs = sum(_is_sign(c) for c in word.text)
            formal += len(word.text) if word.font.math else signs
            sign = sign or signs > 0
            prose += len(word.text) >= 4 and word.text.isalpha() and not word.font.math
    return total >= 3 and sign and formal >= _SHARE * total and prose <= 2


def _is_formal(word: Word) -> bool:
    return word.font.math or not word.text.isascii() or not _PLAIN_SIGNS.isdisjoint(word.text)


def _is_sign(character: str) -> bool:
    return (
        unicodedata.category(character) == "Sm"
        or "\U0001d400" <= character <= "\U0001d7ff"
        or "\u0370" <= character <= "\u03ff"
    )
