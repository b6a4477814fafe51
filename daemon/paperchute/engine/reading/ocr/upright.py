"""Making a page picture upright: quarter turns, then the skew of a sheet laid in askew, or the bend of a curved one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.curvature import CURVATURE, bend_of, bentness, slant
from paperchute.engine.reading.ocr.detection import find_lines, ordered
from paperchute.engine.reading.ocr.recognised import (
    Corners,
    Upright,
    WorkingPicture,
    is_tall,
    line_picture,
    moved,
    pixels,
)
from paperchute.engine.reading.ocr.recognition import LineReading
from paperchute.engine.reading.ocr.scripts import LineModel, read


@dataclass(frozen=True, slots=True)
class UprightSettings:
    """How a page is made upright. Lengths of lines are in their heights."""

    few_words: float = 9.0
    """The length of the lines of that look: a few words, quickly read. 0.8 to 1.2 times it reads 6 sample scans the
    same."""

    least_skew: float = 0.1
    """Degrees; below it half a page width rises by less than half a letter's stroke. 0.8 to 1.2 times it reads 6 sample
    scans the same."""

    steep: float = 4.0
    """Degrees; beyond it lines are looked for anew, as their boxes were not cut well. No sample comes to it."""

    long: float = 6.0
    """A line that tells its slope: a word with a letter that reaches down seems to fall. Of 6 sample scans change 1 at
    0.8 times, 1 at 0.9, none at 1.2."""

    most_leaning: float = 8.0
    """Degrees by which the box of a short word leans; beyond it the word itself does. 0.8 to 1.2 times it reads 6
    sample scans the same."""


UPRIGHT = UprightSettings()


_CORNERS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))  # of a box, in widths and heights from its middle


def turn_across(page: WorkingPicture) -> bool:
    """Turn a page by a quarter where most of its text runs up or down. Whether it was."""
    if lies := _lies(page.upright.lines):
        page.upright = _turned(page.upright, 90)
    return lies


def flatten(page: WorkingPicture) -> bool:
    """Lay the picture of a bent sheet flat and straight; not where that leaves it as bent as it was."""
    found, middles = page.upright, page.middles
    bent = bentness(middles, found.picture.shape[1])
    if not page.straighten or bent <= CURVATURE.bent:
        return False
    tilt = slant(middles)
    if abs(tilt) >= UPRIGHT.least_skew:
        found = _rotated(found, tilt)
    height, width = found.picture.shape[:2]
    if found.turn or found.skew:
        middles = find_lines(found.picture, page.scale).middles
    bend = bend_of(middles, (width, height))
    if bend is None:
        return False
    picture = bend.flattened(found.picture)
    level = find_lines(picture, page.scale)
    if bentness(level.middles, width) >= bentness(page.middles, width):
        return False
    page.upright = replace(found, picture=picture, lines=level.lines, bend=bend)
    return True


def stand_up(page: WorkingPicture) -> bool:
    """Turn a page by a half where it reads better so."""
    found = page.upright
    if found.turn or _looks_upside_down(found, page.model):
        upside = _turned(found, 180)
        if _sureness(upside, page.model) > _sureness(found, page.model):
            page.upright = upside
    return page.upright is not found


def lay_straight(page: WorkingPicture) -> bool:
    """Straighten a sheet that was laid in askew."""
    skew = _skew(page.upright.lines) or 0.0
    if not page.straighten or page.upright.bend is not None or abs(skew) < UPRIGHT.least_skew:
        return False
    page.upright = _straightened(page.upright, skew, page.scale)
    return True


def lay_along(page: WorkingPicture) -> bool:
    """Lay the boxes of short lines along the long lines."""
    page.upright.lines = laid_along(page.upright.lines)
    return False


def _lies(lines: Sequence[Corners]) -> bool:
    """Decide whether most of the text runs up or down."""
    along = across = 0.0
    for corners in lines:
        width, height = _size(corners)
        if width > 2 * height:
            across += width
        elif height > 2 * width:
            along += height
    return along > PRINT.longer * across


def _turned(found: Upright, degrees: int) -> Upright:
    """A quarter or half turn clockwise."""
    height, width = found.picture.shape[:2]
    if degrees == 90:
        picture = pixels(cv2.rotate(found.picture, cv2.ROTATE_90_CLOCKWISE))
        forth, back = np.array([[0, -1, height], [1, 0, 0]]), np.array([[0, 1, 0], [-1, 0, height]])
    else:
        picture = pixels(cv2.rotate(found.picture, cv2.ROTATE_180))
        forth = back = np.array([[-1, 0, width], [0, -1, height]])
    lines = [ordered(moved(forth.astype(np.float64), corners)) for corners in found.lines]
    return found.moved(picture, lines, back.astype(np.float64), turn=degrees)


def _sample(lines: Sequence[Corners]) -> list[Corners]:
    """Some of the longest lines."""
    wide = [c for c in lines if not is_tall(c)]
    return sorted(wide, key=lambda c: -_size(c)[0] / max(_size(c)[1], 1.0))[: PRINT.sample]


def _looks_upside_down(found: Upright, model: LineModel) -> bool:
    """A quick look at three lines of a few words: text that stands upright is read with certainty."""
    wide = [c for c in found.lines if not is_tall(c)]
    sample = sorted(wide, key=lambda c: abs(_size(c)[0] / max(_size(c)[1], 1.0) - UPRIGHT.few_words))[: PRINT.some]
    return bool(sample) and _mean(read(model, [line_picture(found.picture, c) for c in sample])) < PRINT.nearly


def _sureness(found: Upright, model: LineModel) -> float:
    return _mean(read(model, [line_picture(found.picture, corners) for corners in _sample(found.lines)]))


def _mean(readings: Sequence[LineReading]) -> float:
    """The mean likelihood of a character, a line counting by its length."""
    weights = [len(reading.any.text) for reading in readings]
    total = sum(weights)
    return sum(r.any.confidence * w for r, w in zip(readings, weights, strict=True)) / total if total else 0.0


def laid_along(lines: Sequence[Corners]) -> list[Corners]:
    """The lines, short ones laid along the long ones.

    The box of a word leans to where its letters reach up or down, and with it its baseline and its size.
    """
    slope = _skew(lines)
    if slope is None:
        return list(lines)
    along = np.array([math.cos(math.radians(slope)), math.sin(math.radians(slope))], np.float32)
    down = np.array([-along[1], along[0]], np.float32)
    result = []
    for corners in lines:
        width, height = _size(corners)
        own = corners[1] - corners[0]
        lean = abs(math.degrees(math.atan2(float(own[1]), float(own[0]))) - slope)
        if is_tall(corners) or width >= UPRIGHT.long * height or not 0 < lean <= UPRIGHT.most_leaning:
            result.append(corners)
            continue
        sine = math.sin(math.radians(lean))
        width, height = width + height * sine, height + 0.5 * width * sine
        middle = corners.mean(axis=0)
        result.append(
            np.array([middle + h * height * down + w * width * along for w, h in _CORNERS], np.float32),
        )
    return result


def _skew(lines: Sequence[Corners]) -> float | None:
    """By how many degrees clockwise the lines fall, the long ones deciding; None where they are too few."""
    angles: list[tuple[float, float]] = []
    total = 0.0
    for corners in lines:
        width, height = _size(corners)
        if width < UPRIGHT.long * height or is_tall(corners):
            continue
        total += width / height
        along = corners[1] + corners[2] - corners[0] - corners[3]
        angle = math.degrees(math.atan2(float(along[1]), float(along[0])))
        angles.append((angle, width))
    if total < PRINT.several * UPRIGHT.few_words:
        return None
    angles.sort()
    reached = np.cumsum([width for _, width in angles])
    return angles[int(np.searchsorted(reached, reached[-1] / 2))][0]


def _straightened(found: Upright, skew: float, scale: float) -> Upright:
    """The picture laid straight, the lines looked for anew where they were so steep that they are cut badly."""
    straight = _rotated(found, skew)
    if abs(skew) <= UPRIGHT.steep:
        return straight
    straight.lines = find_lines(straight.picture, scale).lines
    rest = _skew(straight.lines) or 0.0
    if not UPRIGHT.least_skew <= abs(rest) <= UPRIGHT.steep:
        return straight
    straight = _rotated(found, skew + rest)
    straight.lines = find_lines(straight.picture, scale).lines
    return straight


def _rotated(found: Upright, skew: float) -> Upright:
    """The picture and its lines turned by the degrees that they fall.

    It grows where a line would run out of it, as the ends of a long strip do. One that would grow too large stays as it
    is: its lines are read askew.
    """
    height, width = found.picture.shape[:2]
    forth = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0), np.float64)
    lines = [ordered(moved(forth, corners)) for corners in found.lines]
    left, top, right, bottom = _room(lines, width, height)
    forth[:, 2] -= left, top
    size = right - left, bottom - top
    if size[0] * size[1] > PRINT.thrice * width * height:
        return found
    # What turns in from outside gets the colour of the edges: the paper's, or the scanner lid's.
    edges = np.concatenate([found.picture[0], found.picture[-1], found.picture[:, 0], found.picture[:, -1]])
    outside = tuple(map(float, np.median(edges, axis=0)))
    picture = pixels(cv2.warpAffine(found.picture, forth, size, borderValue=outside))
    lines = [(corners - (left, top)).astype(np.float32) for corners in lines]
    back = np.asarray(cv2.invertAffineTransform(forth), np.float64)
    return found.moved(picture, lines, back, skew=skew)


def _room(lines: Sequence[Corners], width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what holds a picture of this size and the lines, with their height around them."""
    left = top = 0.0
    right, bottom = float(width), float(height)
    for corners in lines:
        (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        spare = _size(corners)[1]
        left, right = min(left, x0 - spare), max(right, x1 + spare)
        top, bottom = min(top, y0 - spare), max(bottom, y1 + spare)
    return math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)


def _size(corners: Corners) -> tuple[float, float]:
    """Length and height of a line."""
    return float(np.hypot(*(corners[1] - corners[0]))), float(np.hypot(*(corners[3] - corners[0])))
