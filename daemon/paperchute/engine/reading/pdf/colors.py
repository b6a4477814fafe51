"""Colours of a PDF's objects as text."""

from __future__ import annotations

import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import UNSEEN
from paperchute.engine.reading.pdf import calls


def shown(color: tuple[int, int, int, int]) -> str:
    """(red, green, blue, alpha) as it shows on white paper: #rrggbb."""
    *parts, alpha = color
    if alpha < 255:
        parts = [255 - (255 - part) * alpha // 255 for part in parts]
    return "#{:02x}{:02x}{:02x}".format(*parts)


def text_color(item: int, mode: int) -> str:
    """The colour of a text object by its rendering mode (ISO 32000-1, 9.3.6), as in `Style.color`."""
    if mode == pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE:
        return UNSEEN
    color = calls.fill_color(item)
    found = shown(color) if color is not None else ""
    return "" if found == "#000000" else found
