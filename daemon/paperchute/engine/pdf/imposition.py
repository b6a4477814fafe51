"""Imposition: which pages stand on which sheet, and where. Sizes are in points, the origin is at the bottom left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.work import Refused
from paperchute.language import _

Size = tuple[float, float]

PAPERS: dict[str, Size] = {
    "A3": (841.89, 1190.55),
    "A4": (595.28, 841.89),
    "A5": (419.53, 595.28),
    "Letter": (612.0, 792.0),
    "Legal": (612.0, 1008.0),
    "Tabloid": (792.0, 1224.0),
}
"""Width and height upright: ISO 216, and the American sizes."""

_GRIDS = {2: (2, 1), 4: (2, 2), 6: (3, 2), 8: (4, 2), 9: (3, 3), 16: (4, 4)}
"""Columns and rows by the pages of a sheet; a sheet may have as many rows and columns instead."""

_LEAF = 4  # pages on the two sides of a folded sheet


@dataclass(frozen=True)
class Imposing:
    """What was asked for. paper: None for the first page's size. down: cells are filled column by column.

    binding_right: a booklet is bound at its right edge, and read from right to left.
    """

    is_booklet: bool = False
    per_sheet: int = 2
    paper: Size | None = None
    margin: float = 0.0
    gap: float = 0.0
    down: bool = False
    binding_right: bool = False


@dataclass(frozen=True)
class Layout:
    """A sheet's size and cells, and the pages of each side by their index, in the cells' order; None for a blank."""

    size: Size
    cells: list[Box]
    sides: list[list[int | None]]


def lay_out(pages: Sequence[Size], wish: Imposing) -> Layout:
    """Turn the sheet, and divide it, so that pages of these sizes cover most of it; and give each page its place.

    Raises Refused 03000 where margin and gap leave no room.
    """
    wide, high = wish.paper or pages[0]
    columns, rows = _GRIDS[2 if wish.is_booklet else wish.per_sheet]
    grids = [(columns, rows)] if wish.is_booklet else list(dict.fromkeys([(columns, rows), (rows, columns)]))
    sizes = Counter(pages)
    best: tuple[float, Size, list[Box]] | None = None
    for sheet in ((wide, high), (high, wide)):
        for grid in grids:
            cells = _cells(sheet, grid, wish)
            cell = cells[0]
            if cell.width <= 0 or cell.height <= 0:
                continue
            covered = round(sum(number * _covered(size, cell) for size, number in sizes.items()), 3)
            if best is None or covered > best[0]:
                best = covered, sheet, cells
    if best is None:
        raise Refused("03000", _("margin and gap leave no room for pages on a sheet of that size"))
    return Layout(best[1], best[2], list(_sides(len(pages), wish)))


def scale_in(size: Size, cell: Box) -> float:
    """Give the scale at which a page is as large as its cell allows."""
    return min(cell.width / size[0], cell.height / size[1])


def _covered(size: Size, cell: Box) -> float:
    return scale_in(size, cell) ** 2 * size[0] * size[1]


def _cells(sheet: Size, grid: tuple[int, int], wish: Imposing) -> list[Box]:
    """The cells in the order in which they are read, the rows from the top; `top` is the lower y of a cell."""
    columns, rows = grid
    wide = (sheet[0] - 2 * wish.margin - (columns - 1) * wish.gap) / columns
    high = (sheet[1] - 2 * wish.margin - (rows - 1) * wish.gap) / rows
    places = [(column, row) for row in range(rows) for column in range(columns)]
    if wish.down:
        places.sort()
    cells = []
    for column, row in places:
        left = wish.margin + column * (wide + wish.gap)
        bottom = sheet[1] - wish.margin - row * (high + wish.gap) - high
        cells.append(Box(left, bottom, left + wide, bottom + high))
    return cells


def _sides(count: int, wish: Imposing) -> Iterator[list[int | None]]:
    if not wish.is_booklet:
        for start in range(0, count, wish.per_sheet):
            yield list(range(start, min(start + wish.per_sheet, count)))
        return
    whole = -(-count // _LEAF) * _LEAF
    for first in range(0, whole // 2, 2):  # saddle stitch: front and back of each sheet, from the cover inwards
        for left, right in ((whole - 1 - first, first), (first + 1, whole - 2 - first)):
            pair = (right, left) if wish.binding_right else (left, right)
            yield [index if index < count else None for index in pair]
