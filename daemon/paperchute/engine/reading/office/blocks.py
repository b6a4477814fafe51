"""What a document states, with the places of its print: the blocks of its pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Cell, Image, Line, ListItem, Span, Style, Table
from paperchute.engine.reading.office.content import BREAK, SCHEME, is_placed
from paperchute.engine.reading.office.grids import Grid, GridCell, grid_of
from paperchute.engine.reading.office.markup import TAB
from paperchute.engine.reading.office.parts import GivenCell, GivenTable, Part, Run
from paperchute.engine.reading.office.places import Place, Places
from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_PLACES = 5_000_000  # of a table, with those that are empty: a bound on memory
_TINY = 3  # pixels of a side: what is as narrow as that keeps things apart and shows nothing
_TICKS = ("☒", "☐", "☑")
_WHITE = re.compile(r"[ \t\r\n\f]+")
_PRIVATE = re.compile("[\uf021-\uf07e]")  # letters as a font of signs has them, in a font that is none
_UNSEEN = re.compile("[\u00ad\u200b\ufeff]")  # where a line may end


_NOWHERE = Place(0, Box(0.0, 0.0, 0.0, 0.0))


@dataclass(slots=True)
class Assembly:
    """Puts the blocks of a document together.

    is_foreign: whether only what is printed is seen. whole: whether a block that goes on over pages stands on the first
    of them, else each page has its part. drops_unseen: whether what is printed and cannot be seen is left out. image:
    gives the picture of a part, None where it cannot be had.
    """

    places: Places
    is_foreign: bool
    whole: bool
    drops_unseen: bool
    image: Callable[[Part, Place], Image | None]
    has_hidden: bool = False
    _pages: defaultdict[int, list[Block]] = field(default_factory=lambda: defaultdict(list))
    _items: list[tuple[int, ListItem]] = field(default_factory=list)
    _group: int = 0
    _at: Place = _NOWHERE
    _has_begun: bool = False

    def pages(self, parts: Sequence[Part]) -> dict[int, list[Block]]:
        """The blocks of each page, by its number from 0."""
        self._add_printed(parts)
        for part in self._flat(parts):
            self._add(part)
        self._end_list()
        return self._pages

    # --- What is seen

    def _is_seen(self, run: Run) -> bool:
        piece = run.piece
        if not self.is_foreign or piece < 0 or not is_placed(piece):
            return True
        seen = piece in self.places.of or piece in self.places.beyond
        seen = seen and not (self.drops_unseen and piece in self.places.unseen)
        self.has_hidden = self.has_hidden or (not seen and any(map(str.isalnum, run.text)))
        return seen

    def _seen(self, runs: Sequence[Run]) -> list[Run]:
        """The runs that are seen, as they look; none where nothing but white space is left."""
        seen = [self._looking(run) for run in runs if self._is_seen(run)]
        return seen if any(run.text.strip() and run.text != BREAK for run in seen) else []

    def _looking(self, run: Run) -> Run:
        bold, italic = self.places.looks.get(run.piece, (run.style.bold, run.style.italic))
        if (bold, italic) == (run.style.bold, run.style.italic):
            return run
        return replace(run, style=replace(run.style, bold=bold or run.style.bold, italic=italic or run.style.italic))

    def _is_seen_cell(self, cell: GivenCell) -> bool:
        """Decide whether a cell is in its table: one all of whose text is hidden is not."""
        runs = [run for part in cell.parts for run in part.runs if run.piece >= 0 and is_placed(run.piece)]
        has_more = any(part.table is not None or part.kind == "image" for part in cell.parts)
        return has_more or not runs or any(self._is_seen(run) for run in runs)

    def _add_printed(self, parts: Sequence[Part]) -> None:
        """Put the words that style sheets print into the parts beside whose pieces they stand."""
        if not self.places.additions:
            return
        holders: dict[int, tuple[Part, int]] = {}
        waiting = list(parts)
        while waiting:
            part = waiting.pop()
            holders.update((run.piece, (part, n)) for n, run in reversed(list(enumerate(part.runs))) if run.piece >= 0)
            if part.table is not None:
                waiting += [inner for _, row in part.table.rows for cell in row for inner in cell.parts]
        more: dict[int, list[tuple[int, Run]]] = defaultdict(list)
        for one in self.places.additions:
            piece = max(one.before, one.behind, one.after)
            if piece not in holders:
                continue
            part, number = holders[piece]
            begins = not any(run.text.strip() for run in part.runs[:number])
            if part.kind == "item" and begins and one.after < 0:
                part.marker = part.marker if part.is_counted else one.text
            elif one.after < 0:
                style = part.runs[number].style
                space = "" if one.glued else " "
                text = one.text + space if one.before >= 0 else space + one.text
                more[id(part)].append((number if one.before >= 0 else number + 1, Run(text, style)))
            else:
                more[id(part)].append((len(part.runs), Run(BREAK, Style())))
                more[id(part)].append((len(part.runs), Run(one.text, Style())))
        for part, _number in holders.values():
            for number, run in reversed(more.pop(id(part), [])):
                part.runs.insert(number, run)

    # --- Where it goes

    def _flat(self, parts: Sequence[Part]) -> Iterator[Part]:
        """The parts, those of tables that only lay out the page without their table."""
        waiting = list(reversed(parts))
        while waiting:
            part = waiting.pop()
            if part.table is None or not self._is_layout(part.table):
                yield part
                continue
            cells = [cell for _, row in part.table.rows for cell in row if self._is_seen_cell(cell)]
            waiting += [inner for cell in reversed(cells) for inner in reversed(cell.parts)]

    def _is_layout(self, table: GivenTable) -> bool:
        cells = [cell for _, row in table.rows for cell in row]
        if table.is_layout:
            return True
        if len(cells) == 1:
            return len(cells[0].parts) > 1 or any(part.kind not in ("text", "code") for part in cells[0].parts)
        has_heading = any(part.kind == "heading" for cell in cells for part in cell.parts)
        return self.is_foreign and has_heading and not any(cell.is_head for cell in cells)

    def _place(self, runs: Iterable[Run]) -> Place:
        """Where the first of the runs begins that has a place, with all that is on that page; else where we are."""
        found = [place for run in runs for place in self.places.of.get(run.piece, ())]
        if found:
            first = found[0].page
            self._at = Place(first, hull(place.box for place in found if place.page == first))
        return self._at

    def _by_page(self, runs: Sequence[Run]) -> Iterator[list[Run]]:
        """The runs of a paragraph, parted where a page ends."""
        part: list[Run] = []
        page = -1
        for run in runs if not self.whole else ():
            place = self.places.of.get(run.piece)
            if place and place[0].page != page:
                if page >= 0 and part:
                    yield part
                    part = []
                page = place[0].page
            part.append(run)
        yield list(runs) if self.whole else part

    # --- Blocks

    def _add(self, part: Part) -> None:
        if part.kind == "item":
            self._add_item(part)
            return
        self._end_list()
        match part.kind:
            case "table" if part.table is not None:
                self._add_table(part.table)
            case "image":
                self._add_image(part)
            case _:
                if runs := self._seen(part.runs):
                    self._add_text(part, runs)

    def _add_text(self, part: Part, runs: Sequence[Run]) -> None:
        title = "paragraph_title" if self._has_begun or part.level > 1 else "doc_title"
        kind = {"heading": title, "formula": "formula", "code": "code"}.get(part.kind, "text")
        continues = False
        for these in self._by_page(runs):
            lines = self._lines(these, part.kind == "code")
            if not lines:
                continue
            place = Place(self._at.page, hull(line.quad.box for line in lines))
            level = part.level if part.kind == "heading" else 0
            block = Block(
                kind,  # type: ignore[arg-type]  # one of the kinds above
                Quad.of(place.box),
                tuple(lines),
                level=level,
                latex=part.latex,
                continues=continues,
            )
            self._append(self._at.page, block)
            continues = True

    def _lines(self, runs: Sequence[Run], keeps_space: bool = False) -> list[Line]:
        """Lines that end where the document says so."""
        made: list[Line] = []
        for these in _parted(runs):
            place = self._place(these)
            spans = _spans(these, keeps_space, not self.is_foreign)
            if spans or (keeps_space and made):
                made.append(Line(Quad.of(place.box), spans, "hard"))
        while made and not made[-1].spans:
            made.pop()
        return [*made[:-1], replace(made[-1], ends="soft")] if made else []

    def _append(self, page: int, block: Block) -> None:
        self._pages[page].append(block)
        self._has_begun = True

    def _add_item(self, part: Part) -> None:
        if part.group != self._group:
            self._end_list()
        self._group = part.group
        runs = self._seen(part.runs)
        if not runs and (part.runs or not any(map(str.isalnum, part.marker))):
            return
        marker = part.marker
        if runs and runs[0].text in _TICKS and not any(map(str.isalnum, marker)):
            marker, runs = runs[0].text, runs[1:]
        lines = self._lines(runs)
        box = hull(line.quad.box for line in lines) if lines else self._at.box
        ordered = any(map(str.isalnum, marker)) and marker not in ("o", "O")
        self._items.append((self._at.page, ListItem(part.level, marker, ordered, Quad.of(box), tuple(lines))))

    def _end_list(self) -> None:
        """The items so far are a list; where each page has its part, one on each page."""
        items, self._items = self._items, []
        while items:
            page = items[0][0]
            these = [item for at, item in items if self.whole or at == page]
            items = [] if self.whole else [(at, item) for at, item in items if at != page]
            quad = Quad.of(hull(item.quad.box for item in these))
            self._append(page, Block("list", quad, items=tuple(these)))

    def _add_image(self, part: Part) -> None:
        if self.is_foreign and is_placed(part.piece) and part.piece not in self.places.of:
            return
        place = self.places.of.get(part.piece, [self._at])[0]
        self._at = place
        image = self.image(part, place)
        words = part.runs[0].text if part.runs else ""
        if image is None:
            if words:  # as programs show it
                self._add_text(Part("text"), [Run(words, Style(), piece=part.piece)])
            return
        if min(image.width, image.height) < _TINY:
            return
        left, _top, right, bottom = place.box
        box = Box(left, max(bottom - (right - left) * image.height / image.width, 0.0), right, bottom)
        lines = (Line(Quad.of(box), (Span(words),)),) if words else ()
        self._append(place.page, Block("image", Quad.of(box), lines, image=image))

    # --- Tables

    def _add_table(self, table: GivenTable) -> None:
        grid = grid_of(table, self._is_seen_cell)
        if grid.rows * grid.columns > _MOST_PLACES:
            most = f"{_MOST_PLACES:,}"
            raise Refused("02209", _("A table has more than {most} cells; split it first.", most=most))
        cells: list[tuple[int, Cell]] = []
        pictures: list[Part] = []
        for cell in grid.cells:
            pictures += (part for part in cell.parts if part.kind == "image")
            cells.append(self._cell(cell))
        if any(cell.lines for _, cell in cells):
            self._add_rows(grid, cells)
        for part in pictures:
            self._add_image(part)

    def _cell(self, cell: GridCell) -> tuple[int, Cell]:
        """A cell, with the page on which its text begins."""
        lines: list[Line] = []
        for part in cell.parts:
            runs = self._seen(part.runs) if part.kind != "image" else []
            if part.kind == "item" and runs:
                runs = [Run("  " * part.level + f"{part.marker} ", Style()), *runs] if part.marker else runs
            made = self._lines(runs, part.kind == "code")
            if lines and made:
                lines[-1] = replace(lines[-1], ends="hard")
            lines += made
        box = hull(line.quad.box for line in lines) if lines else self._at.box
        made_cell = Cell(
            cell.row, cell.column, Quad.of(box), tuple(lines), cell.rows, cell.columns, header=cell.is_head
        )
        return self._at.page, made_cell

    def _add_rows(self, grid: Grid, cells: Sequence[tuple[int, Cell]]) -> None:
        """The table; where each page has its part, with its head on each."""
        starts = [0]  # rows in which a page begins
        pages = [cells[0][0]]
        for page, cell in cells if not self.whole else ():
            if page > pages[-1] and cell.row >= max(starts[-1] + 1, grid.heads + 1):
                starts.append(cell.row)
                pages.append(page)
        for number, (start, page) in enumerate(zip(starts, pages, strict=True)):
            end = starts[number + 1] if number + 1 < len(starts) else grid.rows
            heads = grid.heads if number else 0
            rows = [replace(cell, row_span=min(cell.row_span, heads)) for _, cell in cells if cell.row < heads]
            for _page, cell in cells:
                if start <= cell.row < end:
                    span = min(cell.row_span, end - cell.row)
                    rows.append(replace(cell, row=cell.row - start + heads, row_span=span))
            made = Table(heads + end - start, grid.columns, tuple(sorted(rows, key=_order)), bordered=True)
            quad = Quad.of(_around([cell for cell in rows if cell.row >= heads], made))
            self._append(page, Block("table", quad, table=made, continues=number > 0))


def as_lines(block: Block) -> Iterator[Block]:
    """A block as plain lines of text: rows of a table, items of a list."""
    if block.table is not None:
        rows: dict[int, list[Cell]] = defaultdict(list)
        for cell in block.table.cells:
            if cell.lines:
                rows[cell.row].append(cell)
        for cells in rows.values():
            spans = [span for cell in cells for span in (*_spans_of(cell.lines), Span("  "))][:-1]
            yield _text_block(hull(cell.quad.box for cell in cells), spans)
    elif block.items:
        for item in block.items:
            yield _text_block(item.quad.box, [Span(f"{item.marker} "), *_spans_of(item.lines)])
    else:
        yield block if block.image is not None else replace(block, kind="text", level=0, latex="")


def _spans_of(lines: Sequence[Line]) -> list[Span]:
    return [span for line in lines for span in (Span(" "), *line.spans)][1:]


def _text_block(box: Box, spans: Sequence[Span]) -> Block:
    return Block("text", Quad.of(box), (Line(Quad.of(box), tuple(spans)),))


def without_piece_links(block: Block) -> Block:
    """A block of the print without the links that name the pieces."""

    def plain(lines: Sequence[Line]) -> tuple[Line, ...]:
        return tuple(
            replace(
                line,
                spans=tuple(replace(s, link="") if s.link.startswith(SCHEME) else s for s in line.spans),
            )
            for line in lines
        )

    items = tuple(replace(item, lines=plain(item.lines)) for item in block.items)
    table = block.table
    if table is not None:
        table = replace(table, cells=tuple(replace(cell, lines=plain(cell.lines)) for cell in table.cells))
    return replace(block, lines=plain(block.lines), items=items, table=table)


def _around(cells: Sequence[Cell], table: Table) -> Box:
    """The box of a table, by its cells with text."""
    boxes = [cell.quad.box for cell in cells if cell.lines] or [cell.quad.box for cell in table.cells]
    return hull(boxes)


def _order(cell: Cell) -> tuple[int, int]:
    return cell.row, cell.column


def _parted(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs of each line."""
    line: list[Run] = []
    for run in runs:
        if run.text == BREAK:
            yield line
            line = []
        else:
            line.append(run)
    yield line


def _spans(runs: Sequence[Run], keeps_space: bool, has_tabs: bool) -> tuple[Span, ...]:
    """The text of a line, its white space as a browser collapses it."""
    spans: list[Span] = []
    ends_in_space = True
    for run in runs:
        text = _UNSEEN.sub("", run.text)
        if not keeps_space:
            text = _WHITE.sub(" ", text)
            text = text[1:] if ends_in_space and text.startswith(" ") else text
        if has_tabs:
            text = text.replace(TAB, "\t")
        text = _PRIVATE.sub(lambda sign: chr(ord(sign[0]) - 0xF000), text.replace("\u00a0", " "))
        if text:
            ends_in_space = text[-1] in " \t"
            spans.append(Span(text, run.style, run.link))
    while spans and not keeps_space and not spans[-1].text.rstrip():
        spans.pop()
    if spans:
        spans[-1] = replace(spans[-1], text=spans[-1].text.rstrip())
    return tuple(span for span in spans if span.text)
