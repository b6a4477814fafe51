"""One page's marks to its blocks in reading order, stage by stage: `STAGES` is the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import BlockKind
from paperchute.engine.reading.layout.blocks import Flow, Placed, figure_of, picture_of, text_block, with_whole_headings
from paperchute.engine.reading.layout.column_text import ColumnText
from paperchute.engine.reading.layout.columns import in_reading_order
from paperchute.engine.reading.layout.directions import Frame, is_vertical, sideways, turned_lines, upright_words
from paperchute.engine.reading.layout.emblems import emblems
from paperchute.engine.reading.layout.figures import without_figures, without_labels
from paperchute.engine.reading.layout.furniture import artifacts
from paperchute.engine.reading.layout.initials import with_initials
from paperchute.engine.reading.layout.justified import with_justified
from paperchute.engine.reading.layout.line_numbers import take_line_numbers
from paperchute.engine.reading.layout.lines import TextLine, line_of, segments
from paperchute.engine.reading.layout.lists import add_dot_bullets
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.sides import Piece, pieces_of
from paperchute.engine.reading.layout.strips import panels_of
from paperchute.engine.reading.layout.survey import Norms
from paperchute.engine.reading.layout.tables.evidence import word_ids
from paperchute.engine.reading.layout.tables.finding import lines_outside, shown_tables, with_tables
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.trace import PageTrace, Taken, begun, framed


@dataclass(slots=True)
class WorkingPage:
    """A page while it is laid out: its marks and lines, and beside them what the stages have made of these."""

    marks: PageMarks
    lines: list[TextLine]
    """Upright ones in no table, figure, head or foot; those of the whole page at first, and none where its marks are
    not yet put into lines."""

    figures: list[Placed] = field(default_factory=list)
    """Drawn ones, as pictures."""

    labels: list[list[Word]] = field(default_factory=list)
    """The upright words of each figure and captioned picture that stay text."""

    tables: list[FoundTable] = field(default_factory=list)
    """Those that tags, rules and small labels show; text alone shows others to `order_flow`, column by column."""

    turned_tables: list[Box] = field(default_factory=list)
    turned: list[Word] = field(default_factory=list)
    """Words of other directions, in no table."""

    vertical: bool = False
    """Whether the page is written in vertical lines."""

    apart: list[list[Word]] = field(default_factory=list)
    """Turned words that are text by themselves, a direction each."""

    aside: list[Word] = field(default_factory=list)
    """Turned words that are labels at the page's side."""

    heads: list[Placed] = field(default_factory=list)
    feet: list[Placed] = field(default_factory=list)
    backgrounds: list[Placed] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    """What has a place in the flow: lines, tables, pictures, labels, text of other directions."""

    flow: list[Placed] = field(default_factory=list)
    """The blocks of the pieces in reading order."""

    blocks: list[Placed] = field(default_factory=list)
    """All of the page: the result."""

    def placed_words(self) -> Iterator[Word]:
        """Yield the words that have their place: in what is none of the page's lines any more."""
        for words in (*self.labels, *self.apart, self.aside):
            yield from words
        for table in self.tables:
            yield from table.words()
        for item in self.placed():
            yield from item.words()

    def placed(self) -> Iterator[Placed]:
        """Yield the blocks that there are so far."""
        yield from (*self.figures, *self.backgrounds, *self.heads, *self.feet)
        yield from (piece.content for piece in self.pieces if isinstance(piece.content, Placed))
        yield from (*self.flow, *self.blocks)

    def taken(self, told: PageTrace) -> Iterator[Taken]:
        """Yield the blocks of the result with the stages that took their words."""
        for item in self.blocks:
            words, table = tuple(map(told.own, item.words())), item.made_of
            how = f"{table.rows} by {table.columns}, by {table.finder}" if isinstance(table, FoundTable) else ""
            if item.block.level:
                how = f"level {item.block.level}"
            yield Taken(item.block.quad.box, item.block.kind, told.taker(words, item.block.quad.box), how, words)


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
    _columns: list[tuple[float, ...]] = field(default_factory=list)

    def blocks(self, marks: PageMarks, lines: Sequence[TextLine] | None = None) -> list[Placed]:
        """Lay out a page: heads, the flow in reading order, notes, feet, then labels that stand sideways.

        lines: `segments` of the page's upright words, where the caller has them already.
        """
        if self.norms.typed:
            marks, lines = marks.as_typed(), ()
            if self.margins:
                take_line_numbers(marks)
        page = WorkingPage(marks, list(lines or ()))
        with begun(marks) as told:
            for stage in STAGES:
                stage.run(self, page)
                if told is not None:
                    told.take(stage.name, page.placed_words(), (item.block.quad.box for item in page.placed()))
        if told is not None:
            told.taken += page.taken(told)
        return page.blocks

    def take_figures(self, page: WorkingPage) -> None:
        """Take charts, drawings and the labels of pictures out of the words; lines are made of the rest."""
        if not self.figures:
            return
        page.marks, drawn = without_figures(page.marks)
        page.marks, page.labels = without_labels(page.marks)
        if drawn or page.labels:
            page.lines = []
        if self.pictures:
            page.figures = [figure_of(box, words, self.norms.hyphens) for box, words in drawn]
            return
        page.labels += [upright for _, words in drawn if (upright := [word for word in words if word.angle == 0])]
        page.marks.words.extend(word for _, words in drawn for word in words if word.angle)

    def make_lines(self, page: WorkingPage) -> None:
        """Put the upright words into lines, unless they are already."""
        if not page.lines:
            page.lines = with_initials(with_justified(segments([word for word in page.marks.words if word.angle == 0])))

    def find_shown_tables(self, page: WorkingPage) -> None:
        """Find the tables that are drawn or tagged; part the words outside of them by direction."""
        words = page.marks.words
        tables, page.turned_tables = shown_tables(page.marks, page.lines, self._columns)
        page.tables = list(tables)
        self._columns = [table.edges for table in page.tables if table.edges]
        taken = word_ids(page.tables)
        page.lines = lines_outside(page.lines, taken)
        page.turned = [word for word in words if word.angle != 0 and id(word) not in taken]
        page.vertical = is_vertical(words)

    def add_bullets(self, page: WorkingPage) -> None:
        """Put drawn dots before their lines as bullets."""
        add_dot_bullets(page.lines, page.marks)

    def take_emblems(self, page: WorkingPage) -> None:
        """Take logos and icons, which are pictures beside the text."""
        if not (self.figures and self.pictures):
            return
        taken = [*(table.box for table in page.tables), *(item.block.quad.box for item in page.figures)]
        taken += [picture.box for picture in page.marks.pictures]
        page.figures += [figure_of(box, (), self.norms.hyphens) for box in emblems(page.marks, page.lines, taken)]

    def take_furniture(self, page: WorkingPage) -> None:
        """Take running heads, feet and page numbers out of the lines.

        The lines of vertical writing are none, but stand between them.
        """
        if not self.margins:
            return
        marks, lines = page.marks, page.lines
        boxes = [table.box for table in page.tables]
        vertical = turned_lines(page.turned) if page.vertical else []
        kinds = self.norms.furniture.kinds(marks.number, [*lines, *vertical], marks.height, boxes)
        kinds |= artifacts(lines, marks.height, boxes)
        for number, line in enumerate(lines):
            if number in kinds:
                above = line.top < marks.height / 2
                (page.heads if above else page.feet).append(self._block(kinds[number], [line]))
        page.lines = [line for number, line in enumerate(lines) if number not in kinds]

    def part_sideways(self, page: WorkingPage) -> None:
        """Tell text of other directions from labels at the side."""
        page.apart, page.aside = sideways(page.turned, page.turned_tables, page.vertical)

    def gather_pieces(self, page: WorkingPage) -> None:
        """Gather what has a place in the flow."""
        marks = page.marks
        pictures = [*page.figures, *(picture_of(picture, marks) for picture in marks.pictures)]
        page.backgrounds = [item for item in pictures if item.block.background]
        page.pieces = [*pieces_of(page.lines, marks.words), *map(_placed_table, page.tables)]
        page.pieces += [self._labels(words, marks) for words in page.labels]
        page.pieces += [Piece(item.block.quad.box, item) for item in pictures if not item.block.background]
        texts = [self._turned(marks, words, []) for words in page.apart]
        if not page.vertical:
            page.pieces += [Piece(hull(item.block.quad.box for item in text), text) for text in texts]

    def order_flow(self, page: WorkingPage) -> None:
        """Part the pieces into columns, find the tables that text alone shows, and make blocks column by column."""
        page.flow = self._ordered(page.pieces, page.marks)
        if page.vertical:
            page.flow = self._turned(page.marks, [word for word in page.turned if word.angle == 90], page.flow)

    def join_pages(self, page: WorkingPage) -> None:
        """Put all blocks of the page together, and mark the one that goes on from the page before."""
        asides = [self._block("aside_text", [line]) for line in turned_lines(page.aside)]
        if page.marks.line_numbers:
            asides.append(self._block("aside_text", [line_of([word]) for word in page.marks.line_numbers]))
        placed = [*page.backgrounds, *page.heads, *page.flow, *page.feet, *asides]
        page.blocks = self._flow.marked(placed, page.marks.number)

    def _ordered(self, pieces: Sequence[Piece], marks: PageMarks) -> list[Placed]:
        front = self.norms.front
        title = (front.top, front.start) if front.title is not None and front.page == marks.number else None
        panels = panels_of(marks.shapes, marks.width, marks.height)
        groups = in_reading_order(pieces, partial(with_tables, marks=marks), title, panels)
        column = ColumnText(marks, self.norms)
        return with_whole_headings([item for group in groups for item in column.blocks(group)])

    def _turned(self, marks: PageMarks, words: Sequence[Word], others: Sequence[Placed]) -> list[Placed]:
        """The blocks of words of one direction that is not upright, `others` between them where they stand."""
        frame = Frame(words[0].angle, marks.width, marks.height)
        with framed(frame.back.box):
            return self._turned_in(frame, marks, words, others)

    def _turned_in(
        self, frame: Frame, marks: PageMarks, words: Sequence[Word], others: Sequence[Placed]
    ) -> list[Placed]:
        seen = frame.marks(marks, upright_words(frame, words), hull(word.box for word in words))
        lines = segments(seen.words)
        tables, _ = shown_tables(seen, lines)
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

    def _block(self, kind: BlockKind, lines: Sequence[TextLine]) -> Placed:
        return Placed(text_block(kind, lines, self.norms.hyphens), made_of=lines)


def _placed_table(table: FoundTable) -> Piece:
    return Piece(table.box, table)


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of laying out a page.

    needs: the fields of `WorkingPage` that it looks at. gives: those that it sets or changes.
    """

    run: Callable[[PageLayout, WorkingPage], None]
    needs: frozenset[str]
    gives: frozenset[str]

    @property
    def name(self) -> str:
        """The step in words: "take figures"."""
        return self.run.__name__.replace("_", " ")


def _stage(run: Callable[[PageLayout, WorkingPage], None], needs: str, gives: str) -> Stage:
    return Stage(run, frozenset(needs.split()), frozenset(gives.split()))


STAGES = (
    _stage(PageLayout.take_figures, "marks", "marks lines figures labels"),
    _stage(PageLayout.make_lines, "marks lines", "lines"),
    _stage(PageLayout.find_shown_tables, "marks lines", "tables turned_tables lines turned vertical"),
    _stage(PageLayout.add_bullets, "marks lines", "lines"),
    _stage(PageLayout.take_emblems, "marks lines tables figures", "figures"),
    _stage(PageLayout.take_furniture, "marks lines tables turned vertical", "heads feet lines"),
    _stage(PageLayout.part_sideways, "turned turned_tables vertical", "apart aside"),
    _stage(PageLayout.gather_pieces, "marks lines tables labels figures apart vertical", "pieces backgrounds"),
    _stage(PageLayout.order_flow, "marks pieces turned vertical", "flow"),
    _stage(PageLayout.join_pages, "marks backgrounds heads flow feet aside", "blocks"),
)
"""What is done with a page, in this order; docs/architecture.md draws it."""
