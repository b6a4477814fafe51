"""Columns that heads and the titles of a table's parts run across, so that hardly a strip is free between them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.columns import Column
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


def with_crossed(bands: Sequence[Band], columns: Sequence[Column]) -> list[Column]:
    """The columns, and those made two whose head names two and whose rows have two texts, each beginning at one x."""
    return [part for column in columns for part in _parted(bands, column)]


def with_figures_parted(bands: Sequence[Band], columns: Sequence[Column]) -> list[Column]:
    """The columns, and those made several in which rows have figures side by side, as where sums run across below."""
    return [part for column in columns for part in _parted_figures(bands, column)]


def _parted_figures(bands: Sequence[Band], column: Column) -> list[Column]:
    lefts: list[float] = []
    rights: list[float] = []
    for band in bands:
        inside = _inside(band, column)
        gap = TYPOGRAPHY.half_em * band.size
        first = next((n for n in range(1, len(inside)) if inside[n].left - inside[n - 1].right > gap), 0)
        if first and is_figure(inside[first - 1].text) and is_figure(inside[first].text):
            lefts.append(inside[first - 1].right)
            rights.append(inside[first].left)
    if len(lefts) < TYPOGRAPHY.several or max(lefts) >= min(rights):
        return [column]
    return [(column[0], max(lefts)), *_parted_figures(bands, (min(rights), column[1]))]


def without_crossing(bands: Sequence[Band], end: float) -> list[Band]:
    """The bands without the words over `end`, the rule below a table's head, that stand over several columns."""
    result = list(bands)
    gaps = [_wide_gaps(band) for band in bands]
    for number, band in enumerate(bands[:-1]):
        if band.bottom > end:
            break
        below = slice(number + 1, number + 1 + BOUNDS.lines)
        kept = [cell for cell in band.cells if not _crosses(_extent(cell), bands[below], gaps[below])]
        if len(kept) < len(band.cells):
            result[number] = Band(band.top, band.bottom, [word for cell in kept for word in cell], band.size)
    return [band for band in result if band.words]


def _wide_gaps(band: Band) -> list[Column]:
    """Return what stands free between the cells of a band, wider than any space."""
    ends = [(max(word.right for word in before), after[0].left) for before, after in itertools.pairwise(band.cells)]
    return [(left, right) for left, right in ends if right - left >= TYPOGRAPHY.wide_space * band.size]


def _crosses(cell: Column, below: Sequence[Band], gaps: Sequence[Sequence[Column]]) -> bool:
    """Decide whether a cell runs across a strip that all bands below leave free, with words on both sides in most."""
    inside = [[gap for gap in own if cell[0] < gap[0] and gap[1] < cell[1]] for own in gaps]
    for start in {left for own in inside for left, _ in own}:
        parted = [right for own in inside for left, right in own if left <= start < right]
        if len(parted) < TYPOGRAPHY.pair or len(parted) < TYPOGRAPHY.half * len(below):
            continue
        end = min(parted)
        if not any(_covers(_extent(other), start, end) for band in below for other in band.cells):
            return True
    return False


def _covers(cell: Column, start: float, end: float) -> bool:
    return cell[0] < start and cell[1] > end


def _extent(cell: Sequence[Word]) -> Column:
    return cell[0].left, max(word.right for word in cell)


def _parted(bands: Sequence[Band], column: Column) -> list[Column]:
    rows = [inside for band in bands if (inside := _inside(band, column))]
    pairs = [pair for pair in map(_pair, rows) if pair is not None]
    if len(pairs) < TYPOGRAPHY.few or len(pairs) < TYPOGRAPHY.most * len(rows) or _pair(rows[0]) is None:
        return [column]
    start = min(right[0].left for _, right in pairs)
    if any(
        right[0].left - start > TYPOGRAPHY.rounding or start - left[-1].right < TYPOGRAPHY.wide_space * left[-1].size
        for left, right in pairs
    ):
        return [column]
    end = max(left[-1].right for left, _ in pairs)
    return [(column[0], end), (start, column[1])]


def _inside(band: Band, column: Column) -> list[Word]:
    """The words of a band whose middle stands in a column, left to right."""
    reach = TYPOGRAPHY.rounding
    return [w for w in band.ordered if column[0] - reach <= (w.left + w.right) / 2 <= column[1] + reach]


def _pair(words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]] | None:
    """The two texts of a row, where it has one wide gap and no more."""
    gaps = [
        n for n in range(1, len(words)) if words[n].left - words[n - 1].right >= TYPOGRAPHY.wide_space * words[n].size
    ]
    return (words[: gaps[0]], words[gaps[0] :]) if len(gaps) == 1 else None
