"""Vertical strips that part the columns of a table without walls: almost no word enters one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.bands import BANDS, Band
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

Column = tuple[float, float]
"""Left and right end of a column of cells."""


def columns_of(bands: Sequence[Band], wide: float, wide_share: float) -> list[Column]:
    """Columns: what stands between vertical strips that (almost) no word enters.

    A strip is at least `BANDS.narrowest` wide, and in at least `wide_share` of the bands with words on both of
    its sides the gap there is `wide` font sizes or more; or its two sides face each other (`_face`).
    """
    size = sorted(band.size for band in bands)[len(bands) // 2]
    events: list[tuple[float, int]] = []
    for band in bands:
        for chunk in band.chunks(0.0):
            events += [(chunk[0].left, 1), (max([w.right for w in chunk]), -1)]
    events.sort()
    allowed = len(bands) // BANDS.spoilers or int(len(bands) >= BANDS.fewest_spoiled)
    columns: list[Column] = []
    depth, start = 0, None
    for x, change in events:
        depth += change
        if depth > allowed and start is None:
            start = x
        elif depth <= allowed and start is not None:
            columns.append((start, x))
            start = None
    merged = columns[:1]
    for column in columns[1:]:
        before = merged[-1]
        is_narrow = column[0] - before[1] < BANDS.narrowest * size
        if _face(bands, before, column) if is_narrow else _parts(bands, before, column, wide, wide_share):
            merged.append(column)
        else:
            merged[-1] = (before[0], column[1])
    return _with_sparse(bands, merged, BANDS.narrowest * size)


def touched(columns: Sequence[Column], left: float, right: float) -> range:
    """The numbers of the columns, left to right, that have an x in common with an extent."""
    end = bisect_left(columns, (right,))
    start = end
    while start and columns[start - 1][1] > left:
        start -= 1
    return range(start, end)


def _with_sparse(bands: Sequence[Band], columns: Sequence[Column], narrowest: float) -> list[Column]:
    """The columns, and those in which so few bands have words that they looked like strips."""
    found: list[tuple[float, float, int]] = []
    chunks = [chunk for band in bands for chunk in band.chunks(TYPOGRAPHY.half_em)]
    # An amount alone is one of a column, too.
    extents = [(chunk[0].left, max([w.right for w in chunk]), 1 + _is_amount(chunk)) for chunk in chunks]
    outside = [
        e
        for e in extents
        if all(
            e[0] > columns[n][1] - TYPOGRAPHY.size_step or e[1] < columns[n][0] + TYPOGRAPHY.size_step
            for n in touched(columns, *e[:2])
        )
    ]
    for left, right, count in sorted(outside):
        if found and left - found[-1][1] < narrowest:
            found[-1] = found[-1][0], max(found[-1][1], right), found[-1][2] + count
        else:
            found.append((left, right, count))
    sparse = [
        (left, right)
        for left, right, count in found  # a single one is the head of a column whose cells are set to the other side
        if count > 1 and all(left - c[1] >= narrowest or c[0] - right >= narrowest for c in columns)
    ]
    return sorted([*columns, *sparse])


def _is_amount(chunk: Sequence[Word]) -> bool:
    """Decide whether words are a figure with a decimal mark or thousands, which no head is, as a year may be."""
    return len(chunk) == 1 and is_figure(chunk[0].text) and not chunk[0].text.isdecimal()


def _parts(bands: Sequence[Band], left: Column, right: Column, wide: float, share: float) -> bool:
    """Decide whether the strip between two columns parts cells: its gap is wide, or what follows begins at one x.

    Where no row has more than a space there, words of a text stand under each other by chance.
    """
    begins: list[float] = []
    gaps: list[float] = []
    middle = (left[1] + right[0]) / 2
    for band in bands:
        before = [w.right for w in band.words if left[0] - TYPOGRAPHY.rounding <= (w.left + w.right) / 2 < middle]
        after = [w.left for w in band.words if middle <= (w.left + w.right) / 2 <= right[1] + TYPOGRAPHY.rounding]
        if after:
            begins.append(min(after))
        if before and after:
            gaps.append((min(after) - max(before)) / band.size)
    if not begins:
        return False  # only the ends of words that belong to the column before
    if sum(gap >= wide for gap in gaps) >= share * len(gaps):
        return True
    aligned = sum(x - min(begins) < TYPOGRAPHY.rounding for x in begins) >= TYPOGRAPHY.nearly_all * len(begins)
    return aligned and len(gaps) >= TYPOGRAPHY.few and max(gaps) >= BANDS.narrowest


def _face(bands: Sequence[Band], left: Column, right: Column) -> bool:
    """Decide whether figures that all end at one x face words that all begin at one, a hair apart.

    Spreadsheets print so what stands in two cells: dates at the right of one, texts at the left of the next. The gap
    between the two is that of cells where it is narrower than the spaces of these words.
    """
    middle = (left[1] + right[0]) / 2
    ends: list[float] = []
    begins: list[float] = []
    spaces: list[float] = []
    for band in bands:
        after = [word for word in band.ordered if (word.left + word.right) / 2 >= middle]
        if not after or after[0].left > right[1]:
            continue
        begins.append(after[0].left)
        before = [word for word in band.ordered if word.right <= middle]
        if not before or after[0].left - before[-1].right >= TYPOGRAPHY.wide_space * band.size:
            continue  # a head, or a row without a figure
        figure = [word for word in before if word.left >= left[0] - TYPOGRAPHY.rounding]
        if sum(map(str.isdigit, "".join(word.text for word in figure))) < TYPOGRAPHY.few:
            return False
        ends.append(before[-1].right)
        spaces += [
            b.left - a.right for a, b in pairwise(after) if 0 < b.left - a.right < TYPOGRAPHY.half_em * band.size
        ]
    if len(ends) < TYPOGRAPHY.few or not spaces:
        return False
    spread = max(max(ends) - min(ends), max(begins) - min(begins))
    return spread < TYPOGRAPHY.rounding and min(begins) - max(ends) < TYPOGRAPHY.smaller * median(spaces)


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
    ends = [(max(word.right for word in before), after[0].left) for before, after in pairwise(band.cells)]
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
