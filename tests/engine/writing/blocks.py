"""Small pieces of the document model for the tests of writers."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, BlockKind, Cell, Line, Page, Span, Style, Table

QUAD = Quad.of(Box(10, 10, 110, 30))


def lines(*texts: str) -> tuple[Line, ...]:
    """Printed lines that wrap."""
    return tuple(Line(QUAD, (Span(text),)) for text in texts)


def text(*texts: str, kind: BlockKind = "text", level: int = 0, continues: bool = False) -> Block:
    """A block of text."""
    return Block(kind, QUAD, lines(*texts), level=level, continues=continues)


def table(*rows: Sequence[str], heads: int = 1, continues: bool = False) -> Block:
    """A table block; the first `heads` rows are its head."""
    cells = tuple(
        Cell(r, c, QUAD, lines(value) if value else (), header=r < heads)
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
    )
    return Block("table", QUAD, table=Table(len(rows), len(rows[0]), cells, True), continues=continues)


def page(number: int, *blocks: Block) -> Page:
    """An A4 page."""
    return Page(number, 595.0, 842.0, blocks=blocks)


def raised(text: str) -> Span:
    """A raised run."""
    return Span(text, Style(script="super", size=6.0))
