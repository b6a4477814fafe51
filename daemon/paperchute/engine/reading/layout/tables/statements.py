"""Tables of figures beside labels, found before a page is parted into columns: statements, accounts, results."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.anchors import (
    RowWords,
    figure_columns,
    figure_share,
    had_no_room,
    text_of,
)
from paperchute.engine.reading.layout.tables.assembly import (
    assembled,
    columns_under,
    in_parts,
    placed_words,
)
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.columns import Column, columns_of, with_figures_parted
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.figure_lines import (
    FigureLine,
    extent_of,
    figure_runs,
    is_crossed,
    merged,
)
from paperchute.engine.reading.layout.tables.grid import FoundTable, in_box
from paperchute.engine.reading.layout.trace import Measured, goes_beyond, rejected
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def figure_tables(evidence: Evidence) -> Sequence[FoundTable]:
    """The tables of figures among words that may stand in several columns of text."""
    figures = evidence.free.figures
    tables = [in_parts(table, figures.parts) for table in _tables(figures.bands)]
    if figures.leaders:
        tables = [table for table in tables if not _is_led_astray(table, figures.leaders)]
        for table in tables:
            table.leaders = in_box(figures.leaders, table.box)
    return tables


def _is_led_astray(table: FoundTable, leaders: Sequence[Word]) -> bool:
    """Tell if a cell has two lines of which one holds leaders: with its figure it is a row, and that figure is its."""
    inside = in_box(leaders, table.box)
    for cell in table.cells:
        if min(word.bottom for word in cell.words) <= max(word.top for word in cell.words):
            dots = [dot for dot in inside if cell.box.holds(*dot.box.center)]
            if any(
                dot.right < word.left and word.top < dot.baseline <= word.bottom for dot in dots for word in cell.words
            ):
                return True
    return False


def _tables(bands: Sequence[Band]) -> Iterator[FoundTable]:
    lines = [FigureLine.of(band) for band in bands]
    free = 0  # lines before it are in a table already, and no word may stand in two
    for start, end in figure_runs(lines):
        start = max(start, free)
        if start >= end:
            continue
        run = [line.band for line in lines[start:end]]
        strips = merged([figure for line in lines[start:end] for figure in line.figures])
        plain = [line.band for line in lines[start:end] if line.figures or not is_crossed(line, strips)]
        columns = columns_of(plain, TYPOGRAPHY.half_em, TYPOGRAPHY.fifth)
        columns = with_figures_parted(plain, columns)
        placed = [placed_words(band, columns) for band in run]
        edge = _beside(placed, columns)
        if edge is not None:
            near = lines[max(start - TYPOGRAPHY.few, free) : end + 1]
            open_ = [line for line in near if not any(extent_of(c)[0] < edge < extent_of(c)[1] for c in line.chunks)]
            inside = [word for line in open_ for word in line.band.words]
            yield from _tables(bands_of(word for word in inside if word.right <= edge))
            yield from _tables(bands_of(word for word in inside if word.right > edge))
            free = end + 1
            continue
        figures = figure_columns(placed)
        if not figures:
            continue
        first, last = _head(lines, start, free, columns, figures), _last(lines, start, end, columns, figures)
        table = assembled([line.band for line in lines[first:last]], columns, [])
        if _is_sure(table, placed, columns):
            yield table
            free = last


def _head(lines: Sequence[FigureLine], start: int, free: int, columns: Sequence[Column], figures: set[int]) -> int:
    """Return where the table begins with its head: lines above whose words stand over the columns of figures.

    Between them and the first figures may stand labels: of a section, or the upper lines of the first row's. Lines
    before `free` are another table's.
    """
    first, heads, named = start, 0, False
    for n in range(start - 1, max(start - 1 - TYPOGRAPHY.short_text, free - 1), -1):
        line, below = lines[n], lines[n + 1]
        if below.band.top - line.band.bottom > TYPOGRAPHY.blank_line * line.band.size or heads == TYPOGRAPHY.few:
            break
        if len(line.chunks) == 1 and line.band.size > TYPOGRAPHY.larger * lines[start].band.size:
            break  # the heading between this table and the one above
        if line.figures and _is_far_over_head(lines, n):
            break
        if line.is_caption or any(len(chunk) > TYPOGRAPHY.phrase for chunk in line.chunks):
            break
        reach = line.band.size
        extents = [extent_of(chunk) for chunk in _head_cells(line, columns)]
        over = [x for x in extents if x[0] > columns[0][0] + reach and sum(x) > 2 * columns[0][1]]
        if len(extents) > len(over) + 1 or (over and over[-1][1] > columns[-1][1] + 2 * reach):
            break
        if len(extents) == 1 and (
            _is_title(over[0], columns)
            if over
            else extents[0][1] > columns[1][0] and not _is_label_under_head(lines, n, free, columns)
        ):
            break
        label = len(extents) > len(over)
        if named and label and below.band.top - line.band.bottom > TYPOGRAPHY.em * line.band.size:
            break  # the labels have a head already: this is what stands above the table
        # Set left over figures set right, the head of a column may end before these begin.
        if any(x[1] > columns[min(figures)][0] for x in over) or len(extents) == len(columns):
            first, heads, named = n, heads + 1, named or label
    return first


def _is_far_over_head(lines: Sequence[FigureLine], n: int) -> bool:
    """Tell if a line of figures is the last row of another table: below it, further off than rows, stands a head."""
    if n + 2 >= len(lines) or lines[n + 1].figures or len(lines[n + 1].chunks) < 2:
        return False
    gap, step = (lines[k + 1].band.top - lines[k].band.bottom for k in (n, n + 1))
    return gap > TYPOGRAPHY.wider_leading * step + TYPOGRAPHY.same_baseline * lines[n].band.size


def _head_cells(line: FigureLine, columns: Sequence[Column]) -> list[list[Word]]:
    """The cells of a line over a table; those of a head may stand closer than others, each over a column of its own."""
    cells = line.band.chunks(TYPOGRAPHY.half_em)
    under = [columns_under(cell, columns) for cell in cells]
    own = {places[0] for places in under if len(places) == 1}
    return cells if len(own) == len(cells) >= TYPOGRAPHY.most * len(columns) else line.chunks


def _is_label_under_head(lines: Sequence[FigureLine], n: int, free: int, columns: Sequence[Column]) -> bool:
    """Tell if a line is a label between the head and the first row, such as the title of the first group of rows."""
    line = lines[n]
    if n == free or len(line.chunks[0]) > TYPOGRAPHY.few:
        return False
    if line.chunks[0][0].left > columns[0][0] + line.band.size or extent_of(line.chunks[0])[1] > columns[-1][0]:
        return False
    return len(_head_cells(lines[n - 1], columns)) >= max(TYPOGRAPHY.most * len(columns), 2)


def _last(lines: Sequence[FigureLine], start: int, end: int, columns: Sequence[Column], figures: set[int]) -> int:
    """Return where the table ends, with further lines of the last row's cells: close under it, in columns of text.

    In the first column these stand closer than rows do, or go on as labels within the table do.
    """
    gaps = [b.band.top - a.band.bottom for a, b in itertools.pairwise(lines[start:end])]
    rows = sum(bool(line.figures) for line in lines[start:end])
    while end < len(lines):
        line, above = lines[end].band, lines[end - 1].band
        gap = line.top - above.bottom
        places = {column for chunk in lines[end].chunks for column in columns_under(chunk, columns)}
        wider = sum(other > gap + TYPOGRAPHY.same_baseline * line.size for other in gaps)
        if gap > TYPOGRAPHY.em * line.size or places & figures:
            break
        if 0 in places and 2 * wider < rows - 1 and not _is_label_as_before(lines, start, end, columns[0]):
            break
        end += 1
    return end


def _is_label_as_before(lines: Sequence[FigureLine], start: int, n: int, column: Column) -> bool:
    """Tell if line `n` goes on with the label above it, for which that had no room, as other lines of the run do."""
    return _wraps(lines, n, column) and any(_wraps(lines, other, column) for other in range(start + 1, n))


def _wraps(lines: Sequence[FigureLine], n: int, column: Column) -> bool:
    chunks, above = lines[n].chunks, lines[n - 1].chunks[0]
    return len(chunks) == 1 and had_no_room(above[-1], chunks[0][0], column[1])


def _is_title(extent: tuple[float, float], columns: Sequence[Column]) -> bool:
    """Decide whether words above a table stand over the middle of all of it rather than over that of its figures."""
    middle, right = sum(extent) / 2, columns[-1][1]
    return extent[0] < columns[0][1] and abs(middle - (columns[0][0] + right) / 2) < abs(
        middle - (columns[1][0] + right) / 2
    )


def _beside(placed: Sequence[list[tuple[int, int, list[Word]]]], columns: Sequence[Column]) -> float | None:
    """The x that parts two tables which stand side by side: labels follow figures, far off or on lines of their own."""
    figures = figure_columns(placed)
    gaps = [right[0] - left[1] for left, right in itertools.pairwise(columns)]
    for n in range(2, len(columns) - 1):
        if n in figures or n - 1 not in figures or not any(m in figures for m in range(n + 1, len(columns))):
            continue
        if figure_share(placed, n) >= TYPOGRAPHY.third:
            continue  # prices, under which stand the labels of the sums beside them
        sides = [{cell[0] < n for cell in line if cell[0] in figures} for line in placed]
        sides = [side for side in sides if side]
        both = sum(len(side) == 2 for side in sides)
        alone = next((k for k, side in enumerate(reversed(sides)) if len(side) == 2), 0)
        others = [gap for m, gap in enumerate(gaps) if m != n - 1 and m + 1 in figures]
        if (
            both < TYPOGRAPHY.most * len(sides)
            or alone >= TYPOGRAPHY.pair
            or gaps[n - 1] > TYPOGRAPHY.blank_line * max(others)
        ):
            return (columns[n - 1][1] + columns[n][0]) / 2
    return None


def _is_sure(table: FoundTable, placed: Sequence[list[tuple[int, int, list[Word]]]], columns: Sequence[Column]) -> bool:
    """Decide whether the figures stand as those of a table do, and nothing else stands beside them."""
    figures = figure_columns(placed)
    inner = range(1, max(figures)) if _is_labelled(placed, figures) and not _has_stacks(table, figures) else range(0)
    for column in range(len(columns)):
        lengths = sorted(len(words) for line in placed for c, span, words in line if c == column and span == 1)
        if column in inner:
            continue  # between labels and their figures stands no column of a page
        words = Measured("TYPOGRAPHY.phrase", lengths[len(lengths) // 2] if lengths else 0, TYPOGRAPHY.phrase)
        if goes_beyond("figures", table.box, "cells of sentences", words):
            return False
        if column not in figures and _is_running([w for line in placed for c, span, w in line if c == column]):
            rejected("figures", table.box, "running text beside figures")
            return False
    amounts = {
        column: [
            words
            for line in placed
            for c, span, words in line
            if c == column and span == 1 and is_figure(text_of(words))
        ]
        for column in figures
    }
    aligned = [column for column, cells in amounts.items() if _is_aligned(cells)]
    if 2 * len(aligned) < len(amounts):
        return False
    if not any(w.isalpha() for line in placed for cell in line for word in cell[2] for w in word.text[:1]):
        return len(columns) > 2  # two columns of bare numbers are the axes of two charts
    return len(figures) > 1 or table.heads > 0 or not _counts(amounts[next(iter(figures))])


def _is_labelled(placed: Sequence[RowWords], figures: set[int]) -> bool:
    """Tell whether nearly all lines with figures in the last column of them have a short label in the first column."""
    last = max(figures)
    rows = [line for line in placed if any(c == last and is_figure(text_of(words)) for c, _, words in line)]
    labelled = sum(line[0][:2] == (0, 1) and len(line[0][2]) <= TYPOGRAPHY.few for line in rows)
    return labelled >= TYPOGRAPHY.nearly_all * len(rows)


def _has_stacks(table: FoundTable, figures: set[int]) -> bool:
    """Decide whether a cell holds a figure under a figure, which are those of two rows."""
    for cell in table.cells:
        if cell.column in figures and cell.row >= table.heads:
            lines = bands_of(cell.words) if cell.words else []
            if sum(is_figure(text_of(line.words)) for line in lines) > 1:
                return True
    return False


def _is_running(lines: Sequence[Sequence[Word]]) -> bool:
    """Tell if a column's lines are running text: most reach its end, and most begin within a sentence; units do not."""
    if len(lines) < TYPOGRAPHY.short_text or 2 * sum(len(line) > 1 for line in lines) < len(lines):
        return False
    left, right = min(line[0].left for line in lines), max(line[-1].right for line in lines)
    full = sum(line[-1].right - line[0].left > TYPOGRAPHY.nearly_all * (right - left) for line in lines)
    small = sum(line[0].text[0].islower() for line in lines)
    return full >= TYPOGRAPHY.nearly_all * len(lines) and small >= TYPOGRAPHY.half * len(lines)


def _is_aligned(cells: Sequence[Sequence[Word]]) -> bool:
    """Decide whether most of a column's figures end, begin or are centred at one x."""
    size = cells[0][0].size
    for places in (
        sorted(cell[-1].right for cell in cells),
        sorted(cell[0].left for cell in cells),
        sorted((cell[0].left + cell[-1].right) / 2 for cell in cells),
    ):
        middle = places[len(places) // 2]
        near = sum(abs(place - middle) <= TYPOGRAPHY.half_em * size for place in places)
        if near >= TYPOGRAPHY.most * len(places):
            return True
    return False


def _counts(cells: Sequence[Sequence[Word]]) -> bool:
    """Tell if a lone column only counts upwards: numbers of equations, lines or the pages of a table of contents."""
    numbers = [re.sub(r"[^\d.,]", "", text_of(cell)) for cell in cells]
    if not all(number.isdigit() for number in numbers):
        return False
    return all(int(a) <= int(b) for a, b in itertools.pairwise(numbers))
