"""Measured font sizes made even: type on paper comes in few sizes, and measuring each line anew gives many."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.ocr.records import SeenWord

_ALIKE = 0.09
_SURE_LETTERS = 4
_ON_LINE = 0.15  # of the size: a raised number stands higher
_OTHER = (0.62, 1.12)  # a heading of a few letters in another column is larger


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


def by_rows(words: Sequence[SeenWord]) -> list[float]:
    """The size of each word in pixels, as measured; pieces of a few letters have that of the nearest longer piece on
    their line, where theirs is not clearly another.

    An `o` read as a nought seems small, an `a` tells the face's height of small letters more than its size. In running
    text the line's other words set that right, in the cells of a table nothing does.
    """
    sure = sorted((word for word in words if word.line_letters >= _SURE_LETTERS), key=lambda word: word.baseline)
    baselines = [word.baseline for word in sure]
    result = []
    for word in words:
        size = word.size
        if word.line_letters < _SURE_LETTERS and word.angle == 0:
            reach = _ON_LINE * size
            first, last = bisect_left(baselines, word.baseline - reach), bisect_right(baselines, word.baseline + reach)
            beside = [o for o in sure[first:last] if o.angle == 0 and _OTHER[0] < size / max(o.size, 1.0) < _OTHER[1]]
            gap = {id(o): max(o.box.left - word.box.right, word.box.left - o.box.right) for o in beside}
            size = min(beside, key=lambda o: gap[id(o)]).size if beside else size
        result.append(size)
    return result


def _mean(group: Sequence[tuple[float, int]]) -> float:
    return sum(size * weight for size, weight in group) / sum(weight for _, weight in group)
