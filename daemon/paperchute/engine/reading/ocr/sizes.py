"""Measured font sizes made even: type on paper comes in few sizes, and measuring each line anew gives many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.ocr.records import SeenWord

_ALIKE = 0.09
_BOLD, _BOLD_WORD = 1.14, 1.27
_FINE_SIZE = 20.0  # pixels
_LIKE_SIZE = 0.15
_MANY = 0.15  # of a page's letters
_FEWEST_LETTERS = 3


@dataclass(slots=True)
class Sizes:
    """The sizes of a document, in points; grows with its pages."""

    _known: list[float] = field(default_factory=list)

    def of(self, measured: Sequence[tuple[float, int]]) -> list[float]:
        """The common size for each measured one (size, how many characters), in the order given."""
        groups: list[list[tuple[float, int]]] = []
        for size, weight in sorted(measured):
            if groups and size <= _mean(groups[-1]) * (1 + _ALIKE):
                groups[-1].append((size, weight))
            else:
                groups.append([(size, weight)])
        commons: dict[float, float] = {}
        for group in sorted(groups, key=lambda g: -sum(weight for _, weight in g)):
            common = self._common(_mean(group))
            commons |= {size: common for size, _ in group}
        return [commons[size] for size, _ in measured]

    def _common(self, size: float) -> float:
        near = [known for known in self._known if abs(known - size) <= _ALIKE * known]
        if near:
            return min(near, key=lambda known: abs(known - size))
        self._known.append(max(round(size * 2) / 2, 0.5))
        return self._known[-1]


@dataclass(frozen=True, slots=True)
class Strokes:
    """The usual thickness of strokes on a page, as a share of the font size; by size, as small type is measured
    thicker or thinner by the same fraction of a pixel."""

    words: Sequence[SeenWord]

    def usual(self, size: float) -> float:
        """That of letters of about this size where they are many, else of all; 0 where none was measured."""
        alike = [word for word in self.words if abs(word.size - size) <= _LIKE_SIZE * size]
        letters = sum(len(word.text) for word in self.words)
        many = sum(len(word.text) for word in alike) >= _MANY * letters
        return usual_stroke(alike if many else self.words)


def usual_stroke(words: Sequence[SeenWord]) -> float:
    """The stroke of most letters, as a share of the size; 0 where none was measured."""
    measured = sorted((word.line_stroke, len(word.text)) for word in words if word.line_stroke > 0)
    half = sum(weight for _, weight in measured) / 2
    for stroke, weight in measured:
        half -= weight
        if half <= 0:
            return stroke
    return 0.0


def is_bold(word: SeenWord, usual: float) -> bool:
    """Whether the strokes of a word's line, or its own, are clearly thicker than is usual on its page.

    The fewer letters were measured, and the smaller they are, the more their thickness varies by chance.
    """
    if usual <= 0:
        return False
    coarse = 0.02 * max(0.0, _FINE_SIZE - word.size)
    own = len(word.text)
    whole = word.line_letters > 0 and word.line_stroke > (_BOLD + coarse + 2 / word.line_letters) * usual
    if whole and (own < _FEWEST_LETTERS or word.stroke > _BOLD * usual):
        return True
    return own >= _FEWEST_LETTERS and word.stroke > (_BOLD_WORD + coarse + 2 / own) * usual


def _mean(group: Sequence[tuple[float, int]]) -> float:
    return sum(size * weight for size, weight in group) / sum(weight for _, weight in group)
