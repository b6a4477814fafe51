"""Lone characters over each other, in a narrow column of a tight table: they are found as one line that runs down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import runs_of
from paperchute.engine.reading.ocr.recognised import Corners, Pixels, is_tall


def unstacked(picture: Pixels, lines: Sequence[Corners]) -> list[Corners]:
    """The lines found on an upright picture (RGB), a stack as a line for each of its characters.

    Each stands on the row of a line beside it, and none on that of another. What was found by itself, too, is taken so.
    """
    level = [_Box.of(corners) for corners in lines if not is_tall(corners)]
    found: list[Corners] = []
    stacked: list[_Box] = []
    for corners in lines:
        parts = _parts(picture, _Box.of(corners), level) if is_tall(corners) else []
        if len(parts) > 1:
            stacked += parts
        else:
            found.append(corners)
    taken = [_Box.of(corners) for corners in found]
    for part in stacked:
        if not any(_is_same(part, other) for other in taken):
            taken.append(part)
            found.append(part.corners)
    return sorted(found, key=lambda corners: (float(corners[0, 1]), float(corners[0, 0]))) if stacked else found


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def of(cls, corners: Corners) -> _Box:
        return cls(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def corners(self) -> Corners:
        left, top, right, bottom = self
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _is_same(part: _Box, other: _Box) -> bool:
    """Decide whether a character was found in another line, too."""
    return other.top < part.middle < other.bottom and other.left < part.right and part.left < other.right


def _parts(picture: Pixels, stack: _Box, level: Sequence[_Box]) -> list[_Box]:
    """The characters of a stack as lines of their own; none where it is no stack."""
    rows = _rows_beside(stack, level)
    if len(rows) < 2:
        return []
    parts: dict[int, _Box] = {}
    for start, end in _inked(_ink(picture, stack), sum(row.height for row in rows) / len(rows)):
        middle = stack.top + (start + end) / 2
        number = min(range(len(rows)), key=lambda n: abs(rows[n].middle - middle))
        row = rows[number]
        if number in parts or abs(row.middle - middle) > PRINT.quarter * row.height or end - start > row.height:
            return []
        parts[number] = _Box(stack.left, row.top, stack.right, row.bottom)
    return list(parts.values())


def _rows_beside(stack: _Box, level: Sequence[_Box]) -> list[_Box]:
    """A line for each row of text beside a stack."""
    beside = [line for line in level if line.right <= stack.left or line.left >= stack.right]
    rows: list[_Box] = []
    for line in sorted(beside, key=lambda line: line.middle):
        inside = stack.top - line.height / 2 < line.middle < stack.bottom + line.height / 2
        if inside and not (rows and line.middle - rows[-1].middle < PRINT.half * line.height):
            rows.append(line)
    return rows


def _ink(picture: Pixels, stack: _Box) -> NDArray[np.bool_]:
    """Return which rows of a stack have ink that is no rule."""
    top, left = max(int(stack.top), 0), max(int(stack.left), 0)
    grey = cv2.cvtColor(picture[top : int(stack.bottom) + 1, left : int(stack.right) + 1], cv2.COLOR_RGB2GRAY)
    _, ink = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    ink[:, ink.mean(axis=0) > PRINT.most] = 0
    ink[ink.mean(axis=1) > PRINT.most] = 0
    return np.asarray(ink.any(axis=1))


def _inked(rows: NDArray[np.bool_], height: float) -> list[tuple[int, int]]:
    """The runs of rows with ink: first row, last row + 1."""
    runs: list[tuple[int, int]] = []
    for start, end in runs_of(rows):
        if runs and start - runs[-1][1] < PRINT.few * height:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    return [(start, end) for start, end in runs if end - start >= PRINT.few * height]
