"""Entries of a printed table of contents: a title, and far off the page where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from paperchute.engine.document.running import is_number
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

SECTION = re.compile(r"^(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,4}\.?$")
"""The number that an entry begins with."""
_DOTS = ".·․…"


def is_entry(line: TextLine) -> bool:
    """Decide whether a line leads to a page number, by a row of dots or from a numbered title far off."""
    words = line.words
    if len(words) < TYPOGRAPHY.several or line.rtl:
        return False
    far = words[-1].left - words[-2].right > TYPOGRAPHY.tab * line.size and SECTION.match(words[0].text) is not None
    return (far or _are_dotted(words[:-1])) and is_number(words[-1].text)


def _are_dotted(words: Sequence[Word]) -> bool:
    """Decide whether words end in a row of dots."""
    if words[-1].text[-1] not in _DOTS:
        return False
    end = "".join([word.text for word in words[-TYPOGRAPHY.several :]])[-TYPOGRAPHY.several :]
    return len(end) == TYPOGRAPHY.several and not end.strip(_DOTS)
