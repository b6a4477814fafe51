"""List markers: bullets and numbers in front of items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.records import Font, Word

_BULLETS = "•◦▪▫‣·●○■□◆◇➢➤►▶▸✓✔❖\uf0b7⁃∙"
_DASHES = "-–—*o§+"
_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5})[.)]$")


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a list item: its text, where it and the item's text start, and whether it can be nothing else.
    words: how many words of the line are the marker."""

    text: str
    left: float
    text_left: float
    ordered: bool
    sure: bool
    words: int = 1


def marker_of(line: TextLine) -> Marker | None:
    """The list marker a line starts with, or None."""
    if len(line.words) < 2 or line.rtl:
        return None
    first, second = line.words[0], line.words[1]
    gap = second.left - first.right
    if second.glued and gap < 0.15 * line.size:
        return None
    if len(first.text) == 1 and first.text in _BULLETS:
        return Marker(first.text, first.left, second.left, False, True)
    if len(first.text) == 1 and first.text in _DASHES:
        return Marker(first.text, first.left, second.left, False, gap > 0.35 * line.size)
    if _NUMBER.match(first.text):
        return Marker(first.text, first.left, second.left, True, gap > 0.5 * line.size)
    return None


def is_number(text: str) -> bool:
    """Whether a marker counts."""
    return bool(_NUMBER.match(text)) or (len(text) > 1 and any(c.isalnum() for c in text))


def looks_like_marker(text: str) -> bool:
    """Whether a word can be a marker: a bullet, a dash, a number or letter with its point."""
    return (len(text) == 1 and text in _BULLETS + _DASHES) or bool(_NUMBER.match(text))


def add_dot_bullets(lines: Sequence[TextLine], dots: Sequence[Box]) -> None:
    """Put a bullet in front of each line that has a drawn dot right before it, at the height of its letters."""
    if not dots or not lines:
        return
    by_row: dict[int, list[TextLine]] = {}
    for line in lines:
        for row in range(int(line.top // 10), int(line.bottom // 10) + 1):
            by_row.setdefault(row, []).append(line)
    for dot in dots:
        _x, y = dot.center
        near = [
            line
            for line in by_row.get(int(y // 10), [])
            if line.baseline - 0.8 * line.size < y < line.baseline + 0.05 * line.size
            and 0 < line.left - dot.right < 3 * line.size
            and dot.width < 0.75 * line.size
        ]
        if near:
            line = min(near, key=lambda line: line.left)
            bullet = Word("•", dot.left, line.top, dot.right, line.bottom, line.baseline, line.size, Font())
            line.words.insert(0, bullet)
            line.left = dot.left
