"""Cleaning a page's picture: shadows and tint divided out, paper white, ink dark, colours and photographs kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.paper import Paper, paper_of
from paperchute.engine.imaging.planes import Pixels, Values, pixels, strongest

_STRIP: Final = 512  # rows at a time, so that memory stays small however large the picture is
_SAMPLE: Final = 1_000_000  # pixels that the tones are measured on
_MARGIN: Final = 4  # rows beyond a strip that smoothing looks at
_AROUND_PEAK: Final = 0.03
_QUIET: Final = 0.012
_MOST_BLACK: Final = 0.45
_LEAST_WHITE: Final = 0.80


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
    for top in range(0, height, _STRIP):
        bottom = min(top + _STRIP, height)
        first, last = max(top - _MARGIN, 0), min(bottom + _MARGIN, height)
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
    floor = 0.05 + 2 * tones.noise  # what is less coloured is grey with noise
    keep = np.clip((strongest(spread) - floor) * (1 / (0.10 + tones.noise)), 0, 1)
    keep *= np.maximum(value / np.maximum(brightest, 1e-3), np.minimum(1.0, 1 / np.maximum(brightest, 1)))
    toned: Values = value[..., None] - spread * keep[..., None]
    return toned


def _denoised(rows: NDArray[Any], noise: float) -> NDArray[Any]:
    """Noise smoothed where there is some, edges kept."""
    if noise < _QUIET or rows.dtype != np.uint8:
        return rows
    spread = float(np.clip(3 * noise * 255, 5, 40))
    return pixels(cv2.bilateralFilter(rows, 5, spread, 1.5), rows.shape)


def _tones(shaped: Pixels, paper: Paper) -> Tones:
    """Measured on a sample of the picture's own pixels, photographs left out."""
    height, width = shaped.shape[:2]
    step = max(1, int((height * width / _SAMPLE) ** 0.5))
    sample = shaped[::step, ::step]
    size = (sample.shape[1], sample.shape[0])
    shares = strongest(sample.astype(np.float32) / paper.level_at(0, size[1], size))
    found = shares[paper.photos_at(0, size[1], size) < 0.5]
    if found.size == 0:
        return Tones(1.0, 0.0, 0.0)
    counts, edges = np.histogram(found, bins=160, range=(0, 1.6))
    smooth = np.convolve(counts, np.ones(5) / 5, "same")
    smooth[: len(smooth) // 2 - 20] = 0  # paper is the light part
    peak = float(edges[int(smooth.argmax())] + 0.005)
    # Paper of one single value makes a plateau of the smoothed counts: what lies around says where on it the paper is.
    around = found[(found > peak - _AROUND_PEAK) & (found < peak + _AROUND_PEAK)]
    mode = float(np.median(around)) if around.size else peak
    near = found[(found > mode - 0.15) & (found < mode + 0.15)]
    noise = 1.4826 * float(np.median(np.abs(near - mode))) if near.size else 0.0
    ink = found[found < 0.6 * mode]
    black = min(float(np.percentile(ink, 10)), _MOST_BLACK) if ink.size > 20 else 0.0
    # Blurred ink is pale, and its edges are wide: drawn apart from the dark end alone, strokes would become thicker.
    white = mode - max(2.5 * noise, 0.5 * black) - 0.01
    return Tones(max(white, _LEAST_WHITE), black, noise)
