"""Texts in the one line of a menu or a bubble: paths and names give way first, and a reason is read to its end."""

from __future__ import annotations

import re

from rich.cells import cell_len

_PATH = re.compile(r"(?<![\w.])(?:[A-Za-z]:[\\/]|~?/)[^\s:]*[\\/]")
"""Folders in front of a name."""
_LEAST_NAME = 16
"""Cells of a name that are left beside a long reason: its beginning and its end."""


def line_of(text: str, width: int) -> str:
    """A text such as `name: reason` in at most `width` terminal cells (a CJK character takes two)."""
    if cell_len(text) > width:
        text = _PATH.sub("…/", text)
    name, colon, reason = text.partition(": ")
    if colon and cell_len(text) > width:
        text = shortened(name, max(_LEAST_NAME, width - cell_len(colon + reason))) + colon + reason
    return text if cell_len(text) <= width else beginning(text, width - 1) + "…"


def shortened(text: str, width: int) -> str:
    """The text in at most `width` terminal cells, its middle left out if need be.

    The end stays readable, because that is where a file name has its number and suffix.
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    tail = beginning(text[::-1], (width - 1) // 2)[::-1]
    return beginning(text, width - 1 - cell_len(tail)) + "…" + tail


def beginning(text: str, width: int) -> str:
    """Return what of the text has room in so many terminal cells."""
    end = min(len(text), width)
    while cell_len(text[:end]) > width:
        end -= 1
    return text[:end]
