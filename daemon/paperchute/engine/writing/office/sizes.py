"""Pages that are larger or smaller than a word processor takes, scaled to fit."""

from __future__ import annotations

from dataclasses import replace

from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.model import Block, Cell, Line, ListItem, Page, Span

MOST_SIDE = 1584.0
"""22 inches, the longest side of a page in Word."""
LEAST_SIDE = 36.0
_LEAST_TEXT = 200.0


def fitted(page: Page) -> Page:
    """The page, all of it scaled where it is too large, or so small that nothing of it could be read."""
    longest, shortest = max(page.width, page.height), min(page.width, page.height)
    factor = 1.0
    if longest > MOST_SIDE:
        factor = MOST_SIDE / longest
    elif longest < _LEAST_TEXT:
        factor = _LEAST_TEXT / max(longest, 1e-6)
    if factor == 1.0 and shortest >= LEAST_SIDE:
        return page
    return replace(
        page,
        width=max(page.width * factor, LEAST_SIDE),
        height=max(page.height * factor, LEAST_SIDE),
        blocks=tuple(_block(block, factor) for block in page.blocks),
        notes=tuple(replace(note, quad=_quad(note.quad, factor)) for note in page.notes),
    )


def _block(block: Block, factor: float) -> Block:
    table = block.table
    if table is not None:
        table = replace(table, cells=tuple(_cell(cell, factor) for cell in table.cells))
    return replace(
        block,
        quad=_quad(block.quad, factor),
        lines=_lines(block.lines, factor),
        items=tuple(_item(item, factor) for item in block.items),
        table=table,
    )


def _cell(cell: Cell, factor: float) -> Cell:
    return replace(cell, quad=_quad(cell.quad, factor), lines=_lines(cell.lines, factor))


def _item(item: ListItem, factor: float) -> ListItem:
    return replace(item, quad=_quad(item.quad, factor), lines=_lines(item.lines, factor))


def _lines(lines: tuple[Line, ...], factor: float) -> tuple[Line, ...]:
    return tuple(
        replace(line, quad=_quad(line.quad, factor), spans=tuple(_span(span, factor) for span in line.spans))
        for line in lines
    )


def _span(span: Span, factor: float) -> Span:
    return replace(span, style=replace(span.style, size=span.style.size * factor))


def _quad(quad: Quad, factor: float) -> Quad:
    return Quad(*(value * factor for value in quad))
