"""Tables whose cells have several lines, told by the order in which the page's content has them.

Programs write such a table cell by cell. Where the content goes down through the lines of one cell, and up again to the
next one right of it, row after row, the cells are known without rules: labels for letters, or text beside its topic.

So are the heads of tables of figures: where each cell stands in the middle of the tallest, its lines are level with
those of none beside it, and by their heights they would be rows of words over the wrong figures.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine, line_of
from paperchute.engine.reading.layout.lists import looks_like_marker
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.sides import Piece, pieces_of
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, head_rows
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class WrittenTableSettings:
    """When lines that were written cell by cell are a table. Distances are shares of the font size.

    Fixed on generated sheets of labels and tables of text without rules.
    """

    row_gap: float = 8.0
    """Between two rows: as much as between labels on a sheet of them."""


WRITTEN_TABLES = WrittenTableSettings()


@dataclass(slots=True)
class WrittenCell:
    """Lines that were written one after the other under each other."""

    lines: list[TextLine]
    box: Box

    @property
    def words(self) -> list[Word]:
        """In the order in which they are read."""
        return [word for line in self.lines for word in line.words]

    def takes(self, line: TextLine) -> bool:
        """Decide whether a line goes on with it: under the last one, or right behind the mark of a list."""
        last = self.lines[-1]
        step = line.baseline - last.baseline
        if abs(step) < TYPOGRAPHY.half_em * line.size:
            behind = 0 <= line.left - last.right <= TYPOGRAPHY.tab * line.size
            return behind and looks_like_marker(last.text) and not any(map(str.isalnum, last.text))
        under = min(line.right, self.box.right) > max(line.left, self.box.left)
        return under and 0 < step < TYPOGRAPHY.next_line * line.size

    def add(self, line: TextLine) -> None:
        """Let a line go on with it."""
        self.lines.append(line)
        self.box = hull((self.box, line.box))


@dataclass(slots=True)
class _Row:
    """Cells that were written from left to right."""

    cells: list[WrittenCell]
    box: Box
    goes_up: bool = False

    def takes(self, cell: WrittenCell) -> bool:
        first, line = self.cells[0].lines[0], cell.lines[0]
        right = cell.box.left >= self.cells[-1].box.right
        return right and abs(line.baseline - first.baseline) < TYPOGRAPHY.half_em * line.size

    def add(self, cell: WrittenCell) -> None:
        self.goes_up = self.goes_up or len(self.cells[-1].lines) > 1
        self.cells.append(cell)
        self.box = hull((self.box, cell.box))


def written_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables of cells of several lines among pieces."""
    own = [piece for piece in evidence.pieces if piece.line is not None and not piece.line.justified]
    lines = as_written(own, evidence.marks.words)
    if sum(line.left >= before.right for before, line in itertools.pairwise(lines)) < TYPOGRAPHY.pair:
        return  # as on most pages nothing was written right of what comes before it
    rows = _rows(cells_of(lines))
    for start, end in _runs(rows):
        table = _table(rows[start:end], rows[start - 1] if start else None)
        others = (*rows[:start], *rows[end:])
        if table is not None and not any(row.box.overlap(table.box) > 0 for row in others):
            yield table  # nothing else stands among its cells, which would be theirs


def as_written(pieces: Iterable[Piece], words: Sequence[Word]) -> list[TextLine]:
    """The lines among pieces in the content's order, parted where a word was written apart from the one before it.

    words: all of the page, as its content has them.
    """
    order: dict[int, int] = {}
    found: list[tuple[int, TextLine]] = []
    for piece in pieces:
        line = piece.line
        if line is None or piece.order < 0:
            continue
        space = TYPOGRAPHY.half_em * line.size
        wide = [n for n, (a, b) in enumerate(itertools.pairwise(line.words), 1) if b.left - a.right > space]
        if wide:
            order = order or dict(zip(map(id, words), range(len(words)), strict=True))
        places = [order.get(id(word), -1) for word in line.words] if wide else []
        ends = [n for n in wide if places[n] != places[n - 1] + 1]
        if not ends:
            found.append((piece.order, line))
            continue
        for first, last in itertools.pairwise([0, *ends, len(places)]):
            part = line_of(line.words[first:last])
            found.append((order.get(id(part.words[0]), -1), part))
    return [line for _, line in sorted(found, key=itemgetter(0))]


def written_cells(evidence: Evidence) -> list[WrittenCell]:
    """All that was written, in cells."""
    words = evidence.marks.words
    return cells_of(as_written(evidence.pieces or pieces_of(evidence.lines, words), words))


def cells_of(lines: Iterable[TextLine]) -> list[WrittenCell]:
    """Lines as they were written, in cells: each goes on as long as the next line stands under its last."""
    cells: list[WrittenCell] = []
    for line in lines:
        if cells and cells[-1].takes(line):
            cells[-1].add(line)
        else:
            cells.append(WrittenCell([line], line.box))
    return cells


def _rows(cells: Iterable[WrittenCell]) -> list[_Row]:
    rows: list[_Row] = []
    for cell in cells:
        if rows and rows[-1].takes(cell):
            rows[-1].add(cell)
        else:
            rows.append(_Row([cell], cell.box))
    return rows


def _runs(rows: Sequence[_Row]) -> Iterator[tuple[int, int]]:
    """Rows under each other whose cells begin where those of the first do, some of which may be missing."""
    start = 0
    while start < len(rows):
        lefts = [cell.box.left for cell in rows[start].cells]
        end = start + 1
        while end < len(rows) and len(lefts) > 1:
            above, row = rows[end - 1], rows[end]
            size = row.cells[0].lines[0].size
            gap = row.box.top - above.box.bottom
            if len(row.cells) < 2 or not -TYPOGRAPHY.half_em * size < gap < WRITTEN_TABLES.row_gap * size:
                break
            places = {_column(cell, lefts) for cell in row.cells}
            if -1 in places or len(places) < len(row.cells):
                break
            end += 1
        if sum(row.goes_up for row in rows[start:end]) >= TYPOGRAPHY.pair:
            yield start, end
            start = end
        else:
            start += 1


def _column(cell: WrittenCell, lefts: Sequence[float]) -> int:
    """The column in which a cell begins and ends; -1 for none. Lists may begin further in."""
    slack = TYPOGRAPHY.same_baseline * cell.lines[0].size
    number = bisect_right(lefts, cell.box.left + slack) - 1
    if number < 0 or (number + 1 < len(lefts) and cell.box.right > lefts[number + 1]):
        return -1
    begins = cell.box.left - lefts[number] < slack or not cell.lines[0].text[0].isalnum()
    return number if begins else -1


def _table(rows: Sequence[_Row], above: _Row | None) -> FoundTable | None:
    """The rows as a table; None where they may be columns of a page, or are better told by their figures."""
    lefts = [cell.box.left for cell in rows[0].cells]
    box = hull(row.box for row in rows)
    size = rows[0].cells[0].lines[0].size
    if above is not None and len(above.cells) > 1 and 0 < box.top - above.box.bottom < TYPOGRAPHY.tab * size:
        return None
    found: list[FoundCell] = []
    columns: list[list[WrittenCell]] = [[] for _ in lefts]
    for number, row in enumerate(rows):
        for cell in row.cells:
            column = _column(cell, lefts)
            if column < 0:
                return None
            columns[column].append(cell)
            found.append(FoundCell(number, column, 1, 1, cell.box, cell.words))
    lines = [line for cell in columns[0] for line in cell.lines]
    if sum(len(line.words) for line in lines) > TYPOGRAPHY.few * len(lines):
        return None
    for own in columns:
        figures = sum(is_figure(" ".join(word.text for word in cell.words)) for cell in own)
        if figures >= TYPOGRAPHY.half * len(own):
            return None
    table = FoundTable(box, len(rows), len(lefts), found, bordered=False)
    table.heads = head_rows(table)
    table.lined = _are_meant([line for own in columns for cell in own for line in cell.lines[1:]])
    return table


def _are_meant(lines: Sequence[TextLine]) -> bool:
    """Decide whether further lines of cells are lines of their own, as those of addresses are."""
    if len(lines) < TYPOGRAPHY.few:
        return False
    short = sum(len(line.words) for line in lines) <= TYPOGRAPHY.few * len(lines)
    small = sum(line.text[0].islower() or not line.text[0].isalnum() for line in lines)
    return short and small <= TYPOGRAPHY.fifth * len(lines)


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
