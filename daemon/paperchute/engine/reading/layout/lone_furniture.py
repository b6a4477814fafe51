"""Page numbers that no other page proves: they stand alone, apart from the text, where page numbers stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine


@dataclass(frozen=True, slots=True)
class ApartSettings:
    """Which line of a page is its number by its place alone. All that is less certain stays in the text."""

    centred: float = 0.04
    """Of the text's width: by so much a number may miss its middle."""

    flush: float = 0.025
    """Of the text's width: by so much it may miss its edges."""

    edge: float = 0.1
    """Of the page's height: how far from its edge a number may stand that is not the last line, centred."""

    number_size: float = 1.05
    """Of the body size: what a page number is set in at most."""

    number_gap: float = 1.5
    """Of the font size: from the text to the number."""

    number_width: float = 20.0
    """Of the font size: the least width of text beside which a lone number is a page's."""


APART = ApartSettings()


_NOTE = re.compile(r"^(?:[*†‡§¶]|\d{1,3}[.)]?(?:\s|$)|\[\d)")
_LONE = re.compile(
    r"^(?:[-–—]\s?\d{1,4}\s?[-–—]|\d{1,3}|[ivxl]{1,6}|(?:page|seite|p\.)\s*\d{1,4}(?:\s*(?:/|of|von)\s*\d{1,4})?)$",
    re.I,
)


def is_note(line: TextLine) -> bool:
    """Whether a line looks like the beginning of a footnote."""
    return line.words[0].script == "super" or _NOTE.match(line.text) is not None


def lone_number(lines: Sequence[TextLine], tables: Sequence[Box], height: float, body_size: float) -> TextLine | None:
    """The line that is the page's number: its last or first one, alone in its row and far from all others.

    It is centred over or under the text; or flush with one of its edges, at the edge of the page.
    """
    if len(lines) < 2:
        return None
    for line in (max(lines, key=lambda line: line.bottom), min(lines, key=lambda line: line.top)):
        text = line.text.strip()
        if not _LONE.match(text) or text.isupper() or line.size > APART.number_size * body_size:
            continue
        others = [other for other in lines if other is not line]
        left, top, right, bottom = hull([*(o.box for o in others), *tables])
        width = right - left
        if max(line.top - bottom, top - line.bottom) < APART.number_gap * line.size:
            continue
        if width < APART.number_width * line.size or _LONE.match(_nearest(line, others).text.strip()):
            continue
        below = line.top > bottom
        centred = abs(line.left + line.right - left - right) / 2 <= APART.centred * width
        at_edge = min(line.bottom, height - line.top) <= APART.edge * height
        flush = min(abs(line.left - left), abs(line.right - right)) <= APART.flush * width
        if (centred and (below or at_edge)) or (flush and at_edge):
            return line
    return None


def _nearest(line: TextLine, others: Sequence[TextLine]) -> TextLine:
    return min(others, key=lambda other: max(line.top - other.bottom, other.top - line.bottom))
