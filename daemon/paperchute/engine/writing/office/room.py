"""Whether what was printed on a page surely takes more than one in a word processor: told without any, from below.

What lines, rows and pictures take at least is counted, so words of a page that is named have surely moved. Those of
others may have: which fonts a machine has, and how wide they are, only its word processor knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from paperchute.engine import ledger
from paperchute.engine.document.model import Line, Page
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import FlowPart, LayoutPart, Paragraph, PicturePart, Section, TablePart


def least_lines(lines: Sequence[Line], room: float, *, printed: bool) -> int:
    """Return how many lines a text takes at least. room: for a line. printed: the ends of its lines are kept."""
    if printed or any(line.quad.angle for line in lines):
        return max(len(lines), 1)
    width = TYPOGRAPHY.nearly_all * sum(line.quad.box.width for line in lines)
    return max(min(math.ceil(width / room), len(lines)), 1) if room > 0 else 1


class Span(NamedTuple):
    """The pages on which a part begins and ends, counted from 0."""

    begins: int
    ends: int


NO_SPAN = Span(0, 0)


class _Taken(NamedTuple):
    """What a part takes. before: the empty space above it."""

    span: Span
    new_page: bool
    height: float
    before: float


@dataclass(slots=True)
class Rooms:
    """Tells the ledger of pages whose end has surely moved to a later one of the document.

    A run of parts is what stands between two page breaks of the document.
    """

    _pages: list[int] = field(default_factory=list)
    _open: list[_Taken] = field(default_factory=list)  # of the section that has not ended
    _begun: int = 0  # the page on which the run begins
    _heights: dict[int, float] = field(default_factory=dict)  # of its parts, by the page on which they end
    _before: float = 0.0  # the largest space above one of them
    _room: float = 0.0

    def walked(self, pages: Iterable[Page]) -> Iterator[Page]:
        """The pages as they are."""
        for page in pages:
            self._pages.append(page.number)
            yield page

    def told(self, parts: Iterable[FlowPart | Section], span: Callable[[], Span]) -> Iterator[FlowPart | Section]:
        """The parts as they are; what is known of them is told after the last one. span: gives that of the last."""
        for part in parts:
            if isinstance(part, Section):
                self._end_section(part)
            else:
                self._open.append(_Taken(span(), part.new_page, _height(part), _before(part)))
            yield part
        self._end_run(len(self._pages))

    def _end_section(self, section: Section) -> None:
        for number, taken in enumerate(self._open):
            if taken.new_page or (section.new_page and not number):
                self._end_run(taken.span.begins)
            height = (taken.before + taken.height) / section.columns
            self._heights[taken.span.ends] = self._heights.get(taken.span.ends, 0.0) + height
            self._before = max(self._before, taken.before / section.columns)
            self._room = max(self._room, section.height - section.top - section.bottom)
        self._open = []

    def _end_run(self, end: int) -> None:
        """Judge the pages before `end`. At the top of each, space above a part may be left out."""
        taken = 0.0
        for count, page in enumerate(range(self._begun, end), start=1):
            taken += self._heights.get(page, 0.0)
            if taken > count * (self._room + self._before) + MEASURES.line:
                ledger.move(self._pages[page])
        self._begun, self._heights, self._before, self._room = end, {}, 0.0, 0.0


def _before(part: FlowPart) -> float:
    match part:
        case Paragraph():
            return part.place.before
        case TablePart() | PicturePart() | LayoutPart():
            return part.before
        case _:
            return 0.0


def _height(part: FlowPart) -> float:
    """Return what a part takes at least from its own top."""
    match part:
        case Paragraph():
            return part.lines * part.place.leading.height
        case TablePart():
            return sum(row.height for row in part.rows)
        case PicturePart():
            return part.height
        case LayoutPart():
            return max([part.height, *(sum(_before(one) + _height(one) for one in cell.parts) for cell in part.cells)])
        case _:
            return 0.0
