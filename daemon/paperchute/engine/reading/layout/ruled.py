"""Tables whose cells are drawn: the grid comes from rules that cross."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.dividing import divided
from paperchute.engine.reading.layout.grid import FoundCell, FoundTable, head_rows, in_box, trimmed
from paperchute.engine.reading.layout.records import Rule, Word
from paperchute.engine.reading.layout.slots import merged_slots

MOST_STROKES = 3_000
MOST_SLOTS = 20_000
_TOUCH = 3.5
_SAME_LINE = 3.0
_OVERHANG = 12.0


def ruled_tables(horizontal: Sequence[Rule], vertical: Sequence[Rule], words: Sequence[Word]) -> list[FoundTable]:
    """The tables that crossing rules make, with the words inside them."""
    tables = []
    for flat, tall in _crossing_groups(horizontal[:MOST_STROKES], vertical[:MOST_STROKES]):
        xs, ys = _lines([r.x1 for r in tall]), _lines([r.y1 for r in flat])
        left, right = min(r.x1 for r in flat), max(r.x2 for r in flat)
        top, bottom = min(r.y1 for r in tall), max(r.y2 for r in tall)
        xs = _with_ends(xs, left, right)
        ys = _with_ends(ys, top, bottom)
        if len(xs) < 3 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) > MOST_SLOTS:
            continue
        table = _filled(xs, ys, flat, tall, words)
        if table is not None:
            tables.append(table)
    return _apart(tables)


def _filled(
    xs: list[float], ys: list[float], flat: list[Rule], tall: list[Rule], words: Sequence[Word]
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
    table.heads = head_rows(table)
    return table if _is_table(table, len(inside), all(r.edge for r in tall)) else None


def _is_table(table: FoundTable, words: int, only_edges: bool) -> bool:
    """Whether a drawn grid holds a table: not a frame round the page, not the bars of a chart."""
    if table.rows < 2 or table.columns < 2:
        return False
    full = [cell for cell in table.cells if cell.words]
    if len(full) < 3 or max(len(cell.words) for cell in full) > max(120, 0.7 * words):
        return False
    return not only_edges or len(full) >= 0.5 * len(table.cells)


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
        for k in range(bisect_left(places, v.y1 - _TOUCH), len(horizontal)):
            h = horizontal[k]
            if h.y1 > v.y2 + _TOUCH:
                break
            if h.x1 - _TOUCH <= v.x1 <= h.x2 + _TOUCH:
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
        if result and place - result[-1][-1] <= _SAME_LINE:
            result[-1].append(place)
        else:
            result.append([place])
    return [sum(group) / len(group) for group in result]


def _with_ends(places: list[float], low: float, high: float) -> list[float]:
    """Places, with the ends added to which the crossing rules reach past them: an open side."""
    if not places or low < places[0] - _OVERHANG:
        places = [low, *places]
    if high > places[-1] + _OVERHANG:
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
