"""A document's pages as one flow: what a line, column or page end broke is put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.model import FURNITURE, Block, Line, Note, Page, Span, Style, Table

HYPHENS = "-\u2010\u00ad"
"""What a divided word may end with at the end of its line."""


def flowed(lines: Sequence[Line]) -> tuple[Span, ...]:
    """The lines as one run of spans: wrapped lines joined, divided words closed, meant breaks kept as newlines."""
    if len(lines) == 1:  # as in most cells of tables
        return merged(lines[0].spans)
    spans: list[Span] = []
    texts: list[str] = []  # of each of the spans
    for number, line in enumerate(lines):
        spans += line.spans
        texts += [span.text for span in line.spans]
        if number == len(lines) - 1 or not spans:
            break
        last, text = spans[-1], texts[-1]
        if line.ends == "hyphen":
            texts[-1] = text.rstrip().rstrip(HYPHENS)
        elif line.ends == "hard":
            texts[-1] = text + "\n"
        elif line.ends == "soft" and not text.endswith(" "):
            follows = lines[number + 1].spans
            if last.style.mono and last.link == "" and follows and follows[0].style != last.style:
                spans.append(Span(" ", replace(last.style, mono=False, bold=False, italic=False)))
                texts.append(" ")
            else:
                texts[-1] = text + " "
    return _merged(spans, texts)


def flowed_text(lines: Sequence[Line]) -> str:
    """`flowed` as plain text."""
    return "".join(span.text for span in flowed(lines))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Neighbours that look the same, fonts and sizes aside, made one; empty ones dropped."""
    found = tuple(spans)
    if len(found) == 1 and found[0].text:
        return found
    return _merged(found, [span.text for span in found])


def _merged(spans: Sequence[Span], texts: Sequence[str]) -> tuple[Span, ...]:
    """The spans with these texts in place of their own, merged."""
    result: list[Span] = []
    last: Span | None = None  # the first of those that look the same, and the texts of all of them
    parts: list[str] = []
    for span, text in zip(spans, texts, strict=True):
        if not text:
            continue
        if last is not None and last.link == span.link and _look_alike(last.style, span.style):
            parts.append(text)
            continue
        if last is not None:
            result.append(_with_text(last, parts))
        last, parts = span, [text]
    if last is not None:
        result.append(_with_text(last, parts))
    return tuple(result)


def _with_text(span: Span, parts: Sequence[str]) -> Span:
    text = "".join(parts)
    return span if text == span.text else Span(text, span.style, span.link)


def _look_alike(one: Style, other: Style) -> bool:
    return one is other or (
        (one.bold, one.italic, one.mono, one.script) == (other.bold, other.italic, other.mono, other.script)
        and (one.color, one.ground) == (other.color, other.ground)
        and (one.underline, one.strike) == (other.underline, other.strike)
    )


MOST_JOINED_CELLS = 50_000
"""A table that goes on for longer is cut here, so that no table holds more than some 100 MB of memory."""

_MOST_WAITING = 1_000
"""Pieces that wait for the end of what a page broke: a bound on memory."""
ASIDE = FURNITURE | {"footnote", "aside_text"}
"""What stands on a page beside the flow of the document."""

Joins = Callable[[Block, Block, bool], bool]
"""Whether a block goes on with the one before it; the flag says whether a page end lies between."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing of the flow. Exactly one of the three is there: `blocks`, `note`, or the `page` that begins here.

    blocks: the parts of one block, broken by column and page ends; numbers: the page of each part (or of the note).
    """

    blocks: tuple[Block, ...] = ()
    numbers: tuple[int, ...] = ()
    note: Note | None = None
    page: Page | None = None

    @property
    def block(self) -> Block:
        """The parts as one block, where the first one stood."""
        return joined_blocks(self.blocks)


def pieces(pages: Iterable[Page], joins: Joins | None = None) -> Iterator[Piece]:
    """The pages' beginnings, blocks and notes in order; a broken block comes where it begins.

    What does not belong to the flow (footnotes, page furniture, notes, page beginnings) waits behind a block that may
    go on. joins: None for whatever the reader says goes on.
    """
    return _Joining(joins or _any).walk(pages)


@dataclass(slots=True)
class _Joining:
    joins: Joins
    _blocks: list[Block] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _cells: int = 0
    _waiting: list[Piece] = field(default_factory=list)

    def walk(self, pages: Iterable[Page]) -> Iterator[Piece]:
        for page in pages:
            yield from self._later(Piece(page=page))
            for block in page.blocks:
                if self._blocks and block.kind in ASIDE and block.kind != self._blocks[-1].kind:
                    yield from self._later(Piece((block,), (page.number,)))
                elif self._goes_on(block, page.number):
                    self._hold(block, page.number)
                else:
                    yield from self._rest()
                    self._hold(block, page.number)
            for note in page.notes:
                yield from self._later(Piece(numbers=(page.number,), note=note))
        yield from self._rest()

    def _later(self, piece: Piece) -> Iterator[Piece]:
        if not self._blocks:
            yield piece
            return
        self._waiting.append(piece)
        if len(self._waiting) > _MOST_WAITING:
            yield from self._rest()

    def _hold(self, block: Block, number: int) -> None:
        self._blocks.append(block)
        self._numbers.append(number)
        self._cells += len(block.table.cells) if block.table is not None else 0

    def _goes_on(self, block: Block, number: int) -> bool:
        if not (self._blocks and block.continues and may_go_on(self._blocks[0], block)):
            return False
        return self._cells <= MOST_JOINED_CELLS and self.joins(self._blocks[-1], block, number != self._numbers[-1])

    def _rest(self) -> Iterator[Piece]:
        if self._blocks:
            yield Piece(tuple(self._blocks), tuple(self._numbers))
        yield from self._waiting
        self._blocks, self._numbers, self._waiting, self._cells = [], [], [], 0


def may_go_on(before: Block, block: Block) -> bool:
    """Tell if a block's kind can be that of the rest of the one before it: the rest of a list's last item is text."""
    return block.kind in _GOES_ON.get(before.kind, ())


_GOES_ON = {"text": ("text",), "table": ("table",), "list": ("text",)}


def joined_blocks(blocks: Sequence[Block]) -> Block:
    """The parts of one block as one, at the place of the first."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    if first.table is not None:
        return replace(first, table=joined_tables([block.table for block in blocks if block.table is not None]))
    if first.kind == "list":
        last = first.items[-1]
        lines = (*last.lines, *(line for block in blocks[1:] for line in block.lines))
        return replace(first, items=(*first.items[:-1], replace(last, lines=lines)))
    return replace(first, lines=tuple(line for block in blocks for line in block.lines))


def joined_tables(tables: Sequence[Table]) -> Table:
    """A table and its continuations as one; head rows that are printed again are dropped."""
    first = tables[0]
    cells = list(first.cells)
    rows = first.rows
    for more in tables[1:]:
        again = repeated_head(first, more)
        cells += (replace(c, row=c.row - again + rows, header=False) for c in more.cells if c.row >= again)
        rows += more.rows - again
    return replace(first, rows=rows, cells=tuple(cells))


def repeated_head(first: Table, more: Table) -> int:
    """Return how many rows at the top of a continuation only print the head again."""
    heads = max((cell.row + 1 for cell in first.cells if cell.header), default=1)
    return heads if more.rows > heads and _texts(first, heads) == _texts(more, heads) else 0


def _texts(table: Table, rows: int) -> list[tuple[int, int, str]]:
    return sorted((c.row, c.column, flowed_text(c.lines).strip()) for c in table.cells if c.row < rows)


def _any(before: Block, block: Block, page_end: bool) -> bool:
    return True


_MOST_HELD = 256
"""Pages that wait for the end of a table; where one goes on for longer, a new one begins."""
_NUMBERING = re.compile(r"^(\d{1,3}(?:\.\d{1,3})*)\.?\s")
_HIGHEST = 6
"""The level of headings below which there is none: as HTML and Markdown have it."""


def with_merged_tables(pages: Iterable[Page]) -> Iterator[Page]:
    """Tables that a page or column end broke stand whole where they begin; their other parts are gone.

    A page waits until its last table is known not to go on.
    """
    merging = _Merging()
    for page in pages:
        yield from merging.after(page)
    yield from merging.settled()


@dataclass(slots=True)
class _Merging:
    """parts: of the last table seen. held: the pages since it began; it is the last table of the first of them."""

    parts: list[Block] = field(default_factory=list)
    held: list[Page] = field(default_factory=list)

    def after(self, page: Page) -> Iterator[Page]:
        """The pages that are settled once `page` is seen."""
        kept: list[Block] = []
        for block in page.blocks:
            if block.table is not None and self._goes_on(block):
                self.parts.append(block)
                continue
            if block.table is not None:
                if not self.held:  # the table before it is of this very page
                    kept = self._whole(kept)
                yield from self.settled()
                self.parts.append(block)
            kept.append(block)
        flow = [block for block in page.blocks if block.kind not in ASIDE]
        if flow and flow[-1].table is None and not self.held:
            kept = self._whole(kept)
            self.parts.clear()
        self.held.append(replace(page, blocks=tuple(kept)))
        if not self.parts or (flow and flow[-1].table is None):
            yield from self.settled()

    def settled(self) -> Iterator[Page]:
        """The table has ended: its pages."""
        if self.held:
            first = self.held[0]
            self.held[0] = replace(first, blocks=tuple(self._whole(list(first.blocks))))
        self.parts.clear()
        yield from self.held
        self.held.clear()

    def _goes_on(self, block: Block) -> bool:
        cells = sum(len(part.table.cells) for part in self.parts if part.table is not None)
        return bool(self.parts) and block.continues and cells <= MOST_JOINED_CELLS and len(self.held) < _MOST_HELD

    def _whole(self, blocks: list[Block]) -> list[Block]:
        """`blocks` with all parts of the table in its place."""
        if len(self.parts) > 1:
            blocks[max(n for n, block in enumerate(blocks) if block.table is not None)] = joined_blocks(self.parts)
        return blocks


def with_levels(pages: Iterable[Page]) -> Iterator[Page]:
    """Headings numbered anew from level 1 without gaps; printed numbers such as 2.3.1 decide where there are any."""
    levels = _Levels()
    for page in pages:
        yield replace(page, blocks=tuple(replace(b, level=levels.of(b)) if b.level else b for b in page.blocks))


def with_blocks(pages: Iterable[Page], wanted: Callable[[Block], bool], notes: bool) -> Iterator[Page]:
    """Pages with the wanted blocks only; `notes`: whether annotations stay."""
    for page in pages:
        blocks = tuple(block for block in page.blocks if wanted(block))
        yield replace(page, blocks=blocks, notes=page.notes if notes else ())


@dataclass(slots=True)
class _Levels:
    """The headings that the next one stands under: their old levels, outermost first."""

    _above: list[int] = field(default_factory=list)
    _base: int | None = None  # the new level of headings numbered 1, 2, 3

    def of(self, block: Block) -> int:
        """The new level of the next heading."""
        number = _NUMBERING.match(flowed_text(block.lines).strip())
        if number is None:
            while self._above and self._above[-1] >= block.level:
                self._above.pop()
            self._above.append(block.level)
            return min(len(self._above), _HIGHEST)
        depth = number[1].count(".")
        if self._base is None:
            self._base = len([level for level in self._above if level < block.level - depth]) + 1
        level = min(self._base + depth, _HIGHEST)
        # What follows without a number is measured against the old level of this one.
        self._above = [*self._above[: level - 1], block.level]
        return level
