"""The sheet that lies on the larger bed of a scanner: where the bed's tone ends, if what is left has a sheet's size.

What has ink on it is no bed, and what stays inside must be as large as paper is cut: a dark banner along a sheet's
edge, or a tinted box on a page, leaves none that fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.blank import DPI, Pixels
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled

_MM = DPI / 25.4

Corners = NDArray[np.float64]
"""Of a sheet: four pairs (x, y)."""


@dataclass(frozen=True, slots=True)
class BedSettings:
    """What is a bed, and what a sheet. Tones are of 255, lengths millimetres."""

    dark: tuple[float, float] = (110.0, 30.0)
    """A dark bed at its lightest, and by how much its tone may vary."""

    light: tuple[float, float] = (200.0, 9.0)
    """A light bed at its darkest, and its tone likewise: pale pencil differs by more."""

    speck: float = 0.4
    """Square millimetres of dust on a bed; a larger spot may be writing."""

    exactly: float = 2.0
    """By which a sheet differs from its size, as feeders stretch by up to one in a hundred; so far its edge is blurred,
    and so far in the bed is seen along one side of the picture at least."""

    least: float = 5.0
    """Of the bed, beside the sheet: less is no larger bed."""

    sheets: tuple[tuple[float, float], ...] = (
        *((297.0, 420.0), (210.0, 297.0), (148.0, 210.0), (105.0, 148.0), (74.0, 105.0)),  # ISO 216: A3 to A7
        *((250.0, 353.0), (176.0, 250.0), (257.0, 364.0), (182.0, 257.0)),  # B4 and B5, of ISO and of JIS P 0138
        *((215.9, 279.4), (215.9, 355.6), (279.4, 431.8), (139.7, 215.9), (184.2, 266.7)),  # ANSI and North America
        *((54.0, 85.6), (100.0, 150.0), (101.6, 152.4), (127.0, 177.8), (130.0, 180.0)),  # cards, photographs
    )
    """The sizes of sheets, the shorter side first."""

    rolls: tuple[float, ...] = (57.5, 80.0)
    """The widths of receipts, of any length."""


BEDS = BedSettings()


def sheet_on_bed(values: Pixels, dpi: float) -> Corners | None:
    """Find the corners of the sheet on a picture, as shares of its width and height; None where that is not sure.

    Args:
        values: The picture, grey or RGB.
        dpi: Its pixels per inch.
    """
    small = cv2.medianBlur(scaled(values, min(1.0, DPI / dpi)), 3)
    picture = np.asarray(small, np.float32).reshape(*small.shape[:2], -1)
    found = [sheet for tone, spread in _beds(picture) if (sheet := _sheet(picture, tone, spread)) is not None]
    return found[0] / picture.shape[1::-1] if len(found) == 1 else None


def _beds(picture: NDArray[np.float32]) -> Iterator[tuple[NDArray[np.float32], float]]:
    """The tones that a bed may have, by what stands along the picture's sides, and how much they vary."""
    wide = max(1, round(BEDS.exactly * _MM))
    seen: list[NDArray[np.float32]] = []
    for border in (picture[:wide], picture[-wide:], picture[:, :wide], picture[:, -wide:]):
        tone = np.median(border.reshape(-1, picture.shape[2]), axis=0).astype(np.float32)
        lightness, spread = float(tone.mean()), 0.0
        if lightness <= BEDS.dark[0]:
            spread = BEDS.dark[1]
        elif lightness >= BEDS.light[0]:
            spread = BEDS.light[1]
        if not spread or float(np.ptp(tone)) > PRINT.contrast or any(_apart(tone, one) <= spread for one in seen):
            continue
        if float((np.abs(border - tone).max(axis=2) <= spread).mean()) >= 1 - PRINT.speck:
            seen.append(tone)
            yield tone, spread


def _apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).max())


def _sheet(picture: NDArray[np.float32], tone: NDArray[np.float32], spread: float) -> Corners | None:
    """The corners of the only thing on a bed of this tone, in pixels, where it is a sheet."""
    off = (np.abs(picture - tone).max(axis=2) > spread).astype(np.uint8)
    outlines, _tree = cv2.findContours(off, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)
    middle, sides, angle = cv2.minAreaRect(outline)
    if not _is_cut_so(*sorted((side + 1) / _MM for side in sides)):
        return None
    if cv2.contourArea(outline) < PRINT.surely * sides[0] * sides[1]:
        return None
    inside = cv2.drawContours(np.zeros_like(off), [outline], -1, 1, cv2.FILLED) > 0
    if tone.mean() <= BEDS.dark[0] and np.median(picture[inside].mean(axis=1)) < tone.mean() + PRINT.coloured:
        return None
    grown = tuple(side + 2 * BEDS.exactly * _MM for side in sides)
    around = cv2.boxPoints((middle, grown, angle)).round().astype(np.int32)
    beyond = off & (1 - cv2.fillConvexPoly(np.zeros_like(off), around, 1))
    spots = cv2.connectedComponentsWithStats(beyond, connectivity=8)[2][1:, cv2.CC_STAT_AREA]
    if len(spots) and spots.max() > BEDS.speck * _MM**2:
        return None
    corners = np.asarray(cv2.boxPoints((middle, (sides[0] + 1, sides[1] + 1), angle)), np.float64) + 0.5
    height, width = off.shape
    free = (*corners.min(axis=0), *((width, height) - corners.max(axis=0)))
    return corners if max(free) >= BEDS.least * _MM else None


def _is_cut_so(short: float, long: float) -> bool:
    """Decide whether paper is cut to a size, in millimetres."""
    if any(abs(short - roll) <= BEDS.exactly for roll in BEDS.rolls) and long > short:
        return True
    return any(abs(short - one) <= BEDS.exactly and abs(long - other) <= BEDS.exactly for one, other in BEDS.sheets)
