"""Entries of a printed table of contents: a title, and far off the page where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.running import is_number
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Word


@dataclass(frozen=True, slots=True)
class EntrySettings:
    """What a line ends in that is an entry. Fixed on the manuals of TeX packages."""

    fewest_dots: int = 3
    """In a row before the page number: so many end a sentence nowhere."""

    fewest_words: int = 3
    """A number, a title and a page; `Chapter 1` is none."""

    gap: float = 2.0
    """Of the font size, from a numbered title without dots to the page number: a heading's words are closer."""


ENTRIES = EntrySettings()

SECTION = re.compile(r"^(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,4}\.?$")
"""The number that an entry begins with."""
_DOTS = ".·․…"


def is_entry(line: TextLine) -> bool:
    """Whether a line leads to a page number, by a row of dots or from a numbered title far off."""
    words = line.words
    if len(words) < ENTRIES.fewest_words or line.rtl:
        return False
    far = words[-1].left - words[-2].right > ENTRIES.gap * line.size and SECTION.match(words[0].text) is not None
    return (far or _are_dotted(words[:-1])) and is_number(words[-1].text)


def _are_dotted(words: Sequence[Word]) -> bool:
    """Whether words end in a row of dots."""
    if words[-1].text[-1] not in _DOTS:
        return False
    end = "".join([word.text for word in words[-ENTRIES.fewest_dots :]])[-ENTRIES.fewest_dots :]
    return len(end) == ENTRIES.fewest_dots and not end.strip(_DOTS)
