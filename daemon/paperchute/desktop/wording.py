"""Names from outside, made fit for the place where they are shown."""

from __future__ import annotations

from rich.cells import cell_len


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
