"""Where the bare paper of a page's picture is, in any light, and what covers it: dark areas and photographs."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import (
    Pixels,
    Values,
    closing,
    filled,
    mean,
    odd,
    pixels,
    rows_of,
    scaled,
    soft,
    square,
    strongest,
)


@dataclass(frozen=True, slots=True)
class PaperSettings:
    """What of a picture is bare paper.

    Sizes are pixels of the small copy, or shares of its longer side or of its area; differences are of logarithms, so
    that 0.07 is seven per cent in any light. Chosen by eye on scans, and on what the tests of cleaning make: pages with
    shadows, tints, photographs, dark bands and light grey areas.
    """

    side: int = 1200
    """Of the small copy; letters of a page are then some 10 pixels high."""

    level_soft: float = 0.003
    """Of the side: how softly the paper's level changes."""

    dark: float = 4.0
    """Of 255, added before logarithms are taken: below it all is black, and noise."""

    step: float = 0.07
    """Least difference of an edge: seven per cent."""

    near: int = 3
    """Pixels of an edge: a pixel with those beside it."""

    far: int = 15
    """Pixels in which a slope shows."""

    least_area: float = 0.0008
    """Of the picture: smaller things are letters and specks."""

    spread: int = 7
    """Pixels at the edge of things: their blurred edges, which count with them, and frames of photographs, which do not
    count when these are told by their colours."""

    texture: float = 0.012
    """Median slope of a photograph's brightness, to a pixel. Paper does not vary by half as much, leaves and skies do:
    16 photographs without a page have 0.004 to 0.053, of 200 pages and drawings none more than 0.002, but for small
    ones of noise. A quarter is too much where its hues are many, too: noise makes slopes, and coloured sheets make
    hues, but nine tenths of pages full of noise have hues within 0.09."""


PAPER = PaperSettings()


@dataclass(frozen=True, slots=True)
class Paper:
    """level: colour values of the bare paper, 0 to 255, small. photos: where photographs are, 0 to 1, as small.

    share: how much of the picture is paper. even: whether that is as even as paper is.
    """

    level: Values
    photos: Values
    share: float
    even: bool

    @property
    def is_page(self) -> bool:
        """Whether there is enough paper to be a page; else the whole picture is a photograph."""
        return self.share >= PRINT.slight and self.even

    def level_at(self, top: int, bottom: int, size: tuple[int, int]) -> Values:
        """The paper for rows top to bottom of a picture of `size` (width, height)."""
        return rows_of(self.level, top, bottom, size)

    def photos_at(self, top: int, bottom: int, size: tuple[int, int]) -> Values:
        """Likewise where photographs are, soft at their edges."""
        return rows_of(self.photos, top, bottom, size)


def paper_of(picture: Pixels) -> Paper:
    """The paper of a picture of one or three channels (height x width x channels)."""
    height, width = picture.shape[:2]
    scale = min(1.0, PAPER.side / max(height, width))
    small = scaled(picture, scale) if scale < 1 else picture
    small = small.reshape(*small.shape[:2], picture.shape[2])
    side = max(small.shape[:2])
    smooth = pixels(cv2.medianBlur(small, 3), small.shape)
    closed = closing(smooth, odd(PRINT.grain * side))
    things, photos = _things(smooth, closed, side)
    level = filled(closed.astype(np.float32), things)
    even = cv2.medianBlur(np.clip(level, 0, 255).astype(np.uint8), odd(PRINT.speck * side))
    level = soft(filled(pixels(even, level.shape).astype(np.float32), things), PAPER.level_soft * side)
    share = 1 - float(things.mean())
    return Paper(np.maximum(level, PRINT.contrast), soft(photos, PRINT.longer), share, _is_even(closed, things < 1))


def _is_even(closed: Pixels, bare: NDArray[np.bool_]) -> bool:
    """Decide whether what is taken for paper has its brightness and hue: both change, but slowly."""
    if not bare.any():
        return False
    logs = np.log(closed.astype(np.float32) + PAPER.dark)
    slope = float(np.median(_slope(mean(logs))[bare]))
    if slope < PRINT.quarter * PAPER.texture:
        return True
    hues = logs[bare] - logs[bare].mean(axis=1, keepdims=True)
    low, high = np.percentile(hues, (5, 95), axis=0)
    return slope < PRINT.half * PAPER.texture and float((high - low).max()) < PRINT.slight


def _things(smooth: Pixels, closed: Pixels, side: int) -> tuple[Values, Values]:
    """Return where something larger than letters covers the paper, and where it is a photograph: 0 or 1 each."""
    logs = np.log(closed.astype(np.float32) + PAPER.dark)
    around = soft(closing(closed, odd(PRINT.slight * side)).astype(np.float32), PRINT.grain * side)
    lightness = -strongest(-(closed.astype(np.float32) + PAPER.dark) / (around + PAPER.dark))
    brightness = mean(logs)
    light = logs[lightness > PRINT.surely]
    tint = _hue(light if light.size else logs.reshape(-1, logs.shape[2]))
    coloured = strongest(np.abs(logs - brightness[..., None] - tint)) > PRINT.quarter
    reach = odd(PRINT.speck * side)
    edges = _edges(logs)
    barrier = cv2.dilate(edges | coloured.astype(np.uint8), square(reach))
    _, labels, stats, _ = cv2.connectedComponentsWithStats((1 - barrier).astype(np.uint8), connectivity=4)
    slope = _slope(brightness)
    ink = mean(closed).astype(np.float32) - mean(smooth) > PRINT.quarter * mean(closed)
    things = _patches(lightness, np.asarray(cv2.dilate(edges, square(reach)), np.uint8))
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()) if len(stats) > 1 else 0
    for label in range(1, len(stats)):
        left, top, width, height, area = (int(number) for number in stats[label])
        if label == largest or area < PAPER.least_area * labels.size:
            continue
        window = np.s_[top : top + height, left : left + width]
        inside = labels[window] == label
        if float(np.percentile(lightness[window][inside], 100 * PRINT.more)) > PRINT.surely:
            continue
        if area > PRINT.hair * labels.size:
            same = float(np.abs(_hue(logs[window][inside]) - tint).max()) < PRINT.few
            written = PRINT.speck < float(ink[window][inside].mean()) < PRINT.less
            if same and written and float(np.median(slope[window][inside])) < PAPER.texture:
                continue  # a shadow with a hard edge: paper of the same hue, with writing on it
        things[window][inside] = 1
    spread = cv2.dilate(things, square(reach))  # as far as the barrier had kept off
    things = np.maximum(spread, coloured, dtype=np.float32)
    photos = _photos(things, slope, logs, reach)
    covered = np.maximum(things, photos)
    return np.asarray(cv2.dilate(covered, square(PAPER.spread)), np.float32), photos


def _patches(lightness: Values, edges: Pixels) -> Values:
    """Dark things that are too small or too narrow for anything to be inside of their outline: 0 or 1.

    edges: and what lies near them, as the closing blurs the outline beside white words.
    """
    dark = (lightness < 1 - PRINT.quarter).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=4)
    outline = (dark - cv2.erode(dark, square(PAPER.near))).astype(bool)
    on_outline = labels[outline]
    edged = np.bincount(on_outline, edges[outline], count) / np.maximum(np.bincount(on_outline, minlength=count), 1)
    small = stats[:, cv2.CC_STAT_AREA] < PRINT.hair * labels.size
    patches = small & (edged >= PRINT.most)
    patches[0] = False
    return np.asarray(patches[labels], np.float32)


def _edges(logs: Values) -> Pixels:
    """Return where the difference around a pixel comes at once: 1, else 0."""
    near, wide = square(PAPER.near), square(PAPER.far)
    step = strongest((cv2.dilate(logs, near) - cv2.erode(logs, near)).reshape(logs.shape))
    whole = strongest((cv2.dilate(logs, wide) - cv2.erode(logs, wide)).reshape(logs.shape))
    return ((whole > PAPER.step) & (step > PRINT.half * whole)).astype(np.uint8)


def _photos(things: Values, slope: Values, logs: Values, reach: int) -> Values:
    """Those of the things that are not of one colour; whole rectangles where they nearly are, holes filled.

    reach: how far apart parts of one photograph may lie.
    """
    photos = np.zeros(things.shape, np.float32)
    joined = cv2.morphologyEx(things.astype(np.uint8), cv2.MORPH_CLOSE, square(reach))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for label in range(1, count):
        left, top, width, height, area = (int(number) for number in stats[label])
        if area < PRINT.speck * labels.size:
            continue
        window = np.s_[top : top + height, left : left + width]
        inside = (labels[window] == label).astype(np.uint8)
        core = cv2.erode(inside, square(PAPER.spread)).astype(bool)
        if not core.any() or not _is_photo(slope[window][core], logs[window][core]):
            continue
        if area > PRINT.more * width * height:
            photos[window] = 1
            continue
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        photos[window] = np.maximum(photos[window], cv2.drawContours(inside, outlines, -1, 1, cv2.FILLED))
    return photos


def _is_photo(slope: Values, logs: Values) -> bool:
    """Tell if pixels (n, n x channels) are a photograph's: most lie on some slope, or the colours are of many kinds.

    Text on a coloured area takes up too little of it to count.
    """
    if float(np.median(slope)) > PAPER.texture:
        return True
    low, high = np.percentile(logs - logs.mean(axis=1, keepdims=True), (25, 75), axis=0)
    return float((high - low).max()) > PRINT.part


def _slope(brightness: Values) -> Values:
    across = cv2.Sobel(brightness, cv2.CV_32F, 1, 0, ksize=3) / 8
    down = cv2.Sobel(brightness, cv2.CV_32F, 0, 1, ksize=3) / 8
    return np.asarray(cv2.magnitude(across, down), np.float32)


def _hue(logs: Values) -> Values:
    """The colour of pixels (n x channels) whatever their brightness."""
    middle: Values = np.median(logs, axis=0).astype(np.float32)
    hue: Values = middle - middle.mean()
    return hue
