"""Cleaning a page's picture: shadows and tint of the paper are divided out, ink gets dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

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

    margin: int = 4
    """Rows beyond a strip that smoothing looks at."""

    sample: int = 1_000_000
    """Pixels that the tones are measured on."""

    brightest: float = 1.6
    """Up to which the sample's pixels are counted: beyond are reflections."""

    bin: float = 0.01
    """Of the counts."""

    smoothed: int = 5
    """Counts beside each other that are smoothed."""

    least_peak: float = 0.6
    """What is darker is no paper: it is the light part."""

    around_peak: float = 0.03
    """On either side of the most frequent value: where on a plateau of counts the paper is."""

    noisy: float = 0.15
    """On either side of the paper's value: what counts for its noise; further is ink and light."""

    ink: float = 0.6
    """Of the paper's value: darker pixels are ink."""

    least_ink: int = 20
    """Pixels of ink in the sample from which it says how dark ink is."""

    black_share: float = 10.0
    """The percentile of ink that is full ink: its darkest tenth, without the pale edges of strokes."""

    most_black: float = 0.45
    """Full ink at its palest: grey areas are no ink."""

    least_white: float = 0.80
    """Where paper ends, at its darkest: light grey areas are no paper."""

    white_noise: float = 2.5
    """Times the noise, below the paper's value, that is paper: 99 in 100 of its pixels."""

    white_black: float = 0.5
    """Of full ink, below the paper's value, that is paper: blurred ink is pale, and its edges are wide. Drawn apart
    from the dark end alone, strokes would become thicker."""

    white_least: float = 0.01
    """Below the paper's value, that is paper in any case: one of the counts."""

    grey: float = 0.05
    """Between the channels of a pixel: less is grey. Noise adds `grey_noise` times itself."""

    grey_noise: float = 2.0
    """See `grey`."""

    coloured: float = 0.10
    """More than that: from there on a pixel keeps all its colour. Noise adds itself."""

    quiet: float = 0.012
    """Noise that is not smoothed: what compression leaves."""

    smoothing: float = 3.0
    """Times the noise: differences that are smoothed, and edges beyond."""

    smoothing_range: tuple[float, float] = (5.0, 40.0)
    """Of 255: those differences, at least and at most."""

    smoothing_size: int = 5
    """Pixels that are looked at: less than a letter's stroke with those beside it."""

    smoothing_soft: float = 1.5
    """Pixels: how fast the weight of those around falls."""

    quality: int = 90
    """Of JPEG, where the source does not say its own: for scans in PDFs, and pictures of other formats. Above it files
    grow fast, and nothing more is seen."""


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
        first, last = max(top - TONES.margin, 0), min(bottom + TONES.margin, height)
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
    floor = TONES.grey + TONES.grey_noise * tones.noise
    keep = np.clip((strongest(spread) - floor) * (1 / (TONES.coloured + tones.noise)), 0, 1)
    keep *= np.maximum(value / np.maximum(brightest, 1e-3), np.minimum(1.0, 1 / np.maximum(brightest, 1)))
    toned: Values = value[..., None] - spread * keep[..., None]
    return toned


def _denoised(rows: NDArray[Any], noise: float) -> NDArray[Any]:
    """Noise smoothed where there is some, edges kept."""
    if noise < TONES.quiet or rows.dtype != np.uint8:
        return rows
    spread = float(np.clip(TONES.smoothing * noise * 255, *TONES.smoothing_range))
    smooth = cv2.bilateralFilter(rows, TONES.smoothing_size, spread, TONES.smoothing_soft)
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
    counts, edges = np.histogram(found, bins=round(TONES.brightest / TONES.bin), range=(0, TONES.brightest))
    smooth = np.convolve(counts, np.ones(TONES.smoothed) / TONES.smoothed, "same")
    smooth[: round(TONES.least_peak / TONES.bin)] = 0
    peak = float(edges[int(smooth.argmax())] + TONES.bin / 2)
    # Paper of one single value makes a plateau of the smoothed counts: what lies around says where on it the paper is.
    around = found[(found > peak - TONES.around_peak) & (found < peak + TONES.around_peak)]
    mode = float(np.median(around)) if around.size else peak
    near = found[(found > mode - TONES.noisy) & (found < mode + TONES.noisy)]
    noise = _DEVIATION * float(np.median(np.abs(near - mode))) if near.size else 0.0
    ink = found[found < TONES.ink * mode]
    dark = float(np.percentile(ink, TONES.black_share)) if ink.size > TONES.least_ink else 0.0
    black = min(dark, TONES.most_black)
    white = mode - max(TONES.white_noise * noise, TONES.white_black * black) - TONES.white_least
    return Tones(max(white, TONES.least_white), black, noise)
