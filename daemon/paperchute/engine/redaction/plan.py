"""What goes of one page: glyphs, pixels of pictures, and whether that is all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pikepdf
from pikepdf import Matrix, Stream

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.redaction.pixels import blacked_out
from paperchute.engine.redaction.places import Letter, Place, Polygon
from paperchute.engine.redaction.sight import Bounds, Drawing, Glyph, Point, Sight

_NEAR = 1.0  # points between where PDFium and we have a glyph
_CUT = 0.1  # of a glyph's height: a box that cuts off less leaves it
_FEW_POINTS = 40
_AS_HIGH = 3.0
"""A path of few points that is so many times as high as what was found is a frame or ground, no letter."""


class Plan:
    """What goes of a page. unproved: something was found of which it is not sure what shows it. places: how many."""

    def __init__(self, sight: Sight) -> None:
        self.gone: set[int] = set()
        self.black: list[Polygon] = []
        self.places = 0
        self.unproved = False
        self._last = ""
        self._sight = sight
        self._origins = np.array([glyph.origin for glyph in sight.glyphs]).reshape(-1, 2)
        self._middles = np.array([glyph.middle for glyph in sight.glyphs]).reshape(-1, 2)

    def take_letters(self, letters: Sequence[Letter]) -> None:
        """Take the glyphs of what was found in the text, and all that lies in the same places."""
        self.places += 1
        taken: list[int] = []
        for letter in letters:
            number = self._nearest(letter.origin)
            if number is None:
                self.unproved = True
                self.black.append(letter.polygon)
            else:
                taken.append(number)
        for run in _runs(self._sight.glyphs, sorted(set(taken))):
            self._black_out(run)
        self.gone.update(taken)
        for number in taken:
            self.gone.update(self._inside(self._sight.glyphs[number].corners))

    def take_place(self, place: Place) -> None:
        """Take what shows a place that was found otherwise, unless its letters are taken already."""
        inside = self._inside(place.polygon)
        if place.letters and len(self.gone.intersection(inside)) >= place.letters:
            return
        self.places += place.text != self._last  # of which each word is a place
        self._last = place.text
        touches_picture = any(_meets(picture.matrix, place.polygon) for picture in self._sight.pictures)
        self.unproved |= not inside and not touches_picture
        self.gone.update(inside)
        self._black_out(place.polygon)

    def take_box(self, box: Polygon) -> None:
        """Take all that a box of the caller's cuts."""
        self.places += 1
        left, bottom, right, top = bounds_of(box)
        for number, glyph in enumerate(self._sight.glyphs):
            one = bounds_of(glyph.corners)
            slack = _CUT * min(one[2] - one[0] or 1.0, one[3] - one[1])
            if min(right, one[2]) - max(left, one[0]) > slack and min(top, one[3]) - max(bottom, one[1]) > slack:
                self.gone.add(number)
        self.unproved |= self._sight.astray > 0
        self.unproved |= any(_draws_in(drawing, (left, bottom, right, top)) for drawing in self._sight.drawings)
        self._black_out(box)

    def pictures(self, pdf: pikepdf.Pdf) -> dict[int, Stream] | None:
        """Make the pictures that take the place of those below what is black; None where one cannot be made."""
        fresh: dict[int, Stream] = {}
        for number, picture in enumerate(self._sight.pictures):
            below = [polygon for polygon in self.black if _meets(picture.matrix, polygon)]
            if not below:
                continue
            if picture.stream is None:
                return None
            inverse = picture.matrix.inverse()
            made = blacked_out(pdf, picture.stream, [[inverse.transform(p) for p in polygon] for polygon in below])
            if made is None:
                return None
            fresh[number] = made
        return fresh

    def _black_out(self, polygon: Polygon) -> None:
        self.black.append(polygon)
        bounds = bounds_of(polygon)
        height = min(bounds[2] - bounds[0], bounds[3] - bounds[1])
        self.unproved |= any(_may_be_letters(drawing, bounds, height) for drawing in self._sight.drawings)

    def _nearest(self, origin: Point) -> int | None:
        if not len(self._origins):
            return None
        apart = np.abs(self._origins - origin).sum(axis=1)
        nearest = int(apart.argmin())
        return nearest if apart[nearest] <= _NEAR else None

    def _inside(self, polygon: Polygon) -> list[int]:
        """The glyphs whose middle, on the baseline, lies in a polygon."""
        if not len(self._middles):
            return []
        signs = []
        for (x1, y1), (x2, y2) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
            signs.append((x2 - x1) * (self._middles[:, 1] - y1) - (y2 - y1) * (self._middles[:, 0] - x1))
        sides = np.array(signs)
        return [int(number) for number in np.flatnonzero((sides >= 0).all(axis=0) | (sides <= 0).all(axis=0))]


def _runs(glyphs: Sequence[Glyph], numbers: Sequence[int]) -> list[Polygon]:
    """Return what glyphs cover: those that follow one another on a line as one."""
    runs: list[list[int]] = []
    for number in numbers:
        last = glyphs[runs[-1][-1]] if runs else None
        here = glyphs[number]
        follows = last is not None and number == runs[-1][-1] + 1
        if follows and last is not None and math.dist(last.end, here.origin) < math.dist(*here.corners[1:3]) / 2:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [
        (glyphs[run[0]].corners[0], glyphs[run[-1]].corners[1], glyphs[run[-1]].corners[2], glyphs[run[0]].corners[3])
        for run in runs
    ]


def bounds_of(polygon: Sequence[Point]) -> Bounds:
    """Give the upright box around a polygon: left, bottom, right, top."""
    xs, ys = zip(*polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _meets(matrix: Matrix, polygon: Polygon) -> bool:
    """Decide whether a polygon lies on a picture, at least with what is around it."""
    try:
        left, bottom, right, top = bounds_of([matrix.inverse().transform(point) for point in polygon])
    except (*FAULTS, ArithmeticError):  # drawn without any area
        return False
    return left < 1 and right > 0 and bottom < 1 and top > 0


def _may_be_letters(drawing: Drawing, bounds: Bounds, height: float) -> bool:
    if drawing.is_plain:
        return False
    left, bottom, right, top = drawing.box
    if not overlap(drawing.box, bounds):
        return False
    return not 0 < drawing.points <= _FEW_POINTS or min(right - left, top - bottom) < _AS_HIGH * height


def _draws_in(drawing: Drawing, box: Bounds) -> bool:
    """Decide whether a drawing says anything in a box: all do, but an area of one colour that holds the box."""
    left, bottom, right, top = drawing.box
    reach = drawing.reach
    # A line has no area, and a box that only touches one leaves half of its width.
    if left - reach > box[2] or right + reach < box[0] or bottom - reach > box[3] or top + reach < box[1]:
        return False
    ground = drawing.ground
    return ground is None or not (
        ground[0] + reach <= box[0]
        and ground[1] + reach <= box[1]
        and ground[2] - reach >= box[2]
        and ground[3] - reach >= box[3]
    )


def overlap(one: Bounds, other: Bounds) -> bool:
    """Decide whether two upright boxes have an area in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
