"""Footnotes: mark in the text and note at the foot joined, as the word processor has them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Block, Line, Page, Span
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.paragraphs import PLACES
from paperchute.engine.writing.office.ruling import rules_over
from paperchute.engine.writing.office.runs import NOTE_LINK, Run, clean, runs_of_span

_MARK = re.compile(r"^\s*(\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\])[.)]?(?:\s+|(?=\D)|$)")

_COUNTABLE = re.compile(r"[1-9]\d{0,2}")
_Waiting = dict[str, deque[list[Block]]]
"""The notes of a page by their marks, each with the paragraphs that follow it; of one mark in their order."""


@dataclass(frozen=True, slots=True)
class Footnote:
    """number: from 1 over the document. mark: as printed. counted: the mark is what counting would give anyway.

    paragraphs: its text, the mark left out. raised: the mark stands so before it. first: by how many points the first
    line begins further right than the others, less than 0 where it hangs out.
    """

    number: int
    mark: str
    counted: bool
    paragraphs: tuple[tuple[Run, ...], ...]
    raised: bool = True
    first: float = 0.0


@dataclass(slots=True)
class Footnotes:
    """Finds the notes of page after page; `found` grows with them. bottom: where those of the last page end there.

    start: the number of the first one that has any, from which the others count.
    """

    found: list[Footnote] = field(default_factory=list)
    bottom: float = 0.0
    start: int = 1
    _counted: int = 0

    def linked(self, page: Page) -> Page:
        """The page with the marks in its text linked to their notes; those notes leave the page and join `found`.

        With them goes the rule above them, as word processors draw their own. A note whose mark is not in the page's
        text stays a block of its own.
        """
        waiting: _Waiting = {}
        notes = _notes_of(page.blocks)
        for note in notes:
            waiting.setdefault(_mark_of(note[0]), deque()).append(note)
        self.bottom = 0.0
        if not notes:
            return page
        taken: list[Block] = []
        blocks = [block if block.kind == "footnote" else self._block(block, waiting, taken) for block in page.blocks]
        self.bottom = max((block.quad.box.bottom for block in taken), default=0.0)
        gone = set(map(id, taken))
        kept = tuple(block for block in blocks if id(block) not in gone)
        if taken:
            rules = rules_over(page, [block.quad.box for block in taken])
            page = replace(page, shapes=tuple(shape for shape in page.shapes if shape not in rules))
        return replace(page, blocks=kept)

    def _block(self, block: Block, waiting: _Waiting, taken: list[Block]) -> Block:
        lines = tuple(self._line(line, waiting, taken) for line in block.lines)
        items = tuple(
            replace(item, lines=tuple(self._line(line, waiting, taken) for line in item.lines)) for item in block.items
        )
        return replace(block, lines=lines, items=items) if lines != block.lines or items != block.items else block

    def _line(self, line: Line, waiting: _Waiting, taken: list[Block]) -> Line:
        if not any(span.style.script == "super" for span in line.spans):
            return line
        return replace(line, spans=tuple(s for span in line.spans for s in self._span(span, waiting, taken)))

    def _span(self, span: Span, waiting: _Waiting, taken: list[Block]) -> Iterator[Span]:
        mark = span.text.strip()
        if span.style.script != "super" or not waiting.get(mark):
            yield span
            return
        note = waiting[mark].popleft()
        taken += note
        yield replace(span, text=span.text.lstrip(), link=f"{NOTE_LINK}{self._add(mark, note)}")

    def _add(self, mark: str, note: Sequence[Block]) -> int:
        if not self._counted and _COUNTABLE.fullmatch(mark):
            self.start = int(mark)
        counted = mark == str(self.start + self._counted)
        self._counted += counted
        number = len(self.found) + 1
        first, *others = note
        paragraphs = (_without_mark(first), *(_runs(flowed(block.lines)) for block in others))
        raised = bool(first.lines) and first.lines[0].spans[0].style.script == "super"
        before = self.found[-1].first if self.found else 0.0
        self.found.append(Footnote(number, clean(mark), counted, paragraphs, raised, _first_of(first, before)))
        return number


def _notes_of(blocks: Sequence[Block]) -> list[list[Block]]:
    """The notes of a page, each with the paragraphs without a mark that follow it."""
    found: list[list[Block]] = []
    before: Block | None = None
    for block in blocks:
        if _mark_of(block):
            found.append([block])
        elif found and before is found[-1][-1] and block.kind == "footnote":
            found[-1].append(block)
        before = block
    return found


def _mark_of(block: Block) -> str:
    if block.kind != "footnote":
        return ""
    match = _MARK.match(block.text)
    return match[1] if match else ""


def _without_mark(block: Block) -> tuple[Run, ...]:
    """The note's text, its own mark left out: the word processor prints it."""
    spans = list(flowed(block.lines))
    match = _MARK.match("".join(span.text for span in spans))
    drop = match.end() if match else 0
    kept: list[Span] = []
    for span in spans:
        cut = min(drop, len(span.text))
        drop -= cut
        if span.text[cut:]:
            kept.append(replace(span, text=span.text[cut:]))
    return _runs(kept)


def _first_of(note: Block, before: float) -> float:
    """By how much the first line of a note begins further right than the others. before: that of the note before."""
    lefts = [line.quad.box.left for line in note.lines]
    if len(lefts) < 2:
        return before
    first = lefts[0] - min(lefts[1:])
    return first if PLACES.even < abs(first) < TYPOGRAPHY.third * note.quad.box.width else 0.0


def _runs(spans: Sequence[Span]) -> tuple[Run, ...]:
    return tuple(run for span in spans for run in runs_of_span(span))
