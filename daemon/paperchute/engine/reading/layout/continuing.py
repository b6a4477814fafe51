"""Blocks that a column or page end broke in two."""

from __future__ import annotations

from dataclasses import dataclass, replace

from paperchute.engine.document.model import FURNITURE, Block, Table

_ENDS = (".", "!", "?", ":", "。", "！", "？", "：")
_SAME_EDGE = 12.0
_SAME_LEFT = 4.0


DRAWN = -1
"""Instead of the handle to a picture: what the page shows at its place is to be drawn."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A block, and for a picture the reader's handle to its content, or `DRAWN`."""

    block: Block
    picture: int | None = None


@dataclass(slots=True)
class Flow:
    """The last block of the document's flow so far."""

    _last: Block | None = None
    _page: int = 0

    def marked(self, laid: list[Laid], page: int) -> list[Laid]:
        """The blocks of the next page, those marked that go on with the one before them."""
        result = []
        for item in laid:
            block = item.block
            if block.kind in FURNITURE or block.kind in ("footnote", "aside_text") or block.background:
                result.append(item)
                continue
            if self._last is not None and self._goes_on(self._last, block, page):
                item = replace(item, block=replace(block, continues=True))
            result.append(item)
            self._last, self._page = block, page
        return result

    def _goes_on(self, before: Block, block: Block, page: int) -> bool:
        elsewhere = page != self._page or block.quad.box.top < before.quad.box.bottom - 1
        if not elsewhere or before.kind != block.kind:
            return False
        if block.kind == "text":
            return _mid_sentence(before, block)
        return block.kind == "table" and _same_grid(before, block)


def _mid_sentence(before: Block, block: Block) -> bool:
    end, start = before.lines[-1].text.rstrip(), block.lines[0].text.lstrip()
    return bool(end and start) and not end.endswith(_ENDS) and start[0].islower()


def _same_grid(before: Block, block: Block) -> bool:
    """Whether two tables have the same columns: drawn as wide (perhaps shifted, in the next column of the page), with
    the same head printed again, or, without rules, beginning at the same places."""
    first, second = before.table, block.table
    if first is None or second is None or first.columns != second.columns:
        return False
    heads = max((cell.row + 1 for cell in second.cells if cell.header), default=0)
    if heads and _texts(first, heads) == _texts(second, heads):
        return True
    if first.bordered or second.bordered:
        return abs(before.quad.box.width - block.quad.box.width) < _SAME_EDGE
    if heads:
        return False
    lefts = zip(_lefts(first), _lefts(second), strict=True)
    return sum(a is not None and b is not None and abs(a - b) < _SAME_LEFT for a, b in lefts) >= 0.7 * first.columns


def _texts(table: Table, rows: int) -> list[tuple[int, int, str]]:
    return [(c.row, c.column, " ".join(line.text for line in c.lines)) for c in table.cells if c.row < rows]


def _lefts(table: Table) -> list[float | None]:
    """Where the text of each column begins, from the first one's; None for columns without any of their own."""
    own = [
        [line.quad.x1 for c in table.cells if c.column == n and c.column_span == 1 for line in c.lines]
        for n in range(table.columns)
    ]
    first = min((min(lefts) for lefts in own if lefts), default=0.0)
    return [min(lefts) - first if lefts else None for lefts in own]
