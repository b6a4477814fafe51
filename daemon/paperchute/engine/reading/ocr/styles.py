"""How recognised words are set: their font sizes, and which of them are bold."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.model import Block, Line, Span
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import SeenWord


@dataclass(frozen=True, slots=True)
class SizeSettings:
    """Which recognised words have one size. Distances are shares of the font size."""

    one_text: tuple[float, float] = (0.75, 1.34)
    """Of the size that most letters of a text have: what lies between is the same, measured on other letters. Small
    capitals have 0.7, and what is set larger on purpose at least 1.4."""


SIZES = SizeSettings()


@dataclass(frozen=True, slots=True)
class BoldSettings:
    """Which recognised words are bold: their strokes beside what is usual on the page."""

    line: float = 1.14
    """Times the usual stroke: of a line."""

    word: float = 1.27
    """Times the usual stroke: of a word alone, which is measured on fewer letters."""

    deviation: float = 1.4826
    """The standard deviation of a normal distribution in median absolute deviations."""

    fine_size: float = 20.0
    """Pixels: smaller type is measured with less certainty."""


BOLD = BoldSettings()


@dataclass(slots=True)
class Sizes:
    """The sizes of a document, in points; grows with its pages."""

    _known: list[float] = field(default_factory=list)

    def of(self, measured: Sequence[tuple[float, int]]) -> list[float]:
        """The common size for each measured one (size, how many characters), in the order given."""
        groups: list[list[tuple[float, int]]] = []
        total, letters = 0.0, 0  # of the last group
        for size, weight in sorted(measured):
            if not groups or size > total / letters * (1 + PRINT.few):
                groups.append([])
                total, letters = 0.0, 0
            groups[-1].append((size, weight))
            total, letters = total + size * weight, letters + weight
        commons: dict[float, float] = {}
        for group in sorted(groups, key=lambda g: -sum(weight for _, weight in g)):
            common = self._common(_mean(group))
            commons |= {size: common for size, _ in group}
        return [commons[size] for size, _ in measured]

    def _common(self, size: float) -> float:
        near = [known for known in self._known if abs(known - size) <= PRINT.few * known]
        if near:
            return min(near, key=lambda known: abs(known - size))
        self._known.append(max(round(size * 2) / 2, 0.5))
        return self._known[-1]


def by_rows(words: Sequence[SeenWord]) -> list[float]:
    """The size of each word in pixels, as measured.

    Pieces of a few letters have that of the nearest longer piece on their line, where theirs is not clearly another.

    An `o` read as a nought seems small, an `a` tells the face's height of small letters more than its size. In running
    text the line's other words set that right, in the cells of a table nothing does.
    """
    sure = sorted((word for word in words if word.line_letters >= PRINT.several), key=lambda word: word.baseline)
    baselines = [word.baseline for word in sure]
    result = []
    for word in words:
        size = word.size
        if word.line_letters < PRINT.several and word.angle == 0:
            reach = PRINT.slight * size
            first, last = bisect_left(baselines, word.baseline - reach), bisect_right(baselines, word.baseline + reach)
            beside = [
                o for o in sure[first:last] if o.angle == 0 and PRINT.more < size / max(o.size, 1.0) < 1 + PRINT.few
            ]
            gap = {id(o): max(o.box.left - word.box.right, word.box.left - o.box.right) for o in beside}
            size = min(beside, key=lambda o: gap[id(o)]).size if beside else size
        result.append(size)
    return result


def in_one_size(block: Block) -> Block:
    """The block with the letters of each of its texts in the size that most of them have, unless they plainly differ.

    Every word is measured by itself, and one of capitals or of a few low letters may come out larger or smaller.
    """
    if block.table is not None:
        cells = tuple(replace(cell, lines=_in_one_size(cell.lines)) for cell in block.table.cells)
        return replace(block, table=replace(block.table, cells=cells))
    items = tuple(replace(item, lines=_in_one_size(item.lines)) for item in block.items)
    return replace(block, lines=_in_one_size(block.lines), items=items)


def _in_one_size(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    letters: Counter[float] = Counter()
    for line in lines:
        for span in line.spans:
            if not span.style.script:
                letters[span.style.size] += len(span.text.replace(" ", ""))
    if len(letters) < 2:
        return lines
    common = max(letters, key=lambda size: (letters[size], -size))
    low, high = SIZES.one_text
    same = {
        size
        for size, count in letters.items()
        if low * common < size < high * common or count <= PRINT.few * letters.total()
    }
    return tuple(replace(line, spans=tuple(_sized(span, common, same) for span in line.spans)) for line in lines)


def _sized(span: Span, size: float, same: set[float]) -> Span:
    if span.style.script or span.style.size == size or span.style.size not in same:
        return span
    return replace(span, style=replace(span.style, size=size))


def _mean(group: Sequence[tuple[float, int]]) -> float:
    return sum(size * weight for size, weight in group) / sum(weight for _, weight in group)


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
    limit = max(
        BOLD.line, 1 + PRINT.twice * BOLD.deviation * _middle([(abs(ratio - 1), n) for ratio, n in lines if ratio > 0])
    )
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
    """limit: for what is measured on many letters, as a share of the usual.

    together: the same of all of the word's size on the page, measured on so many `letters`.
    """
    if usual <= 0:
        return False
    coarse = PRINT.grain * max(0.0, BOLD.fine_size - word.size)
    own = len(word.text)
    line = word.line_stroke / usual
    whole = word.line_letters > 0 and line > limit + coarse + 2 / word.line_letters
    among = letters > 0 and line > limit and together > limit + coarse + 2 / letters
    if (whole or among) and (own < PRINT.some or word.stroke > BOLD.line * usual):
        return True
    return own >= PRINT.some and word.stroke / usual > max(BOLD.word, limit) + coarse + 2 / own


def _usual(words: Sequence[SeenWord], size: float) -> float:
    """The stroke of most letters of about this size, as a share of it; 0 where none was measured.

    Of all letters where those are few, as small type is measured thicker or thinner by the same fraction of a pixel.
    """
    alike = [word for word in words if abs(word.size - size) <= PRINT.slight * size]
    many = sum(len(word.text) for word in alike) >= PRINT.slight * sum(len(word.text) for word in words)
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
