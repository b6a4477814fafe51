"""What becomes of the words of pages, where that is asked for: which stage took them, and what was rejected and why.

Nothing is kept unless a page is laid out within `traced`; then what happens to it is told here by whoever runs the
stages (`page`), rejects candidates (`rejected`, `tables.rejections`) or reads words in another frame (`directions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import BlockKind
from paperchute.engine.reading.layout.marks import PageMarks, Word

FinderName = Literal[
    "tags", "rules", "coloured heads", "rules of one width",
    "calendars", "labels", "written order", "pairs", "figures", "text", "alignment",
    "furniture", "headings",
]  # fmt: skip
"""What finds tables, in the order in which it is asked (`tables.finding`), and what takes heads, feet and headings."""


class Measured(NamedTuple):
    """By which number something was decided: its name (`TYPOGRAPHY.phrase`), what was found, and the limit."""

    number: str
    value: float
    limit: float


class Rejected(NamedTuple):
    """A candidate that became nothing. finder: who found it; reason: in words; by: the number, where one decided."""

    finder: FinderName
    box: Box
    reason: str
    by: Measured | None = None


class Taken(NamedTuple):
    """A block of the result. stage: which took its words; of one without any, which made it.

    how: what more is known of it: who found a table, and its size.
    """

    box: Box
    kind: BlockKind
    stage: str
    how: str
    words: tuple[Word, ...]


@dataclass(slots=True)
class PageTrace:
    """What became of one page, which has these marks."""

    marks: PageMarks
    taken: list[Taken] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    _takers: dict[int, str] = field(default_factory=dict)
    _boxes: dict[Box, str] = field(default_factory=dict)
    _copies: dict[int, tuple[Word, Word]] = field(default_factory=dict)
    frames: list[Callable[[Box], Box]] = field(default_factory=list)
    """From where a text is looked at now to the page: a frame within another is the last."""

    @property
    def words(self) -> list[Word]:
        """All that the page has."""
        return [*self.marks.words, *self.marks.line_numbers]

    def missing(self) -> list[Word]:
        """The words that are in no block: a fault."""
        placed = {id(word) for taken in self.taken for word in taken.words}
        return [word for word in self.words if id(word) not in placed]

    def take(self, stage: str, words: Iterable[Word], boxes: Iterable[Box]) -> None:
        """Note what a stage leaves: words that have their place, and boxes of blocks. Who had one first took it."""
        for word in words:
            self._takers.setdefault(id(self.own(word)), stage)
        for box in boxes:
            self._boxes.setdefault(box, stage)

    def taker(self, words: Iterable[Word], box: Box) -> str:
        """The stage that took the words of a block, or where it has none, made it."""
        return next(
            (self._takers[key] for key in map(id, map(self.own, words)) if key in self._takers), self._boxes[box]
        )

    def own(self, word: Word) -> Word:
        """The page's own word of which this one may be a copy in another frame."""
        while id(word) in self._copies:
            word = self._copies[id(word)][1]
        return word

    def copied(self, copies: Iterable[Word], words: Iterable[Word]) -> None:
        """Note that words are those of the page seen in another frame."""
        self._copies.update((id(copy), (copy, word)) for copy, word in zip(copies, words, strict=True))

    def reject(self, one: Rejected) -> None:
        """Note a candidate that becomes nothing; one that is found and rejected again counts once."""
        for back in reversed(self.frames):
            one = one._replace(box=back(one.box))
        if one not in self.rejected:
            self.rejected.append(one)


@dataclass(slots=True)
class Trace:
    """The pages that were laid out, in their order; of one that is read twice the last time counts."""

    pages: dict[int, PageTrace] = field(default_factory=dict)
    page: PageTrace | None = None
    """The one at work."""


_trace: ContextVar[Trace | None] = ContextVar("trace", default=None)


@contextmanager
def traced() -> Iterator[Trace]:
    """Keep what becomes of the pages that are laid out within the block, on this thread."""
    trace = Trace()
    token = _trace.set(trace)
    try:
        yield trace
    finally:
        _trace.reset(token)


@contextmanager
def begun(marks: PageMarks) -> Iterator[PageTrace | None]:
    """The trace of a page that is laid out within the block; None where nobody wants one."""
    trace = _trace.get()
    if trace is None:
        yield None
        return
    trace.page = trace.pages[marks.number] = PageTrace(marks)
    try:
        yield trace.page
    finally:
        trace.page = None


def at_work() -> PageTrace | None:
    """The trace of the page that is laid out; None where nobody wants one."""
    trace = _trace.get()
    return trace.page if trace is not None else None


@contextmanager
def framed(back: Callable[[Box], Box]) -> Iterator[None]:
    """Have what is rejected within the block put where it stands on the page, by the way `back` from a frame."""
    page = at_work()
    if page is None:
        yield
        return
    page.frames.append(back)
    try:
        yield
    finally:
        page.frames.pop()


def falls_short(finder: FinderName, box: Box, reason: str, by: Measured) -> bool:
    """Decide whether what was measured of a candidate is less than its limit, and reject it then."""
    if by.value >= by.limit:
        return False
    rejected(finder, box, reason, by)
    return True


def goes_beyond(finder: FinderName, box: Box, reason: str, by: Measured) -> bool:
    """Decide whether what was measured of a candidate is more than its limit, and reject it then."""
    if by.value <= by.limit:
        return False
    rejected(finder, box, reason, by)
    return True


def rejected(finder: FinderName, box: Box, reason: str, by: Measured | None = None) -> None:
    """Say that a candidate becomes nothing."""
    page = at_work()
    if page is not None:
        page.reject(Rejected(finder, box, reason, by))
