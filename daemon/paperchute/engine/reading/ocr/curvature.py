"""Sheets that do not lie flat, such as the pages of a thick book: how their lines bend, and the page without it.

The bend is told by the slopes of long lines of text, as `dewarp` of Leptonica tells it; one smooth map of slopes over
the whole page goes on where there is no text, and is followed from the page's middle to its edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.polynomial import Polynomial, chebyshev
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import BEYOND, Bend, Pixels


@dataclass(frozen=True, slots=True)
class CurvatureSettings:
    """How the bend of a page is told. Thickness is that of the network's marks, about half the height of a line."""

    long: float = 8.0
    """Times its thickness: a mark whose middle line says something."""

    bent: float = 0.2
    """The median of how far their middles stray from straight lines, in thicknesses. 36 flat sample scans have 0.09 at
    most."""

    turning: float = 10.0
    """Thicknesses of a line for each degree of the curve that follows it."""

    degrees: tuple[int, int] = (6, 4)
    """Of the map of slopes, across and down: a page bends once or twice."""

    smooth: float = 1e-4
    """How dear high degrees are."""

    steps: int = 128
    """Columns in which the map is followed; between them it is a straight line."""


CURVATURE = CurvatureSettings()

Points = NDArray[np.float64]
"""Points of a line's middle from end to end, as (x, y, thickness of the line)."""


def middle_line(contour: NDArray[Any], dark: Pixels) -> Points | None:
    """The middle line of the text under a long mark from end to end; None for other marks.

    dark: how dark the picture is on which the mark was found. The marks themselves bend less than the text.
    """
    left, top, width, height = cv2.boundingRect(contour)
    mark = np.zeros((height, width), np.uint8)
    cv2.drawContours(mark, [contour], -1, 1, cv2.FILLED, offset=(-left, -top))
    if is_tall := height > width:
        mark, dark, left, top = np.ascontiguousarray(mark.T), dark.T, top, left
    across = mark.shape[1]
    counts = mark.sum(axis=0, dtype=np.int32)
    thickness = float(counts.sum() / across)
    if across < CURVATURE.long * thickness:
        return None
    begins = mark[0] + (np.diff(mark.astype(np.int8), axis=0) == 1).sum(axis=0)
    # the columns in which it is one line; else something touches it
    (along,) = np.nonzero((begins == 1) & (counts > PRINT.half * thickness) & (counts < PRINT.longer * thickness))
    if len(along) < PRINT.more * across:
        return None
    middles = (mark * np.arange(len(mark))[:, None]).sum(axis=0)[along] / counts[along]
    x, y = _on_ink(dark, along + left, middles + top, thickness)
    x, y = (y, x) if is_tall else (x, y)
    return np.column_stack([x + 0.5, y + 0.5, np.full(len(x), thickness)])


def _on_ink(
    dark: Pixels, x: NDArray[Any], y: NDArray[Any], thickness: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A line drawn by a smooth curve to the middle of the ink around it, a thickness above and below."""
    degree = _degree(x[-1] - x[0], thickness)
    at = np.arange(x[0], x[-1] + 1, PRINT.quarter * thickness)
    heights = Polynomial.fit(x, y, min(degree, 2))(at)
    around = np.arange(-thickness, thickness + 0.5)[:, None]
    rows = np.tile(at.astype(np.float32), (len(around), 1))
    for _ in range(PRINT.several):
        ink = cv2.remap(np.ascontiguousarray(dark), rows, (heights + around).astype(np.float32), cv2.INTER_LINEAR)
        ink = np.where(ink < PRINT.coloured, 0, ink).astype(np.float64)
        there = ink.sum(axis=0)
        if np.count_nonzero(there) <= degree:
            break
        off = (ink * around).sum(axis=0) / np.maximum(there, 1)
        heights = Polynomial.fit(at, heights + off, degree, w=np.sqrt(there))(at)
    return at, heights


def _degree(length: float, thickness: float) -> int:
    """Of the curve that follows a line: short ones do not tell more than their slope."""
    return min(max(round(length / thickness / CURVATURE.turning), 1), CURVATURE.degrees[0] + 1)


def bentness(lines: Iterable[Points], width: float) -> float:
    """Give how far the long lines of a picture stray from straight ones, in thicknesses; 0 where there are too few."""
    found = [_sagitta(line) for line in lines if np.hypot(*(line[-1, :2] - line[0, :2])) > PRINT.part * width]
    return float(np.median(found)) if len(found) >= PRINT.several else 0.0


def slant(lines: Iterable[Points]) -> float:
    """By how many degrees clockwise the lines fall, all in all, or by how many they stray from upright ones."""
    ways = [(math.atan2(*(line[-1, 1::-1] - line[0, 1::-1])), len(line)) for line in lines]
    ways = sorted((math.degrees((way + math.pi / 4) % (math.pi / 2) - math.pi / 4), length) for way, length in ways)
    reached = np.cumsum([length for _, length in ways])
    return ways[int(np.searchsorted(reached, reached[-1] / 2))][0]


def _sagitta(line: Points) -> float:
    begin, end = line[0, :2], line[-1, :2]
    along = (end - begin) / np.hypot(*(end - begin))
    x, y = ((line[:, :2] - begin) @ np.array([[along[0], -along[1]], [along[1], along[0]]])).T
    curve = Polynomial.fit(x, y, 2)(x) - Polynomial.fit(x, y, 1)(x)
    return float(np.ptp(curve) / line[0, 2])


def bend_of(lines: Sequence[Points], size: tuple[int, int]) -> Bend | None:
    """The bend of a picture of this width and height by the lines on it; None where they tell too little."""
    width, height = size
    across, down = CURVATURE.degrees
    pieces = np.concatenate([np.zeros((0, 3)), *map(_slopes, lines)])
    if len(pieces) < (across + 1) * (down + 1):
        return None
    x, y, slopes = pieces.T
    terms = chebyshev.chebvander2d(_placed(x, width), _placed(y, height), [across, down])
    dear = np.add.outer(np.arange(across + 1), np.arange(down + 1)).ravel() * CURVATURE.smooth * len(pieces)
    weights = np.ones(len(pieces))
    for _ in range(3):  # a few rounds do: it begins near the end
        found = np.linalg.solve(
            terms.T @ (terms * weights[:, None]) + np.diag(dear + 1e-9), terms.T @ (weights * slopes)
        )
        errors = np.abs(slopes - terms @ found)
        weights = 1 / (1 + (errors / (PRINT.twice * (np.median(errors) + 1e-4))) ** 2)
    return Bend(_followed(found.reshape(across + 1, down + 1), size), size, np.eye(2, 3))


def _slopes(line: Points) -> NDArray[np.float64]:
    """Places on a level line with its slopes there (n, 3)."""
    x, y, thickness = line[:, 0], line[:, 1], line[0, 2]
    length = x[-1] - x[0]
    curve = Polynomial.fit(x, y, _degree(length, thickness))
    at = np.linspace(x[0], x[-1], max(3, round(length / thickness / PRINT.several)))
    return np.column_stack([at, curve(at), curve.deriv()(at)])


def _followed(slopes: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float32]:
    """The heights of rows, followed from the page's middle along the slopes (by the midpoint method)."""
    width, height = size
    columns, step = CURVATURE.steps, width / CURVATURE.steps
    heights = np.zeros((CURVATURE.steps, columns + 1))
    heights[:, columns // 2] = np.linspace(-BEYOND * height, (1 + BEYOND) * height, CURVATURE.steps)

    def slope(x: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.full_like(y, _placed(x, width)), _placed(y, height)
        return np.asarray(chebyshev.chebval2d(*at, slopes), np.float64)

    for towards in (1, -1):
        end = columns if towards == 1 else 0
        for column in range(columns // 2, end, towards):
            x, y, way = column * step, heights[:, column], towards * step
            heights[:, column + towards] = y + way * slope(x + way / 2, y + way / 2 * slope(x, y))
    return heights.astype(np.float32)


def _placed(value: Any, length: float) -> Any:
    """A place on the page from -1 to 1, as the terms of the map have it; beyond its edges it is that of the edge."""
    return np.clip(value / length * 2 - 1, -1, 1)
