"""Columns that the titles of a table's parts run across, so that hardly a strip is free between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.bands import BANDS, Band, Column


@dataclass(frozen=True, slots=True)
class CrossedSettings:
    """When a column is two. Distances are shares of the font size."""

    gap: float = 0.8
    """Between the two, in each row that has words of both: wider than any space."""

    fewest: int = 5
    """Rows with such a gap."""

    share: float = 0.6
    """The share of the column's rows that have it; in the others words run across."""


CROSSED = CrossedSettings()


def with_crossed(bands: Sequence[Band], columns: Sequence[Column]) -> list[Column]:
    """The columns, and those made two whose head names two and whose rows have two texts, each beginning at one x."""
    return [part for column in columns for part in _parted(bands, column)]


def _parted(bands: Sequence[Band], column: Column) -> list[Column]:
    rows = [inside for band in bands if (inside := _inside(band, column))]
    pairs = [pair for pair in map(_pair, rows) if pair is not None]
    if len(pairs) < CROSSED.fewest or len(pairs) < CROSSED.share * len(rows) or _pair(rows[0]) is None:
        return [column]
    start = min(right[0].left for _, right in pairs)
    if any(
        right[0].left - start > BANDS.same_edge or start - left[-1].right < CROSSED.gap * left[-1].size
        for left, right in pairs
    ):
        return [column]
    end = max(left[-1].right for left, _ in pairs)
    return [(column[0], end), (start, column[1])]


def _inside(band: Band, column: Column) -> list[Word]:
    """The words of a band whose middle stands in a column, left to right."""
    reach = BANDS.reach_over
    found = [w for w in band.words if column[0] - reach <= (w.left + w.right) / 2 <= column[1] + reach]
    return sorted(found, key=lambda word: word.left)


def _pair(words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]] | None:
    """The two texts of a row, where it has one wide gap and no more."""
    gaps = [n for n in range(1, len(words)) if words[n].left - words[n - 1].right >= CROSSED.gap * words[n].size]
    return (words[: gaps[0]], words[gaps[0] :]) if len(gaps) == 1 else None
