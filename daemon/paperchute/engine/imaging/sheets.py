"""How large the page on a picture is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paperchute.engine.imaging.measures import PRINT


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """How large the page on a picture is."""

    trusted_dpi: tuple[float, float] = (50.0, 2400.0)
    """Pixels per inch that scanners write; others are defaults of programs."""

    longest_page: float = 26 * 72.0
    """Points; larger is a camera's or a screen's resolution on a photo of a page."""

    longest_side: float = 14_400.0
    """Points of a page that readers show (ISO 32000-1, annex C.2)."""


SHEETS = SheetSettings()


def pixels_a_point(width: int, height: int, dpi: tuple[float, float]) -> float:
    """Return how many pixels of a page's picture make a point.

    By what the file says where that makes a page, else so that the picture fills a sheet of A4.
    """
    least, most = SHEETS.trusted_dpi
    own = max(dpi)
    if least <= min(dpi) and own <= most and max(width, height) * 72 / own <= SHEETS.longest_page:
        return own / 72
    short, long = sorted((width, height))
    tall = PRINT.sheet * 72  # of A4, whose sides are as 1 to the root of 2 (ISO 216)
    fits = short * math.sqrt(2) / tall if long > 2 * short else max(short * math.sqrt(2), long) / tall
    return max(fits, 1.0)


def page_size(size: tuple[int, int], dpi: tuple[float, float]) -> tuple[float, float]:
    """Decide how large a page a picture makes, in points: each side by its own pixels per inch where these count.

    Args:
        size: Pixels across and down.
        dpi: Pixels per inch across and down, 0 where the file does not say.
    """
    a_point = pixels_a_point(*size, dpi)
    if a_point * 72 == max(dpi):
        return 72 * size[0] / dpi[0], 72 * size[1] / dpi[1]
    a_point = max(a_point, max(size) / SHEETS.longest_side)
    return size[0] / a_point, size[1] / a_point
