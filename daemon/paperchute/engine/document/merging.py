"""Changes to a stream of pages: tables joined over page ends, heading levels set anew, some kinds of blocks only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.joining import ASIDE, MOST_JOINED_CELLS, joined_blocks
from paperchute.engine.document.model import Block, Page

_MOST_HELD = 256
"""Pages that wait for the end of a table; where one goes on for longer, a new one begins."""
_NUMBERING = re.compile(r"^(\d{1,3}(?:\.\d{1,3})*)\.?\s")
_HIGHEST = 6


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
