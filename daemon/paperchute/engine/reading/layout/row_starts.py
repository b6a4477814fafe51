"""Which printed lines of a table without drawn cells begin a row, and which go on with the row above."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median

from paperchute.engine.reading.layout.bands import Band
from paperchute.engine.reading.layout.records import Word

Placed = Sequence[tuple[int, int, list[Word]]]
"""A printed line's words by column, left to right: (column, column span, words)."""

_FEWEST_SECTIONS = 3
_WHOLE_SHARE = 0.7
_TWO_KINDS = 0.3  # of the font size: gaps that differ by more are of two kinds
_WRAPPED = (0.3, 0.67)  # the share of small gaps when all rows have two or three lines
_STACKED = 0.2  # more of the cells' lines than this are hardly a number under a number
_NUMBER = re.compile(r"^[-+(]?[$€£¥]?\d[\d.,' ]*%?\)?$")


def row_starts(bands: Sequence[Band], placed: Sequence[Placed], ys: Sequence[float]) -> list[bool]:
    """For each band whether a row starts with it. ys: the heights of rules across the table."""
    sections = [sum(y < (band.top + band.bottom) / 2 for y in ys) for band in bands]
    members: dict[int, list[int]] = {}
    for n, section in enumerate(sections):
        members.setdefault(section, []).append(n)
    many = [numbers for numbers in members.values() if len(numbers) > 1]
    single = sum(_is_one_row([placed[n] for n in numbers]) for numbers in many)
    if len(members) >= _FEWEST_SECTIONS and (not many or single > 0.5 * len(many)):
        return [n == 0 or sections[n] != sections[n - 1] for n in range(len(bands))]
    starts = _by_gaps(bands, placed, [a == b for a, b in itertools.pairwise(sections)])
    return [n == 0 or start or sections[n] != sections[n - 1] for n, start in enumerate(starts)]


def _by_gaps(bands: Sequence[Band], placed: Sequence[Placed], inside: Sequence[bool]) -> list[bool]:
    """By distances. inside[n]: no rule parts the bands n and n + 1."""
    gaps = [b.top - a.bottom for a, b in itertools.pairwise(bands)]
    own = [gap for gap, is_inside in zip(gaps, inside, strict=True) if is_inside]
    size = median(band.size for band in bands)
    two_kinds = bool(own) and max(own) - min(own) > _TWO_KINDS * size
    columns = max(line[-1][0] + line[-1][1] for line in placed)
    whole = [line[0][0] == 0 and len(line) >= max(2.0, 0.5 * columns) for line in placed]
    if sum(whole) >= _WHOLE_SHARE * len(bands) and not (two_kinds and _all_wrapped(own, placed)):
        usual = median([gap for gap, is_whole in zip(gaps, whole[1:], strict=True) if is_whole] or [0.0])
        return [
            n == 0 or is_whole or (placed[n][0][0] == 0 and gaps[n - 1] >= 0.8 * usual)
            for n, is_whole in enumerate(whole)
        ]
    starts = _by_cells(bands, placed, size) if two_kinds else []
    return starts or [
        n == 0 or line[0][0] == 0 or len(line) >= max(2, len(placed[n - 1])) for n, line in enumerate(placed)
    ]


def _by_cells(bands: Sequence[Band], placed: Sequence[Placed], size: float) -> list[bool]:
    """A row goes on wherever a cell of any column does: where two lines of the column are no further apart than lines
    of a paragraph. So cells that are centred beside taller ones do not part them. Empty when that cannot be, as numbers
    would stand under each other in one cell."""
    lines: dict[int, list[tuple[int, list[Word]]]] = {}
    for n, line in enumerate(placed):
        for column, _, words in line:
            lines.setdefault(column, []).append((n, words))
    pairs = [pair for column in lines.values() for pair in itertools.pairwise(column)]
    steps = [max(w.baseline for w in below) - max(w.baseline for w in above) for (_, above), (_, below) in pairs]
    pitch = min((step for step in steps if step >= 0.9 * size), default=0.0)
    starts = [True] * len(bands)
    joined = stacked = 0
    for step, ((first, above), (last, below)) in zip(steps, pairs, strict=True):
        if step <= 1.06 * pitch + 0.3:
            joined += 1
            stacked += _is_number(above) and _is_number(below)
            for n in range(first + 1, last + 1):
                starts[n] = False
    return starts if stacked <= _STACKED * joined else []


def _all_wrapped(gaps: Sequence[float], placed: Sequence[Placed]) -> bool:
    """Whether lines that all look like rows are pairs or triples of lines: there are about as many small gaps as large
    ones, and hardly a number stands right under another."""
    middle = (min(gaps) + max(gaps)) / 2
    small = sum(gap < middle for gap in gaps)
    if not _WRAPPED[0] <= small / len(gaps) <= _WRAPPED[1] or len(gaps) - small < 2:
        return False
    stacked = both = 0
    for gap, (above, below) in zip(gaps, itertools.pairwise(placed), strict=False):
        if gap >= middle:
            continue
        over = {column: words for column, _, words in above}
        for column, _, words in below:
            if column in over:
                both += 1
                stacked += _is_number(over[column]) and _is_number(words)
    return stacked <= _STACKED * both


def _is_number(words: Sequence[Word]) -> bool:
    return bool(_NUMBER.match(" ".join(word.text for word in words)))


def _is_one_row(lines: Sequence[Placed]) -> bool:
    """Whether bands between two rules are one wrapped row: half its columns have far fewer lines than the fullest."""
    counts: dict[int, int] = {}
    for line in lines:
        for column, _, _ in line:
            counts[column] = counts.get(column, 0) + 1
    ordered = sorted(counts.values())
    return len(ordered) > 1 and ordered[(len(ordered) - 1) // 2] <= 0.6 * ordered[-1]
