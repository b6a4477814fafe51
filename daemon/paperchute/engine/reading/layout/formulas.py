"""Which paragraphs are displayed formulas."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Word


@dataclass(frozen=True, slots=True)
class FormulaSettings:
    """Which paragraphs are displayed formulas."""

    share: float = 0.5
    """The share of characters in formula fonts, or that are signs: half of them or more."""

    most_lines: int = 12
    """Lines of one displayed formula; a bound on work as well."""

    fewest_chars: int = 3
    """Characters of a formula: `a=b`."""

    most_words: int = 2
    """Ordinary words in a formula, such as `if` and `otherwise`."""

    word: int = 4
    """Letters from which a word is an ordinary one; `sin` and `max` are not."""


FORMULAS = FormulaSettings()


_PLAIN_SIGNS = frozenset("+<=>|~")


def is_formula(lines: Sequence[TextLine]) -> bool:
    """Whether a paragraph is a displayed formula.

    At least half of its characters are set in a formula font (Computer Modern Math, Symbol, ...) or are mathematical
    signs, at least one of them is no plain letter or digit, and there are few ordinary words.
    """
    if len(lines) > FORMULAS.most_lines or not any(map(_is_formal, [word for line in lines for word in line.words])):
        return False
    total = formal = prose = 0
    sign = False
    for line in lines:
        for word in line.words:
            total += len(word.text)
            signs = sum(_is_sign(c) for c in word.text)
            formal += len(word.text) if word.font.math else signs
            sign = sign or signs > 0
            prose += len(word.text) >= FORMULAS.word and word.text.isalpha() and not word.font.math
    return total >= FORMULAS.fewest_chars and sign and formal >= FORMULAS.share * total and prose <= FORMULAS.most_words


def is_mathematical(lines: Sequence[TextLine]) -> bool:
    """Whether lines hold signs of mathematics and no ordinary word, as the parts of displayed formulas do."""
    words = [word for line in lines for word in line.words]
    if any(len(word.text) >= FORMULAS.fewest_chars and word.text.isalpha() and not word.font.math for word in words):
        return False
    return any(word.font.math or any(map(_is_sign, word.text)) for word in words)


def _is_formal(word: Word) -> bool:
    return word.font.math or not word.text.isascii() or not _PLAIN_SIGNS.isdisjoint(word.text)


def _is_sign(character: str) -> bool:
    return (
        unicodedata.category(character) == "Sm"
        or "\U0001d400" <= character <= "\U0001d7ff"
        or "\u0370" <= character <= "\u03ff"
    )
