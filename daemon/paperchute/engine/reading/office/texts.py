"""Plain text, Markdown and CSV as HTML."""

from __future__ import annotations

import csv
import io
import re
from html import escape

from markdown_it import MarkdownIt

from paperchute.engine.reading.office.markup import Cell, page, table

_LOOKED_AT = 20_000  # characters
_DELIMITERS = ",;\t|"
_WIDE = 6  # columns; more of them need wider paper
_COLUMN = 85.0  # points
_WIDEST = 14_000.0


def text_html(text: str) -> str:
    """Plain text: blank lines part paragraphs, line ends stay."""
    parts = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return page("".join(f'<p class="as-typed">{escape(part.strip())}</p>' for part in parts if part.strip()))


def markdown_html(text: str) -> str:
    """CommonMark with tables and strikethrough; HTML in it is shown as text."""
    return page(MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(text))


def csv_html(text: str) -> str:
    """One table, as wide as it has columns; its delimiter is the one that parts the first lines most evenly."""
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text[:_LOOKED_AT])) if any(row)]
    columns = max(map(len, rows), default=0)
    cells = [[Cell(escape(value)) for value in [*row, *[""] * (columns - len(row))]] for row in rows]
    width = min(_COLUMN * columns + 72, _WIDEST) if columns > _WIDE else 0.0
    return page(table(cells, heads=1 if len(rows) > 1 else 0), width=width, height=842.0)


def _delimiter(start: str) -> str:
    lines = [line for line in start.splitlines() if line.strip()][:50]
    counts = {sign: [line.count(sign) for line in lines] for sign in _DELIMITERS}
    return max(_DELIMITERS, key=lambda sign: (min(counts[sign], default=0), sum(counts[sign])))
