"""Tables that the document itself says are ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.marks import TaggedTable, Word
from paperchute.engine.reading.layout.tables.amounts import as_printed, is_sign, with_whole_figures
from paperchute.engine.reading.layout.tables.assembly import columns_under
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.columns import columns_of
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import GRIDS, FoundCell, FoundTable, table_of, trimmed
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def tagged_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables whose cells' words stand on the page in rows and columns as they say."""
    by_mark: dict[int, list[Word]] = {}
    for word in evidence.marks.words:
        if word.mark >= 0:
            by_mark.setdefault(word.mark, []).append(word)
    for table in evidence.marks.tables:
        for cells in _parts(table, by_mark):
            found = _found(cells, {c.row for c in table.cells if not c.header})
            if found is None or found.is_turned:
                continue
            least = TYPOGRAPHY.half * found.box.area
            drawn = next((grid for grid in evidence.grids if found.box.overlap(grid.box) > least), None)
            if drawn is not None:
                found.bordered, found.box = True, hull([found.box, drawn.box])
                _take_areas(found, drawn)
            yield found


def _take_areas(tagged: FoundTable, drawn: FoundTable) -> None:
    """Give the cells of a tagged table, whose boxes are those of their words, the areas of the grid drawn around them.

    Only where both have the same cells, a head aside that is a coloured bar over the grid: its words stand in the
    middle of it. Writers take areas for the edges of rows and columns.
    """
    heads = tagged.rows - drawn.rows
    if heads not in (0, 1):
        return
    areas = {(cell.row + heads, cell.column, cell.row_span, cell.column_span): cell.box for cell in drawn.cells}
    found: list[Box] = []
    for cell in tagged.cells:
        words = hull(word.box for word in cell.words) if cell.words else None
        area = areas.get((max(cell.row, heads), cell.column, cell.row_span, cell.column_span))
        if area is not None and words is not None and cell.row < heads:
            area = Box(area.left, words.top + words.bottom - area.top, area.right, area.top)
        if area is None or (words is not None and not area.holds(*words.center)):
            return
        found.append(area)
    for cell, area in zip(tagged.cells, found, strict=True):
        cell.box = area
    tagged.box = hull(found)


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
        if not parts or here < top - TYPOGRAPHY.label_reach:
            parts.append([])
        parts[-1] += cells
        top = here
    return parts


def _found(cells: list[FoundCell], bodies: set[int]) -> FoundTable | None:
    """The cells as a table. bodies: the rows that are no head."""
    rows = max(cell.row + cell.row_span for cell in cells)
    columns = max(cell.column + cell.column_span for cell in cells)
    if columns < 2 or rows * columns > GRIDS.most_slots or not _stands(cells):
        return None
    cells = [cell for _, row in itertools.groupby(cells, key=lambda c: c.row) for cell in _in_order(list(row))]
    if any(is_sign(" ".join(word.text for word in cell.words)) for cell in cells) and _is_uneven(cells):
        placed = _by_position(cells)
        if placed is not None:
            placed.heads = min(bodies, default=0) - min(cell.row for cell in cells)
            return placed
    cells = _shifted(cells, columns)
    found = trimmed(FoundTable(hull(cell.box for cell in cells), rows, columns, cells, bordered=False))
    used = sorted({cell.row for cell in cells})
    found.heads = next((n for n, row in enumerate(used) if row in bodies), 0)
    return found if found.rows >= 2 and found.columns >= 2 else None


def _in_order(row: list[FoundCell]) -> list[FoundCell]:
    """The cells of a row as they stand from left to right: spreadsheets tag some in the order of their formatting.

    A row whose cells stand over each other, or leave places to cells of other rows, stays as it is tagged.
    """
    placed = sorted(row, key=lambda cell: cell.box.left)
    if placed == row or any(after.box.left < before.box.right for before, after in itertools.pairwise(placed)):
        return row
    if any(after.column != before.column + before.column_span for before, after in itertools.pairwise(row)):
        return row
    starts = itertools.accumulate((cell.column_span for cell in placed), initial=row[0].column)
    return [replace(cell, column=column) for cell, column in zip(placed, starts, strict=False)]


def _is_uneven(cells: Sequence[FoundCell]) -> bool:
    """Decide whether rows have different numbers of places: empty cells were left out."""
    places: dict[int, int] = {}
    for cell in cells:
        places[cell.row] = places.get(cell.row, 0) + cell.column_span
    return len(set(places.values())) > 1 and all(cell.row_span == 1 for cell in cells)


def _by_position(cells: Sequence[FoundCell]) -> FoundTable | None:
    """The rows as tagged, the columns as the figures stand, signs with theirs; None where two cells would be one."""
    rows: dict[int, list[Word]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).extend(cell.words)
    parts: dict[int, list[Word]] = {}
    bands: list[Band] = []
    for _, words in sorted(rows.items()):
        lines, own = with_whole_figures(bands_of(words))
        whole = [word for line in lines for word in line.ordered]
        parts |= own
        top, bottom = min(w.top for w in whole), max(w.bottom for w in whole)
        bands.append(Band(top, bottom, whole, max(w.size for w in whole)))
    columns = columns_of(bands, TYPOGRAPHY.half_em, TYPOGRAPHY.fifth)
    owner = {id(word): number for number, cell in enumerate(cells) for word in cell.words}
    found: dict[tuple[int, int], list[Word]] = {}
    for row, band in enumerate(bands):
        for word in band.words:
            found.setdefault((row, columns_under([word], columns)[0]), []).append(word)
    found = {place: as_printed(words, parts) for place, words in found.items()}
    for words in found.values():
        if len({owner[id(part)] for part in words if not is_sign(part.text)}) > 1:
            return None
    return table_of(found, len(bands), len(columns))


def _shifted(cells: list[FoundCell], columns: int) -> list[FoundCell]:
    """The cells of short rows moved to the right where they stand.

    Some programs leave empty cells out of the structure, and those after them then seem to be in a column too early.
    """
    if sum(cell.row_span * cell.column_span for cell in cells) > GRIDS.most_slots:
        return cells
    extents: dict[int, tuple[float, float]] = {}
    by_row: dict[int, list[FoundCell]] = {}
    taken: set[tuple[int, int]] = set()
    for cell in cells:
        by_row.setdefault(cell.row, []).append(cell)
        taken |= {(cell.row + n, cell.column + m) for n in range(cell.row_span) for m in range(cell.column_span)}
    full = {row for row in by_row if all((row, column) in taken for column in range(columns))}
    for cell in cells:
        if cell.row in full and cell.column_span == 1:
            left, right = extents.get(cell.column, (cell.box.left, cell.box.right))
            extents[cell.column] = min(left, cell.box.left), max(right, cell.box.right)
    result: list[FoundCell] = []
    for row, own in by_row.items():
        free = columns
        moved: list[FoundCell] = []
        for cell in [] if row in full else reversed(own):
            column = _column(cell, extents, free)
            moved.append(replace(cell, column=column))
            free = column
        spanned = sum((row, n) in taken for n in range(columns)) > sum(cell.column_span for cell in own)
        spanned = spanned or any(cell.row_span > 1 for cell in own)
        result += own if spanned else reversed(moved or own[::-1])
    return result


def _column(cell: FoundCell, extents: dict[int, tuple[float, float]], free: int) -> int:
    """The column, below `free`, where a cell stands; its own unless it plainly stands in one further right."""
    middle = cell.box.center[0]

    def holds(column: int) -> bool:
        inside = [extents[n] for n in range(column, column + cell.column_span) if n in extents]
        return bool(inside) and min(e[0] for e in inside) <= middle <= max(e[1] for e in inside)

    if cell.column_span > 1:
        further = range(cell.column, free - cell.column_span + 1)
        return cell.column if holds(cell.column) else next(filter(holds, further), cell.column)
    if _common(cell, extents.get(cell.column)) > 0:
        return cell.column
    further = range(cell.column + 1, free)
    found = [column for column in further if _common(cell, extents.get(column)) > 0]
    return max(found, key=lambda column: _common(cell, extents.get(column)), default=cell.column)


def _common(cell: FoundCell, extent: tuple[float, float] | None) -> float:
    return 0.0 if extent is None else min(cell.box.right, extent[1]) - max(cell.box.left, extent[0])


def _stands(cells: Sequence[FoundCell]) -> bool:
    """Decide whether cells of a row stand beside, rows under each other."""
    good = total = 0
    ordered = sorted(cells, key=lambda c: (c.row, c.column))
    for a, b in itertools.pairwise(ordered):
        total += 1
        good += b.box.left > a.box.left if a.row == b.row else b.box.bottom > a.box.top
    firsts = [next(row) for _, row in itertools.groupby(ordered, key=lambda c: c.row)]
    for a, b in itertools.pairwise(firsts):
        total += 1
        good += b.box.center[1] > a.box.center[1]
    return good >= TYPOGRAPHY.nearly_all * total
