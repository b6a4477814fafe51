"""Pages as one flow: what a column or page end broke is joined, what belongs to the page becomes the section's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.flow import flowed_text, joined_blocks, may_go_on
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import FURNITURE, Block, Note, Page
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.writing.office.columns import Stretch, stretches
from paperchute.engine.writing.office.fonts import narrowing
from paperchute.engine.writing.office.lists import Counting
from paperchute.engine.writing.office.margins import SectionMargins
from paperchute.engine.writing.office.paragraphs import (
    PLACES,
    align_of,
    are_details,
    end_of,
    place_of,
    size_of,
    text_starts,
)
from paperchute.engine.writing.office.parts import (
    BehindPart,
    FlowPart,
    Paragraph,
    ParagraphKind,
    PicturePart,
    Place,
    Section,
)
from paperchute.engine.writing.office.runs import Footnotes, runs_of, text_of
from paperchute.engine.writing.office.styles import HEADINGS, Looks
from paperchute.engine.writing.office.tables import table_part

_KINDS: dict[str, ParagraphKind] = {
    "doc_title": "title",
    "paragraph_title": "heading",
    "code": "code",
    "formula": "formula",
    "footnote": "footnote",
    "aside_text": "aside",
}
_ASIDE = ("footnote", "aside_text")


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """What of a page's print belongs to the page, and how much room reflowed text gets. Lengths are points.

    Chosen by eye on the samples where nothing else is said. Measured on the first two pages of 42 sample documents:
    30 % less or more changes none of them where no figure is given, save for what is a size itself.
    """

    whole_page: float = 0.9
    """Of the page's area: a larger picture is the page itself, such as a scan, and stays behind the text. From
    0.77 on the same; 1 of 42 documents changes at 0.63."""

    room_left: float = 40.0
    """More than the next page's first block takes: so much room under a page's text says that the break was meant."""

    same_page: float = 2.0
    """By which the sizes of pages of one section may differ: the rounding of sizes."""

    least_margin: float = 18.0
    """Above and below the text: a quarter of an inch, about what printers leave free."""

    lone_margin: float = 36.0
    """Below the text of a document of one page, at most: half an inch. No page after it tells where text may end."""

    least_half: float = 18.0
    """Of text between opposite margins, on either side of the page's middle: so that there is some."""

    no_text_margin: float = 72.0
    """Around a section without any text: an inch, as Word's own pages have it."""

    no_text_share: float = 0.1
    """Of the page: around one that holds nothing but its pictures."""

    spare_width: float = 0.012
    """Of the text's width, right of it: lines in a similar font come out a little longer than they were printed."""

    spare_height: float = 20.0
    """Under the text: its last line may come out lower, and must not begin a page."""

    least_indent: float = 9.0
    """From the column's edge to an item's text: half of `PARTS.list_step`."""

    most_item_gap: float = 12.0
    """Above an item: an empty line. What was taken out between two of them, such as a picture, leaves more."""

    at_start: float = 3.0
    """By which right-to-left text may be nearer to the left edge and still stand at its start, the right one."""

    near: int = 30
    """Blocks before and after one in the reading order, among which those at its side are found: a bound on work."""


FLOW = FlowSettings()


@dataclass(slots=True)
class _Held:
    """A block that may go on: with the next page or column. printed: the ends of its lines are kept."""

    block: Block
    edges: tuple[float, float]
    place: Place
    new_page: bool
    comments: list[Note] = field(default_factory=list)
    printed: bool = False


@dataclass(slots=True)
class _Open:
    """The section being filled."""

    page: Page
    margins: SectionMargins
    stretch: Stretch | None
    new_page: bool
    area: Box | None = None


@dataclass(slots=True)
class Flow:
    """Turns pages into parts and sections; a `Section` follows the parts it holds for.

    page_count: of the document. looks: of its running text. notes: the footnotes found so far; complete when `parts`
    has ended.
    """

    page_count: int
    looks: Looks
    notes: Footnotes = field(default_factory=Footnotes)
    _counting: Counting = field(default_factory=Counting)
    _held: _Held | None = None
    _waiting: list[_Held] = field(default_factory=list)
    _open: _Open | None = None
    _room: float = 0.0
    _running: KeptOnce = field(default_factory=KeptOnce)

    def parts(self, pages: Iterable[Page]) -> Iterator[FlowPart | Section]:
        """The document, page after page."""
        for page in pages:
            yield from self._page(self.notes.linked(page))
        yield from self._release()
        if self._open is not None:
            yield self._closed(self._open)

    def _page(self, page: Page) -> Iterator[FlowPart | Section]:
        blocks = [block for block in page.blocks if block.kind not in FURNITURE]
        behind = [block for block in blocks if _is_behind(block, page)]
        flow = [block for block in blocks if block not in behind]
        area = _area(flow, page)
        groups = stretches(flow, area)
        comments = _comments(page, flow)
        first = flow[0] if flow else None
        meant = first is None or bool(behind) or self._room > first.quad.box.height + FLOW.room_left
        new_page = self._open is not None and meant and not (first is not None and first.continues)
        if self._open is not None and self._must_close(page, meant, first):
            yield from self._release()
            yield self._closed(self._open)
            self._open = None
            new_page = False
        if self._open is None:
            self._open = _Open(page, SectionMargins(self.page_count), groups[0] if groups else None, new_page=True)
        left_over = self._open.margins.add(page)
        self._widen(area if flow else None)
        if behind:
            yield from self._release()
            for block in behind:
                assert block.image is not None
                yield BehindPart(block.image, block.quad.box, new_page)
                new_page = False
        for block in left_over:
            if self._running.is_new(block, page):
                yield from self._beside(_Held(block, (area.left, area.right), Place(), False, []))
        for number, group in enumerate(groups):
            joins = self._joins(group.blocks[0])
            if len(group.columns) != self._columns() and not (number == 0 and joins):
                yield from self._release()
                yield self._closed(self._open)
                starts = number == 0 and new_page
                self._open = _Open(page, self._open.margins, group, starts, self._open.area)
                new_page = new_page and not self._open.new_page
            yield from self._group(group, comments, new_page)
            new_page = False
        if not flow:
            yield from self._release()
            yield Paragraph("text", (), comments=tuple(page.notes), new_page=new_page and not behind)
        bottom = max((block.quad.box.bottom for block in flow), default=area.bottom)
        self._room = (self._open.area.bottom if self._open.area else bottom) - bottom

    def _group(self, group: Stretch, comments: dict[int, list[Note]], new_page: bool) -> Iterator[FlowPart]:
        above: dict[tuple[float, float], float] = {}
        for number, block in enumerate(group.blocks):
            edges = group.edges(block.quad.box)
            notes = comments.get(id(block), [])
            if self._held is not None and block.kind in _ASIDE and self._held.block.kind not in _ASIDE:
                yield from self._beside(_Held(block, edges, Place(), False, list(notes)))
                continue
            if self._joins(block):
                assert self._held is not None
                self._held.block = joined_blocks([self._held.block, block])
                self._held.place = replace(self._held.place, end=0.0)
                self._held.comments += notes
                self._held.printed = False
            else:
                yield from self._release()
                place = place_of(block, edges, above.get(edges), self.looks.pitch)
                printed = place.align == "left" and are_details(block, edges)
                if not printed and place.align in ("left", "both") and not _has_beside(group.blocks, number):
                    place = replace(place, end=end_of(block, edges))
                self._held = _Held(block, edges, place, new_page, list(notes), printed)
            above[edges] = max(block.quad.box.bottom, above.get(edges, 0.0))
            new_page = False

    def _beside(self, held: _Held) -> Iterator[FlowPart]:
        """What belongs to no block of the flow waits for the end of the one that may go on."""
        if self._held is None:
            yield from self._finished(held)
        else:
            self._waiting.append(held)

    def _joins(self, block: Block) -> bool:
        held = self._held
        return held is not None and block.continues and may_go_on(held.block, block)

    def _release(self) -> Iterator[FlowPart]:
        """What was held, and the footnotes and marginal texts that waited for its end."""
        held = [self._held, *self._waiting] if self._held is not None else []
        self._held, self._waiting = None, []
        for one in held:
            yield from self._finished(one)

    def _finished(self, held: _Held) -> Iterator[FlowPart]:
        block, comments = held.block, tuple(held.comments)
        if block.image is not None:
            box = block.quad.box
            align = align_of(box, *held.edges)
            words = " ".join(flowed_text(block.lines).split())
            yield PicturePart(block.image, box.width, box.height, words, align, comments, held.new_page)
        elif block.table is not None:
            yield replace(table_part(block, held.edges), comments=comments, new_page=held.new_page)
        elif block.kind == "list":
            yield from self._items(block, held, comments)
        else:
            runs = runs_of(block.lines, printed=held.printed or block.kind in ("code", "formula"))
            kind = _KINDS.get(block.kind, "text")
            level = min(block.level, HEADINGS)
            if kind in ("heading", "text") and level:
                kind = "heading"
            rtl = is_rtl(text_of(runs))
            place = _mirrored(held.place, block, held.edges) if rtl else held.place
            room = held.edges[1] - held.edges[0] - place.indent - place.end
            stretch = 100 if kind in ("code", "formula") else narrowing(block.lines, room, self.looks.family)
            yield Paragraph(kind, runs, place, level, None, comments, held.new_page, rtl, stretch)

    def _items(self, block: Block, held: _Held, comments: tuple[Note, ...]) -> Iterator[Paragraph]:
        new_page = held.new_page
        above = None
        starts = text_starts(block.items, self.looks.family)
        for item, start, (level, marker) in zip(block.items, starts, self._counting.markers(block.items), strict=True):
            runs = runs_of(item.lines)
            box = item.quad.box
            left = max(start - held.edges[0], FLOW.least_indent)
            leading = (self.looks.pitch - 1) * (size_of(item.lines) or PLACES.usual_size)
            gap = held.place.before if above is None else max(0.0, box.top - above - leading)
            place = Place("left", left, box.left - start, min(gap, FLOW.most_item_gap))
            narrow = narrowing(item.lines, held.edges[1] - held.edges[0] - left, self.looks.family)
            yield Paragraph("item", runs, place, level, marker, comments, new_page, is_rtl(text_of(runs)), narrow)
            comments, new_page, above = (), False, box.bottom

    def _must_close(self, page: Page, meant: bool, first: Block | None) -> bool:
        """Whether a section ends before the page: its size changes, or its margins do where a page break is meant."""
        assert self._open is not None
        old = self._open.page
        if max(abs(old.width - page.width), abs(old.height - page.height)) > FLOW.same_page:
            return True
        return meant and not (first is not None and first.continues) and not self._open.margins.fits(page)

    def _columns(self) -> int:
        return len(self._open.stretch.columns) if self._open is not None and self._open.stretch is not None else 1

    def _widen(self, area: Box | None) -> None:
        assert self._open is not None
        if area is not None:
            self._open.area = hull([self._open.area, area]) if self._open.area is not None else area

    def _closed(self, section: _Open) -> Section:
        page = section.page
        area = section.area or Box(0.0, 0.0, page.width, page.height).grown(-FLOW.no_text_margin)
        margins, first, even = section.margins.result()
        number, style = section.margins.number()
        return Section(
            page.width,
            page.height,
            *_margins_around(area, page, alone=self.page_count == 1),
            columns=len(section.stretch.columns) if section.stretch else 1,
            gap=section.stretch.gap if section.stretch else 0.0,
            margins=margins,
            first=first if section.new_page else None,
            even=even,
            number=number if section.new_page else 0,
            format=style,
            new_page=section.new_page,
        )


def _margins_around(area: Box, page: Page, *, alone: bool) -> tuple[float, float, float, float]:
    """Left, top, right and bottom; always with room for some text between them.

    Lines may come out a little longer than they were printed, and the last one lower, so there is room to spare; on a
    page that is `alone`, all that there is: what stood side by side stands one below the other.
    """
    bottom = page.height - area.bottom - FLOW.spare_height
    if alone:
        bottom = min(bottom, FLOW.lone_margin)
    across, down = (max(side / 2 - FLOW.least_half, 0.0) for side in (page.width, page.height))
    return (
        min(max(area.left, 0.0), across),
        min(max(area.top, FLOW.least_margin), down),
        min(max(page.width - area.right - FLOW.spare_width * area.width, 0.0), across),
        min(max(bottom, FLOW.least_margin), down),
    )


def _area(flow: list[Block], page: Page) -> Box:
    """Where the page's text stands."""
    boxes = [block.quad.box for block in flow if block.kind != "aside_text" and block.quad.box.width > 0]
    if not boxes:
        left, top = FLOW.no_text_share * page.width, FLOW.no_text_share * page.height
        return Box(left, top, (1 - FLOW.no_text_share) * page.width, (1 - FLOW.no_text_share) * page.height)
    return hull(boxes)


def _is_behind(block: Block, page: Page) -> bool:
    """Pictures behind the text, and those that are the page: they keep their place."""
    if block.image is None:
        return False
    return block.background or block.quad.box.area > FLOW.whole_page * page.width * page.height


def _mirrored(place: Place, block: Block, edges: tuple[float, float]) -> Place:
    """Right-to-left text that stands at its column's right edge stands at its start."""
    box = block.quad.box
    if place.align in ("center", "both"):
        return replace(place, indent=0.0, first=0.0, end=0.0)
    at_start = abs(edges[1] - box.right) <= abs(box.left - edges[0]) + FLOW.at_start
    return Place("left" if at_start else "right", 0.0, 0.0, place.before, place.pitch)


def _has_beside(blocks: Sequence[Block], number: int) -> bool:
    """Whether something stands at the side of a block, of those near it in the reading order."""
    box = blocks[number].quad.box
    near = blocks[max(number - FLOW.near, 0) : number + FLOW.near + 1]
    return any(
        other is not blocks[number]
        and min(box.bottom, other.quad.box.bottom) - max(box.top, other.quad.box.top) > FLOW.same_page
        and (other.quad.box.left >= box.right or other.quad.box.right <= box.left)
        for other in near
    )


def _comments(page: Page, flow: list[Block]) -> dict[int, list[Note]]:
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
