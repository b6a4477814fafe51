"""Rows of labels in small type over their values, as invoices, boarding passes and forms have them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundTable, table_of
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(slots=True)
class _Row:
    """Labels that begin at `lefts`, the lines of the values under each, and the numbers of the first band after."""

    lefts: list[float]
    labels: list[list[Word]]
    values: list[list[Word]] = field(default_factory=list)
    end: int = 0


def labelled_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables of labels over values."""
    bands, page = evidence.free.bands, evidence.marks.words
    order: dict[int, int] = {}
    start = 0
    while start < len(bands):
        rows: list[_Row] = []
        end = start
        while (row := _row(bands, end)) is not None and (not rows or _begin_alike(row, rows[0])):
            rows.append(row)
            end = row.end
        if rows:
            order = order or dict(zip(map(id, page), range(len(page)), strict=True))
            table = _table(rows)
            if _is_written_whole(table, order):
                yield table
        start = max(end, start + 1)


def _row(bands: Sequence[Band], start: int) -> _Row | None:
    """The labels and values that begin at a band."""
    if start + 1 >= len(bands):
        return None
    above, below = bands[start], bands[start + 1]
    if above.size > TYPOGRAPHY.plainly_smaller * below.size:
        return None  # as most lines
    size = min(word.size for word in below.words)
    if above.size > TYPOGRAPHY.plainly_smaller * size or below.top - above.bottom > TYPOGRAPHY.em * size:
        return None
    cells = above.cells
    if len(cells) < TYPOGRAPHY.pair or not all(map(_is_label, cells)):
        return None
    row = _Row([cell[0].left for cell in cells], cells)
    values = _under(below, row.lefts)
    if values is None or sum(map(bool, values)) < TYPOGRAPHY.pair:
        return None
    row.values, row.end = values, start + 2
    while row.end < len(bands):
        band = bands[row.end]
        gap = band.top - bands[row.end - 1].bottom
        lines = _under(band, row.lefts) if band.size > TYPOGRAPHY.plainly_smaller * size else None
        if lines is None or gap > TYPOGRAPHY.em * size:
            break
        if 2 * sum(map(bool, lines)) > sum(map(bool, values)):
            break
        for own, more in zip(row.values, lines, strict=True):
            own.extend(more)
        row.end += 1
    return None if _has_more_rows(bands, row, size) else row


def _is_written_whole(table: FoundTable, order: Mapping[int, int]) -> bool:
    """Tell if the content has the table's words one after the other: labels of blocks beside each other it has not.

    Recognised words have no such order.
    """
    words = [word for cell in table.cells for word in cell.words]
    if any(word.confidence < 1 for word in words):
        return True
    places = [order.get(id(word), -1) for word in words]
    return max(places) - min(places) < len(places)


def _is_label(cell: Sequence[Word]) -> bool:
    text = " ".join(word.text for word in cell)
    return any(map(str.isalpha, text)) and not is_figure(text)


def _under(band: Band, lefts: Sequence[float]) -> list[list[Word]] | None:
    """The words of a band by the labels that they stand under; None where one begins under none."""
    found: list[list[Word]] = [[] for _ in lefts]
    for cell in band.cells:
        for word in cell:
            column = bisect_right(lefts, word.left + TYPOGRAPHY.rounding) - 1
            if column < 0:
                return None
            found[column].append(word)
    begun = (abs(own[0].left - left) <= TYPOGRAPHY.rounding for own, left in zip(found, lefts, strict=True) if own)
    return found if all(begun) else None


def _has_more_rows(bands: Sequence[Band], row: _Row, size: float) -> bool:
    """Decide whether a further row of values follows, so that these are columns under their heads."""
    if row.end == len(bands):
        return False
    band = bands[row.end]
    if band.size <= TYPOGRAPHY.plainly_smaller * size or band.top - bands[row.end - 1].bottom > TYPOGRAPHY.em * size:
        return False
    lines = _under(band, row.lefts)
    return lines is not None and sum(map(bool, lines)) >= TYPOGRAPHY.pair


def _begin_alike(row: _Row, first: _Row) -> bool:
    return len(row.lefts) == len(first.lefts) and all(
        abs(a - b) <= TYPOGRAPHY.rounding for a, b in zip(row.lefts, first.lefts, strict=True)
    )


def _table(rows: Sequence[_Row]) -> FoundTable:
    lines = [line for row in rows for line in (row.labels, row.values)]
    cells = {(number, column): own for number, line in enumerate(lines) for column, own in enumerate(line)}
    table = table_of(cells, len(lines), len(rows[0].lefts))
    table.heads = 1 if len(rows) == 1 else 0
    return table
