"""Cleaning a page's picture: bare paper is found everywhere, shadows and tint are divided out, ink gets dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.planes import (
    Pixels,
    Values,
    closing,
    filled,
    mean,
    odd,
    pixels,
    rows_of,
    soft,
    strongest,
)

_SIDE: Final = 1200  # of the small copy; letters of a page are then some 10 pixels high
_LETTER: Final = 0.018  # of the longer side: strokes of larger letters are thinner than this
_WIDE: Final = 0.16  # of the longer side: how far paper is looked for around something darker
_STEP: Final = 0.07  # least difference of an edge, in logarithms: seven per cent
_EDGE: Final = 0.5  # share of a difference that must come within two pixels to be an edge and no slope
_LIGHT: Final = 0.96  # of the paper around: what is lighter is paper itself
_LEAST_AREA: Final = 0.0008  # of the picture
_PHOTO_AREA: Final = 0.008  # of the picture
_SHADOW_AREA: Final = 0.03  # of the picture: shadows with hard edges are large
_SAME_HUE: Final = 0.10
_OTHER_HUE: Final = 0.25  # in logarithms; the light in a shadow is bluer, but not by so much
_GAP: Final = 0.009  # of the longer side: gaps in an outline that are narrower let nothing through
_TEXTURE: Final = 0.012  # median slope of a photograph's brightness, in logarithms to a pixel
_MANY_HUES: Final = 0.3  # between the quarters of all pixels, in logarithms
_LEAST_PAPER: Final = 0.15  # of the picture
_DARKEST: Final = 24.0


@dataclass(frozen=True, slots=True)
class Paper:
    """level: colour values of the bare paper, 0 to 255, small. photos: where photographs are, 0 to 1, as small.

    share: how much of the picture is paper.
    """

    level: Values
    photos: Values
    share: float

    @property
    def is_page(self) -> bool:
        """Whether there is enough paper to be a page; else the whole picture is a photograph."""
        return self.share >= _LEAST_PAPER

    def level_at(self, top: int, bottom: int, size: tuple[int, int]) -> Values:
        """The paper for rows top to bottom of a picture of `size` (width, height)."""
        return rows_of(self.level, top, bottom, size)

    def photos_at(self, top: int, bottom: int, size: tuple[int, int]) -> Values:
        """Likewise where photographs are, soft at their edges."""
        return rows_of(self.photos, top, bottom, size)


def paper_of(picture: Pixels) -> Paper:
    """The paper of a picture of one or three channels (height x width x channels)."""
    height, width = picture.shape[:2]
    scale = min(1.0, _SIDE / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    small = pixels(small, (size[1], size[0], picture.shape[2]))
    side = max(size)
    smooth = pixels(cv2.medianBlur(small, 3), small.shape)
    closed = closing(smooth, odd(_LETTER * side))
    things, photos = _things(smooth, closed, side)
    level = filled(closed.astype(np.float32), things)
    even = cv2.medianBlur(np.clip(level, 0, 255).astype(np.uint8), odd(0.008 * side))
    level = soft(filled(pixels(even, level.shape).astype(np.float32), things), 0.003 * side)
    return Paper(np.maximum(level, _DARKEST), soft(photos, 1.5), 1 - float(things.mean()))


def _things(smooth: Pixels, closed: Pixels, side: int) -> tuple[Values, Values]:
    """Where something larger than letters covers the paper, and where it is a photograph: 0 or 1 each."""
    logs = np.log(closed.astype(np.float32) + 4)
    around = soft(closing(closed, odd(_WIDE * side)).astype(np.float32), 0.02 * side)
    lightness = -strongest(-(closed.astype(np.float32) + 4) / (around + 4))
    brightness = mean(logs)
    light = logs[lightness > _LIGHT]
    tint = _hue(light if light.size else logs.reshape(-1, logs.shape[2]))
    coloured = strongest(np.abs(logs - brightness[..., None] - tint)) > _OTHER_HUE
    reach = odd(_GAP * side)
    barrier = cv2.dilate(_edges(logs) | coloured.astype(np.uint8), np.ones((reach, reach), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats((1 - barrier).astype(np.uint8), connectivity=4)
    slope = _slope(brightness)
    ink = mean(closed).astype(np.float32) - mean(smooth) > 0.2 * mean(closed)
    things = np.zeros(labels.shape, np.float32)
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()) if len(stats) > 1 else 0
    for label in range(1, len(stats)):
        left, top, width, height, area = (int(number) for number in stats[label])
        if label == largest or area < _LEAST_AREA * labels.size:
            continue
        window = np.s_[top : top + height, left : left + width]
        inside = labels[window] == label
        if float(np.percentile(lightness[window][inside], 60)) > _LIGHT:
            continue
        if area > _SHADOW_AREA * labels.size:
            same = float(np.abs(_hue(logs[window][inside]) - tint).max()) < _SAME_HUE
            written = 0.005 < float(ink[window][inside].mean()) < 0.4
            if same and written and float(np.median(slope[window][inside])) < _TEXTURE:
                continue  # a shadow with a hard edge: paper of the same hue, with writing on it
        things[window][inside] = 1
    spread = cv2.dilate(things, np.ones((reach, reach), np.uint8))  # as far as the barrier had kept off
    things = np.maximum(spread, coloured, dtype=np.float32)
    photos = _photos(things, slope, logs, reach)
    covered = np.maximum(things, photos)
    return np.asarray(cv2.dilate(covered, np.ones((7, 7), np.uint8)), np.float32), photos


def _edges(logs: Values) -> Pixels:
    """Where the difference around a pixel comes at once: 1, else 0."""
    near, wide = np.ones((3, 3), np.uint8), np.ones((15, 15), np.uint8)
    step = strongest((cv2.dilate(logs, near) - cv2.erode(logs, near)).reshape(logs.shape))
    whole = strongest((cv2.dilate(logs, wide) - cv2.erode(logs, wide)).reshape(logs.shape))
    return ((whole > _STEP) & (step > _EDGE * whole)).astype(np.uint8)


def _photos(things: Values, slope: Values, logs: Values, reach: int) -> Values:
    """Those of the things that are not of one colour; whole rectangles where they nearly are, holes filled.

    reach: how far apart parts of one photograph may lie.
    """
    photos = np.zeros(things.shape, np.float32)
    joined = cv2.morphologyEx(things.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for label in range(1, count):
        left, top, width, height, area = (int(number) for number in stats[label])
        if area < _PHOTO_AREA * labels.size:
            continue
        window = np.s_[top : top + height, left : left + width]
        inside = (labels[window] == label).astype(np.uint8)
        core = cv2.erode(inside, np.ones((9, 9), np.uint8)).astype(bool)
        if not core.any() or not _is_photo(slope[window][core], logs[window][core]):
            continue
        if area > 0.6 * width * height:
            photos[window] = 1
            continue
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        photos[window] = np.maximum(photos[window], cv2.drawContours(inside, outlines, -1, 1, cv2.FILLED))
    return photos


def _is_photo(slope: Values, logs: Values) -> bool:
    """Whether pixels (n, n x channels) are a photograph's: most lie on some slope, or the colours are of many kinds.

    Text on a coloured area takes up too little of it to count.
    """
    if float(np.median(slope)) > _TEXTURE:
        return True
    low, high = np.percentile(logs - logs.mean(axis=1, keepdims=True), (25, 75), axis=0)
    return float((high - low).max()) > _MANY_HUES


def _slope(brightness: Values) -> Values:
    across = cv2.Sobel(brightness, cv2.CV_32F, 1, 0, ksize=3) / 8
    down = cv2.Sobel(brightness, cv2.CV_32F, 0, 1, ksize=3) / 8
    return np.asarray(cv2.magnitude(across, down), np.float32)


def _hue(logs: Values) -> Values:
    """The colour of pixels (n x channels) whatever their brightness."""
    middle: Values = np.median(logs, axis=0).astype(np.float32)
    hue: Values = middle - middle.mean()
    return hue


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
