"""Every word that pages show ends in the result or is left out for a reason; what is neither is told.

Layout says nothing here: what was on a page is counted before it is laid out, and held against the blocks that it
became (`account`). `expectation` remembers the blocks that are to be written, and `readback` what the result says.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.contract.values import told_of_pages
from paperchute.engine.document.model import Block
from paperchute.engine.readback import Expected
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.word_count import lost_words
from paperchute.language import _, ngettext

_LEADERS = ".·․…"
"""Rows of them lead the eye from a label to its figure: they are no words."""

_MOST_TOLD = 5
"""Pages that are named with the words they lack; more are told in one sentence."""


@dataclass(slots=True)
class Ledger:
    """The words of one task. left_out: by reason (`contract.words`). lost: by page, 0 for no one page."""

    shown: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    lost: Counter[int] = field(default_factory=Counter)
    joined: list[int] = field(default_factory=list)
    """Pages of which words stand in the result as one."""
    moved: list[int] = field(default_factory=list)
    """Pages of which the end stands on a later page of the result."""
    expected: Expected | None = None
    _pages: set[int] = field(default_factory=set)

    def is_new(self, page: int) -> bool:
        """Whether a page comes for the first time; some are asked for twice, or read twice."""
        if page in self._pages:
            return False
        self._pages.add(page)
        return True

    def hold(self, paths: Sequence[Path]) -> None:
        """Hold the files of the result against what they must have."""
        if self.expected is not None:
            found = self.expected.missing(paths)
            self.lost += found.lost
            self.joined = found.joined

    def counts(self) -> dict[str, int]:
        """The record's counts; empty where nothing was read."""
        if not self._pages:
            return {}
        lost = self.lost.total()
        written = max(self.shown - self.left_out.total() - lost, 0)
        return {"shown": self.shown, "written": written, **self.left_out, "unaccounted": lost}

    def sentences(self) -> Iterator[str]:
        """What is to be said of words that are lost."""
        pages = [page for page in sorted(self.lost) if page]
        for page in pages[:_MOST_TOLD]:
            yield ngettext(
                "{n} word of page {page} could not be placed.",
                "{n} words of page {page} could not be placed.",
                self.lost[page],
                page=page,
            )
        rest = sum(self.lost[page] for page in pages[_MOST_TOLD:])
        if rest:
            yield ngettext(
                "{n} word of further pages could not be placed.",
                "{n} words of further pages could not be placed.",
                rest,
            )
        if self.lost[0]:
            yield ngettext(
                "{n} word that was read is not in the result.",
                "{n} words that were read are not in the result.",
                self.lost[0],
            )
        if self.joined:
            yield _(
                "Words on {pages} have run into each other in the result, so check them.",
                pages=told_of_pages(self.joined),
            )
        if self.moved:
            yield _(
                "The end of {pages} stands on a later page of the result: what was printed takes more room there.",
                pages=told_of_pages(self.moved),
            )


_lock = threading.Lock()
_open: list[Ledger] = []


@contextmanager
def kept() -> Iterator[Ledger]:
    """The ledger of what is read within the block."""
    ledger = Ledger()
    _open.append(ledger)
    try:
        yield ledger
    finally:
        _open.remove(ledger)


def account(marks: PageMarks, blocks: Sequence[Block]) -> None:
    """Enter a page: what was seen on it, and the blocks that it became."""
    with _lock:
        ledgers = [ledger for ledger in _open if ledger.is_new(marks.number)]
    if not ledgers:
        return
    words = [word for word in (*marks.words, *marks.line_numbers) if word.text.strip(_LEADERS)]
    lost = lost_words(words, blocks)
    shown = sum(not word.glued for word in words)
    for ledger in ledgers:
        ledger.shown += shown + marks.outside + marks.replaced + marks.unseen
        ledger.left_out["outside"] += marks.outside
        ledger.left_out["recognised_anew"] += marks.replaced
        if marks.unseen:
            ledger.left_out["unseen"] += marks.unseen
        if lost:
            ledger.lost[marks.number] += lost


def enter(page: int, shown: int) -> None:
    """Enter words of a page that is not held against blocks."""
    for ledger in _open:
        ledger.is_new(page)
        ledger.shown += shown


def expected() -> Expected | None:
    """What the result at work is to be held against."""
    return _open[-1].expected if _open else None


def leave_out(reason: str, count: int) -> None:
    """Words are left out of the result."""
    for ledger in _open:
        ledger.left_out[reason] += count


def lose(count: int, page: int = 0) -> None:
    """Words cannot be found in the result."""
    for ledger in _open:
        ledger.lost[page] += count


def move(page: int) -> None:
    """The end of a page stands on a later one of the result."""
    for ledger in _open:
        ledger.moved.append(page)
