"""Tables that the document itself says are ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.grid import FoundCell, FoundTable, trimmed
from paperchute.engine.reading.layout.records import TaggedTable, Word

_ORDERED = 0.9  # of neighbouring cells must stand as the structure says
_MOST_SLOTS = 20_000
_HIGHER = 20.0  # points


def tagged_tables(tables: Sequence[TaggedTable], words: Sequence[Word]) -> list[FoundTable]:
    """The tables whose cells' words stand on the page in rows and columns as they say."""
    by_mark: dict[int, list[Word]] = {}
    for word in words:
        if word.mark >= 0:
            by_mark.setdefault(word.mark, []).append(word)
    return [
        found
        for table in tables
        for cells in _parts(table, by_mark)
        if (found := _found(cells, {c.row for c in table.cells if not c.header})) is not None
    ]


def _parts(table: TaggedTable, by_mark: dict[int, list[Word]]) -> list[list[FoundCell]]:
    """The cells with words, parted where a row stands higher than the one before: in the next column of the page."""
    parts: list[list[FoundCell]] = []
    top = 0.0
    for _, row in itertools.groupby(table.cells, key=lambda c: c.row):
        cells = []
        for cell in row:
            words = [word for mark in sorted(cell.marks) for word in by_mark.get(mark, ())]
            if words:
                box = hull(word.box for word in words)
                cells.append(FoundCell(cell.row, cell.column, cell.row_span, cell.column_span, box, words))
        if not cells:
            continue
        here = min(cell.box.top for cell in cells)
        if not parts or here < top - _HIGHER:
            parts.append([])
        parts[-1] += cells
        top = here
    return parts


def _found(cells: list[FoundCell], bodies: set[int]) -> FoundTable | None:
    """The cells as a table. bodies: the rows that are no head."""
    rows = max(cell.row + cell.row_span for cell in cells)
    columns = max(cell.column + cell.column_span for cell in cells)
    if columns < 2 or rows * columns > _MOST_SLOTS or not _stands(cells):
        return None
    found = trimmed(FoundTable(hull(cell.box for cell in cells), rows, columns, cells, bordered=False))
    used = sorted({cell.row for cell in cells})
    found.heads = next((n for n, row in enumerate(used) if row in bodies), 0)
    return found if found.rows >= 2 and found.columns >= 2 else None


def _stands(cells: Sequence[FoundCell]) -> bool:
    """Whether cells of a row stand beside, rows under each other."""
    good = total = 0
    ordered = sorted(cells, key=lambda c: (c.row, c.column))
    for a, b in itertools.pairwise(ordered):
        total += 1
        good += b.box.left > a.box.left if a.row == b.row else b.box.bottom > a.box.top
    firsts = [next(row) for _, row in itertools.groupby(ordered, key=lambda c: c.row)]
    for a, b in itertools.pairwise(firsts):
        total += 1
        good += b.box.center[1] > a.box.center[1]
    return good >= _ORDERED * total
