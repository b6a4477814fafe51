"""How recognised words are set: their font sizes, and which of them are bold."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.ocr.recognised import SeenWord

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


_BOLD, _BOLD_WORD = 1.14, 1.27
_SURE = 2.0  # standard deviations
_DEVIATION = 1.4826  # of a normal distribution, in median absolute deviations
_FINE_SIZE = 20.0  # pixels
_LIKE_SIZE = 0.15
_MANY = 0.15  # of a page's letters
_FEWEST_LETTERS = 3


def bold_words(words: Sequence[SeenWord], sizes: Sequence[float]) -> list[bool]:
    """For each word of a page, whether it is bold. sizes: the common font size of each.

    A line's strokes, or a word's own, must be clearly thicker than is usual. The fewer letters were measured, and the
    smaller they are, the more their thickness varies by chance; so do all lines of a blurred or noisy page. The lines
    of one size, such as headings, are measured together too: `News` alone is too short to tell.
    """
    usual = {size: _usual(words, size) for size in {round(word.size) for word in words}}
    lines = [
        (word.line_stroke / usual[round(word.size)] if usual[round(word.size)] > 0 else 0.0, len(word.text))
        for word in words
    ]
    limit = max(_BOLD, 1 + _SURE * _DEVIATION * _middle([(abs(ratio - 1), n) for ratio, n in lines if ratio > 0]))
    of_size: dict[float, list[tuple[float, int]]] = {}
    for line, size in zip(lines, sizes, strict=True):
        if line[0] > 0:
            of_size.setdefault(size, []).append(line)
    together = {size: _weighted_mean(alike) for size, alike in of_size.items()}
    return [
        _is_bold(word, usual[round(word.size)], limit, *together.get(size, (0.0, 0)))
        for word, size in zip(words, sizes, strict=True)
    ]


def _is_bold(word: SeenWord, usual: float, limit: float, together: float, letters: int) -> bool:
    """limit: for what is measured on many letters, as a share of the usual. together: the same of all of the word's
    size on the page, measured on so many `letters`."""
    if usual <= 0:
        return False
    coarse = 0.02 * max(0.0, _FINE_SIZE - word.size)
    own = len(word.text)
    line = word.line_stroke / usual
    whole = word.line_letters > 0 and line > limit + coarse + 2 / word.line_letters
    among = letters > 0 and line > limit and together > limit + coarse + 2 / letters
    if (whole or among) and (own < _FEWEST_LETTERS or word.stroke > _BOLD * usual):
        return True
    return own >= _FEWEST_LETTERS and word.stroke / usual > max(_BOLD_WORD, limit) + coarse + 2 / own


def _usual(words: Sequence[SeenWord], size: float) -> float:
    """The stroke of most letters of about this size, as a share of it; of all letters where those are few, as small
    type is measured thicker or thinner by the same fraction of a pixel. 0 where none was measured."""
    alike = [word for word in words if abs(word.size - size) <= _LIKE_SIZE * size]
    many = sum(len(word.text) for word in alike) >= _MANY * sum(len(word.text) for word in words)
    return _middle([(word.line_stroke, len(word.text)) for word in (alike if many else words) if word.line_stroke > 0])


def _weighted_mean(measured: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """The mean of (value, weight), and their whole weight."""
    whole = sum(weight for _, weight in measured)
    return (sum(value * weight for value, weight in measured) / whole if whole else 0.0), whole


def _middle(measured: Sequence[tuple[float, int]]) -> float:
    """The median of (value, weight); 0 of none."""
    half = sum(weight for _, weight in measured) / 2
    for value, weight in sorted(measured):
        half -= weight
        if half <= 0:
            return value
    return 0.0
