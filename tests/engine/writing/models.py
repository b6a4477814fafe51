"""Documents of the model, made by hand."""

from __future__ import annotations

import io
from collections.abc import Sequence

import PIL.Image

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, BlockKind, Cell, Image, Line, ListItem, Page, Span, Style, Table

PLACE = Box(72, 300, 172, 350)
PLAIN = Style(size=10, font="LiberationSerif")


def line(
    text: str | Sequence[Span], top: float = 100, left: float = 72, right: float = 520, style: Style = PLAIN
) -> Line:
    """One printed line, as high as its font size."""
    spans = (Span(text, style),) if isinstance(text, str) else tuple(text)
    return Line(Quad.of(Box(left, top, right, top + style.size)), spans)


def block(*lines: Line, kind: BlockKind = "text", level: int = 0, continues: bool = False) -> Block:
    """Lines as a block."""
    boxes = [one.quad.box for one in lines]
    box = Box(
        min(b.left for b in boxes), min(b.top for b in boxes), max(b.right for b in boxes), max(b.bottom for b in boxes)
    )
    return Block(kind, Quad.of(box), tuple(lines), level=level, continues=continues)


def items(*marked: tuple[int, str, str], top: float = 100) -> Block:
    """A list of (level, marker, text), one line each."""
    found = []
    for number, (level, marker, text) in enumerate(marked):
        left = 80 + 20 * level
        box = Box(left, top + 12 * number, 520, top + 12 * number + 10)
        ordered = any(c.isalnum() for c in marker)
        found.append(ListItem(level, marker, ordered, Quad.of(box), (line(text, box.top, left),)))
    return Block("list", Quad.of(Box(80, top, 520, top + 12 * len(marked))), items=tuple(found))


def table(rows: Sequence[Sequence[str]], spans: dict[tuple[int, int], tuple[int, int]] | None = None) -> Block:
    """A ruled table at 72, 200; cells are 100 by 20. `spans` gives (rows, columns) of larger cells; None texts go."""
    cells = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text == "<":
                continue
            down, across = (spans or {}).get((r, c), (1, 1))
            box = Box(72 + 100 * c, 200 + 20 * r, 72 + 100 * (c + across), 200 + 20 * (r + down))
            lines = (line(text, box.top + 5, box.left + 3, box.left + 3 + 5 * len(text)),) if text else ()
            cells.append(Cell(r, c, Quad.of(box), lines, down, across, header=r == 0))
    count = len(rows[0])
    box = Box(72, 200, 72 + 100 * count, 200 + 20 * len(rows))
    return Block("table", Quad.of(box), table=Table(len(rows), count, tuple(cells), bordered=True))


def picture(color: str = "red", kind: str = "png", box: Box = PLACE, background: bool = False) -> Block:
    """A picture of 20 by 10 pixels."""
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (20, 10), color).save(buffer, "jpeg" if kind == "jpg" else "png")
    image = Image(buffer.getvalue(), "jpg" if kind == "jpg" else "png", 20, 10)
    return Block("image", Quad.of(box), image=image, background=background)


def page(*blocks: Block, number: int = 1, width: float = 595, height: float = 842) -> Page:
    """A page, A4 by default."""
    return Page(number, width, height, blocks=tuple(blocks))
