"""Drawn cells that hold several: rules often part only some rows or columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.bands import Band, bands_of
from paperchute.engine.reading.layout.grid import FoundCell, FoundTable

_FEWEST_LINES = 3
_CELL_GAP = 1.0  # of the font size


def divided(table: FoundTable, xs: Sequence[float]) -> FoundTable:
    """The table with its cells parted where their words plainly stand in the columns (at `xs`) and rows of others."""
    cells = [part for cell in table.cells for part in _across(cell, xs)]
    return _down(replace(table, cells=cells))


def _across(cell: FoundCell, xs: Sequence[float]) -> list[FoundCell]:
    """A cell over several columns as one cell a column, when its words stand in them with wide gaps between."""
    if cell.column_span == 1 or not cell.words:
        return [cell]
    places: dict[int, list[int]] = {}
    for band in bands_of(cell.words):
        chunks = band.chunks(_CELL_GAP)
        if len(chunks) < 2:
            return [cell]
        for chunk in chunks:
            left, right = chunk[0].left, max(w.right for w in chunk)
            within = range(cell.column, cell.column + cell.column_span)
            column = next((c for c in within if (left + right) / 2 < xs[c + 1]), cell.column)
            if left < xs[column] - 2 or right > xs[column + 1] + 2:
                return [cell]
            places.setdefault(column, []).extend(id(w) for w in chunk)
    return [
        FoundCell(
            cell.row,
            column,
            cell.row_span,
            1,
            Box(xs[column], cell.box.top, xs[column + 1], cell.box.bottom),
            [w for w in cell.words if id(w) in set(places.get(column, ()))],
        )
        for column in range(cell.column, cell.column + cell.column_span)
    ]


def _down(table: FoundTable) -> FoundTable:
    """The table with rows parted whose cells hold lines that stand side by side, several in most of the columns."""
    cells: list[FoundCell] = []
    shift = 0
    for row in range(table.rows):
        own = [cell for cell in table.cells if cell.row == row]
        covered = any(c.row < row < c.row + c.row_span for c in table.cells)
        bands = [] if covered or any(c.row_span > 1 for c in own) else bands_of(w for c in own for w in c.words)
        if not _are_rows(own, bands):
            cells += [replace(cell, row=row + shift) for cell in own]
            continue
        for number, band in enumerate(bands):
            inside = {id(word) for word in band.words}
            for cell in own:
                box = Box(cell.box.left, band.top, cell.box.right, band.bottom)
                words = [w for w in cell.words if id(w) in inside]
                cells.append(FoundCell(row + shift + number, cell.column, 1, cell.column_span, box, words))
        shift += len(bands) - 1
    return replace(table, rows=table.rows + shift, cells=cells)


def _are_rows(cells: Sequence[FoundCell], bands: Sequence[Band]) -> bool:
    """Whether the printed lines of a drawn row are rows of their own: nearly every line fills most of the columns."""
    full = [cell for cell in cells if cell.words]
    if len(full) < 2 or len(bands) < _FEWEST_LINES:
        return False
    filled = 0
    for band in bands:
        inside = {id(word) for word in band.words}
        filled += sum(any(id(w) in inside for w in cell.words) for cell in full) >= max(2, 0.7 * len(full))
    wordy = sum(len(cell.words) > 5 * len(bands) for cell in full)
    return filled >= 0.8 * len(bands) and not wordy
