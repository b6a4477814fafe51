"""Tables as lists of rows: all of a page, or those whose heads are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block, Table
from paperchute.engine.extracting.labels import is_form, likeness
from paperchute.engine.extracting.schema import Wanted

Rows = list[list[str]]
_NEAR = 0.8
_HEAD_ROWS = 3


def rows_of(table: Table) -> Rows:
    """The texts of a table's grid; a cell over several places stands in the first."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = " ".join(flowed_text(cell.lines).split())
    return grid


def plain_tables(blocks: Sequence[Block]) -> list[tuple[Block, Rows]]:
    """The tables that are no forms, in reading order, their heads as first rows."""
    return [(b, rows_of(b.table)) for b in blocks if b.table is not None and not is_form(b.table)]


def wanted_table(headers: Sequence[Wanted], blocks: Sequence[Block]) -> tuple[float, Block, Rows] | None:
    """The table whose head fits best: the share of the headers it has, its block, and its rows with the wanted columns
    in the wanted order, their names as first row. None where no table has half of them."""
    found: tuple[float, Block, Rows] | None = None
    for block in blocks:
        if block.table is None:
            continue
        grid = rows_of(block.table)
        for number, row in enumerate(grid[:_HEAD_ROWS]):
            places = _places(headers, row)
            share = sum(place is not None for place in places) / len(headers)
            if share >= 0.5 and (found is None or share > found[0]):
                body = [["" if p is None else cells[p] for p in places] for cells in grid[number + 1 :]]
                found = share, block, [[header.name for header in headers], *(cells for cells in body if any(cells))]
    return found


def _places(headers: Sequence[Wanted], row: Sequence[str]) -> list[int | None]:
    """The column of each header; none is taken twice."""
    places: list[int | None] = []
    for header in headers:
        scored = [(likeness(header, text), -n) for n, text in enumerate(row) if n not in places]
        likely = max(scored, default=(0.0, 0))
        places.append(-likely[1] if likely[0] >= _NEAR else None)
    return places
