"""Boxes and quads. All lengths are points (1/72 inch), the origin is the page's top left corner, y grows downwards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """An upright rectangle; left <= right and top <= bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Vertical extent."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Width times height."""
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        """The middle, (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float, slack: float = 0.0) -> bool:
        """Decide whether a point lies inside, or at most `slack` outside."""
        return self.left - slack <= x <= self.right + slack and self.top - slack <= y <= self.bottom + slack

    def overlap(self, other: Box) -> float:
        """The common area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0

    def grown(self, by: float) -> Box:
        """The box, larger by `by` on all four sides."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)


def hull(boxes: Iterable[tuple[float, float, float, float]]) -> Box:
    """The smallest box around all of `boxes`; raises ValueError when there is none."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


class Quad(NamedTuple):
    """Four corners, clockwise from the top left one as one reads it: the `pos` of the contract.

    See docs/contract.md#document-parsing.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    x3: float
    y3: float
    x4: float
    y4: float

    @classmethod
    def of(cls, box: Box, angle: int = 0) -> Quad:
        """The corners of a box whose text reads to the right, or turned clockwise by `angle` (0, 90, 180, 270)."""
        if not angle:
            left, top, right, bottom = box
            return cls(left, top, right, top, right, bottom, left, bottom)
        corners = [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]
        first = angle // 90 % 4
        return cls(*(n for corner in corners[first:] + corners[:first] for n in corner))

    @property
    def angle(self) -> int:
        """The direction of reading in whole degrees clockwise, from 0 to 359; 0 points to the right."""
        return round(math.degrees(math.atan2(self.y2 - self.y1, self.x2 - self.x1))) % 360

    @property
    def box(self) -> Box:
        """The upright box around the corners."""
        x1, y1, x2, y2, x3, y3, x4, y4 = self
        if x1 == x4 <= x2 == x3 and y1 == y2 <= y3 == y4:  # upright, as nearly all are
            return Box(x1, y1, x2, y3)
        xs, ys = self[0::2], self[1::2]
        return Box(min(xs), min(ys), max(xs), max(ys))
