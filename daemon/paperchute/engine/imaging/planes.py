"""Arithmetic on pictures as arrays (height x width x channels), and taking words out of them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import PIL.Image
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.imaging.measures import PRINT

Pixels = NDArray[np.uint8]
Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PlaneSettings:
    """How fast arithmetic on pictures is, at the cost of what is not seen."""

    round_window: int = 31
    """Pixels: larger windows are squares, which can be passed over row by row."""

    sigma: float = 3.0
    """Pixels of a blur on a smaller copy: a wider one is worked out on a copy that is smaller still."""

    longest: int = 30_000
    """Pixels of a side that OpenCV takes at a time when it stretches: it counts them with 15 bits."""


PLANES = PlaneSettings()


def strongest(values: Values) -> Values:
    """The largest of each pixel's channels; numpy's own `max` along so short an axis is ten times slower."""
    result = values[..., 0]
    for channel in range(1, values.shape[2]):
        result = np.maximum(result, values[..., channel])
    return result


def mean(values: NDArray[Any]) -> Values:
    """The mean of each pixel's channels."""
    total = values[..., 0].astype(np.float32)
    for channel in range(1, values.shape[2]):
        total += values[..., channel]
    return total / np.float32(values.shape[2])


def pixels(values: NDArray[Any], shape: tuple[int, ...]) -> Pixels:
    """Return what OpenCV gives back, in the shape it had: OpenCV drops the last axis of pictures with one channel."""
    return np.asarray(values, np.uint8).reshape(shape)


def scaled(values: Pixels, share: float) -> Pixels:
    """A picture made smaller by `share`, each pixel the mean of those that it stands for; the last axis may go."""
    size = max(1, round(values.shape[1] * share)), max(1, round(values.shape[0] * share))
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.uint8)


def runs_of(line: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of rows or columns that are true: the first and the one after the last of each."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def soft(values: Values, sigma: float) -> Values:
    """A Gaussian blur, worked out on a smaller copy where it is wide."""
    shrink = max(1, int(sigma / PLANES.sigma))
    height, width = values.shape[:2]
    size = (max(1, width // shrink), max(1, height // shrink))
    small = cv2.resize(values, size, interpolation=cv2.INTER_AREA) if shrink > 1 else values
    blurred = cv2.GaussianBlur(small, (0, 0), sigma / shrink)
    large = cv2.resize(blurred, (width, height), interpolation=cv2.INTER_LINEAR) if shrink > 1 else blurred
    return np.asarray(large, np.float32).reshape(values.shape)


def closing(values: Pixels, size: int) -> Pixels:
    """Return what is left when everything dark and narrower than `size` is gone."""
    if size <= PLANES.round_window:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
        return np.asarray(cv2.morphologyEx(values, cv2.MORPH_CLOSE, kernel), np.uint8).reshape(values.shape)
    line = np.ones((size, 1), np.uint8)
    grown = cv2.dilate(cv2.dilate(values, line), line.T)
    return np.asarray(cv2.erode(cv2.erode(grown, line), line.T), np.uint8).reshape(values.shape)


def filled(values: Values, holes: Values) -> Values:
    """Values with the holes (where 1) filled from around them, smoothly: by coarser and coarser means."""
    if not holes.any():
        return values
    levels = [(values * (1 - holes)[..., None], 1 - holes)]
    while min(levels[-1][1].shape) > 2:
        value, weight = levels[-1]
        size = (max(1, weight.shape[1] // 2), max(1, weight.shape[0] // 2))
        smaller = np.asarray(cv2.resize(value, size, interpolation=cv2.INTER_AREA), np.float32)
        lighter = np.asarray(cv2.resize(weight, size, interpolation=cv2.INTER_AREA), np.float32)
        levels.append((smaller.reshape(size[1], size[0], -1), lighter))
    result = levels[-1][0] / np.maximum(levels[-1][1], np.finfo(np.float32).eps)[..., None]
    for value, weight in reversed(levels[:-1]):
        size = (weight.shape[1], weight.shape[0])
        coarse = cv2.resize(result, size, interpolation=cv2.INTER_LINEAR).reshape(value.shape)
        result = value + (1 - weight)[..., None] * coarse
    return np.asarray(result, np.float32)


def rows_of(values: Values, top: int, bottom: int, size: tuple[int, int]) -> Values:
    """Rows top to bottom of the values stretched to `size` (width, height), without stretching all of them."""
    width, height = size
    across = ((np.arange(width, dtype=np.float32) + 0.5) * (values.shape[1] / width) - 0.5)[None, :]
    down = ((np.arange(top, bottom, dtype=np.float32) + 0.5) * (values.shape[0] / height) - 0.5)[:, None]
    found = np.empty((bottom - top, width, *values.shape[2:]), np.float32)
    for row in range(0, bottom - top, PLANES.longest):
        for column in range(0, width, PLANES.longest):
            part = np.s_[row : row + PLANES.longest, column : column + PLANES.longest]
            found[part] = _taken(values, across[:, part[1]], down[part[0]]).reshape(found[part].shape)
    return found


def _taken(values: Values, across: Values, down: Values) -> Values:
    """Values at places of their own pixels: a row of places across, a column of them down."""
    shape = (down.shape[0], across.shape[1])
    found = cv2.remap(
        values,
        np.ascontiguousarray(np.broadcast_to(across, shape), np.float32),
        np.ascontiguousarray(np.broadcast_to(down, shape), np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(found, np.float32)


def odd(size: float) -> int:
    """The size of a window that has a middle, at least 3."""
    return max(3, int(size) | 1)


def square(size: int) -> Pixels:
    """A window for OpenCV's morphology."""
    return np.ones((size, size), np.uint8)


@dataclass(frozen=True, slots=True)
class ErasingSettings:
    """How words are taken out of a picture.

    Chosen by eye on scans whose words became text.
    """

    around: tuple[float, float] = (0.08, 0.5)
    """Beyond a line, as letters reach a little beyond it: of its height, and points."""


ERASING = ErasingSettings()


def without_words(image: Image, place: Box, lines: Iterable[Box]) -> Image:
    """A picture that stands at `place` on its page, the words at `lines` (points) painted over from what is around.

    Large pictures become smaller. The picture itself comes back when there are no words on it, or when it cannot be
    decoded.
    """
    try:
        with PIL.Image.open(io.BytesIO(image.data), formats=("PNG", "JPEG")) as opened:
            picture = np.asarray(opened.convert("RGB"))
    except (OSError, ValueError, PIL.Image.DecompressionBombError):
        return image
    if not place.area:
        return image
    across, down = image.width / place.width, image.height / place.height
    factor = min(1.0, PRINT.coarse / 72 / max(across, down))
    if factor < 1:
        picture = scaled(picture, factor)
    across, down = across * factor, down * factor
    mask = np.zeros(picture.shape[:2], np.uint8)
    share, points = ERASING.around
    for line in lines:
        box = line.grown(share * line.height + points)
        left, right = (max(0, int((x - place.left) * across)) for x in (box.left, box.right))
        top, bottom = (max(0, int((y - place.top) * down)) for y in (box.top, box.bottom))
        mask[top : bottom + 1, left : right + 1] = 1
    if not _has_ink(picture, mask):
        return image
    painted = cv2.inpaint(np.ascontiguousarray(picture), mask, PRINT.painted, cv2.INPAINT_TELEA)
    buffer = io.BytesIO()
    PIL.Image.fromarray(np.asarray(painted, np.uint8)).save(buffer, "JPEG", quality=PRINT.quality)
    return Image(buffer.getvalue(), "jpg", picture.shape[1], picture.shape[0])


def _has_ink(picture: Pixels, mask: Pixels) -> bool:
    """Decide whether something much darker or lighter than most of the masked area is in it."""
    values = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)[mask > 0].astype(np.float32)
    if values.size == 0:
        return False
    return float((np.abs(values - np.median(values)) > PRINT.coloured).mean()) > PRINT.grain
