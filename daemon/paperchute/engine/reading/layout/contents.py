"""Entries of a printed table of contents: a title, and far off the page where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperchute.engine.document.running import is_number
from paperchute.engine.reading.layout.lines import TextLine


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


def is_entry(line: TextLine) -> bool:
    """Whether a line leads to a page number, by a row of dots or from a numbered title far off."""
    words = line.words
    last = words[-1]
    if len(words) < ENTRIES.fewest_words or line.rtl or not is_number(last.text):
        return False
    if SECTION.match(words[0].text) and last.left - words[-2].right > ENTRIES.gap * line.size:
        return True
    before = "".join([word.text for word in words[-1 - ENTRIES.fewest_dots : -1]])[-ENTRIES.fewest_dots :]
    return len(before) == ENTRIES.fewest_dots and not before.strip(".·․…")
