"""Tables of text: cells of several lines beside short labels, all set to the left."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.assembly import is_list
from paperchute.engine.reading.layout.tables.bands import RUNS, Band, bands_of
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, head_rows


@dataclass(frozen=True, slots=True)
class WordySettings:
    """When columns of text are the cells of a table. Distances are shares of the font size where nothing else is said.

    What tells them from columns of a page: labels that are shorter than what stands beside them, and rows in which all
    columns begin anew, three times at least.
    """

    fewest_columns: int = 3
    """Columns: two may be the terms and explanations of a list."""

    fewest_rows: int = 3
    """Rows, with that of the heads."""

    same_left: float = 1.5
    """Points between the left ends of the lines of a column."""

    labels: float = 0.7
    """The share of lines with words in the first column, below which these are labels; columns of a page are full."""

    most_label_lines: int = 4
    """Lines of one label."""

    row_gap: float = 0.25
    """By so much more stands between rows than between the lines of a cell, where that tells them."""

    full: float = 0.85
    """Of a column's width: a line that is so long is none that ends a cell's text, when the next begins small."""

    fewest_words: int = 4
    """Words of such a line; fewer are a column of terms."""

    confidence: float = 0.8
    """What such a table is given; all cells of the few measured were right, as few tell little."""


WORDY = WordySettings()


def text_tables(words: Sequence[Word]) -> Iterator[FoundTable]:
    """The tables of text among words that may stand in several columns."""
    bands = bands_of(words)
    start = 0
    while start < len(bands):
        chunks = bands[start].cells
        end = start + 1
        if len(chunks) >= WORDY.fewest_columns:
            lefts = [chunk[0].left for chunk in chunks]
            lines = _lines(bands[start : start + RUNS.most_bands], lefts)
            after = bands[start + len(lines)] if start + len(lines) < len(bands) else None
            table = _table(bands[start : start + len(lines)], lines, after)
            if table is not None:
                yield table
                end = start + len(lines)
        start = end


def _lines(bands: Sequence[Band], lefts: Sequence[float]) -> list[list[list[Word]]]:
    """The words of each band by column, as long as all stand in columns that begin at these places."""
    result: list[list[list[Word]]] = []
    for number, band in enumerate(bands):
        if number and band.top - bands[number - 1].bottom > RUNS.widest_step * band.size:
            break
        columns: list[list[Word]] = [[] for _ in lefts]
        begins = [bisect_right(lefts, chunk[0].left + WORDY.same_left) for chunk in band.cells]
        if len(set(begins)) < len(begins):  # as with the number of a clause, in the margin of the next column
            break
        for chunk in band.cells:  # left to right, and known already
            for word in chunk:
                column = bisect_right(lefts, word.left + WORDY.same_left) - 1
                columns[max(column, 0)].append(word)
        if any(not _stands(own, lefts, k) for k, own in enumerate(columns)):
            break
        result.append(columns)
    return result


def _stands(own: Sequence[Word], lefts: Sequence[float], column: int) -> bool:
    """Whether words begin where their column does and end before the next."""
    if not own:
        return True
    ends = lefts[column + 1] if column + 1 < len(lefts) else float("inf")
    return abs(own[0].left - lefts[column]) <= WORDY.same_left and own[-1].right < ends + WORDY.same_left


def _table(bands: Sequence[Band], lines: Sequence[Sequence[list[Word]]], after: Band | None) -> FoundTable | None:
    """The lines as a table, None where they are columns of a page. after: the band below them, which does not fit."""
    starts = _starts(bands, lines)
    if _is_cut_short(bands, after) or any(_runs_on(starts, lines, column) for column in range(1, len(lines[0]))):
        return None
    labels = [bool(line[0]) for line in lines]
    if sum(starts) < WORDY.fewest_rows or sum(labels) >= WORDY.labels * len(lines):
        return None
    row, since = -1, 0
    cells: dict[tuple[int, int], list[Word]] = {}
    for start, line in zip(starts, lines, strict=True):
        row, since = (row + 1, 0) if start else (row, since + 1)
        if line[0] and since >= WORDY.most_label_lines:
            return None
        for column, own in enumerate(line):
            if own:
                cells.setdefault((row, column), []).extend(own)
    found = [FoundCell(r, c, 1, 1, hull(w.box for w in own), own) for (r, c), own in sorted(cells.items())]
    whole = hull(cell.box for cell in found)
    table = FoundTable(whole, row + 1, len(lines[0]), found, bordered=False, confidence=WORDY.confidence)
    table.heads = head_rows(table)
    return None if is_list(table) else table


def _is_cut_short(bands: Sequence[Band], after: Band | None) -> bool:
    """Whether the text goes on right below in several columns that are others: so no table ends."""
    if after is None or len(after.cells) < 2:
        return False
    least = min((below.top - above.bottom for above, below in itertools.pairwise(bands)), default=0.0)
    return after.top - bands[-1].bottom <= least + WORDY.row_gap * after.size


def _runs_on(starts: Sequence[bool], lines: Sequence[Sequence[list[Word]]], column: int) -> bool:
    """Whether a column's sentences go on from row to row, as those of a page's column do beside numbered clauses."""
    own = [line[column] for line in lines]
    left, right = min(words[0].left for words in own if words), max(words[-1].right for words in own if words)
    ends = [(own[n - 1], own[n]) for n in range(1, len(own)) if starts[n] and own[n - 1]]
    going_on = sum(
        len(above) >= WORDY.fewest_words
        and above[-1].right - left >= WORDY.full * (right - left)
        and below[0].text[0].islower()
        for above, below in ends
    )
    return 2 * going_on > len(ends)


def _starts(bands: Sequence[Band], lines: Sequence[Sequence[list[Word]]]) -> list[bool]:
    """With which lines all columns begin anew: further off than lines of a cell, or in capitals after a short cell."""
    gaps = [below.top - above.bottom for above, below in itertools.pairwise(bands)]
    least = min(gaps, default=0.0)
    result = [True]
    for number, gap in enumerate(gaps, start=1):
        line, above = lines[number], lines[number - 1]
        if not all(line):
            result.append(False)
            continue
        capitals = sum(not own[0].text[0].islower() for own in line)
        short = not all(above)
        far = gap > least + WORDY.row_gap * bands[number].size
        result.append(
            not line[0][0].text[0].islower() and (far or capitals == len(line) or (short and 2 * capitals >= len(line)))
        )
    return result
