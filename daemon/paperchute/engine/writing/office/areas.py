"""Where the text of a page stands: its edges, and what is measured beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import FURNITURE, Block, Line, Page
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.leading import ends_of, leading_of
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.paragraphs import next_word_end
from paperchute.engine.writing.office.parts import Leading


def flow_of(page: Page) -> tuple[list[Block], list[Block]]:
    """The blocks of a page's flow, and the pictures behind it."""
    blocks = [block for block in page.blocks if block.kind not in FURNITURE]
    behind = [block for block in blocks if _is_behind(block, page)]
    return [block for block in blocks if block not in behind], behind


def _is_behind(block: Block, page: Page) -> bool:
    """Pictures behind the text, and those that are the page: they keep their place."""
    if block.image is None:
        return False
    return block.background or block.quad.box.area > TYPOGRAPHY.nearly_all * page.width * page.height


def same_size(one: Page, other: Page) -> bool:
    """Decide whether pages are of one size, but for rounding."""
    return max(abs(one.width - other.width), abs(one.height - other.height)) <= MEASURES.rounding


def is_slide(page: Page, first: Block | None) -> bool:
    """Decide whether a page is wide and its text begins on it: however full it is, nothing of it is another's."""
    return page.width >= (1 + TYPOGRAPHY.fifth) * page.height and (first is None or not first.continues)


def area_of(flow: list[Block], page: Page) -> Box:
    """Return where the page's text stands."""
    seen = [block for block in flow if block.kind != "aside_text" and block.quad.box.width > 0]
    text = [block for block in seen if block.kind != "code"]  # whose lines may reach out of the text, or of the page
    boxes = [_beside_text(block) for block in text or seen]
    if text and len(text) < len(seen):
        whole = hull(block.quad.box for block in seen)
        boxes.append(hull(boxes)._replace(top=whole.top, bottom=whole.bottom))
    if not boxes:
        left, top = TYPOGRAPHY.tenth * page.width, TYPOGRAPHY.tenth * page.height
        return Box(left, top, (1 - TYPOGRAPHY.tenth) * page.width, (1 - TYPOGRAPHY.tenth) * page.height)
    return hull(boxes)


def _beside_text(block: Block) -> Box:
    """A block's place; of a table, that of the text in it, beside which its rules stand in the margins."""
    box = block.quad.box
    if block.table is None:
        return box
    lines = [line.quad.box for cell in block.table.cells for line in cell.lines]
    text = hull(lines) if lines else box
    reach = MEASURES.line
    left = text.left if text.left - box.left <= reach else box.left
    right = text.right if box.right - text.right <= reach else box.right
    return box._replace(left=left, right=max(right, left))


def top_of(flow: Sequence[Block], page: Page) -> float:
    """Return where the page's text begins, with the room above the letters of its first line."""
    tops = [
        ends_of(block.items[0].lines if block.items else (), block.quad.box)[0] - _leading(block).above
        for block in flow
        if block.kind != "aside_text"
    ]
    return max(min(tops, default=TYPOGRAPHY.tenth * page.height), 0.0)


def _leading(block: Block) -> Leading:
    return leading_of(block.items[0].lines if block.items else block.lines)


def start_of(block: Block) -> float:
    """Give what of a block stays together, so that it begins a page where there is no room for it on the one before."""
    box = block.quad.box
    if block.table is not None:
        return min((cell.quad.box.height for cell in block.table.cells if cell.row == 0), default=box.height)
    lines = len(block.items[0].lines if block.items else block.lines)
    kept = TYPOGRAPHY.pair + lines if block.level or block.kind == "doc_title" else min(lines, TYPOGRAPHY.pair)
    return kept * _leading(block).height if lines else box.height


def next_words(flow: Sequence[Block], edge: float) -> float:
    """The least x beyond the text's right `edge` at which a line would have taken the first word of the one below it.

    Justified lines say only that their spaces were no narrower than usual: they would have at any more room.
    """
    lines = [block.lines for block in flow if block.kind == "text" and not is_rtl(block.text)]
    lines += [item.lines for block in flow for item in block.items]
    found = [math.inf]
    for some in lines:
        if _are_justified(some, edge):
            found.append(edge + 2 * MEASURES.least)
        else:
            found.append(next_word_end(some))
    return min(right for right in found if right > edge)


def _are_justified(lines: Sequence[Line], edge: float) -> bool:
    """Decide whether lines are stretched to the text's edge."""
    ends = [abs(line.quad.box.right - edge) for line in lines[:-1]]
    return len(ends) >= TYPOGRAPHY.pair and max(ends) <= MEASURES.rounding


def margins_around(area: Box, page: Page, most: float, *, alone: bool) -> tuple[float, float, float, float]:
    """Left, top, right and bottom; always with room for some text between them.

    Lines may come out a little longer than they were printed, so there is room to spare, but only half of that up to
    `most`, where a line would take a word of the next one. The last one may come out lower; on a page that is `alone`,
    it has all that there is: what stood side by side stands one below the other.
    """
    spare = MEASURES.spare_width * area.width
    if most > area.right:
        spare = min(spare, (most - area.right) / 2)
    bottom = page.height - area.bottom - TYPOGRAPHY.most * MEASURES.line
    if alone:
        bottom = min(bottom, MEASURES.half_inch)
    across, down = (max(side / 2 - MEASURES.quarter_inch, 0.0) for side in (page.width, page.height))
    return (
        min(max(area.left, 0.0), across),
        min(max(area.top, MEASURES.quarter_inch), down),
        min(max(page.width - area.right - spare, 0.0), across),
        min(max(bottom, MEASURES.quarter_inch), down),
    )


def with_next(pages: Iterable[Page]) -> Iterator[tuple[Page, Page | None]]:
    """Each page with the one after it."""
    walk = iter(pages)
    page = next(walk, None)
    while page is not None:
        following = next(walk, None)
        yield page, following
        page = following
