"""Gaps that go on over many printed lines, between columns of text or of a table.

Recognition gives a page's words row by row, straight across. Layout strings words that follow each other over gaps as
wide as those of justified text, which a narrow gutter may not exceed; what tells a gutter is that it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from paperchute.engine.reading.layout.records import Word

_LEVEL = 0.25  # of the font size
_NARROWEST = 0.6  # of the font size: the gap on one line
_COMMON = 0.5  # of the font size: what the gaps of all lines have in common
_FEWEST_ROWS = 6
_FURTHEST = 4.0  # of the font size, from one line to the next
_MOST_RUNS = 200


@dataclass(slots=True)
class _Run:
    """A gap of successive rows: what they have in common across, and how far it reaches down."""

    left: float
    right: float
    top: float
    bottom: float
    rows: int = 1


def in_columns(words: Sequence[Word]) -> list[Word]:
    """The words in their order, but what stands to the right of a gutter after all that stands to the left of it."""
    gutters = _gutters([word for word in words if word.angle == 0])
    if not gutters:
        return list(words)

    def column(word: Word) -> int:
        middle = (word.left + word.right) / 2
        return sum(run.top <= word.baseline <= run.bottom and run.right <= middle for run in gutters)

    return sorted(words, key=column)


def _gutters(words: Sequence[Word]) -> list[_Run]:
    runs: list[_Run] = []
    found: list[_Run] = []
    for row in _rows(words):
        top, bottom = min(word.baseline for word in row), max(word.baseline for word in row)
        size = median(word.size for word in row)
        gaps = _gaps(row, size)
        going: list[_Run] = []
        for run in runs:
            common = [(max(run.left, a), min(run.right, b)) for a, b in gaps]
            left, right = max(common, key=lambda gap: gap[1] - gap[0], default=(0.0, 0.0))
            if top - run.bottom > _FURTHEST * size:
                found.append(run)
            elif right - left >= _COMMON * size:
                going.append(_Run(left, right, run.top, bottom, run.rows + 1))
            elif any(word.left < run.right and word.right > run.left for word in row):
                found.append(run)
            else:
                going.append(run)
        known = [(run.left, run.right) for run in going if run.bottom == bottom]
        fresh = [gap for gap in gaps if not any(a < gap[1] and gap[0] < b for a, b in known)]
        runs = [*going, *(_Run(a, b, top, bottom) for a, b in fresh)][-_MOST_RUNS:]
    return [run for run in found + runs if run.rows >= _FEWEST_ROWS]


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words that stand on one line across the page, from left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.baseline):
        if rows and word.baseline - rows[-1][0].baseline <= _LEVEL * word.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _gaps(row: Sequence[Word], size: float) -> list[tuple[float, float]]:
    gaps: list[tuple[float, float]] = []
    right = row[0].right
    for word in row[1:]:
        if word.left - right >= _NARROWEST * size:
            gaps.append((right, word.left))
        right = max(right, word.right)
    return gaps
