"""Tables of text: cells of several lines beside short labels, all set to the left.

What tells them from columns of a page: labels that are shorter than what stands beside them, and rows in which all
columns begin anew, three times at least.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.lists import is_bullet
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.bands import BANDS, Band
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundTable, head_rows, table_of
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class WordySettings:
    """When columns of text are the cells of a table. Distances are shares of the font size."""

    widest_step: float = 4.5
    """From a row to the next, of the size of type: Calc makes rows by some lines higher than what it prints in them."""


WORDY = WordySettings()

_Columns = tuple[int, tuple[float, ...]]
"""The number of the band with which columns begin, and their left ends."""


def text_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables of text in bands that may reach over several columns."""
    bands = evidence.free.bands
    # Where lines of justified text are left out, their places would look like gaps.
    complete = not any(line.justified for line in evidence.lines)
    indents = _indents(bands)
    start = free = 0
    refused: set[_Columns] = set()
    while start < len(bands):
        several = len(bands[start].cells) >= TYPOGRAPHY.several
        found = _from_row(bands, start, free, complete, indents, refused) if several else None
        if found is None:
            start += 1
        else:
            yield found[0]
            start = free = found[1]


def _indents(bands: Sequence[Band]) -> list[float]:
    """Return where bullets stand, and the text behind them: there the lines of a list in a cell begin."""
    found: list[float] = []
    for band in bands:
        ordered = sorted(band.words, key=lambda word: word.left)
        for word, after in itertools.pairwise(ordered):
            if is_bullet(word.text) and after.left - word.right < TYPOGRAPHY.tab * band.size:
                found += [left for left in (word.left, after.left) if not _is_among(left, found)]
    return found


def _from_row(
    bands: Sequence[Band],
    start: int,
    free: int,
    complete: bool,
    indents: Sequence[float],
    refused: set[_Columns],
) -> tuple[FoundTable, int] | None:
    """The table that a row of several cells shows, and the band after it.

    Where gaps tell the rows, those above it that lack some of its cells are the table's, too. Bands before `free` are
    another table's. refused: columns that no row makes a table of; more are noted in it.
    """
    lefts = _lefts(bands, start, indents)
    first = _first(bands, start, free, [*lefts, *indents])
    own = [cell[0].left for cell in bands[start].cells]
    for top, places in dict.fromkeys([(first, tuple(lefts)), (start, tuple(own))]):
        known = (top, places) in refused
        lines = _lines(bands[top : top + BOUNDS.lines], places, indents) if not known else []
        if not lines or not _are_labelled(lines):
            refused.add((top, places))
            continue
        end = top + len(lines)
        starts, head = _apart(bands[top:end], lines) if complete else [], None
        if starts and top > free:
            head = _head(bands[top - 1], bands[top], places)
        elif not starts and (top, places) == (start, tuple(own)):
            starts = _anew(bands[top:end], lines)
        if starts and not _is_cut_short(bands[top:end], bands[end] if end < len(bands) else None):
            table = _table(lines, starts, head)
            if table is not None:
                return table, end
    return None


def _lefts(bands: Sequence[Band], start: int, indents: Sequence[float]) -> list[float]:
    """Return where columns begin: those of the band that has cells in all of them, which need not be the first."""
    lefts = [cell[0].left for cell in bands[start].cells]
    for above, band in itertools.pairwise(bands[start : start + BOUNDS.lines]):
        own = [cell[0].left for cell in band.cells if not _is_among(cell[0].left, indents)]
        if band.top - above.bottom > WORDY.widest_step * band.size:
            break
        if len(own) > len(lefts) and all(_is_among(left, own) for left in lefts):
            lefts = own
        elif not all(_is_among(left, lefts) for left in own):
            break
    return lefts


def _is_among(left: float, lefts: Sequence[float]) -> bool:
    return any(abs(left - other) <= TYPOGRAPHY.rounding for other in lefts)


def _first(bands: Sequence[Band], start: int, free: int, lefts: Sequence[float]) -> int:
    """Return where the table begins: with the rows above that lack some of the cells."""
    first = start
    while first > free:
        above, below = bands[first - 1], bands[first]
        if below.top - above.bottom > TYPOGRAPHY.quads * below.size or above.size > TYPOGRAPHY.larger * below.size:
            break
        if not all(_is_among(cell[0].left, lefts) for cell in above.cells):
            break
        first -= 1
    while first < start and _is_text_over(bands[first], bands[first + 1], lefts[0]):
        first += 1
    return first


def _is_text_over(band: Band, below: Band, left: float) -> bool:
    """Decide whether a band is a line over a table, and none of a label that is taller than the cells beside it."""
    alone = len(band.cells) == 1 and _is_among(left, [band.cells[0][0].left])
    return alone and below.top - band.bottom >= TYPOGRAPHY.half_em * band.size


def _head(above: Band, first: Band, lefts: Sequence[float]) -> list[list[Word]] | None:
    """The cells of the head above the first line, where these do not begin with their columns; None where none is."""
    cells = above.chunks(TYPOGRAPHY.half_em)
    if len(cells) < 2 or first.top - above.bottom > TYPOGRAPHY.quads * first.size:
        return None
    line: list[list[Word]] = [[] for _ in lefts]
    for cell in cells:
        column = bisect_right(lefts, cell[0].left + TYPOGRAPHY.rounding) - 1
        if column < 0 or line[column] or (column + 1 < len(lefts) and cell[-1].right > lefts[column + 1]):
            return None
        line[column] = cell
    return line if len(cells) >= TYPOGRAPHY.most * len(lefts) else None


def _lines(bands: Sequence[Band], lefts: Sequence[float], indents: Sequence[float]) -> list[list[list[Word]]]:
    """The words of each band by column, as long as all stand in columns that begin at these places.

    Lines of a list in a cell begin at one of the indents.
    """
    result: list[list[list[Word]]] = []
    for number, band in enumerate(bands):
        if number and band.top - bands[number - 1].bottom > WORDY.widest_step * band.size:
            break
        columns: list[list[Word]] = [[] for _ in lefts]
        begins = [
            bisect_right(lefts, chunk[0].left + TYPOGRAPHY.rounding)
            for before, chunk in itertools.pairwise([[], *band.cells])
            if not (len(before) == 1 and is_bullet(before[0].text))
        ]
        if len(set(begins)) < len(begins):  # as with the number of a clause, in the margin of the next column
            break
        for chunk in band.cells:  # left to right, and known already
            for word in chunk:
                column = bisect_right(lefts, word.left + TYPOGRAPHY.rounding) - 1
                columns[max(column, 0)].append(word)
        if any(not _stands(own, lefts, k, indents) for k, own in enumerate(columns)):
            break
        result.append(columns)
    return result


def _stands(own: Sequence[Word], lefts: Sequence[float], column: int, indents: Sequence[float]) -> bool:
    """Decide whether words begin where their column does, or a list in it, and end before the next."""
    if not own:
        return True
    ends = lefts[column + 1] if column + 1 < len(lefts) else float("inf")
    return _is_among(own[0].left, [lefts[column], *indents]) and own[-1].right < ends + TYPOGRAPHY.rounding


def _are_labelled(lines: Sequence[Sequence[list[Word]]]) -> bool:
    """Decide whether all columns have words, and the first as few as labels are: it is full in those of a page."""
    labels = sum(bool(line[0]) for line in lines)
    return labels < TYPOGRAPHY.nearly_all * len(lines) and all(map(any, zip(*lines, strict=True)))


def _table(
    lines: Sequence[Sequence[list[Word]]], starts: Sequence[bool], head: Sequence[list[Word]] | None
) -> FoundTable | None:
    """The lines as a table, None where they are columns of a page. head: the cells of the line above them."""
    if any(_runs_on(starts, lines, column) for column in range(1, len(lines[0]))):
        return None
    if sum(starts) < TYPOGRAPHY.several:
        return None
    rows = _rows(starts, lines)
    if not all(map(_has_label_in_place, rows)):
        return None
    cells: dict[tuple[int, int], list[Word]] = {}
    if head is not None:
        cells = {(0, column): own for column, own in enumerate(head) if own}
    since = int(head is not None)
    for row, own_lines in enumerate(rows, start=since):
        for column, words in enumerate(zip(*own_lines, strict=True)):
            if any(words):
                cells[row, column] = [word for own in words for word in own]
    table = table_of(cells, since + len(rows), len(lines[0]))
    table.heads = head_rows(table)
    return table


def _rows(starts: Sequence[bool], lines: Sequence[Sequence[list[Word]]]) -> list[list[Sequence[list[Word]]]]:
    """The lines of each row."""
    rows: list[list[Sequence[list[Word]]]] = []
    for start, line in zip(starts, lines, strict=True):
        if start:
            rows.append([])
        rows[-1].append(line)
    return rows


def _has_label_in_place(row: Sequence[Sequence[list[Word]]]) -> bool:
    """Decide whether a label stands at the top of its row, or in the middle of a tall one, with room above it."""
    labels = [number for number, line in enumerate(row) if line[0]]
    if not labels or labels[-1] < TYPOGRAPHY.few:
        return True
    is_centred = abs(labels[0] - (len(row) - 1 - labels[-1])) < TYPOGRAPHY.pair
    return labels[0] > 0 and is_centred


def _is_cut_short(bands: Sequence[Band], after: Band | None) -> bool:
    """Decide whether the text goes on right below in several columns that are others: so no table ends."""
    if after is None or len(after.cells) < 2:
        return False
    least = min((below.top - above.bottom for above, below in itertools.pairwise(bands)), default=0.0)
    return after.top - bands[-1].bottom <= least + TYPOGRAPHY.same_baseline * after.size


def _runs_on(starts: Sequence[bool], lines: Sequence[Sequence[list[Word]]], column: int) -> bool:
    """Tell if a column's sentences go on from row to row, as those of a page's column do beside numbered clauses."""
    own = [line[column] for line in lines]
    left, right = min(words[0].left for words in own if words), max(words[-1].right for words in own if words)
    rows = [n for n in range(1, len(own)) if starts[n]]
    around = (
        # A cell that is centred beside taller ones begins and ends off the lines with which rows do.
        (own[n - 1], own[n]) if own[n] else (next(filter(None, reversed(own[:n])), []), next(filter(None, own[n:]), []))
        for n in rows
    )
    ends = [(above, below) for above, below in around if above and below]
    going_on = sum(
        len(above) >= TYPOGRAPHY.few
        and above[-1].right - left >= TYPOGRAPHY.nearly_all * (right - left)
        and below[0].text[0].islower()
        for above, below in ends
    )
    return 2 * going_on > len(ends)


def _least_gap(bands: Sequence[Band], lines: Sequence[Sequence[list[Word]]]) -> float:
    """Between lines of one cell. Those of cells that are centred beside taller ones stand between, and do not count."""
    steps = []
    for column in range(len(lines[0])):
        own = [band for band, line in zip(bands, lines, strict=True) if line[column]]
        steps += [below.bottom - above.bottom for above, below in itertools.pairwise(own)]
    return min(steps, default=0.0) - BANDS.x_height * min(band.size for band in bands)


def _are_whole(starts: Sequence[bool], lines: Sequence[Sequence[list[Word]]]) -> bool:
    """Decide whether rows that begin so have a label each, some of them several lines, and none the labels of two."""
    rows = _rows(starts, lines)
    whole = [sum(all(line) and not any(own[0].text[0].islower() for own in line) for line in row) for row in rows]
    labelled = all(any(line[0] for line in row) for row in rows)
    return labelled and max(whole) <= 1 and len(rows) >= TYPOGRAPHY.several and len(rows) < len(lines)


def _apart(bands: Sequence[Band], lines: Sequence[Sequence[list[Word]]]) -> list[bool]:
    """With which lines rows begin: where no cell goes on, whose lines stand closer; empty where rows are not whole."""
    least = _least_gap(bands, lines)
    starts = [True] * len(lines)
    for column in range(len(lines[0])):
        own = [number for number, line in enumerate(lines) if line[column]]
        for above, below in itertools.pairwise(own):
            if bands[below].top - bands[above].bottom <= least + TYPOGRAPHY.same_baseline * bands[below].size:
                starts[above + 1 : below + 1] = [False] * (below - above)
    return starts if _are_whole(starts, lines) else []


def _anew(bands: Sequence[Band], lines: Sequence[Sequence[list[Word]]]) -> list[bool]:
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
        far = gap > least + TYPOGRAPHY.same_baseline * bands[number].size
        result.append(
            not line[0][0].text[0].islower() and (far or capitals == len(line) or (short and 2 * capitals >= len(line)))
        )
    return result
