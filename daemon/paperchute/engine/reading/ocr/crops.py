"""Cutting the picture of one line out of a page."""

from __future__ import annotations

import math

import cv2
import numpy as np

from paperchute.engine.reading.ocr.records import Affine, Corners, Pixels

_TALL = 1.5
_LONGEST = 8_000  # pixels


def is_tall(corners: Corners) -> bool:
    """Whether a line's box is clearly higher than wide: sideways text, or a single narrow character."""
    return float(np.hypot(*(corners[3] - corners[0]))) >= _TALL * float(np.hypot(*(corners[1] - corners[0])))


def line_picture(picture: Pixels, corners: Corners) -> Pixels:
    """A line cut out and laid level."""
    width, height = line_size(corners)
    forth = cv2.getAffineTransform(
        corners[[0, 1, 3]].astype(np.float32), np.array([[0, 0], [width, 0], [0, height]], np.float32)
    )
    flags = cv2.INTER_LINEAR
    return np.asarray(
        cv2.warpAffine(picture, forth, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def line_size(corners: Corners) -> tuple[int, int]:
    """Width and height of a line's picture, at least 1 pixel each."""
    width = math.ceil(max(float(np.hypot(*(corners[1] - corners[0]))), float(np.hypot(*(corners[2] - corners[3])))))
    height = math.ceil(max(float(np.hypot(*(corners[3] - corners[0]))), float(np.hypot(*(corners[2] - corners[1])))))
    return min(max(width, 1), _LONGEST), min(max(height, 1), _LONGEST)


def from_line(corners: Corners) -> Affine:
    """From pixels of a line's picture to those of the page."""
    width, height = line_size(corners)
    across, down = (corners[1] - corners[0]) / width, (corners[3] - corners[0]) / height
    return np.array([[across[0], down[0], corners[0][0]], [across[1], down[1], corners[0][1]]], np.float64)
