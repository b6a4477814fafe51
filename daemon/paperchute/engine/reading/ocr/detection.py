"""Where lines of text are on a picture: differentiable binarisation (Liao et al. 2020), the network of PP-OCR."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.curvature import Points, middle_line
from paperchute.engine.reading.ocr.models import line_finder, return_memory
from paperchute.engine.reading.ocr.recognised import Corners, Pixels, darkness, pixels


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """How lines of text are found (differentiable binarisation, Liao et al. 2020)."""

    window: int = 1_536
    """Pixels: the side of the pieces the network sees; bounds its memory to some 600 MB."""

    overlap: int = 96
    """Pixels that neighbouring pieces have in common: more than a line is high, so that none is lost."""

    step: int = 32
    """Pixels: the network's own grid; its input is a multiple. It sees two of these around a letter: more of a plain
    margin changes nothing."""

    grow: float = 1.6
    """The network marks the core of a line; this is how it was trained to be grown (RapidOCR's `unclip_ratio`, too)."""

    core: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0)
    """Times the thickness of a mark: runs along it that are shorter are what touches the line, such as a sign beside
    it. An icon of two lines' height goes with 4; 8 takes what is broader, 16 the letters of a stamp."""


DETECTION = DetectionSettings()


# The mean and spread of the pictures it was trained on, in its order of channels.
_MEAN, _SPREAD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
_SCALE, _SHIFT = 1 / (255 * _SPREAD), _MEAN / _SPREAD


@dataclass(frozen=True, slots=True)
class Found:
    """The lines of text on a picture, and the middles of the long ones."""

    lines: list[Corners]
    middles: list[Points]


@dataclass(frozen=True, slots=True)
class _Found:
    corners: Corners
    score: float
    window: int


def find_lines(picture: Pixels, scale: float) -> Found:
    """The lines of text on a picture (RGB), looked at in a size smaller or larger by `scale`; all in its pixels."""
    height, width = picture.shape[:2]
    small = picture
    if scale != 1.0:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        small = pixels(cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC))
    return_memory()  # before the network takes as much again
    found: list[_Found] = []
    middles: list[Points] = []
    for number, (top, left, window) in enumerate(_windows(small)):
        around = _drawn_on(window)
        if around is None:
            continue  # the network sees text on plain red
        window = window[around]
        top, left = top + around[0].start, left + around[1].start
        place = np.array([left, top], np.float32)
        boxes, curves = _lines_in(window)
        found += [_Found(corners + place, score, number) for corners, score in boxes]
        middles += [curve + np.array([left, top, 0]) for curve in curves]
    back = np.array([width / small.shape[1], height / small.shape[0]], np.float32)
    lines = [line.corners * back for line in _joined(found)[: PRINT.bound]]
    lines.sort(key=lambda corners: (float(corners[0, 1]), float(corners[0, 0])))
    return Found(lines, [curve * back[[0, 1, 1]] for curve in middles])


def ordered(points: NDArray[np.float32]) -> Corners:
    """The corners of a rectangle in reading order, for text that stands upright more or less."""
    center = points.mean(axis=0)
    around = sorted(points, key=lambda p: math.atan2(p[1] - center[1], p[0] - center[0]))
    # Clockwise on a picture whose y grows downwards; the edge that leads most to the right is the upper one.
    edges = [around[(n + 1) % 4] - around[n] for n in range(4)]
    start = max(range(4), key=lambda n: edges[n][0] / (float(np.hypot(*edges[n])) or 1.0))
    return np.array([around[(start + n) % 4] for n in range(4)], np.float32)


def _windows(picture: Pixels) -> Iterator[tuple[int, int, Pixels]]:
    """The picture in pieces the network can take, (top, left, piece); neighbours overlap so that no line is lost."""
    height, width = picture.shape[:2]
    for top in _starts(height):
        for left in _starts(width):
            yield top, left, picture[top : top + DETECTION.window, left : left + DETECTION.window]


def _drawn_on(picture: Pixels) -> tuple[slice, slice] | None:
    """Find the rows and columns on which there is more than one plain colour, on the network's grid; None for none.

    All of them where that is much of the page: a photograph alone on it costs no more than it is large, and a page of
    text is seen as a whole.
    """
    drawn = (picture != picture[0, 0]).any(axis=2)
    if not drawn.any():
        return None
    sides = []
    for length, along in zip(drawn.shape, (drawn.any(axis=1), drawn.any(axis=0)), strict=True):
        places = np.flatnonzero(along)
        first, last = int(places[0]) - 2 * DETECTION.step, int(places[-1]) + 1 + 2 * DETECTION.step
        start = max(first // DETECTION.step, 0) * DETECTION.step
        sides.append(slice(start, min(-(-last // DETECTION.step) * DETECTION.step, length)))
    rows, columns = sides
    whole = (rows.stop - rows.start) * (columns.stop - columns.start) > PRINT.quarter * drawn.size
    return (slice(0, drawn.shape[0]), slice(0, drawn.shape[1])) if whole else (rows, columns)


def _starts(length: int) -> list[int]:
    if length <= DETECTION.window:
        return [0]
    count = math.ceil((length - DETECTION.overlap) / (DETECTION.window - DETECTION.overlap))
    return [round(n * (length - DETECTION.window) / (count - 1)) for n in range(count)]


def _lines_in(picture: Pixels) -> tuple[list[tuple[Corners, float]], list[Points]]:
    height, width = picture.shape[:2]
    padded_height, padded_width = (
        max(DETECTION.step, math.ceil(n / DETECTION.step) * DETECTION.step) for n in (height, width)
    )
    padded = cv2.copyMakeBorder(picture, 0, padded_height - height, 0, padded_width - width, cv2.BORDER_REPLICATE)
    # The models were trained on BGR, a plane each; one copy as numbers is enough.
    values = padded.transpose(2, 0, 1)[None, ::-1].astype(np.float32, order="C")
    values *= _SCALE[:, None, None]
    values -= _SHIFT[:, None, None]
    likely = line_finder().run(values)[0, 0, :height, :width]
    del values
    # RapidOCR takes the same likelihood for a pixel of text, and `PRINT.half` for a line.
    mask = cv2.dilate((likely > PRINT.part).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found, middles = [], []
    dark = darkness(picture, 1.0)
    for contour in contours[: PRINT.bound]:
        line = _line(contour, likely)
        if line is None:
            continue
        if (middle := middle_line(contour, dark)) is not None:
            middles.append(middle)
        if line[1] >= PRINT.half:
            found.append(line)
        elif _score(contour[:, 0].astype(np.float32), likely) >= PRINT.half:
            found += _parts(contour, likely) or [line]
    return found, middles


def _line(contour: NDArray[Any], likely: NDArray[np.float32]) -> tuple[Corners, float] | None:
    """The rectangle around a mark, grown to that of the line, and how likely all of it is text."""
    center, (across, down), angle = cv2.minAreaRect(contour)
    if min(across, down) < PRINT.some:
        return None
    score = _score(np.asarray(cv2.boxPoints((center, (across, down), angle)), np.float32), likely)
    grow = across * down * DETECTION.grow / (2 * (across + down))
    points = cv2.boxPoints((center, (across + 2 * grow, down + 2 * grow), angle))
    return ordered(np.asarray(points, np.float32)), score


def _parts(contour: NDArray[Any], likely: NDArray[np.float32]) -> list[tuple[Corners, float]]:
    """The lines of a mark that is text, but no rectangle: something touches a line. Empty where none shows."""
    left, top, width, height = cv2.boundingRect(contour)
    mark = np.zeros((height, width), np.uint8)
    cv2.drawContours(mark, [contour], -1, 1, cv2.FILLED, offset=(-left, -top))
    area, along = int(mark.sum()), max(width, height)
    best: list[tuple[Corners, float]] = []
    sure = 0.0
    for times in DETECTION.core:
        run = max(2, round(times * area / along))
        core = cv2.morphologyEx(mark, cv2.MORPH_OPEN, np.ones((1, run) if width >= height else (run, 1), np.uint8))
        lines, covered = _sure_lines(pixels(core), (left, top), likely)
        worst = min((score for _, score in lines), default=0.0)
        if covered >= PRINT.half * area and worst > sure:
            beside = cv2.subtract(mark, cv2.dilate(core, np.ones((3, 3), np.uint8)))
            least = PRINT.half * min(_thickness(line) for line, _ in lines)
            others, _ = _sure_lines(pixels(beside), (left, top), likely)
            best, sure = lines + [other for other in others if _thickness(other[0]) >= least], worst
    return best


def _thickness(corners: Corners) -> float:
    return float(min(np.hypot(*(corners[1] - corners[0])), np.hypot(*(corners[3] - corners[0]))))


def _sure_lines(
    mark: Pixels, place: tuple[int, int], likely: NDArray[np.float32]
) -> tuple[list[tuple[Corners, float]], float]:
    """The pieces of a mark that are lines, and their area."""
    contours, _ = cv2.findContours(mark, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=place)
    found, area = [], 0.0
    for contour in contours:
        line = _line(contour, likely)
        if line is not None and line[1] >= PRINT.half:
            found.append(line)
            area += cv2.contourArea(contour)
    return found, area


def _score(points: NDArray[np.float32], likely: NDArray[np.float32]) -> float:
    """The mean likelihood of text inside a rectangle."""
    height, width = likely.shape
    left, top = (max(0, math.floor(v)) for v in points.min(axis=0))
    right, bottom = (math.ceil(v) + 1 for v in points.max(axis=0))
    part = likely[top : min(bottom, height), left : min(right, width)]
    if not part.size:
        return 0.0
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(points - np.array([left, top], np.float32)).astype(np.int32)], 1)
    return float(cv2.mean(part, mask)[0])


def _joined(found: list[_Found]) -> list[_Found]:
    """Lines of overlapping windows once each: pieces of one line that lie over each other become one."""
    result: list[_Found] = []
    for line in sorted(found, key=lambda line: -float(np.ptp(line.corners, axis=0).prod())):
        for number, other in enumerate(result):
            if other.window != line.window and _same_line(other.corners, line.corners):
                corners = _whole_line(other.corners, line.corners)
                result[number] = _Found(corners, max(line.score, other.score), other.window)
                break
        else:
            result.append(line)
    return result


def _same_line(one: Corners, other: Corners) -> bool:
    """Decide whether boxes meet and have one middle line: on a skewed page neighbouring lines share heights, too."""
    (left, top), (right, bottom) = np.maximum(one.min(0), other.min(0)), np.minimum(one.max(0), other.max(0))
    if right <= left or bottom <= top:
        return False
    long, short = (one, other) if _length(one) >= _length(other) else (other, one)
    begin, end = _ends(long)
    (along_x, along_y), (x, y) = end - begin, short.mean(axis=0) - begin
    aside = abs(float(along_x * y - along_y * x)) / (_length(long) or 1.0)
    return aside < (1 - PRINT.more) * min(_thickness(one), _thickness(other))


def _whole_line(one: Corners, other: Corners) -> Corners:
    """The box of both pieces, no thicker than they are, however they lean: along the line between their far ends."""
    long = one if _length(one) >= _length(other) else other
    begin, end = _ends(long)
    ends = sorted((*_ends(one), *_ends(other)), key=lambda point: float((point - begin) @ (end - begin)))
    first, last = ends[0], ends[-1]
    along = (last - first) / (float(np.hypot(*(last - first))) or 1.0)
    half = np.array([-along[1], along[0]], np.float32) * max(_thickness(one), _thickness(other)) / 2
    return ordered(np.array([first - half, last - half, last + half, first + half], np.float32))


def _length(corners: Corners) -> float:
    return float(max(np.hypot(*(corners[1] - corners[0])), np.hypot(*(corners[3] - corners[0]))))


def _ends(corners: Corners) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The middles of a box's shorter sides."""
    a, b, c, d = corners
    if np.hypot(*(b - a)) >= np.hypot(*(d - a)):
        return (a + d) / 2, (b + c) / 2
    return (a + b) / 2, (d + c) / 2
