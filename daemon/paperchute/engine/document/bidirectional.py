"""Text that runs from right to left, and text of both directions (UAX #9)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_RIGHT = {"R", "AL"}


def is_rtl(text: str) -> bool:
    """Tell if a paragraph of this text runs from right to left: its first strong character does (UAX 9, rule P2)."""
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
