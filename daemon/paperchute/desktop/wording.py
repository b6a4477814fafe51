"""Names from outside, made fit to be shown: without control characters, no wider than their place."""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len

_JOINERS = "\u200c\u200d"
"""Invisible, but part of many scripts' spelling and of composed emoji."""
_UNSHOWABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, format (direction overrides among them) and surrogate characters; line and paragraph separators."""


def printable(text: str) -> str:
    """The text on one line, with U+FFFD for each character that could steer a terminal or turn text around."""
    return "".join(
        "\ufffd" if unicodedata.category(mark) in _UNSHOWABLE and mark not in _JOINERS else mark for mark in text
    )


def shortened(text: str, width: int) -> str:
    """The text in at most `width` terminal cells (a CJK character takes two), its middle left out if need be.

    The end stays readable, because that is where a file name has its number and suffix.
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    tail = _beginning(text[::-1], (width - 1) // 2)[::-1]
    return _beginning(text, width - 1 - cell_len(tail)) + "…" + tail


def _beginning(text: str, width: int) -> str:
    end = min(len(text), width)
    while cell_len(text[:end]) > width:
        end -= 1
    return text[:end]
