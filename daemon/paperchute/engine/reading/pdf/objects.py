"""Paths and pictures of a page: rules, dots and the places of images."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Drawing, PageMarks, Picture, Rule
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.styles import shown
from paperchute.engine.reading.pdf.view import Matrix, View

MOST_OBJECTS = 100_000
MOST_SEGMENTS = 200_000
MOST_RULES = 20_000
DEEPEST_FORM = 12
"""Bounds for hostile pages; drawings of real ones stay far below."""

_THICKEST_RULE = 3.0
_SHORTEST_RULE = 5.0
_SLANT = 0.6
_DOT = (1.2, 9.0)
_SMALLEST_PICTURE = 12.0


class _Stop(Exception):
    """A bound was reached."""


class PageObjects:
    """Walks the objects of one page into its marks; keeps the image objects so that their content can be fetched."""

    def __init__(self, page: pdfium.PdfPage, view: View) -> None:
        self._page = page
        self.view = view
        self._segments = 0
        self.images: list[Any] = []

    def read_into(self, marks: PageMarks) -> None:
        """Add rules, dots and pictures to `marks`."""
        try:
            for found, matrix in self._containers():
                # Most objects are text: these are passed over without a step of the generator each.
                for address, kind in found:
                    if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
                        self._path(address, matrix, marks)
                    elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
                        self._image(address, matrix, marks)
        except _Stop:
            pass

    def walk(self) -> Iterator[tuple[Any, Matrix]]:
        """Every object that is no form, with the map from its own container to the view; no more than the bounds
        allow."""
        for found, matrix in self._containers():
            for address, kind in found:
                if kind != pdfium_c.FPDF_PAGEOBJ_FORM:
                    yield _handle(address), matrix

    def _containers(self) -> Iterator[tuple[list[tuple[int, int]], Matrix]]:
        """The page and the forms on it: their objects as (address, kind), and the map from the container to the view.

        A form's own objects come after those of the container it is in.
        """
        room = MOST_OBJECTS
        stack: list[tuple[int, Matrix, int]] = [(0, self.view.matrix, 0)]
        while stack:
            form, matrix, depth = stack.pop()
            if form:
                count = min(max(pdfium_c.FPDFFormObj_CountObjects(_handle(form)), 0), room)
                found = calls.form_objects(form, count)
            else:
                count = min(max(pdfium_c.FPDFPage_CountObjects(self._page), 0), room)
                found = calls.page_objects(calls.address_of(self._page.raw), count)
            room -= count
            yield found, matrix
            if depth < DEEPEST_FORM:
                stack += (
                    (address, matrix.after(_matrix_of(address)), depth + 1)
                    for address, kind in found
                    if kind == pdfium_c.FPDF_PAGEOBJ_FORM
                )

    def _image(self, address: int, matrix: Matrix, marks: PageMarks) -> None:
        box = _clipped(matrix.after(_matrix_of(address)).box(0, 0, 1, 1), self.view.box)
        if box is not None and min(box.width, box.height) >= _SMALLEST_PICTURE:
            marks.pictures.append(Picture(box, len(self.images)))
            self.images.append(_handle(address))

    def _path(self, address: int, matrix: Matrix, marks: PageMarks) -> None:
        count = calls.count_segments(address)
        self._segments += count
        if self._segments > MOST_SEGMENTS or len(marks.rules) > MOST_RULES:
            raise _Stop
        fill, stroke = calls.draw_mode(address)
        color = _fill(address) if fill != pdfium_c.FPDF_FILLMODE_NONE else None
        if color is None and not stroke:
            return
        for points, curved in _subpaths(calls.segments(address, count), matrix.after(_matrix_of(address))):
            _shape(points, curved, color, bool(stroke), self.view.box, marks)


def _shape(
    points: list[tuple[float, float]], curved: bool, fill: str | None, stroked: bool, page: Box, marks: PageMarks
) -> None:
    """Turn one subpath into rules or a dot. fill: its colour as #rrggbb, empty for a pattern, None for none."""
    filled = fill is not None
    xs, ys = zip(*points, strict=True)
    if not all(map(math.isfinite, xs)) or not all(map(math.isfinite, ys)):
        return
    box = _clipped(Box(min(xs), min(ys), max(xs), max(ys)), page)
    if box is None:
        return
    width, height = box.width, box.height
    small, large = (width, height) if width < height else (height, width)
    if _DOT[0] <= small and large <= _DOT[1] and large < 1.7 * small:
        marks.dots.append(box)
        return
    if not _is_frame(points, box):
        marks.drawings.append(Drawing(box, _strokes(points), fill or ""))
    elif small > _THICKEST_RULE:
        marks.drawings.append(Drawing(box, 0, fill or ""))
    if curved:
        return
    if filled and small <= _THICKEST_RULE and large >= _SHORTEST_RULE:
        x, y = box.center
        marks.rules.append(
            Rule(box.left, y, box.right, y) if box.width > box.height else Rule(x, box.top, x, box.bottom)
        )
    elif stroked or (filled and _is_rectangle(points, box)):
        if filled:
            points = [*points, points[0]]
        marks.rules += (
            rule for a, b in itertools.pairwise(points) if (rule := _rule(a, b, page, not stroked)) is not None
        )


def _rule(a: tuple[float, float], b: tuple[float, float], page: Box, edge: bool) -> Rule | None:
    """A straight stroke as a rule when it lies or stands and is long enough."""
    if abs(a[0] - b[0]) < _SHORTEST_RULE and abs(a[1] - b[1]) < _SHORTEST_RULE:
        return None
    box = _clipped(Box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])), page)
    if box is None or max(box.width, box.height) < _SHORTEST_RULE:
        return None
    x, y = box.center
    if box.height <= _SLANT:
        return Rule(box.left, y, box.right, y, edge)
    if box.width <= _SLANT:
        return Rule(x, box.top, x, box.bottom, edge)
    return None


def _subpaths(
    segments: Sequence[tuple[float, float, int, int]], matrix: Matrix
) -> Iterator[tuple[list[tuple[float, float]], bool]]:
    """The subpaths as mapped points, each with whether it has curves."""
    points: list[tuple[float, float]] = []
    curved = False
    a, b, c, d, e, f = matrix
    for x, y, kind, closes in segments:
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            if len(points) > 1:
                yield points, curved
            points, curved = [], False
        elif kind == pdfium_c.FPDF_SEGMENT_BEZIERTO:
            curved = True
        points.append((a * x + c * y + e, b * x + d * y + f))
        if closes and len(points) > 2:
            points.append(points[0])
    if len(points) > 1:
        yield points, curved


def _is_rectangle(points: list[tuple[float, float]], box: Box) -> bool:
    return len(points) in (4, 5) and all(
        min(abs(x - box.left), abs(x - box.right)) < _SLANT and min(abs(y - box.top), abs(y - box.bottom)) < _SLANT
        for x, y in points
    )


def _strokes(points: list[tuple[float, float]]) -> int:
    """How many of a shape's edges neither lie nor stand; the points of curves count as edges."""
    return sum(1 for a, b in itertools.pairwise(points) if abs(a[0] - b[0]) > _SLANT and abs(a[1] - b[1]) > _SLANT)


def _is_frame(points: list[tuple[float, float]], box: Box) -> bool:
    """Whether a shape is a straight stroke, or keeps to the edges of its box, its corners perhaps rounded."""
    left, top, right, bottom = box
    if len(points) > 24 or (len(points) == 2 and right - left > _SLANT and bottom - top > _SLANT):
        return False  # too much of a drawing, or one straight stroke from corner to corner of its box
    reach = max(_SLANT, min(12.0, 0.3 * min(right - left, bottom - top)))
    for x, y in points:
        aside = x - left if x - left < right - x else right - x
        above = y - top if y - top < bottom - y else bottom - y
        if aside > _SLANT and above > _SLANT and (aside > reach or above > reach):
            return False
    return True


def _fill(address: int) -> str | None:
    """The colour of a fill as it shows on white paper, #rrggbb; empty for a pattern, None where it does not show."""
    color = calls.fill_color(address)
    if color is None:
        return ""
    return None if color[3] == 0 or min(color[:3]) >= 250 else shown(color)


def _handle(address: int) -> Any:
    return ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)


def _matrix_of(address: int) -> Matrix:
    found = calls.matrix_of(address)
    return Matrix._make(found) if found else Matrix()


def _clipped(box: Box, page: Box) -> Box | None:
    """The part of a box that lies on the page, or None."""
    left, top, right, bottom = box
    if page.left <= left <= right <= page.right and page.top <= top <= bottom <= page.bottom:
        return box
    if not all(map(math.isfinite, box)):
        return None
    cut = Box(max(left, page.left), max(top, page.top), min(right, page.right), min(bottom, page.bottom))
    return cut if cut.left <= cut.right and cut.top <= cut.bottom else None
