"""Tables as layout finds them: cells with their words, and what is common to every way of finding them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.directions import turned_lines
from paperchute.engine.reading.layout.lines import TextLine, around, rows, segments
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.trace import FinderName
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class GridSettings:
    """How sure tables are, as the share of right cells among those measured, and what all tables have in common."""

    shown: float = 0.97
    """Where lying rules show a table, or figures do (307 of made documents and of the ICDAR 2013 competition)."""

    few: float = 0.9
    """For a kind of table of which all cells of the generated ones were right, as few tell little."""

    aligned: float = 0.84
    """Where alignment alone tells a table; and times so much where cells below its head reach over columns without
    walls (0.82 of the cells of such tables are right, 0.98 of the others'), or many places hold no words, so that
    columns may have been told from chance gaps."""

    joined: float = 0.7
    """Times so much where a cell without walls holds two figures beside each other: its columns were not told, and one
    amount may be taken for the other."""

    most_slots: int = 20_000
    """Places of a grid: a bound on work on hostile pages."""


GRIDS = GridSettings()


@dataclass(slots=True)
class FoundCell:
    """A cell; row and column count from 0."""

    row: int
    column: int
    row_span: int
    column_span: int
    box: Box
    words: list[Word] = field(default_factory=list)

    def lines(self) -> list[TextLine]:
        """Its printed lines, top to bottom."""
        upright = [w for w in self.words if w.angle == 0]
        lines = rows(segments(upright))
        if len(upright) < len(self.words):
            lines += turned_lines([w for w in self.words if w.angle != 0])
        return lines


@dataclass(slots=True)
class FoundTable:
    """A grid of cells on the page; `heads` is how many rows from the top are its head.

    leaders: rows of dots between its cells, which are in none. lined: the ends of lines in its cells are meant.
    edges: where the lines between its columns are drawn. finder: by what it was found.
    """

    box: Box
    rows: int
    columns: int
    cells: list[FoundCell]
    bordered: bool
    heads: int = 0
    confidence: float = 1.0
    leaders: list[Word] = field(default_factory=list)
    lined: bool = False
    edges: tuple[float, ...] = ()
    finder: FinderName | Literal[""] = ""

    def words(self) -> Iterator[Word]:
        """Yield all its words, leaders among them."""
        for cell in self.cells:
            yield from cell.words
        yield from self.leaders

    def word_ids(self) -> set[int]:
        """The ids of all its words."""
        return set(map(id, self.words()))

    @property
    def is_turned(self) -> bool:
        """Whether the text of most cells is not upright, so that the table itself is not; a head alone may be."""
        full = [cell.words[0].angle != 0 for cell in self.cells if cell.words]
        return 2 * sum(full) > len(full)


def trimmed(table: FoundTable) -> FoundTable:
    """The table without rows and columns in which no cell starts that holds words."""
    used_rows = sorted({c.row for c in table.cells if c.words})
    used_columns = sorted({c.column for c in table.cells if c.words})
    # A row or column that only spanning cells cross stands for nothing either.
    row_at, column_at = _places(used_rows), _places(used_columns)
    cells = []
    for cell in table.cells:
        row, row_span = _kept(row_at, cell.row, cell.row_span)
        column, column_span = _kept(column_at, cell.column, cell.column_span)
        if row_span and column_span:
            cells.append(FoundCell(row, column, row_span, column_span, cell.box, cell.words))
    return replace(
        table, rows=len(used_rows), columns=len(used_columns), cells=sorted(cells, key=lambda c: (c.row, c.column))
    )


def head_rows(table: FoundTable) -> int:
    """How many rows from the top are set apart as the table's head by bold type; 0 when they look like the rest."""
    heads = table.rows
    for cell in table.cells:
        if cell.row < heads and not all(w.font.bold for w in cell.words if any(map(str.isalnum, w.text))):
            heads = cell.row
    return heads if heads < table.rows else 0


def table_of(words: Mapping[tuple[int, int], list[Word]], rows: int, columns: int) -> FoundTable:
    """A table without walls of the words of each cell, by row and column."""
    cells = [FoundCell(row, column, 1, 1, around(own), own) for (row, column), own in sorted(words.items()) if own]
    return FoundTable(hull(cell.box for cell in cells), rows, columns, cells, bordered=False)


def rated(table: FoundTable, finder: float) -> float:
    """How sure a table without walls is. finder: the share of right cells among all tables found as it was."""
    body = [cell for cell in table.cells if cell.row >= table.heads and cell.words]
    covered = sum(cell.row_span * cell.column_span for cell in table.cells if cell.words)
    doubts = any(cell.column_span > 1 for cell in body) + (covered < TYPOGRAPHY.nearly_all * table.rows * table.columns)
    return finder * GRIDS.aligned**doubts * (GRIDS.joined if any(map(_holds_two, body)) else 1.0)


def _holds_two(cell: FoundCell) -> bool:
    """Decide whether two figures stand beside each other in a cell, further apart than the parts of one."""
    return cell.column_span == 1 and any(
        abs(left.baseline - right.baseline) < TYPOGRAPHY.half_em * right.size
        and right.left - left.right > TYPOGRAPHY.half_em * right.size
        and is_figure(left.text)
        and is_figure(right.text)
        for left, right in itertools.pairwise(sorted(cell.words, key=lambda word: (round(word.baseline), word.left)))
    )


def in_box(words: Iterable[Word], box: Box) -> list[Word]:
    """The words whose middle lies in a box."""
    left, top, right, bottom = box
    return [w for w in words if left <= (w.left + w.right) / 2 <= right and top <= (w.top + w.bottom) / 2 <= bottom]


def _places(used: Sequence[int]) -> dict[int, int]:
    return {old: new for new, old in enumerate(used)}


def _kept(places: dict[int, int], start: int, span: int) -> tuple[int, int]:
    inside = [places[n] for n in range(start, start + span) if n in places]
    return (inside[0], len(inside)) if inside else (0, 0)
