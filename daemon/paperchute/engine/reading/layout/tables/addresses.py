"""Addresses side by side: lines that stand as rows of a table do, of which each column's belong together."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.tables.anchors import text_of
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_TOWN = re.compile(
    r"^(?:[A-Z]{1,3}[- ])?\d{4,6}\s+[^\W\d_]"
    r"|^[^\W\d_].*(?:\b[A-Z]{2}[ ,]+\d{5}(?:-\d{4})?|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\b[A-Z]\d[A-Z] \d[A-Z]\d)$"
)
"""With its code before it, or as in America, Britain and Canada behind it."""
_NAME = re.compile(r"^[^\d@]+$")
_STREET = re.compile(r"^[^\W\d_][^@]*\d")


def with_whole_addresses(table: FoundTable) -> FoundTable:
    """The table with each address in one cell, where its rows are the lines of such; else as it is.

    Read line by line they would give each person the street of the next.
    """
    rows = [[cell for cell in table.cells if cell.row == row] for row in range(table.rows)]
    kinds = [{_kind(cell) for cell in row} for row in rows]
    if sum(len(kind) == 1 for kind in kinds) < TYPOGRAPHY.nearly_all * len(kinds):
        return table
    starts = [n for n, kind in enumerate(kinds) if kind == {"name"} and (n == 0 or kinds[n - 1] != {"name"})]
    if not starts or starts[0] or any(cell.column_span > 1 for cell in table.cells):
        return table
    ends = [*starts[1:], table.rows]
    if not all(_is_address(kinds[start:end]) for start, end in zip(starts, ends, strict=True)):
        return table
    cells: list[FoundCell] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for column in range(table.columns):
            own = [cell for row in rows[start:end] for cell in row if cell.column == column and cell.words]
            if own:
                words = list(itertools.chain.from_iterable(cell.words for cell in own))
                cells.append(FoundCell(number, column, 1, 1, hull(cell.box for cell in own), words))
    return replace(table, rows=len(starts), cells=cells, heads=0)


def is_town(text: str) -> bool:
    """Decide whether a line is that of an address with the town and its code."""
    return bool(_TOWN.match(text))


def _kind(cell: FoundCell) -> str:
    text = text_of(cell.words)
    for kind, form in (("town", _TOWN), ("name", _NAME), ("street", _STREET)):
        if form.match(text):
            return kind
    return "mail" if "@" in text else ""


def _is_address(kinds: Sequence[set[str]]) -> bool:
    """Decide whether lines have a name, a street and a town among them, one of them each."""
    said = set().union(*kinds)
    return len(kinds) >= TYPOGRAPHY.several and {"name", "town"} <= said and len(said) >= TYPOGRAPHY.several
