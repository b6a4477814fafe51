"""A document's pages as one flow: what a column or page end broke is put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import FURNITURE, Block, Note, Page, Table

MOST_JOINED_CELLS = 50_000
"""A table that goes on for longer is cut here, so that no table holds more than some 100 MB of memory."""

_MOST_WAITING = 1_000
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
        if not (self._blocks and block.continues and block.kind == self._blocks[0].kind):
            return False
        return self._cells <= MOST_JOINED_CELLS and self.joins(self._blocks[-1], block, number != self._numbers[-1])

    def _rest(self) -> Iterator[Piece]:
        if self._blocks:
            yield Piece(tuple(self._blocks), tuple(self._numbers))
        yield from self._waiting
        self._blocks, self._numbers, self._waiting, self._cells = [], [], [], 0


def joined_blocks(blocks: Sequence[Block]) -> Block:
    """The parts of one block as one, at the place of the first."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    if first.table is not None:
        return replace(first, table=joined_tables([block.table for block in blocks if block.table is not None]))
    return replace(
        first,
        lines=tuple(line for block in blocks for line in block.lines),
        items=tuple(item for block in blocks for item in block.items),
    )


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
    """How many rows at the top of a continuation only print the head again."""
    heads = max((cell.row + 1 for cell in first.cells if cell.header), default=1)
    return heads if more.rows > heads and _texts(first, heads) == _texts(more, heads) else 0


def _texts(table: Table, rows: int) -> list[tuple[int, int, str]]:
    return sorted((c.row, c.column, flowed_text(c.lines).strip()) for c in table.cells if c.row < rows)


def _any(before: Block, block: Block, page_end: bool) -> bool:
    return True
