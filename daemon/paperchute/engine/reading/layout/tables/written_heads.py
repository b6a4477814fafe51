"""Heads of tables whose cells have several lines, told by the order in which the page's content has them.

Where each cell stands in the middle of the tallest, its lines are level with those of none beside it: taken by their
heights they would be rows of words, and the figures below had the heads of their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable
from paperchute.engine.reading.layout.tables.written import WrittenCell, written_cells
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def with_written_heads(
    find: Callable[[Evidence], Sequence[FoundTable]], fewest: int
) -> Callable[[Evidence], Sequence[FoundTable]]:
    """Have what a finder finds begin with one row of heads where these were written cell by cell above its figures.

    fewest: rows above the figures, which may be lines of one.
    """

    def found(evidence: Evidence) -> Sequence[FoundTable]:
        tables = find(evidence)
        heads = [_first_figures(table, _rows_of(table)) for table in tables]
        if not any(fewest <= rows < table.rows for table, rows in zip(tables, heads, strict=True)):
            return tables
        cells = written_cells(evidence)
        return [_with_written_head(table, cells) for table in tables]

    return found


def _with_written_head(table: FoundTable, cells: Sequence[WrittenCell]) -> FoundTable:
    """The table with one row of heads where these were written cell by cell above its figures; else as it is.

    cells: those of the page in the order in which they were written.
    """
    rows = _rows_of(table)
    first = _first_figures(table, rows)
    if first > TYPOGRAPHY.short_text or table.rows - first < 2:
        return table
    body = [cell for row in rows[first:] for cell in row]
    if any(cell.column_span > 1 for cell in body) or len({cell.column for cell in body}) < table.columns:
        return table
    columns = [hull(cell.box for cell in body if cell.column == column) for column in range(table.columns)]
    top = min(column.top for column in columns)
    begin = next((n for n, cell in enumerate(cells) if cell.box.center[1] > top), 0)
    before = [_without_heading(cell) for cell in cells[max(begin - table.columns, 0) : begin]]
    head = next((own for own in (before, before[1:]) if _stands_over(own, columns, top)), None)
    if head is None:
        return table
    own = {id(word) for cell in head for word in cell.words}
    taken = [word for row in rows[:first] for cell in row for word in cell.words]
    wrapped = max(len(cell.lines) for cell in head) > 1
    if not (wrapped or len(rows[0]) < table.columns) or any(id(word) not in own for word in taken):
        return table
    bare = table.columns - len(head)
    found = [FoundCell(0, n, 1, 1, cell.box, cell.words) for n, cell in enumerate(head, bare)]
    found += [replace(cell, row=cell.row - first + 1) for cell in body]
    box = hull([table.box, *(cell.box for cell in head)])
    return replace(table, rows=table.rows - first + 1, cells=found, heads=1, box=box)


def _rows_of(table: FoundTable) -> list[list[FoundCell]]:
    """The cells with words, row by row."""
    return [[cell for cell in table.cells if cell.row == row and cell.words] for row in range(table.rows)]


def _first_figures(table: FoundTable, rows: Sequence[Sequence[FoundCell]]) -> int:
    """The number of the first row of figures; as many as there are rows for none."""
    return next((n for n, row in enumerate(rows) if _has_figures(row, table.columns)), table.rows)


def _stands_over(head: Sequence[WrittenCell], columns: Sequence[Box], top: float) -> bool:
    """Decide whether cells are the head over all columns, or over all but the first, which may have none.

    top: of the first row below them.
    """
    bare = len(columns) - len(head)
    return (
        0 <= bare <= 1 < len(head)
        and top - max(cell.box.bottom for cell in head) <= TYPOGRAPHY.tab * head[-1].lines[0].size
        and all(_is_over(cell.box, n, columns) for n, cell in enumerate(head, bare))
        and _are_level(head)
    )


def _without_heading(cell: WrittenCell) -> WrittenCell:
    """A head's cell without a heading of the table that was written right before it."""
    lines = [line for line in cell.lines if line.size <= TYPOGRAPHY.larger * cell.lines[-1].size]
    return cell if len(lines) == len(cell.lines) else WrittenCell(lines, hull(line.box for line in lines))


def _is_over(cell: Box, column: int, columns: Sequence[Box]) -> bool:
    """Tell if a head stands over its column, or over the space beside it, as one set left over figures set right."""
    own = columns[column]
    if cell.left < own.right and cell.right > own.left:
        return True
    before = columns[column - 1].right if column else float("-inf")
    after = columns[column + 1].left if column + 1 < len(columns) else float("inf")
    return before <= cell.left and cell.right <= after


def _has_figures(row: Sequence[FoundCell], columns: int) -> bool:
    figures = sum(is_figure(" ".join(word.text for word in cell.words)) for cell in row)
    return figures >= TYPOGRAPHY.half * (columns - 1)


def _are_level(head: Sequence[WrittenCell]) -> bool:
    """Decide whether the cells begin, end or are centred at one height."""
    slack = TYPOGRAPHY.half_em * head[0].lines[0].size
    heights = ([cell.box.top for cell in head], [cell.box.bottom for cell in head], [c.box.center[1] for c in head])
    return any(max(own) - min(own) < slack for own in heights)
