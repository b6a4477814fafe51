"""Pictures that were printed in the cells of a table, such as those of a price list, put into these cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Cell, Page, Table


@dataclass(frozen=True, slots=True)
class CellPictureSettings:
    """What stands in a cell. Lengths are points."""

    slack: float = 3.0
    """By so much a picture may reach out of its cell, or into the column beside it: frames lie on the rules."""


CELL_PICTURES = CellPictureSettings()


def with_cell_pictures(page: Page) -> Page:
    """The page, its pictures in the cells that they stand in; the others stay where they are.

    A table with pictures stands where the first of them did, or before.
    """
    pictures = [block for block in page.blocks if block.kind == "image" and block.image and not block.background]
    if not pictures or not any(block.table for block in page.blocks):
        return page
    blocks = list(page.blocks)
    for block in page.blocks:
        made = _filled(block, block.table, pictures) if block.table is not None else None
        if made is None or made.table is None:
            continue
        taken = {id(one) for cell in made.table.cells for one in cell.pictures}
        pictures = [one for one in pictures if id(one) not in taken]
        first = next(number for number, one in enumerate(blocks) if one is block or id(one) in taken)
        rest = [one for one in blocks[first:] if one is not block and id(one) not in taken]
        blocks = [*blocks[:first], made, *rest]
    return replace(page, blocks=tuple(blocks))


def _filled(block: Block, table: Table, pictures: Sequence[Block]) -> Block | None:
    """The table with the pictures that stand in it; None where none does."""
    held: dict[int, list[Block]] = {}
    free: list[Block] = []
    for picture in pictures:
        number = next((n for n, cell in enumerate(table.cells) if _stands_in(picture, cell, table)), None)
        if number is None:
            free.append(picture)
        else:
            held.setdefault(number, []).append(picture)
    cells = [replace(cell, pictures=tuple(held.get(number, ()))) for number, cell in enumerate(table.cells)]
    table = _with_column(replace(table, cells=tuple(cells)), block.quad.box, free)
    found = [one.quad.box for cell in table.cells for one in cell.pictures]
    return replace(block, quad=Quad.of(hull([block.quad.box, *found])), table=table) if found else None


def _stands_in(picture: Block, cell: Cell, table: Table) -> bool:
    """Decide whether a picture lies in a cell between rules, and over none of its words."""
    if not table.bordered:
        return False
    box, around = picture.quad.box, cell.quad.box
    slack = CELL_PICTURES.slack
    inside = around.holds(box.left, box.top, slack) and around.holds(box.right, box.bottom, slack)
    return inside and not any(box.grown(-slack).overlap(line.quad.box) for line in cell.lines)


def _with_column(table: Table, whole: Box, pictures: Sequence[Block]) -> Table:
    """The table with one more column where pictures stand beside its rows and no column has any words there.

    whole: of the table.
    """
    rows = _extents([(cell.row, cell.quad.box) for cell in table.cells if cell.row_span == 1 and cell.lines])
    placed = [(row, one) for one in pictures if (row := _row_of(one.quad.box, rows)) is not None]
    beside = {row for row, _ in placed}
    if len(beside) < max(2, 0.5 * len(rows)):
        return table
    single = [cell for cell in table.cells if cell.column_span == 1 and cell.lines]
    columns = _extents([(cell.column, cell.quad.box) for cell in single])
    columns |= _extents([(cell.column, cell.quad.box) for cell in single if cell.row in beside])  # heads may be wider
    band = hull(one.quad.box for _, one in placed)
    narrowest = min(one.quad.box.width for _, one in placed)
    slack = CELL_PICTURES.slack
    if band.width > 2 * narrowest or max(Counter(row for row, _ in placed).values()) > 1:
        return table
    level = [n for n, box in columns.items() if box.left < band.right - slack and box.right > band.left + slack]
    if level:
        return _in_column(table, level, placed)
    before = [column for column, box in columns.items() if box.center[0] < band.center[0]]
    at = max(before, default=-1) + 1
    cells = [_moved(cell, at, band) for cell in table.cells]
    left = max((columns[column].right for column in before), default=whole.left)
    right = min((box.left for column, box in columns.items() if column not in before), default=whole.right)
    for row, one in placed:
        own, words = one.quad.box, rows[row]
        ruled = Box(min(left, own.left), words.top, max(right, own.right), words.bottom)
        cells.append(Cell(row, at, Quad.of(ruled if table.bordered else own), pictures=(one,)))
    return _regular(replace(table, columns=table.columns + 1, cells=tuple(cells))) or table


def _in_column(table: Table, level: Sequence[int], placed: Sequence[tuple[int, Block]]) -> Table:
    """The table with pictures in a column that has words in other rows, such as its head."""
    column = level[0]
    empty = {(row, column) for row, _ in placed}
    kept = [cell for cell in table.cells if cell.lines or cell.pictures or (cell.row, cell.column) not in empty]
    cells = [*kept, *(Cell(row, column, one.quad, pictures=(one,)) for row, one in placed)]
    return (_regular(replace(table, cells=tuple(cells))) if len(level) == 1 else None) or table


def _regular(table: Table) -> Table | None:
    """The table with its cells in order; None where two of them share a place."""
    places = Counter(
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    )
    if max(places.values()) > 1:
        return None
    return replace(table, cells=tuple(sorted(table.cells, key=lambda cell: (cell.row, cell.column))))


def _moved(cell: Cell, at: int, band: Box) -> Cell:
    """The cell beside a new column, or over it, as words of a head may be. band: where the column is."""
    if cell.column >= at:
        return replace(cell, column=cell.column + 1)
    end = cell.column + cell.column_span
    over = end > at or (end == at and bool(cell.lines) and cell.quad.box.right > band.left + CELL_PICTURES.slack)
    return replace(cell, column_span=cell.column_span + 1) if over else cell


def _extents(boxes: Sequence[tuple[int, Box]]) -> dict[int, Box]:
    """Around what stands in each row, or in each column."""
    found: dict[int, Box] = {}
    for number, box in boxes:
        found[number] = hull([found[number], box]) if number in found else box
    return found


def _row_of(box: Box, rows: dict[int, Box]) -> int | None:
    """The only row whose words have their middle at the height of a picture."""
    level = [row for row, words in rows.items() if box.top <= words.center[1] <= box.bottom]
    return level[0] if len(level) == 1 else None
