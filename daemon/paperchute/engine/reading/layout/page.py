"""One page's marks to its blocks in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from paperchute.engine.document.geometry import Quad, hull
from paperchute.engine.document.model import Block, BlockKind
from paperchute.engine.reading.layout.blocks import (
    Flow,
    Placed,
    certainty,
    code_block,
    figure_of,
    list_item,
    picture_of,
    table_block,
    text_block,
    with_whole_headings,
)
from paperchute.engine.reading.layout.captioned import take_labels
from paperchute.engine.reading.layout.columns import in_reading_order
from paperchute.engine.reading.layout.directions import Frame, is_vertical, sideways, turned_lines, upright_words
from paperchute.engine.reading.layout.figures import take_figures
from paperchute.engine.reading.layout.formulas import Formula, displayed_formulas
from paperchute.engine.reading.layout.furniture import artifacts
from paperchute.engine.reading.layout.justified import with_justified, words_for_tables
from paperchute.engine.reading.layout.latex import latex_of
from paperchute.engine.reading.layout.levels import face_of
from paperchute.engine.reading.layout.lines import TextLine, line_of, rows, segments
from paperchute.engine.reading.layout.listings import numbered_listings
from paperchute.engine.reading.layout.lists import add_dot_bullets, place_of
from paperchute.engine.reading.layout.lone_furniture import stands_apart
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.paragraph_kinds import footnote_start, with_levels
from paperchute.engine.reading.layout.paragraphs import Paragraph, is_other_list, paragraphs
from paperchute.engine.reading.layout.sides import Piece, pieces_of
from paperchute.engine.reading.layout.survey import Norms
from paperchute.engine.reading.layout.tables.aligned import aligned_tables
from paperchute.engine.reading.layout.tables.charted import is_chart
from paperchute.engine.reading.layout.tables.finding import lines_outside, shown_tables, with_tables, word_ids
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.lone_lines import stand_alone


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How the parts of a page are put together. Distances are shares of the font size where nothing else is said."""

    code_gap: float = 3.2
    """Between baselines of lines of code; two empty lines stay in one listing. Of 83 sample pages change 1 at 0.8
    times, 1 at 0.9, none at 1.2."""

    list_step: float = 0.5
    """By so much markers are indented from one level of a list to the next. 0.8 to 1.2 times it reads 83 sample pages
    the same."""

    item_left: float = 0.4
    """By so much a further paragraph of an item may begin beside the item's text. 0.8 to 1.2 times it reads 83 sample
    pages the same."""

    item_gap: float = 2.6
    """From the last line of an item to a further paragraph of it: an empty line and a little. 0.8 to 1.2 times it reads
    83 sample pages the same."""


PAGES = PageSettings()


@dataclass(slots=True)
class PageLayout:
    """Lays out pages one after another; remembers the block that the next page may go on with.

    figures: charts and drawings are told from text. pictures: they become pictures; else their words stay text, which
    heads nothing. margins: heads and feet are told from text.
    """

    norms: Norms
    figures: bool = True
    margins: bool = True
    pictures: bool = True
    _flow: Flow = field(default_factory=Flow)

    def blocks(self, marks: PageMarks, lines: Sequence[TextLine] | None = None) -> list[Placed]:
        """The blocks of a page in reading order: heads, the flow, notes, feet, then labels that stand sideways.

        lines: `segments` of the page's upright words, where the caller has them already.
        """
        drawn = take_figures(marks) if self.figures else []
        labels = take_labels(marks) if self.figures else []
        if drawn or labels:
            lines = None
        figures = [figure_of(box, words, self.norms.hyphens) for box, words in drawn if self.pictures]
        if not self.pictures:
            labels += [upright for _, words in drawn if (upright := [word for word in words if word.angle == 0])]
            marks.words += [word for _, words in drawn for word in words if word.angle]
        if lines is None:
            lines = with_justified(segments([word for word in marks.words if word.angle == 0]))
        tables, grids = shown_tables(marks, marks.words, lines)
        taken = word_ids(tables)
        turned = [word for word in marks.words if word.angle != 0 and id(word) not in taken]
        lines = lines_outside(lines, taken)
        add_dot_bullets(lines, marks)
        vertical = is_vertical(marks.words)
        heads, flow, feet = self._without_furniture(marks, lines, tables, turned_lines(turned) if vertical else [])
        pieces = [*pieces_of(flow, marks.words), *map(_placed_table, tables)] + [
            self._labels(words, marks) for words in labels
        ]
        pictures = [*figures, *(picture_of(picture, marks) for picture in marks.pictures)]
        pieces += [Piece(item.block.quad.box, item) for item in pictures if not item.block.background]
        apart, aside = sideways(turned, grids, vertical)
        texts = [self._turned(marks, words, []) for words in apart]
        placed = [item for item in pictures if item.block.background] + heads
        if vertical:
            placed += self._turned(marks, [w for w in turned if w.angle == 90], self._ordered(pieces, marks))
        else:
            pieces += [Piece(hull(item.block.quad.box for item in text), text) for text in texts]
            placed += self._ordered(pieces, marks)
        placed += feet
        placed += [self._block("aside_text", [line]) for line in turned_lines(aside)]
        if marks.line_numbers:
            placed.append(self._block("aside_text", [line_of([word]) for word in marks.line_numbers]))
        return self._flow.marked(placed, marks.number)

    def _ordered(self, pieces: Sequence[Piece], marks: PageMarks) -> list[Placed]:
        front = self.norms.front
        title = (front.top, front.start) if front.title is not None and front.page == marks.number else None
        groups = in_reading_order(pieces, partial(with_tables, marks=marks), title)
        return with_whole_headings([item for group in groups for item in self._group(group, marks)])

    def _turned(self, marks: PageMarks, words: Sequence[Word], others: Sequence[Placed]) -> list[Placed]:
        """The blocks of words of one direction that is not upright, `others` between them where they stand."""
        frame = Frame(words[0].angle, marks.width, marks.height)
        seen = frame.marks(marks, upright_words(frame, words), hull(word.box for word in words))
        lines = segments(seen.words)
        tables, _ = shown_tables(seen, seen.words, lines)
        lines = lines_outside(lines, word_ids(tables))
        add_dot_bullets(lines, seen)
        pieces = [*pieces_of(lines, seen.words), *map(_placed_table, tables)]
        pieces += [
            Piece(block.quad.box, replace(item, block=block))
            for item, block in zip(others, map(frame.block, (item.block for item in others)), strict=True)
        ]
        return [replace(item, block=frame.back.block(item.block)) for item in self._ordered(pieces, seen)]

    def _labels(self, words: Sequence[Word], marks: PageMarks) -> Piece:
        """The upright words of a figure as text by themselves: they head nothing and are no table."""
        pieces = pieces_of(segments(words), words)
        for piece in pieces:
            piece.alone = True
        placed = [
            replace(item, block=replace(item.block, kind="text", level=0)) if item.block.level else item
            for item in self._ordered(pieces, marks)
        ]
        return Piece(hull(word.box for word in words), placed)

    def _without_furniture(
        self, marks: PageMarks, lines: list[TextLine], tables: Sequence[FoundTable], turned: list[TextLine]
    ) -> tuple[list[Placed], list[TextLine], list[Placed]]:
        """Heads, the flow, feet. turned: the lines of vertical writing, which are none, but stand between them."""
        if not self.margins:
            return [], lines, []
        heads: list[Placed] = []
        feet: list[Placed] = []
        flow: list[TextLine] = []
        boxes = [table.box for table in tables]
        kinds = self.norms.furniture.kinds(marks.number, [*lines, *turned], marks.height, boxes)
        kinds |= artifacts(lines, marks.height, boxes)
        for number, line in enumerate(lines):
            if number not in kinds:
                flow.append(line)
                continue
            above = line.top < marks.height / 2
            (heads if above else feet).append(self._block(kinds[number], [line]))
        return heads, flow, feet

    def _group(self, group: Sequence[Piece], marks: PageMarks) -> list[Placed]:
        """The blocks of one column."""
        result: list[Placed] = []
        pending: list[TextLine] = []
        alone = all(piece.alone for piece in group)

        def flush() -> None:
            result.extend(self._text(pending, marks, alone))
            pending.clear()

        for piece in group:
            if piece.line is not None:
                pending.append(piece.line)
                continue
            flush()
            if isinstance(piece.content, FoundTable):
                result.append(Placed(table_block(piece.content, self.norms.hyphens, marks.grounds)))
            elif isinstance(piece.content, Placed):
                result.append(piece.content)
            elif isinstance(piece.content, list):
                result += piece.content
        flush()
        return result

    def _text(self, segments_: Sequence[TextLine], marks: PageMarks, alone: bool) -> list[Placed]:
        """Blocks of one column's text: listings, formulas, tables by alignment, footnotes, and the text between.

        alone: whether no two of its lines are known to make the row of a table.
        """
        listings = numbered_listings(segments_)
        if listings:
            code = {id(word) for listing in listings for line in listing for word in line.words}
            segments_ = [line for line in segments_ if id(line.words[0]) not in code]
        formulas = displayed_formulas(segments_)
        if formulas:
            own = {id(line) for formula in formulas for line in formula.all}
            segments_ = [line for line in segments_ if id(line) not in own]
        apart = [*(self._formula(formula, marks) for formula in formulas), *map(Placed, map(code_block, listings))]
        apart.sort(key=lambda item: item.block.quad.box.center[1])
        lines = rows(segments_)
        notes = footnote_start(lines, marks, self.norms)
        tables: list[FoundTable] = []
        if not (alone or stand_alone(line for line in segments_ if not line.justified)):
            found = aligned_tables(words_for_tables(lines[:notes]))
            tables = [table for table in found if not is_chart(table, marks)]
        taken = word_ids(tables)
        result: list[Placed] = []
        pending: list[TextLine] = []
        for line in lines[:notes]:
            while apart and apart[0].block.quad.box.center[1] < line.box.center[1]:
                result += self._paragraphs(pending, marks)
                pending = []
                result.append(apart.pop(0))
            rest = [word for word in line.words if id(word) not in taken] if taken else line.words
            if len(rest) < len(line.words) and tables and tables[0].box.top <= line.bottom:
                result += self._paragraphs(pending, marks)
                pending = []
                result.append(Placed(table_block(tables.pop(0), self.norms.hyphens, marks.grounds)))
            if rest:
                pending.append(line if len(rest) == len(line.words) else line_of(rest))
        result += self._paragraphs(pending, marks)
        result += [Placed(table_block(table, self.norms.hyphens, marks.grounds)) for table in tables]
        result += apart
        for note in paragraphs(lines[notes:]):
            result.append(self._block("footnote", note.lines, note))
        return result

    def _formula(self, formula: Formula, marks: PageMarks) -> Placed:
        block = text_block("formula", formula.lines, self.norms.hyphens)
        return Placed(replace(block, latex=latex_of(formula, marks.rules)))

    def _paragraphs(self, lines: Sequence[TextLine], marks: PageMarks) -> list[Placed]:
        result: list[Placed] = []
        items: list[Paragraph] = []
        code: list[TextLine] = []

        def flush() -> None:
            if items:
                result.append(Placed(self._list(items)))
                items.clear()
            if code:
                foot = len(code) == 1 and stands_apart(code[0], marks.words, marks.height)
                result.append(self._block("text", code) if foot else Placed(code_block(code)))
                code.clear()

        for paragraph, level in with_levels(paragraphs(lines), marks.number, self.norms):
            if level and _is_pictured(paragraph, marks):
                level = 0
            if not level and all(line.mono for line in paragraph.lines) and paragraph.marker is None:
                if items:
                    flush()
                if code and paragraph.lines[0].baseline - code[-1].baseline > PAGES.code_gap * code[-1].size:
                    flush()
                code += paragraph.lines
                continue
            if code:
                flush()
            if level:
                flush()
                front = self.norms.front
                title = front.is_title(marks.number, face_of(paragraph.lines[0]))
                kind: BlockKind = "doc_title" if title else "paragraph_title"
                result.append(self._block(kind, paragraph.lines, paragraph, level))
            elif paragraph.marker is not None:
                if items and is_other_list(items[-1], paragraph):
                    flush()
                items.append(paragraph)
            elif items and _goes_on(items[-1], paragraph):
                items[-1].hard.add(len(items[-1].lines) - 1)
                items[-1].lines += paragraph.lines
            else:
                flush()
                result.append(self._block("text", paragraph.lines, paragraph))
        flush()
        return result

    def _block(
        self, kind: BlockKind, lines: Sequence[TextLine], paragraph: Paragraph | None = None, level: int = 0
    ) -> Placed:
        hard = frozenset(paragraph.hard) if paragraph else frozenset()
        return Placed(text_block(kind, lines, self.norms.hyphens, hard, level))

    def _list(self, items: Sequence[Paragraph]) -> Block:
        """Items as one list block, their levels as tagged, else from how far their markers are indented."""
        found = []
        sure = certainty([word for item in items for line in item.lines for word in line.words])
        places = [place.level for item in items if (place := place_of(item.lines[0])) is not None]
        if len(places) == len(items):
            found = [list_item(i, n - min(places), self.norms.hyphens) for i, n in zip(items, places, strict=True)]
            return Block("list", Quad.of(hull(item.quad.box for item in found)), items=tuple(found), confidence=sure)
        stack: list[float] = []
        for paragraph in items:
            marker = paragraph.marker
            assert marker is not None
            size = paragraph.lines[0].size
            while stack and marker.left < stack[-1] - PAGES.list_step * size:
                stack.pop()
            if not stack or marker.left > stack[-1] + PAGES.list_step * size:
                stack.append(marker.left)
            found.append(list_item(paragraph, len(stack) - 1, self.norms.hyphens))
        quad = Quad.of(hull(item.quad.box for item in found))
        return Block("list", quad, items=tuple(found), confidence=sure)


def _placed_table(table: FoundTable) -> Piece:
    return Piece(table.box, table)


def _goes_on(item: Paragraph, paragraph: Paragraph) -> bool:
    """Whether a paragraph is a further one of a list item: the tags say so, or it stands under the item's text."""
    size = paragraph.lines[0].size
    own, here = place_of(item.lines[0]), place_of(paragraph.lines[0])
    if own is not None:
        return here is not None and own.item == here.item
    return (
        abs(paragraph.left - item.left) < PAGES.item_left * size
        and paragraph.lines[0].baseline - item.lines[-1].baseline < PAGES.item_gap * size
        and not paragraph.lines[0].bold
    )


def _is_pictured(paragraph: Paragraph, marks: PageMarks) -> bool:
    """Whether a paragraph was recognised in a picture on a page that has more text of its own: it heads nothing."""
    return paragraph.lines[0].words[0].confidence < 1 and marks.has_pictured
