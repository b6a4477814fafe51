"""Cleaning a page's picture: shadows and tint of the paper are divided out, ink gets dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.paper import Paper, paper_of
from paperchute.engine.imaging.planes import Pixels, Values, pixels, strongest


@dataclass(frozen=True, slots=True)
class ToneSettings:
    """How paper becomes white and ink dark.

    Values are shares of the paper's level where nothing else is said. Chosen by eye on scans, and on what the tests of
    cleaning make: clean, noisy and blurred pages.
    """

    strip: int = 512
    """Rows at a time, so that memory stays small however large the picture is."""

    sample: int = 1_000_000
    """Pixels that the tones are measured on."""

    smoothing_size: int = 5
    """Pixels, or counts of tones, that are smoothed together: less than a letter's stroke with those beside it."""


TONES = ToneSettings()

_DEVIATION: Final = 1.4826
"""The standard deviation of a normal distribution by its median absolute deviation."""


@dataclass(frozen=True, slots=True)
class Tones:
    """Where paper ends and full ink begins, as shares of the paper's level; noise of the paper around its level."""

    white: float
    black: float
    noise: float


def cleaned(picture: Pixels, deep: NDArray[np.uint16] | None = None) -> NDArray[Any]:
    """The picture (height x width, or height x width x 3, 8 bits) cleaned; the same shape.

    deep: the same picture with 16 bits; then the result has 16 bits. A picture without any paper in it is a photograph
    and comes back as it is.
    """
    shaped = picture.reshape(picture.shape[0], picture.shape[1], -1)
    source: NDArray[Any] = picture if deep is None else deep
    paper = paper_of(shaped)
    if not paper.is_page:
        return source
    source = source.reshape(shaped.shape)
    tones = _tones(shaped, paper)
    result = np.empty_like(source)
    height, width = shaped.shape[:2]
    for top in range(0, height, TONES.strip):
        bottom = min(top + TONES.strip, height)
        first, last = max(top - TONES.smoothing_size, 0), min(bottom + TONES.smoothing_size, height)
        strip = _cleaned(source[first:last], paper, tones, first, last, (width, height))
        result[top:bottom] = strip[top - first : bottom - first]
    return result.reshape(picture.shape)


def _cleaned(rows: NDArray[Any], paper: Paper, tones: Tones, top: int, bottom: int, size: tuple[int, int]) -> Values:
    """Rows top to bottom, of the depth they have."""
    photos = paper.photos_at(top, bottom, size)[..., None]
    depth = np.float32(np.iinfo(rows.dtype).max)
    shares = _denoised(rows, tones.noise).astype(np.float32) * (255 / depth) / paper.level_at(top, bottom, size)
    new = _toned(shares, tones)
    if photos.any():  # in even light as the rest of the page, but with the tones they have
        new = photos * np.minimum(shares, 1) + (1 - photos) * new
    result: Values = np.clip(new * depth + 0.5, 0, depth)
    return result


def _toned(shares: Values, tones: Tones) -> Values:
    """Shares of the paper's level to values from 0 to 1. The strongest channel decides, so that colours stay bright."""
    brightest = strongest(shares)
    value = np.clip((brightest - tones.black) * (1 / (tones.white - tones.black)), 0, 1)
    if shares.shape[2] == 1:
        return np.asarray(value[..., None], np.float32)
    spread = brightest[..., None] - shares
    # Less between the channels of a pixel is grey, as noise is; from so much more on it keeps all its colour.
    grey = PRINT.hair + PRINT.twice * tones.noise
    keep = np.clip((strongest(spread) - grey) * (1 / (PRINT.few + tones.noise)), 0, 1)
    keep *= np.maximum(value / np.maximum(brightest, 1e-3), np.minimum(1.0, 1 / np.maximum(brightest, 1)))
    toned: Values = value[..., None] - spread * keep[..., None]
    return toned


def _denoised(rows: NDArray[Any], noise: float) -> NDArray[Any]:
    """Noise smoothed where there is some, edges kept."""
    if noise < PRINT.speck or rows.dtype != np.uint8:
        return rows
    spread = min(PRINT.thrice * noise * 255, PRINT.faint)
    smooth = cv2.bilateralFilter(rows, TONES.smoothing_size, spread, PRINT.longer)
    return pixels(smooth, rows.shape)


def _tones(shaped: Pixels, paper: Paper) -> Tones:
    """Measured on a sample of the picture's own pixels, photographs left out."""
    height, width = shaped.shape[:2]
    step = max(1, int((height * width / TONES.sample) ** 0.5))
    sample = shaped[::step, ::step]
    size = (sample.shape[1], sample.shape[0])
    shares = strongest(sample.astype(np.float32) / paper.level_at(0, size[1], size))
    found = shares[paper.photos_at(0, size[1], size) < 0.5]
    if found.size == 0:
        return Tones(1.0, 0.0, 0.0)
    counts, edges = np.histogram(found, bins=round(PRINT.twice / PRINT.speck), range=(0, PRINT.twice))
    smooth = np.convolve(counts, np.ones(TONES.smoothing_size), "same")
    smooth[: round(PRINT.more / PRINT.speck)] = 0
    peak = float(edges[int(smooth.argmax())] + PRINT.speck / 2)
    # Paper of one single value makes a plateau of the smoothed counts: what lies around says where on it the paper is.
    around = found[np.abs(found - peak) < PRINT.hair]
    mode = float(np.median(around)) if around.size else peak
    near = found[np.abs(found - mode) < PRINT.slight]
    noise = _DEVIATION * float(np.median(np.abs(near - mode))) if near.size else 0.0
    ink = found[found < PRINT.more * mode]
    # Full ink is its darkest tenth, without the pale edges of strokes; grey areas are no ink, light grey ones no paper.
    dark = float(np.percentile(ink, 100 * PRINT.few)) if ink.size > PRINT.dozen else 0.0
    black = min(dark, PRINT.half)
    # Blurred ink is pale and its edges are wide: drawn apart from the dark end alone, strokes would become thicker.
    white = mode - max(PRINT.twice * noise, PRINT.half * black) - PRINT.speck
    return Tones(max(white, PRINT.most), black, noise)
