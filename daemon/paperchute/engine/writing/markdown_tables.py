"""Tables as Markdown: pipes where the grid is plain, HTML where cells span."""

from __future__ import annotations

import re
from collections.abc import Sequence

from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Cell, Line, Span, Table
from paperchute.engine.writing.markdown_inline import html_inline, inline, without_common_bold

_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def table_markdown(table: Table, html: bool = False) -> str:
    """One table. Pipe tables have exactly one head row, so a table with several, or with spans, becomes HTML; so does
    any where `html` says so."""
    heads = max((cell.row + 1 for cell in table.cells if cell.header), default=0)
    if html or heads > 1 or any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells):
        return _html(table, heads)
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = _pipe_cell(cell, cell.row == 0)
    lines = [_row(grid[0]), _row(["---"] * table.columns), *map(_row, grid[1:])]
    return "\n".join(lines)


def _pipe_cell(cell: Cell, head: bool) -> str:
    text = inline(_cell_spans(cell.lines, head), starts_line=False).replace("  \n", "<br>")
    return _PIPE.sub(r"\1\\|", text)


def _cell_spans(lines: Sequence[Line], head: bool) -> tuple[Span, ...]:
    """The cell's text; in a head bold is dropped, as a head is bold."""
    return without_common_bold(flowed(lines)) if head else flowed(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _html(table: Table, heads: int) -> str:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    places: dict[tuple[int, int], Cell] = {(cell.row, cell.column): cell for cell in table.cells}
    covered: set[tuple[int, int]] = set()
    for row in range(table.rows):
        for column in range(table.columns):
            if (row, column) in covered:
                continue
            cell = places.get((row, column))
            tag = "th" if row < heads else "td"
            if cell is None:
                rows[row].append(f"<{tag}></{tag}>")
                continue
            covered |= {
                (r, c) for r in range(row, row + cell.row_span) for c in range(column, column + cell.column_span)
            }
            spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
            spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
            rows[row].append(f"<{tag}{spans}>{html_inline(_cell_spans(cell.lines, row < heads))}</{tag}>")
    return "<table>\n" + "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows) + "\n</table>"
