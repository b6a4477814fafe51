"""Runs of text as office files hold them, and footnotes: mark in the text and note at the foot joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.bidirectional import directions
from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Block, Line, Page, Span, Style

NOTE_LINK = "#footnote-"
"""How `notes.linked` marks the reference to a footnote: a span's link to this, and the note's number."""

# XML 1.0 section 2.2; a lone surrogate cannot be written as UTF-8 at all.
_FORBIDDEN = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufffe|\uffff")


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one look and direction; newlines in it are meant breaks. note: the footnote it refers to, from 1."""

    text: str
    style: Style
    link: str = ""
    note: int = 0
    rtl: bool = False


def runs_of(lines: Sequence[Line], *, printed: bool = False) -> tuple[Run, ...]:
    """The text of lines: reflowed, or with every printed line end kept as a break and words divided as printed."""
    if printed:
        lines = [replace(line, ends="hard") for line in lines]
    return tuple(run for span in flowed(lines) for run in runs_of_span(span))


def runs_of_span(span: Span) -> Iterator[Run]:
    """A span as runs of one direction each."""
    note = int(span.link.removeprefix(NOTE_LINK)) if span.link.startswith(NOTE_LINK) else 0
    link = "" if note else span.link
    for text, rtl in directions(clean(span.text)):
        yield Run(text, span.style, link, note, rtl)


def clean(text: str) -> str:
    """The text without control characters, non-characters and lone surrogates."""
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def text_of(runs: Iterable[Run]) -> str:
    """The plain text."""
    return "".join(run.text for run in runs)


_MARK = re.compile(r"^\s*(\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\])[.)]?(?:\s+|(?=\D)|$)")


@dataclass(frozen=True, slots=True)
class Footnote:
    """number: from 1 over the document. mark: as printed. counted: the mark is what counting would give anyway."""

    number: int
    mark: str
    counted: bool
    runs: tuple[Run, ...]


@dataclass(slots=True)
class Footnotes:
    """Finds the notes of page after page; `found` grows with them."""

    found: list[Footnote] = field(default_factory=list)
    _counted: int = 0

    def linked(self, page: Page) -> Page:
        """The page with the marks in its text linked to their notes; those notes leave the page and join `found`.

        A note whose mark is not in the page's text stays a block of its own.
        """
        waiting = {mark: block for block in page.blocks if (mark := _mark_of(block))}
        if not waiting:
            return page
        numbers: dict[str, int] = {}
        blocks = []
        for block in page.blocks:
            blocks.append(block if block.kind == "footnote" else self._block(block, waiting, numbers))
        taken = {id(waiting[mark]) for mark in numbers}
        return replace(page, blocks=tuple(block for block in blocks if id(block) not in taken))

    def _block(self, block: Block, waiting: dict[str, Block], numbers: dict[str, int]) -> Block:
        lines = tuple(self._line(line, waiting, numbers) for line in block.lines)
        items = tuple(
            replace(item, lines=tuple(self._line(line, waiting, numbers) for line in item.lines))
            for item in block.items
        )
        return replace(block, lines=lines, items=items) if lines != block.lines or items != block.items else block

    def _line(self, line: Line, waiting: dict[str, Block], numbers: dict[str, int]) -> Line:
        if not any(span.style.script == "super" for span in line.spans):
            return line
        return replace(line, spans=tuple(s for span in line.spans for s in self._span(span, waiting, numbers)))

    def _span(self, span: Span, waiting: dict[str, Block], numbers: dict[str, int]) -> Iterator[Span]:
        mark = span.text.strip()
        if span.style.script != "super" or mark not in waiting or mark in numbers:
            yield span
            return
        numbers[mark] = self._add(mark, waiting[mark])
        yield replace(span, text=mark, link=f"{NOTE_LINK}{numbers[mark]}")
        if span.text.endswith(" "):
            yield Span(" ", replace(span.style, script=""))

    def _add(self, mark: str, block: Block) -> int:
        counted = mark == str(self._counted + 1)
        self._counted += counted
        number = len(self.found) + 1
        self.found.append(Footnote(number, clean(mark), counted, _without_mark(block)))
        return number


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
    return tuple(run for span in kept for run in runs_of_span(span))
