"""From PDF user space (origin bottom left, unrotated) to the upright page our records use."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Word


class Matrix(NamedTuple):
    """An affine map: x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1, 8.3.3)."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point goes."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def after(self, inner: Matrix) -> Matrix:
        """The map that applies `inner` first and this one then."""
        return Matrix(
            self.a * inner.a + self.c * inner.b,
            self.b * inner.a + self.d * inner.b,
            self.a * inner.c + self.c * inner.d,
            self.b * inner.c + self.d * inner.d,
            *self.at(inner.e, inner.f),
        )

    def inverse(self) -> Matrix:
        """The way back."""
        det = self.a * self.d - self.b * self.c
        a, b, c, d = self.d / det, -self.b / det, -self.c / det, self.a / det
        return Matrix(a, b, c, d, -(a * self.e + c * self.f), -(b * self.e + d * self.f))

    def box(self, x1: float, y1: float, x2: float, y2: float) -> Box:
        """The upright box around a mapped rectangle, given by two opposite corners."""
        corners = [self.at(x, y) for x in (x1, x2) for y in (y1, y2)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return Box(min(xs), min(ys), max(xs), max(ys))

    def boxes(self, corners: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The same for rows of (x1, y1, x2, y2), as rows of left, top, right, bottom for all of them."""
        x, y = corners[:, [0, 0, 2, 2]], corners[:, [1, 3, 1, 3]]
        xs, ys = self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f
        return np.array([xs.min(axis=1), ys.min(axis=1), xs.max(axis=1), ys.max(axis=1)])


class View(NamedTuple):
    """A page as one looks at it: its size in points and the map from user space to it.

    `turn` is the rotation, in degrees clockwise, beyond what the page itself asks for.
    """

    width: float
    height: float
    matrix: Matrix
    turn: int

    @classmethod
    def of(cls, page: pdfium.PdfPage, turn: int = 0) -> View:
        """The view of a page turned clockwise by `turn` degrees (a multiple of 90)."""
        left, bottom, right, top = page.get_bbox()
        matrix = {
            0: Matrix(1, 0, 0, -1, -left, top),
            90: Matrix(0, 1, 1, 0, -bottom, -left),
            180: Matrix(-1, 0, 0, 1, right, -bottom),
            270: Matrix(0, -1, -1, 0, top, right),
        }[(page.get_rotation() + turn) % 360]
        x, y, x2, y2 = matrix.box(left, bottom, right, top)
        return cls(x2 - x, y2 - y, matrix, turn)

    def rectangle(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle of user space on the view; a view only turns by right angles, so two corners tell all."""
        x1, y1 = self.matrix.at(left, bottom)
        x2, y2 = self.matrix.at(right, top)
        return Box(x1 if x1 < x2 else x2, y1 if y1 < y2 else y2, x2 if x1 < x2 else x1, y2 if y1 < y2 else y1)

    @property
    def box(self) -> Box:
        """The whole page."""
        return Box(0.0, 0.0, self.width, self.height)


def upright_turn(words: list[Word]) -> int:
    """By how many degrees clockwise the page must be turned so that most of its text stands upright."""
    if {word.angle for word in words} <= {0}:
        return 0
    angles: Counter[int] = Counter()
    for word in words:
        angles[0 if word.stacked else word.angle] += len(word.text)
    return -angles.most_common(1)[0][0] % 360
