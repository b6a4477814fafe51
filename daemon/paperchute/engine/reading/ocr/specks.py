"""Specks: dirt of a copier, the glass or the wire. One beside a letter makes another letter of it, read as surely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import Corners, Pixels, darkness, is_tall, line_size


@dataclass(frozen=True, slots=True)
class SpeckSettings:
    """What counts as a speck, and what specks cost. Lengths are in line heights, that of type with its accents."""

    dark: int = 140
    """Levels of grey darker than the paper around, at least: coarse grain in a shadow reaches 100 in many places."""

    least: float = 0.03
    """The width of a speck, as the root of its area: grain of one pixel at 300 dpi, 0.02, spoils nothing."""

    room: float = 25.0
    """Squared line heights of a part without text, at least, for its count to say something."""

    cost: float = 0.2
    """Of a line, how much one speck spoils: on pages with 0.5, 1.6 and 4.3 specks in each line, 7, 8 and 15 words of 26
    lines were read wrong, with a likelihood of 0.95 to 1 like the others."""


SPECKS = SpeckSettings()


def spoiled(picture: Pixels, lines: Sequence[Corners], scale: float) -> float:
    """The share of the lines on an upright picture (RGB) that specks are bound to have spoiled.

    Told by the specks beside the lines: those on them look like full stops and accents. 0 on all 36 sample scans, 0.1
    with 100 specks on a page, 0.5 with 500. scale: of the picture in which lines were looked for.
    """
    level = [line_size(corners) for corners in lines if not is_tall(corners)]
    if not level:
        return 0.0
    height = median(size[1] for size in level)
    length = median(size[0] for size in level) / height
    return 1 - math.exp(-SPECKS.cost * length * _density(picture, lines, height, scale))


def _density(picture: Pixels, lines: Sequence[Corners], height: float, scale: float) -> float:
    """Specks in a squared line height of paper."""
    free = np.ones(picture.shape[:2], np.uint8)
    for corners in lines:
        left, top = np.maximum(np.floor(corners.min(axis=0) - PRINT.part * height).astype(int), 0)
        right, bottom = np.ceil(corners.max(axis=0) + PRINT.part * height).astype(int) + 1
        free[top:bottom, left:right] = 0
    ink = np.asarray(darkness(picture, scale) > SPECKS.dark, np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(ink)
    sides, area = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]], stats[1:, cv2.CC_STAT_AREA]
    small = (sides.max(axis=1) <= PRINT.quarter * height) & (np.sqrt(area) >= SPECKS.least * height)
    columns, rows = middles[1:][small].astype(int).T
    specks = np.zeros_like(free)
    specks[rows, columns] = free[rows, columns]
    room = _parts(free) / height**2
    counts = _parts(specks)[room > SPECKS.room] / room[room > SPECKS.room]
    return float(np.percentile(counts, 100 * PRINT.quarter)) if len(counts) >= PRINT.several else 0.0


def _parts(mask: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The pixels of each part of the page."""
    strips = (strip for rows in np.array_split(mask, PRINT.sample) for strip in np.array_split(rows, PRINT.several, 1))
    return np.array([np.count_nonzero(strip) for strip in strips], np.float64)
