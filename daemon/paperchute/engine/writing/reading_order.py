"""Tables as they are read: where text runs to the left, the first column is the rightmost."""

from __future__ import annotations

from dataclasses import replace

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Table
from paperchute.engine.writing.html.text import direction


def as_read(table: Table) -> Table:
    """The table with its columns from the right to the left, where most of its letters run so; else as it is."""
    if direction(flowed_text(cell.lines) for cell in table.cells) != "rtl":
        return table
    cells = [replace(cell, column=table.columns - cell.column - cell.column_span) for cell in table.cells]
    return replace(table, cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))))
