"""Runs of text as office files hold them: one look, one direction, no characters that XML or RTF cannot carry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Line, Span, Style

NOTE_LINK = "#footnote-"
"""How `notes.linked` marks the reference to a footnote: a span's link to this, and the note's number."""

# XML 1.0 section 2.2; a lone surrogate cannot be written as UTF-8 at all.
_FORBIDDEN = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufffe|\uffff")
_RIGHT = {"R", "AL"}


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


def is_rtl(text: str) -> bool:
    """Whether a paragraph of this text runs from right to left: its first strong character does (UAX 9, rule P2)."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in _RIGHT:
            return True
        if kind == "L":
            return False
    return False


def directions(text: str) -> Iterator[tuple[str, bool]]:
    """Pieces of one direction; neutral characters and numbers stay with the letters before them."""
    if text.isascii():
        if text:
            yield text, False
        return
    start, rtl = 0, is_rtl(text)
    for place, character in enumerate(text):
        kind = unicodedata.bidirectional(character)
        now = True if kind in _RIGHT else False if kind == "L" else rtl
        if now != rtl:
            yield text[start:place], rtl
            start, rtl = place, now
    if start < len(text):
        yield text[start:], rtl


def text_of(runs: Iterable[Run]) -> str:
    """The plain text."""
    return "".join(run.text for run in runs)
