"""How paths are painted, and frames that are drawn as what lies between two rectangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.styles import shown
from paperchute.engine.reading.pdf.view import Matrix


@dataclass(frozen=True, slots=True)
class RingSettings:
    """Which two outlines are those of a frame. Lengths are points."""

    thinnest: float = 0.05
    """Of a side: a border that only some sides have is drawn with the others of no thickness."""

    thickest: float = 12.0
    """Of a side: what leaves more between its outlines is an area with a hole."""


RINGS = RingSettings()
_BOTH = 2  # outlines
_CORNERS = 4  # of a rectangle

Outline = tuple[list[tuple[float, float]], bool]
"""The points of a closed outline, and whether it has curves."""


class Paint(NamedTuple):
    """How a path is painted.

    fill: the colour of its area as #rrggbb, empty for a pattern, None for none. stroked: whether a line is drawn along
    it, of the colour `edge`, as thick as `pen`.
    """

    fill: str | None
    stroked: bool
    edge: str = ""
    pen: float = 0.0


def pens_of(
    handles: Sequence[calls.Handle], stroked: Sequence[bool], places: calls.Floats, matrix: Matrix
) -> dict[int, tuple[str, float]]:
    """The colour and thickness of the lines of those paths that have any, by their numbers.

    places: a row for each path, its own matrix; matrix: from the container of the paths to the view.
    """
    numbers = [number for number, drawn in enumerate(stroked) if drawn]
    own = [handles[number] for number in numbers]
    colors = ["#000000" if color is None else shown(color) for color in calls.stroke_colors(own)]
    pens = [
        pen * math.sqrt(abs(a * d - b * c) * abs(matrix.a * matrix.d - matrix.b * matrix.c))
        for pen, (a, b, c, d, _, _) in zip(calls.pens(own), places[numbers].tolist(), strict=True)
    ]
    return dict(zip(numbers, zip(colors, pens, strict=True), strict=True))


def sides_of_ring(outlines: Sequence[Outline]) -> list[Outline] | None:
    """The sides of a frame as areas of their own; None where the outlines are none of a frame.

    What a frame holds does not stand on its colour, as it would on that of an area of the frame's size.
    """
    if len(outlines) != _BOTH or any(curved for _, curved in outlines):
        return None
    first, second = (_rectangle(points) for points, _ in outlines)
    if first is None or second is None:
        return None
    outer, inner = (first, second) if first.area >= second.area else (second, first)
    slack = TYPOGRAPHY.size_step
    if not (outer.holds(inner.left, inner.top, slack) and outer.holds(inner.right, inner.bottom, slack)):
        return None
    sides = [
        (outer.left, outer.top, outer.right, inner.top),
        (outer.left, inner.bottom, outer.right, outer.bottom),
        (outer.left, outer.top, inner.left, outer.bottom),
        (inner.right, outer.top, outer.right, outer.bottom),
    ]
    thin = [min(right - left, bottom - top) for left, top, right, bottom in sides]
    if max(thin) > RINGS.thickest:
        return None
    return [
        ([(left, top), (right, top), (right, bottom), (left, bottom)], False)
        for (left, top, right, bottom), thickness in zip(sides, thin, strict=True)
        if thickness > RINGS.thinnest
    ]


def _rectangle(points: Sequence[tuple[float, float]]) -> Box | None:
    """The box of an outline that is a rectangle."""
    if len(points) < _CORNERS:
        return None
    xs, ys = zip(*points, strict=True)
    box = Box(min(xs), min(ys), max(xs), max(ys))
    return box if at_corners(points, box) else None


def at_corners(points: Sequence[tuple[float, float]], box: Box) -> bool:
    """Decide whether all points of an outline are at corners of a box."""
    slack = TYPOGRAPHY.size_step
    return all(
        min(abs(x - box.left), abs(x - box.right)) < slack and min(abs(y - box.top), abs(y - box.bottom)) < slack
        for x, y in points
    )
