"""Printed lines and columns put together to a table without walls."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.lines import around
from paperchute.engine.reading.layout.lists import BOXES, BULLETS
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import as_printed, is_figure
from paperchute.engine.reading.layout.tables.anchors import figure_columns, head_lines
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.columns import Column, touched
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, head_rows, trimmed
from paperchute.engine.reading.layout.tables.rows import row_starts
from paperchute.engine.reading.layout.trace import Measured
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """Which column of a table words stand in.

    Distances are shares of the font size where nothing else is said. Fixed on printed Markdown and generated documents
    (TEDS 0.840 to 0.861, 0.857 to 0.899).
    """

    runs_on: float = 0.4
    """To the next word of a text that runs across a strip; a wider gap parts two cells. 0.8 to 1.2 times it reads 83
    sample pages the same."""


ASSEMBLY = AssemblySettings()

PlacedWords = list[tuple[int, int, list[Word]]]

_RELATIONS = frozenset("=≤≥≈≡∝∈→⇒≪≫∼≠")


_DIGITS = re.compile(r"^\d{1,3}$", re.ASCII)
_MARKER = re.compile(rf"^(?:[{re.escape(BULLETS + BOXES)}–—*\-o§]|\(?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{1,5}})[.):])$")


def columns_under(chunk: Sequence[Word], columns: Sequence[Column]) -> list[int]:
    """The columns that a piece of text touches, else the nearest one."""
    return _under(min([w.left for w in chunk]), max([w.right for w in chunk]), columns)


def _under(left: float, right: float, columns: Sequence[Column]) -> list[int]:
    near = touched(columns, left, right)
    over = [n for n in near if min(right, columns[n][1]) - max(left, columns[n][0]) > TYPOGRAPHY.rounding]
    if over:
        return over
    beside = range(max(near.start - 1, 0), min(near.stop + 1, len(columns)))
    return [min(beside, key=lambda n: max(columns[n][0] - right, left - columns[n][1]))]


def placed_words(band: Band, columns: Sequence[Column]) -> list[tuple[int, int, list[Word]]]:
    """A band's words by column: (column, column span, words). Text that runs across a strip spans its columns."""
    result: list[tuple[int, int, list[Word]]] = []
    right = 0.0  # of the words in the last column
    for word in band.ordered:
        under = _under(word.left, word.right, columns)
        first, last = under[0], under[-1]
        if result:
            column, span, words = result[-1]
            gap = word.left - right
            if gap < ASSEMBLY.runs_on * band.size and _is_between(word, columns):
                words.append(word)  # text that reaches into the strip beside its column
                right = max(right, word.right)
                continue
            strip = columns[first][0] - columns[first - 1][1] if first else 0.0
            at_edge = gap > 0 and (abs(word.left - columns[first][0]) < TYPOGRAPHY.size_step or is_figure(word.text))
            runs_on = (
                first <= column + span - 1
                or (word.script and word.glued and gap < TYPOGRAPHY.same_baseline * band.size)
                or (gap < ASSEMBLY.runs_on * band.size and gap < TYPOGRAPHY.nearly_all * strip and not at_edge)
            )
            if runs_on:
                result[-1] = (column, max(column + span - 1, last) - column + 1, [*words, word])
                right = max(right, word.right)
                continue
        result.append((first, last - first + 1, [word]))
        right = word.right
    return result


def _is_between(word: Word, columns: Sequence[Column]) -> bool:
    """Decide whether a word stands in no column."""
    return all(
        min(word.right, columns[n][1]) - max(word.left, columns[n][0]) <= TYPOGRAPHY.rounding
        for n in touched(columns, word.left, word.right)
    )


def _spread(line: PlacedWords, below: PlacedWords, columns: Sequence[Column]) -> PlacedWords:
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


def assembled(
    bands: Sequence[Band], columns: Sequence[Column], ys: Sequence[float], *, bare: bool = False
) -> FoundTable:
    """The bands as rows of a table. ys: the heights of rules across it; bare: with the columns that have no words."""
    bands = _with_head_labels(bands, columns, ys)
    placed = [placed_words(band, columns) for band in bands]
    figures = figure_columns(placed)
    heads = head_lines(placed, figures) if figures else len(_over_rule(bands, ys))
    for number in range(min(heads, len(placed) - 1) - 1, -1, -1):
        placed[number] = _spread(placed[number], placed[number + 1], columns)
    starts = row_starts(bands, placed, ys)
    cells: dict[tuple[int, int], FoundCell] = {}
    row = -1
    begun: list[int] = []  # the columns in which the row's cells begin
    for line, begins in zip(placed, starts, strict=True):
        if begins:
            row, begun = row + 1, []
        for column, span, words in line:
            after = bisect_right(begun, column)
            cell = cells[row, begun[after - 1]] if after else None
            if cell is not None and cell.column + cell.column_span > column:
                cell.words += words
            else:
                span = min(span, begun[after] - column) if after < len(begun) else span
                begun.insert(after, column)
                cells[row, column] = FoundCell(row, column, 1, span, words[0].box, list(words))
    for cell in cells.values():
        if len(cell.words) > 1:
            cell.box = around(cell.words)
    whole = hull(c.box for c in cells.values())
    table = FoundTable(whole, row + 1, len(columns), list(cells.values()), bordered=False)
    table = table if bare else trimmed(table)
    table.heads = max(head_rows(table), sum(starts[:heads]))
    return table


def _over_rule(bands: Sequence[Band], ys: Sequence[float]) -> Sequence[Band]:
    """The lines of the head that the second of three rules parts from the rest."""
    if len(ys) != TYPOGRAPHY.several or bands[0].bottom < ys[0]:
        return []
    over = [band for band in bands if band.bottom < ys[1]]
    return over if len(over) <= TYPOGRAPHY.few and len(over) < len(bands) else []


def _with_head_labels(bands: Sequence[Band], columns: Sequence[Column], ys: Sequence[float]) -> list[Band]:
    """The bands, with those of a head that are labels alone joined to the one above.

    They stand beside two lines, between them, or are the further lines of a wrapped label.
    """
    heads = len(_over_rule(bands, ys))
    result = list(bands[:1])
    for number, band in enumerate(bands[1:], start=1):
        if number < heads and [cell[:2] for cell in placed_words(band, columns)] == [(0, 1)]:
            above = result[-1]
            result[-1] = Band(above.top, above.bottom, [*above.words, *band.words], above.size)
        else:
            result.append(band)
    return result


def measure_list(table: FoundTable) -> Measured | None:
    """Say by which number a table is a list; None where it is none.

    The first column holds list markers, and no further one figures, whose rows may be numbered.
    """
    first = [
        word.text
        for cell in table.cells
        if cell.column == 0 and cell.words
        for word in (cell.words if cell.column_span == 1 else [min(cell.words, key=lambda w: (w.baseline, w.left))])
    ]
    marked = sum(bool(_MARKER.match(text)) for text in first)
    if marked > TYPOGRAPHY.third * len(first):
        by: Measured | None = Measured("TYPOGRAPHY.third", marked / len(first), TYPOGRAPHY.third)
    else:
        by = _count(table)
    return by if by is not None and not (table.columns >= TYPOGRAPHY.several and _has_figures(table)) else None


def _count(table: FoundTable) -> Measured | None:
    """Say how many words the rows have that are numbered from the first to the last; None where they are not.

    They say a sentence each: items, no ranks of names.
    """
    numbers = [cell.words[0].text for cell in table.cells if cell.column == 0 and cell.words]
    lengths = sorted(len(cell.words) for cell in table.cells if cell.column == 1 and cell.words)
    if not lengths or lengths[len(lengths) // 2] < TYPOGRAPHY.few or not all(map(_DIGITS.match, numbers)):
        return None
    if any(int(below) != int(above) + 1 for above, below in itertools.pairwise(numbers)):
        return None
    return Measured("TYPOGRAPHY.few", lengths[len(lengths) // 2], TYPOGRAPHY.few)


def _has_figures(table: FoundTable) -> bool:
    """Decide whether a column beside the first two is one of figures, more than dashes and markers."""
    texts: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.column > 1 and cell.column_span == 1 and cell.words:
            texts.setdefault(cell.column, []).append(" ".join([word.text for word in cell.words]))
    return any(
        sum(is_figure(text) and not _MARKER.match(text) for text in own)
        >= max(TYPOGRAPHY.several, TYPOGRAPHY.most * len(own))
        for own in texts.values()
    )


def measure_formula(table: FoundTable) -> Measured | None:
    """Say by which number cells are the parts of a displayed formula; None where they are none.

    Most words are set as one, and one is a relation.
    """
    words = [word for cell in table.cells for word in cell.words]
    related = not _RELATIONS.isdisjoint("".join([word.text for word in words]))
    letters = any(word.font.math or word.font.italic for word in words)
    if not related or not letters:
        return None
    set_so = sum(word.font.math or word.font.italic or not any(c.isalpha() for c in word.text) for word in words)
    if set_so < TYPOGRAPHY.most * len(words):
        return None
    return Measured("TYPOGRAPHY.most", set_so / len(words), TYPOGRAPHY.most)


def measure_gaps(table: FoundTable) -> Measured | None:
    """Say by which number a table is too empty to be one; None where it is not."""
    by = Measured("TYPOGRAPHY.third", filled_share(table), TYPOGRAPHY.third)
    if table.finder == "alignment":  # nothing else speaks for it
        by = Measured("TYPOGRAPHY.half", by.value, TYPOGRAPHY.half)
    return by if by.value < by.limit else None


def measure_sentences(table: FoundTable) -> Measured | None:
    """Say by which number cells are columns of text; None where they are none, as beside labels of a few words."""
    lengths = sorted(len(cell.words) for cell in table.cells)
    by = Measured("TYPOGRAPHY.phrase", lengths[len(lengths) // 2], TYPOGRAPHY.phrase)
    return by if by.value > by.limit and not _is_labelled(table) else None


def _is_labelled(table: FoundTable) -> bool:
    """Decide whether each row is a label of a few words, and the text beside it, as of data sheets.

    Names that come again, or are set in capitals, are of those who speak.
    """
    labels = [cell.words for cell in table.cells if cell.column == 0 and cell.column_span == 1 and cell.words]
    texts = {" ".join(word.text for word in label) for label in labels}
    return (
        table.columns == 2
        and len(texts) == table.rows
        and max(map(len, labels)) <= TYPOGRAPHY.few
        and all(sum(map(str.isalpha, text)) >= TYPOGRAPHY.pair and not text.isupper() for text in texts)
    )


def filled_share(table: FoundTable) -> float:
    """The share of places that cells with words cover."""
    return sum(c.column_span for c in table.cells if c.words) / (table.rows * table.columns)


def in_parts(table: FoundTable, parts: Mapping[int, Sequence[Word]]) -> FoundTable:
    """The table with the words as printed in place of whole figures."""
    for cell in table.cells:
        cell.words = as_printed(cell.words, parts)
    return table
