"""Cells from the slots of a grid: slots with no rule between them are one cell."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.reading.layout.records import Rule

_NEAR = 3.0
_COVERED = 0.6


def merged_slots(
    xs: Sequence[float], ys: Sequence[float], flat: Sequence[Rule], tall: Sequence[Rule]
) -> list[tuple[int, int, int, int]]:
    """Cells as (row, column, row span, column span) covering the grid of lines xs and ys without overlap."""
    rows, columns = len(ys) - 1, len(xs) - 1
    # walls[r][c]: is there a rule to the right of slot (r, c); floors[r][c]: below it
    standing = [[(rule.y1, rule.y2) for rule in tall if abs(rule.x1 - x) <= _NEAR] for x in xs]
    lying = [[(rule.x1, rule.x2) for rule in flat if abs(rule.y1 - y) <= _NEAR] for y in ys]
    walls = [[_covered(standing[c + 1], ys[r], ys[r + 1]) for c in range(columns)] for r in range(rows)]
    floors = [[_covered(lying[r + 1], xs[c], xs[c + 1]) for c in range(columns)] for r in range(rows)]
    taken = [[False] * columns for _ in range(rows)]
    cells = []
    for row in range(rows):
        for column in range(columns):
            if taken[row][column]:
                continue
            width = 1
            while column + width < columns and not walls[row][column + width - 1] and not taken[row][column + width]:
                width += 1
            height = 1
            while row + height < rows and _opens(row + height, column, width, walls, floors, taken):
                height += 1
            for r in range(row, row + height):
                for c in range(column, column + width):
                    taken[r][c] = True
            cells.append((row, column, height, width))
    return cells


def _opens(
    row: int, column: int, width: int, walls: list[list[bool]], floors: list[list[bool]], taken: list[list[bool]]
) -> bool:
    """Whether the slots of `row` below a cell belong to it."""
    across = range(column, column + width)
    if any(floors[row - 1][c] or taken[row][c] for c in across):
        return False
    return not any(walls[row][c] for c in across[:-1])


def _covered(strokes: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    """Whether strokes cover most of the way from start to end."""
    covered = sum(max(0.0, min(high, end) - max(low, start)) for low, high in strokes)
    return covered >= _COVERED * (end - start)
