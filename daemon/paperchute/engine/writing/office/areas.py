"""Where the text of a page stands: its edges, and what is measured beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import FURNITURE, Block, Line, Page
from paperchute.engine.writing.office.leading import ends_of, leading_of
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.paragraphs import next_word_end
from paperchute.engine.writing.office.parts import Leading


@dataclass(frozen=True, slots=True)
class AreaSettings:
    """What of a page's print belongs to the page, and how much room reflowed text gets. Lengths are points.

    Chosen by eye on the samples where nothing else is said. Measured on the first two pages of 42 sample documents:
    30 % less or more changes none of them where no figure is given, save for what is a size itself.
    """

    whole_page: float = 0.9
    """Of the page's area: a larger picture is the page itself, such as a scan, and stays behind the text. From
    0.77 on the same; 1 of 42 documents changes at 0.63."""

    kept_lines: int = 2
    """Of a text, that stay together at the end of a page, as word processors have it: where so many would still have
    fit under a page's text, the break was meant."""

    table_reach: float = 12.0
    """By which the rules of a table may stand out of the text's edges: Word's do, as its text stands at them."""

    no_text_share: float = 0.1
    """Of the page: around one that holds nothing but its pictures."""

    spare_width: float = 0.012
    """Of the text's width, right of it: lines in a similar font come out a little longer than they were printed."""

    justified_lines: int = 2
    """Lines beside the last one that end at one edge, and do so not by chance."""

    slide: float = 1.2
    """Times a page's height that its width is at least where it is one of a presentation."""

    spare_height: float = 7.0
    """Under the text: about half a line. Its last line may come out lower, and the next page's first must not fit."""


AREAS = AreaSettings()


def flow_of(page: Page) -> tuple[list[Block], list[Block]]:
    """The blocks of a page's flow, and the pictures behind it."""
    blocks = [block for block in page.blocks if block.kind not in FURNITURE]
    behind = [block for block in blocks if _is_behind(block, page)]
    return [block for block in blocks if block not in behind], behind


def _is_behind(block: Block, page: Page) -> bool:
    """Pictures behind the text, and those that are the page: they keep their place."""
    if block.image is None:
        return False
    return block.background or block.quad.box.area > AREAS.whole_page * page.width * page.height


def same_size(one: Page, other: Page) -> bool:
    """Decide whether pages are of one size, but for rounding."""
    return max(abs(one.width - other.width), abs(one.height - other.height)) <= MEASURES.rounding


def is_slide(page: Page, first: Block | None) -> bool:
    """Decide whether a page is wide and its text begins on it: however full it is, nothing of it is another's."""
    return page.width >= AREAS.slide * page.height and (first is None or not first.continues)


def area_of(flow: list[Block], page: Page) -> Box:
    """Return where the page's text stands."""
    seen = [block for block in flow if block.kind != "aside_text" and block.quad.box.width > 0]
    text = [block for block in seen if block.kind != "code"]  # whose lines may reach out of the text, or of the page
    boxes = [_beside_text(block) for block in text or seen]
    if text and len(text) < len(seen):
        whole = hull(block.quad.box for block in seen)
        boxes.append(hull(boxes)._replace(top=whole.top, bottom=whole.bottom))
    if not boxes:
        left, top = AREAS.no_text_share * page.width, AREAS.no_text_share * page.height
        return Box(left, top, (1 - AREAS.no_text_share) * page.width, (1 - AREAS.no_text_share) * page.height)
    return hull(boxes)


def _beside_text(block: Block) -> Box:
    """A block's place; of a table, that of the text in it, beside which its rules stand in the margins."""
    box = block.quad.box
    if block.table is None:
        return box
    lines = [line.quad.box for cell in block.table.cells for line in cell.lines]
    text = hull(lines) if lines else box
    reach = AREAS.table_reach
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
    return max(min(tops, default=AREAS.no_text_share * page.height), 0.0)


def _leading(block: Block) -> Leading:
    return leading_of(block.items[0].lines if block.items else block.lines)


def start_of(block: Block) -> float:
    """Give what of a block stays together, so that it begins a page where there is no room for it on the one before."""
    box = block.quad.box
    if block.table is not None:
        return min((cell.quad.box.height for cell in block.table.cells if cell.row == 0), default=box.height)
    lines = len(block.items[0].lines if block.items else block.lines)
    kept = AREAS.kept_lines + lines if block.level or block.kind == "doc_title" else min(lines, AREAS.kept_lines)
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
    return len(ends) >= AREAS.justified_lines and max(ends) <= MEASURES.rounding


def margins_around(area: Box, page: Page, most: float, *, alone: bool) -> tuple[float, float, float, float]:
    """Left, top, right and bottom; always with room for some text between them.

    Lines may come out a little longer than they were printed, so there is room to spare, but only half of that up to
    `most`, where a line would take a word of the next one. The last one may come out lower; on a page that is `alone`,
    it has all that there is: what stood side by side stands one below the other.
    """
    spare = AREAS.spare_width * area.width
    if most > area.right:
        spare = min(spare, (most - area.right) / 2)
    bottom = page.height - area.bottom - AREAS.spare_height
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
