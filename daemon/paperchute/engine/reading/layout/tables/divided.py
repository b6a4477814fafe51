"""Drawn cells and rows that hold several: parted where their words plainly stand in columns and lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable
from paperchute.engine.reading.layout.tables.grouped import group_lines, group_starts, is_group
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class DividedSettings:
    """When the lines of a drawn row are rows of their own."""

    row_words: int = 5
    """Words a line of a cell in such rows; more are text that was wrapped. With one less a table of firms and codes of
    the ICDAR 2013 competition is lost."""


DIVIDED = DividedSettings()


def divided(table: FoundTable, xs: Sequence[float]) -> FoundTable:
    """The table with its cells parted where their words plainly stand in the columns (at `xs`) and rows of others."""
    table, xs = _with_unwalled(_under_labels(table, xs), list(xs))
    cells = [part for cell in table.cells for part in _across(cell, xs)]
    return _down(replace(table, cells=cells))


def _under_labels(table: FoundTable, xs: Sequence[float]) -> FoundTable:
    """The table with rows parted in which a label stands over what is in columns: `Pawned` over `Handgun | Long gun`.

    A ground, or a frame round the group, makes one cell of both.
    """
    cells: list[FoundCell] = []
    rows: defaultdict[int, list[FoundCell]] = defaultdict(list)
    for cell in table.cells:
        rows[cell.row].append(cell)
    shift = 0
    for row, own in sorted(rows.items()):
        parts = {id(cell): found for cell in own if (found := _label_over_columns(cell, xs))}
        if not any(_is_label(*found, xs) for found in parts.values()):
            cells += [replace(cell, row=row + shift) for cell in own]
            continue
        for above in cells:
            above.row_span += above.row + above.row_span > row + shift
        for cell in own:
            if id(cell) in parts:
                label, below = parts[id(cell)]
                cells += [replace(label, row=row + shift), replace(below, row=row + shift + 1)]
            else:
                cells.append(replace(cell, row=row + shift, row_span=cell.row_span + 1))
        shift += 1
    return replace(table, rows=table.rows + shift, cells=cells) if shift else table


def _with_unwalled(table: FoundTable, xs: list[float]) -> tuple[FoundTable, list[float]]:
    """The table with drawn columns parted that hold two, with no wall between; and the places of all."""
    column = 0
    while column < table.columns:
        place = _unwalled(table, column)
        if place is not None:
            table = _parted(table, column, place)
            xs = [*xs[: column + 1], place, *xs[column + 1 :]]
        column += 1
    return table, xs


def _unwalled(table: FoundTable, column: int) -> float | None:
    """Where a drawn column holds two: its head and another cell have words on both sides, and none has any there."""
    own = [cell for cell in table.cells if cell.column == column and cell.column_span == 1 and cell.words]
    if len(own) < 2 or any(word.angle for cell in own for word in cell.words):
        return None
    words = sorted((word for cell in own for word in cell.words), key=lambda word: word.left)
    right = words[0].right
    for before, word in pairwise(words):
        right = max(right, before.right)
        place = (right + word.left) / 2
        if word.left - right > TYPOGRAPHY.half_em * word.size:
            first, *rest = (_is_apart_at(cell, place) for cell in own)
            if first and any(rest):
                return place
    return None


def _is_apart_at(cell: FoundCell, place: float) -> bool:
    """Decide whether a cell has words on both sides of a place, as far apart as those of two cells."""
    left = [word for word in cell.words if word.left < place]
    right = [word for word in cell.words if word.left >= place]
    return bool(left and right) and _is_far(left, right)


def _is_far(before: Sequence[Word], after: Sequence[Word]) -> bool:
    gap = min(word.left for word in after) - max(word.right for word in before)
    return gap > TYPOGRAPHY.em * max(word.size for word in (*before, *after))


def _parted(table: FoundTable, column: int, place: float) -> FoundTable:
    """The table with a column parted at a place."""
    cells: list[FoundCell] = []
    for cell in table.cells:
        if cell.column > column:
            cells.append(replace(cell, column=cell.column + 1))
        elif cell.column + cell.column_span <= column:
            cells.append(cell)
        elif cell.column_span > 1:
            cells.append(replace(cell, column_span=cell.column_span + 1))
        else:
            left, top, right, bottom = cell.box
            before, after = ([w for w in cell.words if (w.left >= place) == is_after] for is_after in (False, True))
            cells.append(replace(cell, box=Box(left, top, place, bottom), words=before))
            cells.append(replace(cell, column=column + 1, box=Box(place, top, right, bottom), words=after))
    return replace(table, columns=table.columns + 1, cells=cells)


def _label_over_columns(cell: FoundCell, xs: Sequence[float]) -> tuple[FoundCell, FoundCell] | None:
    """A cell over several columns as two: a phrase that may be a label, and the lines in columns below it."""
    if cell.column_span == 1 or cell.row_span > 1 or any(word.angle for word in cell.words):
        return None
    bands = bands_of(cell.words)
    if len(bands) < 2 or not _is_phrase(bands[0].words):
        return None
    top = bands[1].top
    label = replace(cell, box=Box(cell.box.left, cell.box.top, cell.box.right, top), words=bands[0].words)
    below = replace(
        cell,
        box=Box(cell.box.left, top, cell.box.right, cell.box.bottom),
        words=[w for band in bands[1:] for w in band.words],
    )
    lines = (_across(replace(below, words=band.words), xs) for band in bands[1:])
    filled = [sum(bool(part.words) for part in line) for line in lines]
    return (label, below) if min(filled) >= max(2, TYPOGRAPHY.most * cell.column_span) else None


def _is_phrase(words: Sequence[Word]) -> bool:
    """Decide whether the words of a line run on."""
    ordered = sorted(words, key=lambda word: word.left)
    return all(b.left - a.right <= TYPOGRAPHY.em * max(a.size, b.size) for a, b in pairwise(ordered))


def _is_label(label: FoundCell, below: FoundCell, xs: Sequence[float]) -> bool:
    """Decide whether the upper words are those of all the columns: they reach over an edge, or differ in weight.

    Others may be the first line of what stands in the column under them.
    """
    left, right = min(w.left for w in label.words), max(w.right for w in label.words)
    inner = xs[label.column + 1 : label.column + label.column_span]
    if any(left + TYPOGRAPHY.frame < x < right - TYPOGRAPHY.frame for x in inner):
        return True
    return all(w.font.bold for w in label.words) and not any(w.font.bold for w in below.words)


def _across(cell: FoundCell, xs: Sequence[float]) -> list[FoundCell]:
    """A cell over several columns as one cell a column, when its words plainly stand in them.

    Tables with a frame or a ground for every other row have such cells between.
    """
    if cell.column_span == 1 or not cell.words:
        return [cell]
    first, end = cell.column, cell.column + cell.column_span
    inner = xs[first + 1 : end]
    columns: list[list[Word]] = [[] for _ in range(first, end)]
    for word in cell.words:
        columns[bisect_left(inner, (word.left + word.right) / 2)].append(word)
    if sum(map(bool, columns)) < 2:
        return [cell]
    for n, x in enumerate(inner, 1):
        before, after = ([word for column in part for word in column] for part in (columns[:n], columns[n:]))
        if before and after and not _are_apart(before, after, x):
            return [cell]
    return [
        FoundCell(cell.row, n, cell.row_span, 1, Box(xs[n], cell.box.top, xs[n + 1], cell.box.bottom), words)
        for n, words in enumerate(columns, first)
    ]


def _are_apart(before: Sequence[Word], after: Sequence[Word], x: float) -> bool:
    """Decide whether words stand left and right of a line at `x` as in two columns: far apart, or line under line."""
    left, right = max(word.right for word in before), min(word.left for word in after)
    if left > x + TYPOGRAPHY.frame or right < x - TYPOGRAPHY.frame:
        return False
    if _is_far(before, after):
        return True
    size = max(word.size for word in (*before, *after))
    others = [(word.top, word.bottom) for word in after]
    lines = {
        round(word.baseline)
        for word in before
        if any(top < (word.top + word.bottom) / 2 < bottom for top, bottom in others)
    }
    return right - left > TYPOGRAPHY.half_em * size and len(lines) >= TYPOGRAPHY.pair


def _down(table: FoundTable) -> FoundTable:
    """The table with rows parted whose lines are rows: side by side in most columns, or the entries of a group."""
    rows: dict[int, tuple[list[FoundCell], list[Band]]] = {}
    for row in range(table.rows):
        own = [cell for cell in table.cells if cell.row == row]
        covered = any(c.row < row < c.row + c.row_span for c in table.cells)
        whole = covered or any(c.row_span > 1 for c in own)
        rows[row] = own, [] if whole else bands_of(w for c in own for w in c.words)
    grouped = any(len(bands) > 1 and is_group(group_lines(own, bands)) for own, bands in rows.values())
    cells: list[FoundCell] = []
    shift = 0
    for row, (own, bands) in rows.items():
        starts = _line_starts(own, bands, grouped)
        if sum(starts) < 2:
            cells += [replace(cell, row=row + shift) for cell in own]
            continue
        for number, part in enumerate(_parts(bands, starts)):
            inside = {id(word) for word in part.words}
            for cell in own:
                box = Box(cell.box.left, part.top, cell.box.right, part.bottom)
                words = [w for w in cell.words if id(w) in inside]
                cells.append(FoundCell(row + shift + number, cell.column, 1, cell.column_span, box, words))
        shift += sum(starts) - 1
    return replace(table, rows=table.rows + shift, cells=cells)


def _line_starts(cells: Sequence[FoundCell], bands: Sequence[Band], grouped: bool) -> list[bool]:
    """With which of a drawn row's printed lines rows begin. grouped: the table has groups of entries."""
    if _are_rows(cells, bands):
        return [True] * len(bands)
    return group_starts(cells, group_lines(cells, bands)) if grouped and len(bands) > 1 else []


def _parts(bands: Sequence[Band], starts: Sequence[bool]) -> list[Band]:
    """The bands with those that begin no row joined to the one above."""
    result: list[Band] = []
    for band, begins in zip(bands, starts, strict=True):
        if begins:
            result.append(Band(band.top, band.bottom, list(band.words), band.size))
        else:
            result[-1].words += band.words
            result[-1].bottom = band.bottom
    return result


def _are_rows(cells: Sequence[FoundCell], bands: Sequence[Band]) -> bool:
    """Tell if the printed lines of a drawn row are rows of their own: nearly every line fills most of the columns."""
    full = [cell for cell in cells if cell.words]
    if len(full) < 2 or len(bands) < TYPOGRAPHY.several:
        return False
    filled = 0
    for band in bands:
        inside = {id(word) for word in band.words}
        filled += sum(any(id(w) in inside for w in cell.words) for cell in full) >= max(
            2, TYPOGRAPHY.nearly_all * len(full)
        )
    wordy = sum(len(cell.words) > DIVIDED.row_words * len(bands) for cell in full)
    return filled >= TYPOGRAPHY.nearly_all * len(bands) and not wordy
