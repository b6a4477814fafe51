"""Pages as one flow: what a column or page end broke is joined, what belongs to the page becomes the section's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.cell_pictures import with_cell_pictures
from paperchute.engine.document.flow import flowed_text, joined_blocks, may_go_on
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Block, Note, Page, Style
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.areas import (
    area_of,
    flow_of,
    is_slide,
    margins_around,
    next_words,
    same_size,
    start_of,
    top_of,
    with_next,
)
from paperchute.engine.writing.office.columns import Stretch, in_columns, stretches
from paperchute.engine.writing.office.counting import numbered
from paperchute.engine.writing.office.drawn import Arranged, Framed, Ruled, takes_lines
from paperchute.engine.writing.office.fonts import narrowing
from paperchute.engine.writing.office.frames import edges_of, layout, place_in
from paperchute.engine.writing.office.leading import ends_of, leading_of, size_of, within
from paperchute.engine.writing.office.lists import markers_of
from paperchute.engine.writing.office.margins import SectionMargins
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.neighbours import comments_by_block, has_beside, is_inside
from paperchute.engine.writing.office.notes import Footnotes
from paperchute.engine.writing.office.panels import arranged, bare
from paperchute.engine.writing.office.paragraphs import (
    PLACES,
    align_of,
    are_details,
    end_of,
    is_flush,
    mirrored,
    place_of,
    room_of,
    settled,
    text_starts,
)
from paperchute.engine.writing.office.parts import (
    NO_SIDES,
    UNSTYLED,
    BehindPart,
    FlowPart,
    LayoutPart,
    Leading,
    Paragraph,
    ParagraphKind,
    PicturePart,
    Place,
    Section,
    Sides,
    Stop,
)
from paperchute.engine.writing.office.room import NO_SPAN, Rooms, Span, least_lines
from paperchute.engine.writing.office.ruling import ruled, with_rules
from paperchute.engine.writing.office.runs import runs_of, text_of, with_initial
from paperchute.engine.writing.office.styles import HEADINGS, Looks
from paperchute.engine.writing.office.tabbed import parted, with_tabs
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


@dataclass(slots=True)
class _Held:
    """A block that may go on: with the next page or column.

    above: where what stands above it ends. printed: the ends of its lines are kept. parted: something else stands
    between its items; beside: at their side. sides: lines around it. span: of pages.
    """

    block: Block
    edges: tuple[float, float]
    place: Place
    new_page: bool
    above: float
    comments: list[Note] = field(default_factory=list)
    printed: bool = False
    parted: bool = False
    beside: bool = False
    sides: Sides = NO_SIDES
    span: Span = NO_SPAN


@dataclass(slots=True)
class _Open:
    """The section being filled.

    top: where its text begins on the page. most_right: where the first word of a line would have fitted on the line
    above, so that its column ends before.
    """

    page: Page
    top: float
    margins: SectionMargins
    stretch: Stretch | None
    new_page: bool
    area: Box | None = None
    most_right: float = math.inf


@dataclass(slots=True)
class Flow:
    """Turns pages into parts and sections; a `Section` follows the parts it holds for.

    page_count: of the document. looks: of its running text. notes: the footnotes found so far; complete when `parts`
    has ended.
    """

    page_count: int
    looks: Looks
    notes: Footnotes = field(default_factory=Footnotes)
    _held: _Held | None = None
    _waiting: list[_Held] = field(default_factory=list)
    _open: _Open | None = None
    _room: float = 0.0
    _end: float = 0.0
    _width: float = 0.0  # of the column around what stands side by side, while this is written
    _running: KeptOnce = field(default_factory=KeptOnce)
    _span: Span = NO_SPAN  # of the last part

    def parts(self, pages: Iterable[Page]) -> Iterator[FlowPart | Section]:
        """The document, page after page."""
        rooms = Rooms()
        return numbered(rooms.told(self._printed(rooms.walked(pages)), lambda: self._span))

    def _printed(self, pages: Iterable[Page]) -> Iterator[FlowPart | Section]:
        """Its parts, numbers in their text and items with their markers as printed."""
        for number, (page, following) in enumerate(with_next(map(with_cell_pictures, pages))):
            self._span = Span(number, number)
            yield from self._page(self.notes.linked(page), following)
        yield from self._release()
        if self._open is not None:
            yield self._closed(self._open)

    def _page(self, page: Page, following: Page | None) -> Iterator[FlowPart | Section]:
        flow, behind = flow_of(page)
        flow = arranged([part for block in ruled(flow, page) for part in parted(block)], page)
        following = following if following is not None and same_size(page, following) else None
        area = self._around(area_of(flow, page), page, following)
        area = area._replace(bottom=max(area.bottom, self.notes.bottom))
        top = top_of(flow, page)
        later = top if following is None else top_of(flow_of(following)[0], following)
        groups = stretches(flow, area)
        narrow = any(len(group.columns) > 1 for group in groups)
        fitting = area.right + 2 * MEASURES.least if narrow else next_words(flow, area.right)
        comments = comments_by_block(page, flow)
        first = flow[0] if flow else None
        meant = first is None or bool(behind) or is_slide(page, first) or self._room > start_of(first)
        new_page = self._open is not None and meant and not (first is not None and first.continues)
        if self._open is not None and self._must_close(page, (top, later), meant, first):
            yield from self._release()
            yield self._closed(self._open)
            self._open = None
            new_page = False
        if self._open is None:
            margins = SectionMargins(self.page_count)
            self._open = _Open(page, min(top, later), margins, groups[0] if groups else None, new_page=True)
        left_over = self._open.margins.add(page)
        self._widen(area if flow else None)
        self._open.most_right = min(self._open.most_right, fitting)
        self._end = self._open.top
        if behind:
            yield from self._release()
            for block in behind:
                assert block.image is not None
                yield BehindPart(block.image, block.quad.box, new_page)
                new_page = False
        for block in left_over:
            if self._running.is_new(block, page):
                yield from self._beside(_Held(block, (area.left, area.right), Place(), False, 0.0, span=self._span))
        if groups and self._open.stretch is not None:
            groups[0] = in_columns(groups[0], self._open.stretch.columns)
        for number, group in enumerate(groups):
            joins = self._joins(group.blocks[0])
            if len(group.columns) != self._columns() and not (number == 0 and joins):
                yield from self._release()
                yield self._closed(self._open, following)
                starts = number == 0 and new_page
                self._open = _Open(page, self._open.top, self._open.margins, group, starts, self._open.area)
                new_page = new_page and not self._open.new_page
            yield from self._group(group, comments, new_page)
            new_page = False
        if not flow:
            yield from self._release()
            yield Paragraph("text", (), comments=tuple(page.notes), new_page=new_page and not behind)
        bottom = max([self.notes.bottom, *(block.quad.box.bottom for block in flow)]) if flow else area.bottom
        shown = self._open.area.bottom if self._open.area else bottom
        if following is not None:
            shown = max(shown, *(block.quad.box.bottom for block in flow_of(following)[0]), bottom)
        self._room = max(shown, MEASURES.usual_end * page.height) - bottom if flow else math.inf

    def _group(self, group: Stretch, comments: dict[int, list[Note]], new_page: bool) -> Iterator[FlowPart]:
        ends: dict[tuple[float, float], float] = {}
        for number, block in enumerate(group.blocks):
            edges = group.edges(block.quad.box)
            notes = comments.get(id(block), [])
            if self._held is not None and block.kind in _ASIDE and self._held.block.kind not in _ASIDE:
                place, sides = Place(), NO_SIDES
                if isinstance(block, Framed) and block.panel is not None:  # the rule above footnotes
                    place = Place(leading=Leading(block.quad.box.height, exact=True))
                    place, sides = place_in(place, block.panel, block.quad.box, edges)
                held = _Held(block, edges, place, False, 0.0, list(notes), sides=sides, span=self._span)
                yield from self._beside(held)
                continue
            above = ends.get(edges, self._end)
            if self._joins(block):
                assert self._held is not None
                self._held.block = joined_blocks([self._held.block, block])
                self._held.place = replace(self._held.place, end=0.0)
                self._held.comments += notes
                self._held.printed = False
                self._held.span = Span(self._held.span.begins, self._span.ends)
                ends[edges] = block.quad.box.bottom + self._held.place.leading.below
            else:
                yield from self._release()
                place, ends[edges] = settled(block, place_of(block, edges), above)
                if block is group.blocks[-1] and self._is_low(block) and place.before > 2 * MEASURES.two_lines:
                    place = replace(place, before=place.before - MEASURES.two_lines)
                printed = place.align != "both" and are_details(block, self._width or edges[1] - edges[0], place.align)
                beside = has_beside(group.blocks, number)
                if not printed and place.align in ("left", "both") and not beside:
                    place = replace(place, end=end_of(block.lines, edges, block.quad.box.left))
                if isinstance(block, Ruled | Framed) and not block.lines:
                    place = replace(place, leading=Leading(block.quad.box.height, exact=True))
                sides = NO_SIDES
                if isinstance(block, Framed) and block.panel is not None:
                    place, sides = place_in(place, block.panel, room_of(block, place), edges)
                    ends[edges] = block.panel.box.bottom
                inside = bool(block.items) and any(is_inside(other, block) for other in group.blocks)
                if block.kind == "code":
                    place = replace(place, end=min(edges[1] - block.quad.box.right, 0.0))
                self._held = _Held(
                    block, edges, place, new_page, above, list(notes), printed, inside, beside, sides, self._span
                )
            new_page = False
        self._end = max(ends.values(), default=self._end)

    def _beside(self, held: _Held) -> Iterator[FlowPart]:
        """Keep what belongs to no block of the flow until the end of the one that may go on."""
        if self._held is None:
            yield from self._finished(held)
        else:
            self._waiting.append(held)

    def _is_low(self, block: Block) -> bool:
        """Tell if a block ends so far down that it would begin another page if anything came out a little higher."""
        assert self._open is not None
        return block.quad.box.bottom > self._open.page.height - MEASURES.half_inch

    def _joins(self, block: Block) -> bool:
        held = self._held
        fits = held is not None and takes_lines(held.block) and takes_lines(block)
        return held is not None and fits and block.continues and may_go_on(held.block, block)

    def _release(self) -> Iterator[FlowPart]:
        """Yield what was held, and the footnotes and marginal texts that waited for its end."""
        held = [self._held, *self._waiting] if self._held is not None else []
        self._held, self._waiting = None, []
        now = self._span
        for one in held:
            self._span = one.span
            yield from self._finished(one)
        self._span = now

    def _finished(self, held: _Held) -> Iterator[FlowPart]:
        block, comments = held.block, tuple(held.comments)
        if block.image is not None:
            box = block.quad.box
            align = align_of(box, *held.edges)
            words = " ".join(flowed_text(block.lines).split())
            before = held.place.before
            yield PicturePart(block.image, box.width, box.height, words, align, before, comments, held.new_page)
        elif isinstance(block, Arranged):
            yield replace(self._areas(held, block), comments=comments, new_page=held.new_page)
        elif block.table is not None:
            table = table_part(block, held.edges)
            yield replace(table, before=held.place.before, comments=comments, new_page=held.new_page)
        elif block.kind == "list":
            yield from self._items(block, held, comments)
        else:
            lines, stops = with_tabs(block.lines, held.edges)
            if isinstance(block, Ruled):
                lines, stops = with_rules(block, held.edges)
            first, lines = with_initial(block, lines)
            runs = (*first, *runs_of(lines, printed=held.printed or block.kind in ("code", "formula")))
            kind = _KINDS.get(block.kind, "text")
            level = min(block.level, HEADINGS)
            if kind in ("heading", "text") and level:
                kind = "heading"
            rtl = is_rtl(text_of(runs))
            place = mirrored(held.place, block, held.edges) if rtl else held.place
            room = held.edges[1] - held.edges[0] - place.indent - place.end
            stretch = 100 if kind in ("code", "formula") or stops else narrowing(block.lines, room, self.looks.family)
            shade = block.panel.fill if isinstance(block, Framed) and block.panel is not None else ""
            initial = block.initial if first and not rtl else 0
            look = (rtl, stretch, stops, held.sides, shade, initial)
            count = least_lines(lines, room, printed=held.printed or kind in ("code", "formula"))
            yield Paragraph(kind, runs, place, level, None, comments, held.new_page, *look, lines=count)

    def _areas(self, held: _Held, block: Arranged) -> LayoutPart:
        """Return what stands side by side, each area with its own flow."""
        kept = self._held, self._waiting, self._end, self._width
        self._width = self._width or held.edges[1] - held.edges[0]
        made = []
        for area, edges in zip(block.areas, edges_of(block.areas, held.edges[1]), strict=True):
            self._held, self._waiting, self._end = None, [], block.quad.box.top
            inside = Stretch((edges,), bare(area))
            made.append([*self._group(inside, {}, False), *self._release()])
        self._held, self._waiting, self._end, self._width = kept
        return replace(layout(block.areas, made, *held.edges), before=held.place.before)

    def _items(self, block: Block, held: _Held, comments: tuple[Note, ...]) -> Iterator[Paragraph]:
        new_page, above = held.new_page, held.above
        starts = text_starts(block.items, self.looks.family)
        for item, start, marker in zip(block.items, starts, markers_of(block.items), strict=True):
            runs = runs_of(item.lines)
            box = item.quad.box
            left = max(start - held.edges[0], MEASURES.quarter_inch / 2)
            leading = leading_of(item.lines)
            top, bottom = ends_of(item.lines, box)
            if len(item.lines) == 1:
                leading = within(leading, top - above)
            gap = max(top - leading.above - above, 0.0)
            if item is not block.items[0] and held.parted:
                gap = min(gap, TYPOGRAPHY.tight_line * (size_of(item.lines) or PLACES.usual_size))
            end = 0.0 if held.beside else end_of(item.lines, held.edges, start)
            place = Place("left", left, box.left - start, gap, leading, end)
            stops: tuple[Stop, ...] = ()
            if is_flush(item):
                place = replace(place, indent=box.left - held.edges[0], first=0.0)
                stops = (Stop(start - held.edges[0], "left"),)
            room = held.edges[1] - held.edges[0] - left
            narrow = narrowing(item.lines, room, self.looks.family)
            rtl, look = is_rtl(text_of(runs)), runs[0].style if runs else UNSTYLED
            part = Paragraph("item", runs, place, item.level, marker, comments, new_page, rtl, narrow, stops)
            count = least_lines(item.lines, room, printed=False)
            yield replace(part, mark=Style(size=look.size, font=look.font, color=look.color), lines=count)
            comments, new_page, above = (), False, max(bottom + leading.below, above)

    def _around(self, area: Box, page: Page, following: Page | None) -> Box:
        """The text's area with the sides of what is known of the section: a title page is narrower than its text."""
        known = [area]
        if following is not None and (flow := flow_of(following)[0]):
            known.append(area_of(flow, following))
        if self._open is not None and self._open.area is not None and same_size(page, self._open.page):
            known.append(self._open.area)
        return area._replace(left=min(box.left for box in known), right=max(box.right for box in known))

    def _must_close(self, page: Page, tops: tuple[float, float], meant: bool, first: Block | None) -> bool:
        """Tell whether a section ends before the page: its size changes, or its margins do where a page break is meant.

        tops: where the text of the page begins, and that of the next one.
        """
        assert self._open is not None
        if not same_size(self._open.page, page):
            return True
        begins = self._open.top - MEASURES.rounding < tops[0] and min(tops) < self._open.top + MEASURES.line
        fits = self._open.margins.fits(page) and begins
        return meant and not (first is not None and first.continues) and not fits

    def _columns(self) -> int:
        return len(self._open.stretch.columns) if self._open is not None and self._open.stretch is not None else 1

    def _widen(self, area: Box | None) -> None:
        assert self._open is not None
        if area is not None:
            self._open.area = hull([self._open.area, area]) if self._open.area is not None else area

    def _closed(self, section: _Open, following: Page | None = None) -> Section:
        page = section.page
        area = section.area or area_of([], page)
        area = area._replace(top=section.top)
        alone = self.page_count == 1 or is_slide(page, None)
        margins, first, even = section.margins.result(following)
        number, style = section.margins.number()
        return Section(
            page.width,
            page.height,
            *margins_around(area, page, section.most_right, alone=alone),
            columns=len(section.stretch.columns) if section.stretch else 1,
            gap=section.stretch.gap if section.stretch else 0.0,
            margins=margins,
            first=first if section.new_page else None,
            even=even,
            number=number if section.new_page else 0,
            format=style,
            new_page=section.new_page,
        )
