"""Tables as files give them, as grids whose cells neither overlap nor leave them (WHATWG HTML, 4.9.12).

A table within a cell becomes part of the grid around it: the cell is divided, and those beside it span its rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from paperchute.engine.reading.office.parts import GivenCell, GivenTable, Part

_DEEPEST = 12  # tables inside of each other that are grids of their own; deeper ones are the text of their cells


@dataclass(slots=True)
class GridCell:
    """A cell at its place. rows, columns: that it covers."""

    row: int
    column: int
    rows: int
    columns: int
    parts: list[Part] = field(default_factory=list)
    is_head: bool = False


@dataclass(slots=True)
class Grid:
    """heads: how many rows at its top are its head."""

    rows: int
    columns: int
    cells: list[GridCell]
    heads: int = 0


def grid_of(table: GivenTable, is_seen: Callable[[GivenCell], bool], depth: int = 0) -> Grid:
    """Place the cells of a table that are seen; rows and columns without any cell of their own are left out."""
    order = {"head": 0, "body": 1, "foot": 2}
    given = sorted(table.rows, key=lambda row: order[row[0]])
    rows = [[cell for cell in cells if is_seen(cell)] for _, cells in given]
    named = [section == "head" for (section, _), cells in zip(given, rows, strict=True) if cells]
    rows = [cells for cells in rows if cells]
    heads = 0
    while heads < len(rows) - 1 and (named[heads] or all(cell.is_head for cell in rows[heads])):
        heads += 1
    placed = _divided(_without_idle_columns(list(_placed(rows))), is_seen, depth)
    columns = max((cell.column + cell.columns for _, cell in placed), default=0)
    bottom = max((cell.row + cell.rows for _, cell in placed), default=0)
    first = min((cell.row for number, cell in placed if number >= heads), default=bottom)
    for number, cell in placed:
        cell.is_head = number < heads
        if cell.is_head:
            cell.rows = min(cell.rows, first - cell.row)
    return Grid(bottom, columns, [cell for _, cell in placed], first if heads else 0)


def _placed(rows: Sequence[Sequence[GivenCell]]) -> Iterator[GridCell]:
    """Each cell in the first free column of its row, no wider than is free and no longer than the table."""
    until: list[int] = []  # by column: the row in which it is free again
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while column < len(until) and until[column] > row:
                column += 1
            end = column + 1
            while end < column + cell.columns and (end >= len(until) or until[end] <= row):
                end += 1
            length = min(cell.rows, len(rows) - row)
            until += [0] * (end - len(until))
            until[column:end] = [row + length] * (end - column)
            yield GridCell(row, column, length, end - column, cell.parts)
            column = end


def _without_idle_columns(cells: list[GridCell]) -> list[GridCell]:
    """The cells in a grid that has no column in which none begins."""
    begun = sorted({cell.column for cell in cells})
    number = {column: n for n, column in enumerate(begun)}
    for cell in cells:
        end = bisect_left(begun, cell.column + cell.columns)
        cell.column = number[cell.column]
        cell.columns = end - cell.column
    return cells


def _divided(cells: Sequence[GridCell], is_seen: Callable[[GivenCell], bool], depth: int) -> list[tuple[int, GridCell]]:
    """The cells, those with tables in them divided, each with the row that it had before."""
    inner = [_inner(cell, is_seen, depth) for cell in cells]
    if all(part is None for part in inner):
        return [(cell.row, cell) for cell in cells]
    bottom = max(cell.row + cell.rows for cell in cells)
    right = max(cell.column + cell.columns for cell in cells)
    heights, widths = [1] * bottom, [1] * right
    sizes = [(part.rows, part.columns) if part is not None else (1, 1) for part in inner]
    for cell, (high, wide) in sorted(zip(cells, sizes, strict=True), key=lambda pair: pair[0].rows + pair[0].columns):
        heights[cell.row + cell.rows - 1] += max(high - sum(heights[cell.row : cell.row + cell.rows]), 0)
        widths[cell.column + cell.columns - 1] += max(wide - sum(widths[cell.column : cell.column + cell.columns]), 0)
    tops, lefts = [0, *accumulate(heights)], [0, *accumulate(widths)]
    made = []
    for cell, part in zip(cells, inner, strict=True):
        top, left = tops[cell.row], lefts[cell.column]
        room_down, room_right = tops[cell.row + cell.rows] - top, lefts[cell.column + cell.columns] - left
        if part is None:
            made.append((cell.row, replace(cell, row=top, column=left, rows=room_down, columns=room_right)))
            continue
        for one in part.cells:  # the last ones reach as far as the cell did
            rows = room_down - one.row if one.row + one.rows == part.rows else one.rows
            columns = room_right - one.column if one.column + one.columns == part.columns else one.columns
            made.append((cell.row, GridCell(top + one.row, left + one.column, rows, columns, one.parts)))
    return sorted(made, key=lambda pair: (pair[1].row, pair[1].column))


def _inner(cell: GridCell, is_seen: Callable[[GivenCell], bool], depth: int) -> Grid | None:
    """Return what a cell with tables in it is made of, its other text in rows of their own; None for one without."""
    if not any(part.table is not None for part in cell.parts):
        return None
    if depth >= _DEEPEST:
        cell.parts = list(flat_parts(cell.parts))
        return None
    grids: list[Grid] = []
    for part in cell.parts:
        if part.table is not None:
            grid = grid_of(part.table, is_seen, depth + 1)
            if grid.cells:
                grids.append(grid)
        elif grids and grids[-1].rows == grids[-1].columns == 1 and grids[-1].heads < 0:
            grids[-1].cells[0].parts.append(part)
        else:
            grids.append(Grid(1, 1, [GridCell(0, 0, 1, 1, [part])], heads=-1))
    columns = max((grid.columns for grid in grids), default=1)
    cells, row = [], 0
    for grid in grids:
        for one in grid.cells:
            is_last = one.column + one.columns == grid.columns
            wide = columns - one.column if is_last else one.columns
            cells.append(replace(one, row=one.row + row, columns=wide))
        row += grid.rows
    return Grid(max(row, 1), columns, cells)


def flat_parts(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts of tables within, in order, without the tables; however deep they stand."""
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        if part.table is None:
            yield part
        else:
            waiting += [
                inner
                for _, row in reversed(part.table.rows)
                for cell in reversed(row)
                for inner in reversed(cell.parts)
            ]
