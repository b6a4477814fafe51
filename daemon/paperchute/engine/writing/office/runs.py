"""Runs of text as office files hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.bidirectional import directions
from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Block, Line, Span, Style

NOTE_LINK = "#footnote-"
"""How `Footnotes.linked` marks the reference to a footnote: a span's link to this, and the note's number."""

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


_TWO = 2  # an initial, and what follows it


def runs_of(lines: Sequence[Line], *, printed: bool = False) -> tuple[Run, ...]:
    """The text of lines: reflowed, or with every printed line end kept as a break and words divided as printed."""
    if printed:
        lines = [replace(line, ends="hard") for line in lines]
    return tuple(run for span in flowed(lines) for run in runs_of_span(span))


def with_initial(block: Block, lines: tuple[Line, ...]) -> tuple[tuple[Run, ...], tuple[Line, ...]]:
    """The large first letter of a block as a run of its own, and the lines without it; else nothing, and the lines."""
    if not block.initial or len(lines[0].spans) < _TWO:
        return (), lines
    first, *rest = lines[0].spans
    return tuple(runs_of_span(first)), (replace(lines[0], spans=tuple(rest)), *lines[1:])


def runs_of_span(span: Span) -> Iterator[Run]:
    """A span as runs of one direction each. The space behind the mark of a note is as large as the text."""
    if span.link.startswith(NOTE_LINK):
        mark = clean(span.text)
        yield Run(mark.rstrip(), span.style, note=int(span.link.removeprefix(NOTE_LINK)))
        if mark[-1:].isspace():
            yield Run(" ", replace(span.style, script="", size=0.0))
        return
    for text, rtl in directions(clean(span.text)):
        yield Run(text, span.style, span.link, 0, rtl)


def clean(text: str) -> str:
    """The text without control characters, non-characters and lone surrogates."""
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def text_of(runs: Iterable[Run]) -> str:
    """The plain text."""
    return "".join(run.text for run in runs)
