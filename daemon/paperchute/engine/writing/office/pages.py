"""Pages made fit for a word processor: scaled where it takes no such size, unseen words taken off their picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import UNSEEN, Block, Cell, Gap, Line, ListItem, Page, Shape, Span
from paperchute.engine.imaging.planes import without_words
from paperchute.engine.writing.office.measures import MEASURES


@dataclass(frozen=True, slots=True)
class PageSideSettings:
    """Which sizes of pages a word processor takes. Lengths are points."""

    most_side: float = 1584.0
    """22 inches, the longest side of a page in Word."""

    least_long_side: float = 200.0
    """A smaller page is scaled up to it: beside margins of a quarter of an inch nothing of it could be read."""


PAGE_SIDES = PageSideSettings()


def fitted(page: Page) -> Page:
    """The page, all of it scaled where it is too large, or so small that nothing of it could be read."""
    longest, shortest = max(page.width, page.height), min(page.width, page.height)
    factor = 1.0
    if longest > PAGE_SIDES.most_side:
        factor = PAGE_SIDES.most_side / longest
    elif longest < PAGE_SIDES.least_long_side:
        factor = PAGE_SIDES.least_long_side / max(longest, 1e-6)  # of a page without any size
    if factor == 1.0 and shortest >= MEASURES.half_inch:
        return page
    page = scaled(page, factor)
    return replace(page, width=max(page.width, MEASURES.half_inch), height=max(page.height, MEASURES.half_inch))


def scaled(page: Page, factor: float) -> Page:
    """The page with all that is on it so many times as large."""
    return replace(
        page,
        width=page.width * factor,
        height=page.height * factor,
        blocks=tuple(_block(block, factor) for block in page.blocks),
        notes=tuple(replace(note, quad=_quad(note.quad, factor)) for note in page.notes),
        shapes=tuple(_shape(shape, factor) for shape in page.shapes),
    )


def _shape(shape: Shape, factor: float) -> Shape:
    return Shape(Box(*(value * factor for value in shape.box)), shape.fill, shape.edge, shape.pen * factor)


def _block(block: Block, factor: float) -> Block:
    table = block.table
    if table is not None:
        table = replace(table, cells=tuple(_cell(cell, factor) for cell in table.cells))
    return replace(
        block,
        quad=_quad(block.quad, factor),
        lines=_scaled_lines(block.lines, factor),
        items=tuple(_item(item, factor) for item in block.items),
        table=table,
    )


def _cell(cell: Cell, factor: float) -> Cell:
    return replace(cell, quad=_quad(cell.quad, factor), lines=_scaled_lines(cell.lines, factor))


def _item(item: ListItem, factor: float) -> ListItem:
    return replace(item, quad=_quad(item.quad, factor), lines=_scaled_lines(item.lines, factor))


def _scaled_lines(lines: tuple[Line, ...], factor: float) -> tuple[Line, ...]:
    return tuple(
        replace(
            line,
            quad=_quad(line.quad, factor),
            spans=tuple(_span(span, factor) for span in line.spans),
            gaps=tuple(Gap(gap.at, gap.left * factor, gap.right * factor) for gap in line.gaps),
        )
        for line in lines
    )


def _span(span: Span, factor: float) -> Span:
    return replace(span, style=replace(span.style, size=span.style.size * factor))


def _quad(quad: Quad, factor: float) -> Quad:
    return Quad(*(value * factor for value in quad))


def with_seen_words(page: Page) -> Page:
    """The page with all its words to be seen, and taken out of the pictures behind them.

    Pictures behind the text may hold any of its words; the drawing of the page holds those that it does not show.
    """
    lines = [line for block in page.blocks for line in block.all_lines]
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
