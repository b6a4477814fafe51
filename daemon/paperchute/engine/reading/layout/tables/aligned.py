"""Tables without walls, told by words that stand under each other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.marks import Rule, Word
from paperchute.engine.reading.layout.tables.bands import Band, Column, bands_of, cells_of, columns_of, is_bold, runs
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, head_rows, trimmed

_FEWEST_ROWS = 3
_SAME_EDGE = 0.5
_HEAD_GAP = 0.45  # of the font size: wider than between words
_MOST_BANDS = 1_000
_NUMBER = re.compile(r"^[-+(]?[$€£¥]?\d[\d.,']*%?\)?$")
_MARKER = re.compile(r"^(?:[•◦▪▫‣·●○■□–—*\-o§➢✓]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])$")


def table_between(rules: Sequence[Rule], words: Sequence[Word]) -> FoundTable | None:
    """The table that horizontal rules of one width show, without vertical ones; None when it is none.

    words: those between the uppermost and the lowest rule and, above and below, those that may be its outer rows.
    """
    bands = bands_of(words)
    ys = [rule.y1 for rule in rules]
    inner = [band for band in bands if ys[0] < (band.top + band.bottom) / 2 < ys[-1]]
    if not inner or len(inner) > _MOST_BANDS:
        return None
    columns = columns_of(inner, 0.3, 0.6, 0.3)
    if len(columns) < 2:
        return None
    first, last = bands.index(inner[0]), bands.index(inner[-1]) + 1
    if first and _fits(bands[first - 1], columns) and ys[0] - bands[first - 1].bottom < 1.5 * bands[first - 1].size:
        first -= 1
    if last < len(bands) and _fits(bands[last], columns) and bands[last].top - ys[-1] < 1.5 * bands[last].size:
        last += 1
    table = _assembled(bands[first:last], columns, ys)
    if table.rows < 2 or table.columns < 2 or _filled_share(table) < 0.35 or _is_list(table):
        return None
    return table


def aligned_tables(words: Sequence[Word]) -> list[FoundTable]:
    """Tables among the words of a column; only where alignment is strong evidence."""
    found = []
    bands = bands_of(words)
    free = 0
    for start, end in runs(bands):
        while start > free and _is_beside(bands[start - 1], bands[start], bands[start:end]):
            start -= 1
        rows = [band for band in bands[start:end] if len(cells_of(band)) > 1]
        head = _has_head(bands[start - 1], bands[start:end]) if start > free else False
        if len(rows) >= _FEWEST_ROWS or (len(rows) == 2 and (head or (is_bold(rows[0]) and not is_bold(rows[1])))):
            table = _from_run(bands[start - head : end])
            if table is not None:
                found.append(table)
                free = end
    return found


def _is_beside(above: Band, first: Band, run: Sequence[Band]) -> bool:
    """Whether a band with a single cell right above a run is a line of a taller cell beside those of its first row."""
    if first.top - above.bottom > 0.35 * first.size or len(cells_of(above)) > 1:
        return False
    box = hull(word.box for word in above.words)
    beside = all(word.right < box.left or word.left > box.right for word in first.words)
    return beside and len(_columns_under(above.words, columns_of(run, 0.3, 0.8, 0.5))) == 1


def _has_head(above: Band, run: Sequence[Band]) -> bool:
    """Whether the bold band above a run is its head, whose cells stand too close to have started it."""
    if not is_bold(above) or is_bold(run[0]) or run[0].top - above.bottom > 1.6 * above.size:
        return False
    columns = columns_of(run, 0.3, 0.8, 0.5)
    places = [_columns_under(chunk, columns) for chunk in above.chunks(_HEAD_GAP)]
    told = {place[0] for place in places if len(place) == 1}
    return len(told) == len(places) >= max(2.0, 0.6 * len(columns))


def _from_run(bands: Sequence[Band]) -> FoundTable | None:
    columns = columns_of(bands, 0.3, 0.8, 0.5)
    if len(columns) < 2:
        return None
    table = _assembled(bands, columns, [])
    if table.rows < 2 or table.columns < 2 or _filled_share(table) < 0.5:
        return None
    if _is_list(table):
        return None
    lengths = sorted(len(c.words) for c in table.cells)
    if lengths[len(lengths) // 2] > 9 or sum(c.column_span > 1 for c in table.cells) > 0.25 * len(table.cells):
        return None
    table.confidence = 0.8
    return table


def _fits(band: Band, columns: Sequence[Column]) -> bool:
    """Whether a band's chunks stand in the columns, two at least."""
    places = [_columns_under(chunk, columns) for chunk in band.chunks(0.6)]
    return len(places) > 1 and all(len(place) == 1 for place in places) and len({p[0] for p in places}) == len(places)


def _columns_under(chunk: Sequence[Word], columns: Sequence[Column]) -> list[int]:
    left, right = min(w.left for w in chunk), max(w.right for w in chunk)
    over = [n for n, (low, high) in enumerate(columns) if min(right, high) - max(left, low) > 1.0]
    return over or [min(range(len(columns)), key=lambda n: max(columns[n][0] - right, left - columns[n][1]))]


def _placed(band: Band, columns: Sequence[Column]) -> list[tuple[int, int, list[Word]]]:
    """A band's words by column: (column, column span, words). Text that runs across a strip spans its columns."""
    result: list[tuple[int, int, list[Word]]] = []
    for word in sorted(band.words, key=lambda w: w.left):
        under = _columns_under([word], columns)
        first, last = under[0], under[-1]
        if result:
            column, span, words = result[-1]
            gap = word.left - max(w.right for w in words)
            strip = columns[first][0] - columns[first - 1][1] if first else 0.0
            at_edge = gap > 0 and (abs(word.left - columns[first][0]) < _SAME_EDGE or _NUMBER.match(word.text))
            runs_on = first <= column + span - 1 or (
                gap < 0.4 * band.size and gap < 0.8 * strip and first == column + span and not at_edge
            )
            if runs_on:
                result[-1] = (column, max(column + span - 1, last) - column + 1, [*words, word])
                continue
        result.append((first, last - first + 1, [word]))
    return result


def _assembled(bands: Sequence[Band], columns: Sequence[Column], ys: Sequence[float]) -> FoundTable:
    placed = [_placed(band, columns) for band in bands]
    starts = row_starts(bands, placed, ys)
    cells: dict[tuple[int, int], FoundCell] = {}
    row = -1
    for line, begins in zip(placed, starts, strict=True):
        row += begins
        for column, span, words in line:
            cell = next((c for k in range(column, -1, -1) if (c := cells.get((row, k)))), None)
            if cell is not None and cell.column + cell.column_span > column:
                cell.words += words
            else:
                span = next((k for k in range(1, span) if (row, column + k) in cells), span)
                cells[row, column] = FoundCell(row, column, 1, span, hull(w.box for w in words), list(words))
    for cell in cells.values():
        cell.box = hull(w.box for w in cell.words)
    whole = hull(c.box for c in cells.values())
    table = trimmed(FoundTable(whole, row + 1, len(columns), list(cells.values()), bordered=False))
    table.heads = head_rows(table)
    return table


def _is_list(table: FoundTable) -> bool:
    """Whether the first column holds list markers."""
    first = [
        word.text
        for cell in table.cells
        if cell.column == 0 and cell.words
        for word in (cell.words if cell.column_span == 1 else [min(cell.words, key=lambda w: (w.baseline, w.left))])
    ]
    return sum(bool(_MARKER.match(text)) for text in first) > 0.4 * len(first)


def _filled_share(table: FoundTable) -> float:
    return sum(c.column_span for c in table.cells if c.words) / (table.rows * table.columns)


def rule_stacks(horizontal: Sequence[Rule], taken: Sequence[Box]) -> list[list[Rule]]:
    """Horizontal rules of one width under each other, outside the boxes in `taken`: signs of a table without walls."""
    stacks: list[list[Rule]] = []
    for rule in sorted(horizontal, key=lambda r: r.y1):
        if rule.x2 - rule.x1 < 40 or any(box.grown(4).holds((rule.x1 + rule.x2) / 2, rule.y1) for box in taken):
            continue
        for stack in stacks:
            if abs(stack[-1].x1 - rule.x1) < 6 and abs(stack[-1].x2 - rule.x2) < 6:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [stack for stack in stacks if len(stack) >= 2]


Placed = Sequence[tuple[int, int, list[Word]]]
"""A printed line's words by column, left to right: (column, column span, words)."""

_FEWEST_SECTIONS = 3
_WHOLE_SHARE = 0.7
_TWO_KINDS = 0.3  # of the font size: gaps that differ by more are of two kinds
_WRAPPED = (0.3, 0.67)  # the share of small gaps when all rows have two or three lines
_STACKED = 0.2  # more of the cells' lines than this are hardly a number under a number
_SPACED_NUMBER = re.compile(r"^[-+(]?[$€£¥]?\d[\d.,' ]*%?\)?$")


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
    return bool(_SPACED_NUMBER.match(" ".join(word.text for word in words)))


def _is_one_row(lines: Sequence[Placed]) -> bool:
    """Whether bands between two rules are one wrapped row: half its columns have far fewer lines than the fullest."""
    counts: dict[int, int] = {}
    for line in lines:
        for column, _, _ in line:
            counts[column] = counts.get(column, 0) + 1
    ordered = sorted(counts.values())
    return len(ordered) > 1 and ordered[(len(ordered) - 1) // 2] <= 0.6 * ordered[-1]
