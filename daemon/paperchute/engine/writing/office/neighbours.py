"""What stands beside, in or nearest to what, of the blocks of a page."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Note, Page
from paperchute.engine.writing.office.measures import MEASURES

_NEAR = 30
"""Blocks before and after one in the reading order, among which those at its side are found: a bound on work."""


def is_inside(other: Block, block: Block) -> bool:
    """Decide whether a block stands beside another one's lines or between them."""
    return other is not block and block.quad.box.top < other.quad.box.center[1] < block.quad.box.bottom


def has_beside(blocks: Sequence[Block], number: int) -> bool:
    """Decide whether something stands at the side of a block, of those near it in the reading order."""
    box = blocks[number].quad.box
    near = blocks[max(number - _NEAR, 0) : number + _NEAR + 1]
    return any(
        other is not blocks[number]
        and min(box.bottom, other.quad.box.bottom) - max(box.top, other.quad.box.top) > MEASURES.rounding
        and (other.quad.box.left >= box.right or other.quad.box.right <= box.left)
        for other in near
    )


def comments_by_block(page: Page, flow: list[Block]) -> dict[int, list[Note]]:
    """Each annotation with the block it lies on or nearest to, by the block's identity."""
    found: dict[int, list[Note]] = {}
    if not flow:
        return found
    for note in page.notes:
        x, y = note.quad.box.center
        nearest = min(flow, key=lambda block: _distance(block.quad.box, x, y))
        found.setdefault(id(nearest), []).append(note)
    return found


def _distance(box: Box, x: float, y: float) -> float:
    return max(box.left - x, x - box.right, 0.0) + 2 * max(box.top - y, y - box.bottom, 0.0)
