"""Months without rules: days that count through the weeks, told by their numbers."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundTable, table_of
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_SHORTEST, _LONGEST, _WEEK = 28, 31, 7  # days of a month, at least and at most, and of a week: its columns


def calendar_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The months among words of one column."""
    bands = evidence.free.bands
    weeks = [_days(band) for band in bands]
    start = 0
    while start < len(bands):
        numbers = _month(weeks, start) if weeks[start][:1] == [1] else []
        if numbers:
            yield _table(bands, weeks, numbers)
        start = numbers[-1] + 1 if numbers else start + 1


def _days(band: Band) -> list[int]:
    """The numbers of a line that holds nothing else and counts by ones; else none."""
    texts = [word.text for word in band.ordered]
    if len(texts) > _WEEK or not all(text.isdecimal() and len(text) <= 2 for text in texts):
        return []
    numbers = [int(text) for text in texts]
    return numbers if all(b == a + 1 for a, b in itertools.pairwise(numbers)) else []


def _month(weeks: Sequence[Sequence[int]], start: int) -> list[int]:
    """The numbers of the bands that are the weeks of the month that begins at one; empty where it does not end."""
    found, last = [start], weeks[start][-1]
    for n in range(start + 1, len(weeks)):
        if last >= _SHORTEST and (not weeks[n] or weeks[n][0] != last + 1):
            break
        if weeks[n] and weeks[n][0] == last + 1:
            if len(weeks[n]) < _WEEK and weeks[n][-1] < _SHORTEST:
                return []
            found.append(n)
            last = weeks[n][-1]
    return found if _SHORTEST <= last <= _LONGEST else []


def _table(bands: Sequence[Band], weeks: Sequence[Sequence[int]], numbers: Sequence[int]) -> FoundTable:
    """The month with what stands under its days, and the names of the days over them."""
    full = next(n for n in numbers if len(weeks[n]) == _WEEK)
    lefts = sorted(word.left for word in bands[full].words)
    rows = list(numbers)
    first = numbers[0]
    if first and bands[first].top - bands[first - 1].bottom < TYPOGRAPHY.quads * bands[first].size:
        heads = bands[first - 1].chunks(TYPOGRAPHY.half_em)
        if len(heads) == _WEEK:
            rows.insert(0, first - 1)
    height = min(bands[b].bottom - bands[a].bottom for a, b in itertools.pairwise(numbers))
    end = numbers[-1] + 1
    while end < len(bands) and bands[end].bottom - bands[numbers[-1]].bottom < TYPOGRAPHY.most * height:
        end += 1
    cells: dict[tuple[int, int], list[Word]] = {}
    row = -1
    for n in range(rows[0], end):
        row += n in rows
        for word in bands[n].ordered:
            column = max(bisect_right(lefts, (word.left + word.right) / 2) - 1, 0)
            cells.setdefault((row, column), []).append(word)
    table = table_of(cells, len(rows), _WEEK)
    table.heads = len(rows) - len(numbers)
    return table
