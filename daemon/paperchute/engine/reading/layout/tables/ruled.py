"""Tables whose grid is drawn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.lines import LINES
from paperchute.engine.reading.layout.marks import STROKES, Rule, Word
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.grid import GRIDS, FoundCell, FoundTable, head_rows, in_box, trimmed
from paperchute.engine.reading.layout.tables.grouped import group_lines, group_starts, is_group


@dataclass(frozen=True, slots=True)
class RuledTableSettings:
    """What drawn rules say of a table. Lengths are points where nothing else is said."""

    same_line: float = 3.0
    """Between rules that are one line of the grid. 0.8 to 1.2 times it reads 83 sample pages the same."""

    on_line: float = 3.0
    """Between a rule and the line of the grid it is on. 0.8 to 1.2 times it reads 83 sample pages the same."""

    overhang: float = 12.0
    """By so much rules reach past the last one that crosses them where a side is open; less is how they were drawn. 0.8
    to 1.2 times it reads 83 sample pages the same."""

    covered: float = 0.6
    """The share of a cell's side that rules must cover to be a wall. 0.8 to 1.2 times it reads 83 sample pages the
    same."""

    fewest_cells: int = 3
    """Cells with words: fewer are a frame. One less or more reads 83 sample pages the same."""

    most_in_cell: int = 120
    """Words of one cell; in small tables it may hold `most_share` of all, beyond is a frame round the page. 0.8 to 1.2
    times it reads 83 sample pages the same."""

    most_share: float = 0.7
    """The share of a grid's words in one cell, beyond which it is a frame round text. 0.8 to 1.2 times it reads 83
    sample pages the same."""

    filled_areas: float = 0.5
    """The share of cells with words where only the edges of areas make the grid: bars of charts have none. No sample
    comes to it."""

    reach_over: float = 2.0
    """By so much such words may reach out of their column. 0.8 to 1.2 times it reads 83 sample pages the same."""

    aisle: float = 0.4
    """Of the font size: between the columns of such words that run on over lines; more than a space, which now and then
    falls under another by chance."""

    aisle_lines: int = 2
    """Lines with words on both sides of such an aisle."""

    fewest_lines: int = 3
    """Printed lines of a drawn row that are rows of their own. Of 83 sample pages change 3 with one less, 1 with one
    more."""

    filled_lines: float = 0.7
    """The share of columns in which such a line has words. Of 83 sample pages change 2 at 0.8 times, 1 at 0.9, none at
    1.1, 1 at 1.2."""

    rows_share: float = 0.8
    """The share of lines that must be so. Of 83 sample pages change 2 at 0.8 times, none at 0.9, none at 1.2."""

    row_words: int = 5
    """Words a line of a cell in such rows; more are text that was wrapped. One less or more reads 83 sample pages the
    same."""

    most_strokes: int = 3_000
    """Rules lying or standing on a page: a bound on work on drawings and hostile pages."""


RULED = RuledTableSettings()


def ruled_tables(horizontal: Sequence[Rule], vertical: Sequence[Rule], words: Sequence[Word]) -> list[FoundTable]:
    """The tables that crossing rules make, with the words inside them."""
    tables = []
    for flat, tall in _crossing_groups(horizontal[: RULED.most_strokes], vertical[: RULED.most_strokes]):
        xs, ys = _lines([r.x1 for r in tall]), _lines([r.y1 for r in flat])
        left, right = min(r.x1 for r in flat), max(r.x2 for r in flat)
        top, bottom = min(r.y1 for r in tall), max(r.y2 for r in tall)
        xs = _with_ends(xs, left, right)
        ys = _with_ends(ys, top, bottom)
        if len(xs) < 3 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) > GRIDS.most_slots:
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
    if len(full) < RULED.fewest_cells or max(len(cell.words) for cell in full) > max(
        RULED.most_in_cell, RULED.most_share * words
    ):
        return False
    return not only_edges or len(full) >= RULED.filled_areas * len(table.cells)


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
        for k in range(bisect_left(places, v.y1 - STROKES.gap), len(horizontal)):
            h = horizontal[k]
            if h.y1 > v.y2 + STROKES.gap:
                break
            if h.x1 - STROKES.gap <= v.x1 <= h.x2 + STROKES.gap:
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
        if result and place - result[-1][-1] <= RULED.same_line:
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
    standing = [[(rule.y1, rule.y2) for rule in tall if abs(rule.x1 - x) <= RULED.on_line] for x in xs]
    lying = [[(rule.x1, rule.x2) for rule in flat if abs(rule.y1 - y) <= RULED.on_line] for y in ys]
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
    return covered >= RULED.covered * (end - start)


def divided(table: FoundTable, xs: Sequence[float]) -> FoundTable:
    """The table with its cells parted where their words plainly stand in the columns (at `xs`) and rows of others."""
    cells = [part for cell in table.cells for part in _across(cell, xs)]
    return _down(replace(table, cells=cells))


def _across(cell: FoundCell, xs: Sequence[float]) -> list[FoundCell]:
    """A cell over several columns as one cell a column, when its words plainly stand in them.

    Tables with a frame or a ground for every other row have such cells between.
    """
    if cell.column_span == 1 or not cell.words:
        return [cell]
    first, end = cell.column, cell.column + cell.column_span
    inner = xs[first + 1 : end]
    columns: list[list[Word]] = [[] for _ in range(first, end)]
    for word in cell.words:
        columns[bisect_left(inner, (word.left + word.right) / 2)].append(word)
    if sum(map(bool, columns)) < 2:
        return [cell]
    for n, x in enumerate(inner, 1):
        before, after = ([word for column in part for word in column] for part in (columns[:n], columns[n:]))
        if before and after and not _are_apart(before, after, x):
            return [cell]
    return [
        FoundCell(cell.row, n, cell.row_span, 1, Box(xs[n], cell.box.top, xs[n + 1], cell.box.bottom), words)
        for n, words in enumerate(columns, first)
    ]


def _are_apart(before: Sequence[Word], after: Sequence[Word], x: float) -> bool:
    """Whether words stand left and right of a line at `x` as in two columns: far apart, or line under line."""
    left, right = max(word.right for word in before), min(word.left for word in after)
    if left > x + RULED.reach_over or right < x - RULED.reach_over:
        return False
    size = max(word.size for word in (*before, *after))
    if right - left > LINES.widest_space * size:
        return True
    others = [(word.top, word.bottom) for word in after]
    lines = {
        round(word.baseline)
        for word in before
        if any(top < (word.top + word.bottom) / 2 < bottom for top, bottom in others)
    }
    return right - left > RULED.aisle * size and len(lines) >= RULED.aisle_lines


def _down(table: FoundTable) -> FoundTable:
    """The table with rows parted whose lines are rows: side by side in most columns, or the entries of a group."""
    rows: dict[int, tuple[list[FoundCell], list[Band]]] = {}
    for row in range(table.rows):
        own = [cell for cell in table.cells if cell.row == row]
        covered = any(c.row < row < c.row + c.row_span for c in table.cells)
        whole = covered or any(c.row_span > 1 for c in own)
        rows[row] = own, [] if whole else bands_of(w for c in own for w in c.words)
    grouped = any(len(bands) > 1 and is_group(group_lines(own, bands)) for own, bands in rows.values())
    cells: list[FoundCell] = []
    shift = 0
    for row, (own, bands) in rows.items():
        starts = _line_starts(own, bands, grouped)
        if sum(starts) < 2:
            cells += [replace(cell, row=row + shift) for cell in own]
            continue
        for number, part in enumerate(_parts(bands, starts)):
            inside = {id(word) for word in part.words}
            for cell in own:
                box = Box(cell.box.left, part.top, cell.box.right, part.bottom)
                words = [w for w in cell.words if id(w) in inside]
                cells.append(FoundCell(row + shift + number, cell.column, 1, cell.column_span, box, words))
        shift += sum(starts) - 1
    return replace(table, rows=table.rows + shift, cells=cells)


def _line_starts(cells: Sequence[FoundCell], bands: Sequence[Band], grouped: bool) -> list[bool]:
    """With which of a drawn row's printed lines rows begin. grouped: the table has groups of entries."""
    if _are_rows(cells, bands):
        return [True] * len(bands)
    return group_starts(cells, group_lines(cells, bands)) if grouped and len(bands) > 1 else []


def _parts(bands: Sequence[Band], starts: Sequence[bool]) -> list[Band]:
    """The bands with those that begin no row joined to the one above."""
    result: list[Band] = []
    for band, begins in zip(bands, starts, strict=True):
        if begins:
            result.append(Band(band.top, band.bottom, list(band.words), band.size))
        else:
            result[-1].words += band.words
            result[-1].bottom = band.bottom
    return result


def _are_rows(cells: Sequence[FoundCell], bands: Sequence[Band]) -> bool:
    """Whether the printed lines of a drawn row are rows of their own: nearly every line fills most of the columns."""
    full = [cell for cell in cells if cell.words]
    if len(full) < 2 or len(bands) < RULED.fewest_lines:
        return False
    filled = 0
    for band in bands:
        inside = {id(word) for word in band.words}
        filled += sum(any(id(w) in inside for w in cell.words) for cell in full) >= max(
            2, RULED.filled_lines * len(full)
        )
    wordy = sum(len(cell.words) > RULED.row_words * len(bands) for cell in full)
    return filled >= RULED.rows_share * len(bands) and not wordy
