"""Pages whose words were laid unseen over their picture, as searchable scans have them.

A word processor cannot show both, so the words become the text, and the picture keeps what is not words.
"""

from __future__ import annotations

from dataclasses import replace

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN, Block, Line, Page
from paperchute.engine.imaging.erasing import without_words


def with_seen_words(page: Page) -> Page:
    """The page with all its words to be seen, and taken out of the pictures behind them.

    Pictures behind the text may hold any of its words; the drawing of the page holds those that it does not show.
    """
    lines = [line for block in page.blocks for line in _lines(block)]
    hidden = [line.quad.box for line in lines if _is_hidden(line)]
    if not hidden and not any(block.background for block in page.blocks):
        return page
    places = [line.quad.box for line in lines]
    blocks = []
    for block in page.blocks:
        if block.image is not None and block.background:
            block = replace(block, image=without_words(block.image, block.quad.box, places))
        blocks.append(_shown(block))
    backdrop = page.backdrop
    if backdrop is not None and hidden:
        backdrop = without_words(backdrop, Box(0.0, 0.0, page.width, page.height), hidden)
    return replace(page, blocks=tuple(blocks), backdrop=backdrop)


def _lines(block: Block) -> list[Line]:
    cells = block.table.cells if block.table is not None else ()
    return [
        *block.lines,
        *(line for item in block.items for line in item.lines),
        *(line for cell in cells for line in cell.lines),
    ]


def _is_hidden(line: Line) -> bool:
    return any(span.style.color == UNSEEN for span in line.spans)


def _shown(block: Block) -> Block:
    items = tuple(replace(item, lines=_black(item.lines)) for item in block.items)
    table = block.table
    if table is not None:
        table = replace(table, cells=tuple(replace(cell, lines=_black(cell.lines)) for cell in table.cells))
    return replace(block, lines=_black(block.lines), items=items, table=table)


def _black(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Hidden words in black, others in their colour."""
    return tuple(
        replace(
            line,
            spans=tuple(
                replace(span, style=replace(span.style, color="")) if span.style.color == UNSEEN else span
                for span in line.spans
            ),
        )
        for line in lines
    )
