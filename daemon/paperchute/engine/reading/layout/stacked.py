"""Vertical writing: letters that stand upright one below another, joined to words that read downwards.

Some programs say that a font writes vertically, and the reader then finds whole words; most place every letter for
itself, so that each one comes as a word of its own. What tells these from a column of short cells is that they come one
after another, closer than lines of text are, with nothing beside them that is closer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.records import Word

_FIRST_WIDE = "\u2e80"  # all scripts that are written vertically begin here in Unicode
_FEWEST = 3
_FEWEST_KNOWN = 2
"""Letters of a string that stands alone, and of one on a page that has others."""
_OFF_LINE = 0.3
_GAP = (-0.6, 0.6)
_WIDTH = 1.4
"""Of the size: between letters, and of what stands in the place of one."""
_BESIDE = 0.35
_ABREAST = 4
"""Letters or digits that stand side by side in the width of one, as years and days do."""
_MOST_WORDS = 40_000
"""Beyond any printed page."""


def with_stacked(words: list[Word]) -> list[Word]:
    """The words in their order, letters that stand below each other made one word, `stacked` and of angle 90."""
    if len(words) > _MOST_WORDS or not any(word.text >= _FIRST_WIDE for word in words):
        return words
    strings: list[list[Word]] = []
    for word in words:
        if strings and _follows(strings[-1][-1], word):
            strings[-1].append(word)
        else:
            strings.append([word])
    beside = _Rows(words)
    sure = {n for n, string in enumerate(strings) if _is_vertical(string, _FEWEST, beside)}
    if not sure:
        return words
    sure |= {n for n, string in enumerate(strings) if _is_vertical(string, _FEWEST_KNOWN, beside)}
    return [word for n, string in enumerate(strings) for word in (_joined(string) if n in sure else string)]


def _follows(above: Word, below: Word) -> bool:
    """Whether a word can be the next letters of a vertical line."""
    size = max(above.size, below.size)
    if not (_fits(above) and _fits(below)) or min(above.size, below.size) <= 0.6 * size:
        return False
    off = min(
        abs(above.left + above.right - below.left - below.right) / 2,
        max(above.left - below.left, below.right - above.right),  # a point or comma stands in a corner of its place
        max(below.left - above.left, above.right - below.right),
    )
    return (
        above.top < below.top
        and off <= _OFF_LINE * size
        and _GAP[0] * size <= below.top - _bottom(above) <= _GAP[1] * size
    )


def _fits(word: Word) -> bool:
    """Whether a word is as wide as one letter of a vertical line: wide letters below each other, or a few abreast."""
    if word.stacked:
        return True
    return word.angle == 0 and len(word.text) <= _ABREAST and word.right - word.left <= _WIDTH * word.size


def _bottom(word: Word) -> float:
    """The lower end of a word's letters; that of several wide ones in the width of one is not that of the first."""
    below = len(word.text) - 1 if not word.stacked and word.text >= _FIRST_WIDE else 0
    return word.bottom + below * word.size


def _is_vertical(string: Sequence[Word], fewest: int, rows: _Rows) -> bool:
    if any(word.stacked for word in string):
        return True
    if not all(map(_fits, string)):
        return False
    wide = sum(len(word.text) for word in string if word.text >= _FIRST_WIDE)
    if wide < fewest or 2 * wide <= sum(len(word.text) for word in string):
        return False
    return sum(rows.has_neighbour(word) for word in string) < 0.5 * len(string)


class _Rows:
    """Finds what stands right beside a letter."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._rows: dict[int, list[Word]] = {}
        for word in words:
            if word.angle == 0:
                self._rows.setdefault(int(word.baseline // 4), []).append(word)

    def has_neighbour(self, word: Word) -> bool:
        """Whether an upright word stands closer beside this one than lines of vertical writing do."""
        row = int(word.baseline // 4)
        reach = _BESIDE * word.size
        return any(
            other is not word and -reach < max(other.left - word.right, word.left - other.right) < reach
            for near in (row - 1, row, row + 1)
            for other in self._rows.get(near, ())
            if abs(other.baseline - word.baseline) < 0.3 * word.size
        )


def _joined(string: Sequence[Word]) -> list[Word]:
    """A vertical line's letters as words, one for each look."""
    found: list[list[Word]] = []
    for word in string:
        if found and found[-1][0].font == word.font:
            found[-1].append(word)
        else:
            found.append([word])
    return [_word(part, glued=number > 0) for number, part in enumerate(found)]


def _word(letters: Sequence[Word], glued: bool) -> Word:
    left, top, right, bottom = hull(word.box._replace(bottom=_bottom(word)) for word in letters)
    return replace(
        letters[0],
        text="".join(map(_usual, "".join(word.text for word in letters))),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        size=max(word.size for word in letters),
        glued=glued,
        angle=90,
        stacked=True,
    )


def _usual(letter: str) -> str:
    """The usual form of a sign that has another one for vertical writing (Unicode blocks FE10 and FE30)."""
    if not ("\ufe10" <= letter <= "\ufe19" or "\ufe30" <= letter <= "\ufe4f"):
        return letter
    plain = unicodedata.normalize("NFKC", letter)
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in plain)
