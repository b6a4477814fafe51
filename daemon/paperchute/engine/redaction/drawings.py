"""What paths and shadings cover (ISO 32000-1, 8.5 and 8.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from pikepdf import Array, Dictionary, Matrix, Name

from paperchute.engine.redaction.sight import Bounds, Drawing, NotFollowed, Point

_FILLS = frozenset({"f", "F", "f*", "B", "B*", "b", "b*"})
_STROKES = frozenset({"S", "s", "B", "B*", "b", "b*"})
_ENDS = _FILLS | _STROKES | {"n"}
_EVERYWHERE = (-math.inf, -math.inf, math.inf, math.inf)
_PLAIN_POINTS = 5  # of a path that is a line or an area with four corners, and back
_SAME = 0.01  # points: less than anybody sees


@dataclass(frozen=True, slots=True)
class Pen:
    """How the graphics state paints, and where at all.

    fill, line: whether in patterns. clip: around what clips; points: of the paths that do; is_clip_plain: whether these
    are no curves nor many points; is_clip_box: whether they are upright rectangles.
    """

    width: float = 1.0
    fill: bool = False
    line: bool = False
    clip: Bounds = _EVERYWHERE
    points: int = 0
    is_clip_plain: bool = True
    is_clip_box: bool = True

    def set_by(self, state: Dictionary) -> Pen:
        """Give what it is after `gs` with such a dictionary."""
        return replace(self, width=float(state.get("/LW", self.width)))

    def masked(self) -> Drawing:
        """Give where a soft mask, which may have any form, shows in what is painted from now on."""
        return Drawing(self.clip, self.points, self.is_clip_plain)

    def within(self, matrix: Matrix, box: Any) -> Pen:
        """Give what a form begins with whose box clips."""
        if not isinstance(box, Array):
            return self
        x1, y1, x2, y2 = floats(list(box), 4)
        path = Path()
        path.take("re", [x1, y1, x2 - x1, y2 - y1], matrix, self)
        return path.clipping(self)


@dataclass(slots=True)
class Path:
    """The path that is being made."""

    _points: list[Point] = field(default_factory=list)
    _is_curved: bool = False
    _parts: int = 0
    _clips: bool = False

    def take(self, name: str, operands: Sequence[Any], matrix: Matrix, pen: Pen) -> tuple[Pen, Drawing | None]:
        """Follow an instruction; the pen after it, and what it has drawn."""
        match name:
            case "m" | "l" | "c" | "v" | "y":
                values = floats(operands, {"m": 2, "l": 2, "c": 6}.get(name, 4))
                self._points += map(matrix.transform, zip(values[::2], values[1::2], strict=True))
                self._is_curved |= name in ("c", "v", "y")
                self._parts += name == "m"
            case "re":
                x, y, width, height = floats(operands, 4)
                corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
                self._points += map(matrix.transform, corners)
                self._parts += 1
            case "W" | "W*":
                self._clips = True
            case "sh":
                return pen, Drawing(pen.clip, pen.points, pen.is_clip_plain)
            case "w":
                return replace(pen, width=floats(operands, 1)[0]), None
            case "scn" | "SCN":
                patterned = bool(operands) and isinstance(operands[-1], Name)
                return replace(pen, fill=patterned) if name == "scn" else replace(pen, line=patterned), None
            case "g" | "rg" | "k" | "cs" | "sc":
                return replace(pen, fill=False), None
            case "G" | "RG" | "K" | "CS" | "SC":
                return replace(pen, line=False), None
            case _ if name in _ENDS:
                drawing = self._drawn(name, matrix, pen) if self._points else None
                after = self.clipping(pen) if self._clips else pen
                self._points, self._is_curved, self._parts, self._clips = [], False, 0, False
                return after, drawing
        return pen, None

    @property
    def _bounds(self) -> Bounds:
        xs, ys = zip(*self._points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def _is_plain(self) -> bool:
        return not self._is_curved and len(self._points) <= _PLAIN_POINTS

    @property
    def _is_box(self) -> bool:
        """Whether it is one upright rectangle."""
        if self._parts != 1 or not self._is_plain or len(self._points) < _PLAIN_POINTS - 1:
            return False
        ring = [*self._points[:4], self._points[0]]
        if math.dist(self._points[-1], ring[0]) > _SAME and len(self._points) == _PLAIN_POINTS:
            return False
        steps = [(abs(x2 - x1) <= _SAME, abs(y2 - y1) <= _SAME) for (x1, y1), (x2, y2) in pairwise(ring)]
        return any(all(step[(n + first) % 2] for n, step in enumerate(steps)) for first in (0, 1))

    def clipping(self, pen: Pen) -> Pen:
        """Give a pen that paints within the path only."""
        if not self._points:
            return pen
        return replace(
            pen,
            clip=_common(pen.clip, self._bounds),
            points=pen.points + len(self._points),
            is_clip_plain=pen.is_clip_plain and self._is_plain,
            is_clip_box=pen.is_clip_box and self._is_box,
        )

    def _drawn(self, name: str, matrix: Matrix, pen: Pen) -> Drawing | None:
        if name == "n":  # what it clips has its form, whatever that is
            shaped = self._clips and not self._is_box
            return Drawing(self._bounds, len(self._points), self._is_plain) if shaped else None
        fills, strokes = name in _FILLS, name in _STROKES
        patterned = fills and pen.fill
        reach = max(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d)) * pen.width / 2 if strokes else 0.0
        is_ground = self._is_box and pen.is_clip_box and not patterned and not (strokes and pen.line)
        return Drawing(
            self._bounds,
            0 if patterned else len(self._points),
            not patterned and self._is_plain,
            reach,
            _common(pen.clip, self._bounds) if is_ground else None,
        )


def _common(one: Bounds, other: Bounds) -> Bounds:
    """Return what two areas have in common; one that holds nothing where that is nothing."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def floats(operands: Sequence[Any], count: int) -> list[float]:
    """Give so many operands as numbers. Raises NotFollowed."""
    values = [float(value) for value in operands]
    if len(values) < count:
        raise NotFollowed
    return values[:count]
