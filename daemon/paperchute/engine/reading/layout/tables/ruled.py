"""Tables whose grid is drawn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Rule, Word
from paperchute.engine.reading.layout.tables.divided import divided
from paperchute.engine.reading.layout.tables.grid import GRIDS, FoundCell, FoundTable, head_rows, in_box, trimmed
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class RuledTableSettings:
    """What drawn rules say of a table. Lengths are points where nothing else is said."""

    overhang: float = 12.0
    """By so much rules reach past the last one that crosses them where a side is open; less is how they were drawn. A
    row of one line, as of sums below the last rule, is 15 high; at 1.8 times it is lost."""

    most_in_cell: int = 120
    """Words of one cell; in small tables it may hold `most_share` of all, beyond is a frame round the page. 0.8 to 1.2
    times it reads 83 sample pages the same."""

    most_strokes: int = 3_000
    """Rules lying or standing on a page: a bound on work on drawings and hostile pages."""


RULED = RuledTableSettings()


def ruled_tables(
    horizontal: Sequence[Rule],
    vertical: Sequence[Rule],
    words: Sequence[Word],
    before: Sequence[tuple[float, ...]] = (),
) -> list[FoundTable]:
    """The tables that crossing rules make, with the words inside them.

    before: the edges of the columns of tables of the page before, which one row alone may go on with.
    """
    tables = []
    for flat, tall in _crossing_groups(horizontal[: RULED.most_strokes], vertical[: RULED.most_strokes]):
        xs, ys = _lines([r.x1 for r in tall]), _lines([r.y1 for r in flat])
        left, right = min(r.x1 for r in flat), max(r.x2 for r in flat)
        top, bottom = min(r.y1 for r in tall), max(r.y2 for r in tall)
        xs = _with_ends(xs, left, right)
        ys = _with_ends(ys, top, bottom)
        if len(xs) < 3 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) > GRIDS.most_slots:
            continue
        table = _filled(xs, ys, flat, tall, words, any(_is_same(xs, edges) for edges in before))
        if table is not None:
            tables.append(table)
    return _apart(tables)


def _is_same(xs: Sequence[float], edges: Sequence[float]) -> bool:
    return len(xs) == len(edges) and all(abs(x - edge) <= TYPOGRAPHY.frame for x, edge in zip(xs, edges, strict=True))


def _filled(
    xs: list[float], ys: list[float], flat: list[Rule], tall: list[Rule], words: Sequence[Word], goes_on: bool
) -> FoundTable | None:
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    inside = in_box(words, box)
    if not inside:
        return None
    cells = []
    at: dict[tuple[int, int], FoundCell] = {}
    for row, column, row_span, column_span in merged_slots(xs, ys, flat, tall):
        cell = FoundCell(
            row, column, row_span, column_span, Box(xs[column], ys[row], xs[column + column_span], ys[row + row_span])
        )
        cells.append(cell)
        for r in range(row, row + row_span):
            for c in range(column, column + column_span):
                at[r, c] = cell
    for word in inside:
        x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
        r = min(max(bisect_left(ys, y) - 1, 0), len(ys) - 2)
        c = min(max(bisect_left(xs, x) - 1, 0), len(xs) - 2)
        at[r, c].words.append(word)
    table = trimmed(divided(FoundTable(box, len(ys) - 1, len(xs) - 1, cells, bordered=True), xs))
    table.heads, table.edges = head_rows(table), tuple(xs)
    return table if _is_table(table, len(inside), all(r.edge for r in tall), goes_on) else None


def _is_table(table: FoundTable, words: int, only_edges: bool, goes_on: bool) -> bool:
    """Decide whether a drawn grid holds a table: not a frame round the page, not the bars of a chart.

    goes_on: whether it stands under the columns of one of the page before. Else one row is no table; and a cell with
    most of the words is none of one, unless words stand in every cell of several rows and columns.
    """
    full = [cell for cell in table.cells if cell.words]
    if table.columns < 2 or (table.rows < 2 and not goes_on):
        return False
    is_whole = table.rows >= 2 and table.columns >= TYPOGRAPHY.several
    if goes_on or (is_whole and len(full) == table.rows * table.columns):
        return True
    if len(full) < TYPOGRAPHY.several or max(len(cell.words) for cell in full) > max(
        RULED.most_in_cell, TYPOGRAPHY.most * words
    ):
        return False
    return not only_edges or len(full) >= TYPOGRAPHY.half * len(table.cells)


def _crossing_groups(horizontal: Sequence[Rule], vertical: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules in groups that hang together by touching."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    places = [r.y1 for r in horizontal]
    for number, v in enumerate(vertical):
        for k in range(bisect_left(places, v.y1 - TYPOGRAPHY.frame), len(horizontal)):
            h = horizontal[k]
            if h.y1 > v.y2 + TYPOGRAPHY.frame:
                break
            if h.x1 - TYPOGRAPHY.frame <= v.x1 <= h.x2 + TYPOGRAPHY.frame:
                parent[root(len(horizontal) + number)] = root(k)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for number, rule in enumerate([*horizontal, *vertical]):
        flat, tall = groups.setdefault(root(number), ([], []))
        (flat if number < len(horizontal) else tall).append(rule)
    return [(flat, tall) for flat, tall in groups.values() if len(flat) >= 2 and tall]


def _lines(places: list[float]) -> list[float]:
    """Places that are almost the same made one."""
    result: list[list[float]] = []
    for place in sorted(places):
        if result and place - result[-1][-1] <= TYPOGRAPHY.frame:
            result[-1].append(place)
        else:
            result.append([place])
    return [sum(group) / len(group) for group in result]


def _with_ends(places: list[float], low: float, high: float) -> list[float]:
    """Places, with the ends added to which the crossing rules reach past them: an open side."""
    if not places or low < places[0] - RULED.overhang:
        places = [low, *places]
    if high > places[-1] + RULED.overhang:
        places = [*places, high]
    return places


def _apart(tables: list[FoundTable]) -> list[FoundTable]:
    """Of tables that share words, the largest."""
    kept: list[FoundTable] = []
    taken: set[int] = set()
    for table in sorted(tables, key=lambda t: -t.box.area):
        words = {id(word) for cell in table.cells for word in cell.words}
        if not words & taken:
            kept.append(table)
            taken |= words
    return kept


def merged_slots(
    xs: Sequence[float], ys: Sequence[float], flat: Sequence[Rule], tall: Sequence[Rule]
) -> list[tuple[int, int, int, int]]:
    """Cells as (row, column, row span, column span) covering the grid of lines xs and ys without overlap."""
    rows, columns = len(ys) - 1, len(xs) - 1
    # walls[r][c]: is there a rule to the right of slot (r, c); floors[r][c]: below it
    standing = [[(rule.y1, rule.y2) for rule in tall if abs(rule.x1 - x) <= TYPOGRAPHY.frame] for x in xs]
    lying = [[(rule.x1, rule.x2) for rule in flat if abs(rule.y1 - y) <= TYPOGRAPHY.frame] for y in ys]
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
    """Decide whether the slots of `row` below a cell belong to it."""
    across = range(column, column + width)
    if any(floors[row - 1][c] or taken[row][c] for c in across):
        return False
    return not any(walls[row][c] for c in across[:-1])


def _covered(strokes: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    """Decide whether strokes cover most of the way from start to end."""
    covered = sum(max(0.0, min(high, end) - max(low, start)) for low, high in strokes)
    return covered >= TYPOGRAPHY.most * (end - start)
