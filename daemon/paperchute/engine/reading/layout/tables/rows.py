"""Rows of a table without walls: with which printed lines they begin."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.anchors import (
    RowWords,
    had_no_room,
    labels_wrap,
    starts_by_figures,
)
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class RowSettings:
    """With which printed lines rows begin."""

    wrapped: tuple[float, float] = (0.3, 0.67)
    """The share of small gaps when all rows have two or three lines: a half to two thirds. Of 83 sample pages change
    none at 0.8 times, none at 1.1, 1 at 1.2."""


ROWS = RowSettings()


def row_starts(bands: Sequence[Band], placed: Sequence[RowWords], ys: Sequence[float]) -> list[bool]:
    """For each band whether a row starts with it. ys: the heights of rules across the table."""
    heights = sorted(ys)
    sections = [bisect_left(heights, (band.top + band.bottom) / 2) for band in bands]
    members: dict[int, list[int]] = {}
    for n, section in enumerate(sections):
        members.setdefault(section, []).append(n)
    many = [numbers for numbers in members.values() if len(numbers) > 1]
    single = sum(_is_one_row([placed[n] for n in numbers]) for numbers in many)
    by_figures = starts_by_figures(bands, placed)
    apart = sum(sum(by_figures[n] for n in numbers[1:]) > 0 for numbers in many) if by_figures else 0
    if (
        len(members) >= TYPOGRAPHY.several
        and (not many or single > TYPOGRAPHY.half * len(many))
        and apart <= TYPOGRAPHY.half * len(many)
    ):
        return [n == 0 or sections[n] != sections[n - 1] for n in range(len(bands))]
    starts = by_figures or _by_gaps(bands, placed, [a == b for a, b in itertools.pairwise(sections)])
    return [n == 0 or start or sections[n] != sections[n - 1] for n, start in enumerate(starts)]


def with_last_label(bands: Sequence[Band], start: int, end: int) -> int:
    """The end of a run of rows with the further lines of its last label, where other labels of it were wrapped so.

    They stand no further off than those, and their first words had no room above.
    """
    firsts = [band.cells[0] for band in bands[start:end]]
    left = min(cell[0].left for cell in firsts)
    edge = max(cell[-1].right for cell in firsts if cell[0].left < left + TYPOGRAPHY.rounding)
    lone = [n for n in range(start + 1, end) if _is_further_line(bands[n], bands[n - 1], left, edge)]
    if not lone:
        return end
    furthest = max(bands[n].top - bands[n - 1].bottom for n in lone) + TYPOGRAPHY.size_step
    while end < len(bands) and _is_further_line(bands[end], bands[end - 1], left, edge):
        if bands[end].top - bands[end - 1].bottom > furthest:
            break
        end += 1
    return end


def _is_further_line(band: Band, above: Band, left: float, edge: float) -> bool:
    """Decide whether a line with a label alone goes on with the one above, for whose first word that had no room."""
    first, before = band.cells[0][0], above.cells[0]
    return (
        len(band.cells) == 1
        and max(first.left, before[0].left) < left + TYPOGRAPHY.rounding
        and max(word.right for word in band.words) <= edge + TYPOGRAPHY.rounding
        and first.font.bold == before[-1].font.bold
        and had_no_room(before[-1], first, edge)
    )


def _by_gaps(bands: Sequence[Band], placed: Sequence[RowWords], inside: Sequence[bool]) -> list[bool]:
    """By distances. inside[n]: no rule parts the bands n and n + 1."""
    gaps = [b.top - a.bottom for a, b in itertools.pairwise(bands)]
    own = [gap for gap, is_inside in zip(gaps, inside, strict=True) if is_inside]
    size = median(band.size for band in bands)
    two_kinds = bool(own) and max(own) - min(own) > TYPOGRAPHY.same_baseline * size
    columns = max(line[-1][0] + line[-1][1] for line in placed)
    whole = [line[0][0] == 0 and len(line) >= max(2, TYPOGRAPHY.half * columns) for line in placed]
    if sum(whole) >= TYPOGRAPHY.nearly_all * len(bands) and not (two_kinds and _all_wrapped(own, placed)):
        usual = median([gap for gap, is_whole in zip(gaps, whole[1:], strict=True) if is_whole] or [0.0])
        return [
            n == 0 or is_whole or (placed[n][0][0] == 0 and gaps[n - 1] >= TYPOGRAPHY.nearly_all * usual)
            for n, is_whole in enumerate(whole)
        ]
    starts = _by_cells(bands, placed, size) if two_kinds else []
    if starts:
        return starts
    several = [len(line) > 1 for line in placed]
    wrap = labels_wrap(placed, several, 0)
    return [
        n == 0 or (line[0][0] == 0 and (several[n] or not wrap)) or len(line) >= max(2, len(placed[n - 1]))
        for n, line in enumerate(placed)
    ]


def _by_cells(bands: Sequence[Band], placed: Sequence[RowWords], size: float) -> list[bool]:
    """Rows by cells: one goes on wherever a cell of any column does.

    That is where two lines of the column are no further apart than lines of a paragraph, so cells that are centred
    beside taller ones do not part them. Empty when that cannot be, as numbers would stand under each other in one cell.
    """
    lines: dict[int, list[tuple[int, list[Word]]]] = {}
    for n, line in enumerate(placed):
        for column, _, words in line:
            lines.setdefault(column, []).append((n, words))
    pairs = [pair for column in lines.values() for pair in itertools.pairwise(column)]
    steps = [max(w.baseline for w in below) - max(w.baseline for w in above) for (_, above), (_, below) in pairs]
    pitch = min((step for step in steps if step >= TYPOGRAPHY.smaller * size), default=0.0)
    starts = [True] * len(bands)
    joined = stacked = 0
    for step, ((first, above), (last, below)) in zip(steps, pairs, strict=True):
        if step <= TYPOGRAPHY.larger * pitch + TYPOGRAPHY.size_step:
            joined += 1
            stacked += _is_number(above) and _is_number(below)
            for n in range(first + 1, last + 1):
                starts[n] = False
    return starts if stacked <= TYPOGRAPHY.fifth * joined else []


def _all_wrapped(gaps: Sequence[float], placed: Sequence[RowWords]) -> bool:
    """Decide whether lines that all look like rows are pairs or triples of lines.

    Then there are about as many small gaps as large ones, and hardly a number stands right under another.
    """
    middle = (min(gaps) + max(gaps)) / 2
    small = sum(gap < middle for gap in gaps)
    if not ROWS.wrapped[0] <= small / len(gaps) <= ROWS.wrapped[1] or len(gaps) - small < 2:
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
    return stacked <= TYPOGRAPHY.fifth * both


def _is_number(words: Sequence[Word]) -> bool:
    text = " ".join(word.text for word in words)
    return is_figure(text) and any(c.isdigit() for c in text)


def _is_one_row(lines: Sequence[RowWords]) -> bool:
    """Decide whether bands between two rules are one wrapped row.

    Half of its columns have far fewer lines than the fullest, the lines of each cell follow each other, and all cells
    begin, end or are centred at one height.
    """
    places: dict[int, list[int]] = {}
    for number, line in enumerate(lines):
        for column, _, _ in line:
            places.setdefault(column, []).append(number)
    ordered = sorted(map(len, places.values()))
    if len(ordered) < 2 or ordered[(len(ordered) - 1) // 2] > TYPOGRAPHY.most * ordered[-1]:
        return False
    if any(own[-1] - own[0] >= TYPOGRAPHY.pair * len(own) for own in places.values()):
        return False
    firsts = [own[0] for own in places.values()]
    lasts = [own[-1] for own in places.values()]
    middles = [(first + last) / 2 for first, last in zip(firsts, lasts, strict=True)]
    return any(max(heights) - min(heights) <= TYPOGRAPHY.rounding for heights in (firsts, lasts, middles))
