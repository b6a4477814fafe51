"""Sums of a table's columns: the cells whose number is that of the cells above, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from paperchute.engine.document.model import Table
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.cell_values import CELL_VALUES, Typed


@dataclass(frozen=True, slots=True)
class SumSettings:
    """When a number is the sum of those above it, and not so by chance."""

    least: float = 100.0
    """Of a sum's units, hundredths where it has decimals: small numbers add up by chance."""

    most_after: int = 4
    """Numbers below a sum in its column: tax, total, deposit, balance. What stands higher up is one among others."""


SUMS = SumSettings()

Range = tuple[int, int]
"""The first and the last row that are added."""


def sums_of(table: Table, values: Mapping[tuple[int, int], Typed]) -> dict[tuple[int, int], Range]:
    """Find the cells, by row and column, that are the sum of those above them, and of which rows."""
    filled = {(cell.row, cell.column): bool(cell.lines) for cell in table.cells}
    spanned = {
        (row, column)
        for cell in table.cells
        if cell.row_span > 1 or cell.column_span > 1
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    found: dict[tuple[int, int], Range] = {}
    for column in {column for _, column in values}:
        run: list[tuple[int, float]] = []
        for row in range(table.rows + 1):
            typed = values.get((row, column))
            if typed is not None and isinstance(typed.value, float) and (row, column) not in spanned:
                run.append((row, typed.value))
            elif row == table.rows or filled.get((row, column)) or (row, column) in spanned:
                found |= {(at, column): rows for at, rows in _sums(run).items()}
                run = []
    return found


def _sums(run: list[tuple[int, float]]) -> dict[int, Range]:
    """The sums among the numbers of a column that nothing but empty cells parts, by row."""
    found: dict[int, Range] = {}
    for place in range(2, len(run)):
        row, value = run[place]
        if len(run) - place - 1 > SUMS.most_after or abs(value) * (1 if value.is_integer() else 100) < SUMS.least:
            continue
        last = max((n for n in range(place) if run[n][0] in found), default=-1)
        starts = [0] if last < 0 else [last, last + 1]  # of the sum above and what is added to it, or of those after it
        for start in starts:
            fewest = 2 if start == last else TYPOGRAPHY.several
            numbers = [number for _, number in run[start:place]]
            if len(numbers) >= fewest and math.isclose(math.fsum(numbers), value, rel_tol=CELL_VALUES.same_sum):
                found[row] = run[start][0], run[place - 1][0]
                break
    return found
