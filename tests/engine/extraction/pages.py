"""Pages of words at their places, as a reader gives them."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Page, PlacedWord

SIZE = 10.0
_LETTER, _SPACE = 5.0, 2.8
_NEXT = 14.0


def words(text: str, left: float, top: float, confidence: float = 1.0) -> list[PlacedWord]:
    """Words of one piece; only plain spaces part them."""
    found = []
    for word in text.split(" "):
        if word:
            right = left + _LETTER * len(word)
            found.append(PlacedWord(word, Box(left, top, right, top + SIZE), SIZE, confidence=confidence))
        left += _LETTER * len(word) + _SPACE
    return found


def page(rows: Sequence[Sequence[str]], number: int = 1, confidence: float = 1.0) -> Page:
    """Rows of pieces, each at a place of its own across the page."""
    placed = [
        word
        for line, row in enumerate(rows)
        for column, text in enumerate(row)
        for word in words(text, 50.0 + 250.0 * column, 50.0 + _NEXT * line, confidence)
    ]
    return Page(number, 1000.0, max(842.0, 100.0 + _NEXT * len(rows)), words=tuple(placed))
