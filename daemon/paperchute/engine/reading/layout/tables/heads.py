"""Heads over several columns: which columns words printed over their middle span."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.columns import Column
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

PlacedWords = list[tuple[int, int, list[Word]]]


def spread(line: PlacedWords, below: PlacedWords, columns: Sequence[Column]) -> PlacedWords:
    """The line of a head with its cells over the columns in whose middle they stand, where the line below has more."""
    under = sorted({column for column, _, _ in below if column > 0})
    own = [cell for cell in line if cell[0] > 0]
    if not own or len(own) >= len(under) or len(under) > BOUNDS.beside:
        return line
    ends = {column: column + span - 1 for column, span, _ in below}
    size = max(word.size for _, _, words in own for word in words)
    middles = [(min(w.left for w in words) + max(w.right for w in words)) / 2 for _, _, words in own]
    extents = {column: (columns[column][0], columns[ends[column]][1]) for column in under}
    for column, _, words in below:
        if column in extents:
            low, high = extents[column]
            extents[column] = min([low, *(w.left for w in words)]), max([high, *(w.right for w in words)])

    def cost(cell: int, first: int, last: int) -> float:
        left, right = extents[under[first]][0], extents[under[last]][1]
        return abs((left + right) / 2 - middles[cell]) / size

    @cache
    def best(cell: int, free: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        """The least cost of placing the cells from `cell` on over the columns from `free` on, and where."""
        if cell == len(own):
            return TYPOGRAPHY.em * (len(under) - free), ()
        found: tuple[float, tuple[tuple[int, int], ...]] = (float("inf"), ())
        reached = [n for n, c in enumerate(under) if own[cell][0] <= c < own[cell][0] + own[cell][1]]
        for first in range(free, len(under)):
            for last in range(first, len(under) - (len(own) - cell - 1)):
                if reached and not first <= reached[0] <= reached[-1] <= last:
                    continue
                rest, places = best(cell + 1, last + 1)
                bare = 0.0 if free == 0 and cell == 0 and first == 0 else TYPOGRAPHY.em * (first - free)
                total = bare + cost(cell, first, last) + rest
                if total < found[0]:
                    found = (total, ((first, last), *places))
        return found

    total, places = best(0, 0)
    if total > TYPOGRAPHY.quads * len(own):
        return line
    result = [cell for cell in line if cell[0] == 0]
    for (first, last), (_, _, words) in zip(places, own, strict=True):
        result.append((under[first], ends[under[last]] - under[first] + 1, words))
    return result
