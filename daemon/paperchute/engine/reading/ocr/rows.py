"""Recognised words whose own letters do not tell their size and baseline: these are those of the text around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import SeenWord
from paperchute.engine.reading.ocr.recognition import ALIKE


@dataclass(frozen=True, slots=True)
class RowSettings:
    """Which words tell the size of others. Distances are shares of the font size."""

    capital: tuple[float, float] = (0.54, 0.6)
    """A letter that stands alone is a small one below, and a capital above: at 100 and 150 dpi those have 0.58 to 0.7,
    small letters 0.41 to 0.58, without serifs 0.51 and more. Between, it stays what it was read as, and is unsure."""


ROWS = RowSettings()


def on_rows(words: Sequence[SeenWord]) -> list[SeenWord]:
    """The words of a page, those whose letters do not tell their size given that of the text they stand in.

    Words without letters, such as bullets, have that of the word they stand before.
    """
    sure = [word for word in words if word.angle == 0 and word.sized and _has_letters(word)]
    result = []
    for word in words:
        if word.line_letters == 1 and word.text in ALIKE and word.angle == 0:
            result.append(_in_case(word, [other for other in sure if other.line_letters > 1]))
            continue
        if word.angle != 0 or (word.sized and _has_letters(word)):
            result.append(word)
            continue
        near = sorted((o for o in sure if _is_on_row(word, o)), key=lambda o: _gap(word, o))
        if not _has_letters(word):
            word = replace(word, size=near[0].size, baseline=near[0].baseline) if near else word
        else:
            around = [o for o in near if _gap(word, o) <= PRINT.thrice * o.size and _is_alike(word, o)]
            around = around[:1] or [o for o in sure if _is_over(word, o) and _is_alike(word, o)]
            # A name under a heading, or a heading's last word over its text: the strokes tell which it belongs to.
            like = min(around, key=lambda o: abs(_stroke(o) - _stroke(word)), default=word)
            word = replace(word, size=like.size)
        result.append(word)
    return result


def _in_case(letter: SeenWord, others: Sequence[SeenWord]) -> SeenWord:
    """A letter that stands alone as a small one or a capital, by the size of the text beside it."""
    sizes = [other.size for other in others if _is_on_row(letter, other) for _ in other.text]
    if not sizes:
        return letter
    size = median(sizes)
    height = (letter.box.bottom - letter.box.top) / size
    low, high = ROWS.capital
    if low <= height <= high:
        return replace(letter, size=size, confidence=min(letter.confidence, PRINT.half))
    return replace(letter, size=size, text=letter.text.upper() if height > high else letter.text.lower())


def _has_letters(word: SeenWord) -> bool:
    return any(map(str.isalnum, word.text))


def _is_on_row(word: SeenWord, other: SeenWord) -> bool:
    y = (word.box.top + word.box.bottom) / 2
    return other.baseline - other.size < y < other.baseline + PRINT.part * other.size


def _gap(word: SeenWord, other: SeenWord) -> float:
    return max(other.box.left - word.box.right, word.box.left - other.box.right)


def _is_over(word: SeenWord, other: SeenWord) -> bool:
    """Decide whether a word stands right over or under another."""
    return _gap(word, other) < 0 and abs(other.baseline - word.baseline) <= PRINT.twice * other.size


def _is_alike(word: SeenWord, other: SeenWord) -> bool:
    return abs(other.size - word.size) <= PRINT.quarter * other.size


def _stroke(word: SeenWord) -> float:
    """The thickness of the strokes of a word's line, in pixels."""
    return word.line_stroke * word.size
