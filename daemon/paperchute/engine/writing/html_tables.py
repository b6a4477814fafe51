"""Tables as HTML with their spans."""

from __future__ import annotations

import re
from collections.abc import Callable

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Cell, Table
from paperchute.engine.writing.html_text import dir_attribute, text_html

_NUMBER = re.compile(r"[(\s]*[-+−]?\s*[$€£¥₹]?\s*\d[\d.,'’\s]*(?:%|[$€£¥₹]|[A-Z]{3})?\)?")


def table_html(table: Table, inner: Callable[[Cell], str]) -> str:
    """One table; `inner` gives the phrasing content of a cell."""
    heads = 0
    while heads < table.rows and any(c.header and c.row == heads for c in table.cells):
        heads += 1
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    places = {(cell.row, cell.column): cell for cell in table.cells}
    covered: set[tuple[int, int]] = set()
    for row in range(table.rows):
        for column in range(table.columns):
            if (row, column) in covered:
                continue
            cell = places.get((row, column))
            if cell is not None:
                bottom, right = row + cell.row_span, column + cell.column_span
                covered |= {(r, c) for r in range(row, bottom) for c in range(column, right)}
            rows[row].append(_cell(cell, row < heads, inner))
    lines = [f"<tr>{''.join(cells)}</tr>" for cells in rows]
    head = "<thead>\n" + "\n".join(lines[:heads]) + "\n</thead>\n" if heads else ""
    body = "<tbody>\n" + "\n".join(lines[heads:]) + "\n</tbody>\n" if heads < table.rows else ""
    ruled = ' class="ruled"' if table.bordered else ""
    turned = dir_attribute(flowed_text(cell.lines) for cell in table.cells)
    return f'<div class="table"{turned}><table{ruled}>\n{head}{body}</table></div>'


def _cell(cell: Cell | None, head: bool, inner: Callable[[Cell], str]) -> str:
    tag = "th" if head else "td"
    if cell is None:
        return f"<{tag}></{tag}>"
    attributes = ' scope="col"' if head and cell.column_span == 1 else ' scope="colgroup"' if head else ""
    attributes += f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    attributes += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    if not head and _NUMBER.fullmatch(flowed_text(cell.lines).strip()):
        attributes += ' class="n"'
    attributes += f' style="background:{text_html(cell.shade)}"' if cell.shade else ""
    return f"<{tag}{attributes}>{inner(cell)}</{tag}>"
