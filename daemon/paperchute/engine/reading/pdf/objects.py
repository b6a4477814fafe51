"""Paths and pictures of a page: rules, dots and the places of images."""

from __future__ import annotations

import ctypes
import itertools
import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Shape
from paperchute.engine.reading.layout.marks import Drawing, PageMarks, Picture, Rule
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.rings import Paint, at_corners, pens_of, sides_of_ring
from paperchute.engine.reading.pdf.styles import shown
from paperchute.engine.reading.pdf.view import Matrix, View


@dataclass(frozen=True, slots=True)
class ObjectSettings:
    """What the objects of a page are, in points, and how many of them are looked at."""

    shortest_rule: float = 5.0
    """Of a rule; shorter ones are dashes and pieces of letters. 0.8 to 1.2 times it reads 36 sample pages the same."""

    most_frame_points: int = 24
    """Points of a frame's outline; more are those of a drawing. 0.8 to 1.2 times it reads 36 sample pages the same."""

    dot: tuple[float, float] = (1.2, 9.0)
    """The sides of dots that may be bullets. 0.8 to 1.2 times it reads 36 sample pages the same."""

    smallest_picture: float = 12.0
    """The shorter side of a picture; smaller ones are signs and pieces of rules. 0.8 to 1.2 times it reads 36 sample
    pages the same."""

    white: int = 250
    """Of 255: a fill lighter in all colours does not show on paper."""

    most_covers: int = 500
    """Areas that may lie over text: a bound on work."""

    most: int = 100_000
    """Objects of a page, and segments of its paths: a bound for hostile ones; drawings of real ones stay far below."""

    most_rules: int = 20_000
    """A bound for hostile pages; drawings of real ones stay far below."""

    deepest_form: int = 12
    """A bound for hostile pages; forms of real ones are inside of two or three others."""


OBJECTS = ObjectSettings()


_PATHS_AT_ONCE = 256  # whose segments are in memory


class _Stop(Exception):
    """A bound was reached."""


class _Container(NamedTuple):
    """The objects of a page or form: their addresses, and by place in it the kinds of those that are no text.

    left_out: the addresses of text objects that are not known. Most objects are text, which is passed over.
    """

    items: list[int]
    others: dict[int, int]
    left_out: list[int]

    @classmethod
    def of(cls, items: list[int], known: Collection[int]) -> _Container:
        """That of objects, of which some are known to be text."""
        asked = [place for place, item in enumerate(items) if item not in known]
        kinds = dict(zip(asked, calls.kinds(map(items.__getitem__, asked)), strict=True))
        left_out = [items[place] for place, kind in kinds.items() if kind == pdfium_c.FPDF_PAGEOBJ_TEXT]
        others = {place: kind for place, kind in kinds.items() if kind != pdfium_c.FPDF_PAGEOBJ_TEXT}
        return cls(items, others, left_out)

    def of_kind(self, kind: int) -> list[int]:
        """The addresses of the objects of a kind other than text."""
        return [self.items[place] for place, other in self.others.items() if other == kind]

    def texts(self) -> Iterator[tuple[int, int]]:
        """The places and addresses of the text objects."""
        return ((place, item) for place, item in enumerate(self.items) if place not in self.others)


_Segment = tuple[float, float, int, int]
"""Where it ends on the view, its kind, and whether it closes the subpath."""


class _Path(NamedTuple):
    """A path on the view. length: in segments, of which none are taken where nothing is seen; paint: how it is drawn.

    holed: what lies in two of its outlines is no part of its area.
    """

    length: int
    filled: bool
    holed: bool
    paint: Paint
    segments: list[_Segment]


class PageObjects:
    """The objects of one page, and its images, whose content can be fetched. What paths draw is read on demand."""

    def __init__(self, page: pdfium.PdfPage, view: View, known: Collection[int] = ()) -> None:
        """known: the addresses of the text objects in the page's text, which need not be asked what they are."""
        self._page = page
        self._known = known
        self.view = view
        self._segments = 0
        self._found = list(self._containers())
        self.left_out = [address for container, _ in self._found for address in container.left_out]
        """The addresses of text objects that are not known."""
        self.images: list[Any] = []
        self._pictures: list[Picture] = []
        for container, matrix in self._found:
            for address in container.of_kind(pdfium_c.FPDF_PAGEOBJ_IMAGE):
                self._image(address, matrix)
        self._covers: list[tuple[int, int, Box]] = []  # number of the container, place in it, where

    def read_into(self, marks: PageMarks) -> None:
        """Add rules, dots and pictures to `marks`."""
        marks.pictures += self._pictures
        try:
            for number, (found, matrix) in enumerate(self._found):
                first = next((place for place, _ in found.texts()), len(found.items))
                paths = self._paths(found.of_kind(pdfium_c.FPDF_PAGEOBJ_PATH), matrix)
                for place, kind in found.others.items():
                    if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
                        if self._path(next(paths), marks) and place > first:
                            self._cover(number, place)
                    elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE and place > first:
                        self._cover(number, place)
                    elif kind == pdfium_c.FPDF_PAGEOBJ_SHADING:
                        self._shading(found.items[place], matrix, marks)
        except _Stop:
            pass

    def covers(self) -> list[Box]:
        """Areas and pictures that are painted over text that was there before."""
        found = []
        texts: dict[int, tuple[Sequence[int], npt.NDArray[np.float64]]] = {}  # of each container: places in it, boxes
        for number, place, cover in self._covers:
            if number not in texts:
                container, matrix = self._found[number]
                own = list(container.texts())
                bounds = calls.all_bounds(calls.handles(address for _, address in own))
                texts[number] = [place for place, _ in own], matrix.boxes(bounds)
            places, boxes = texts[number]
            left, top, right, bottom = boxes[:, : bisect_left(places, place)]
            if ((left < cover.right) & (right > cover.left) & (top < cover.bottom) & (bottom > cover.top)).any():
                found.append(cover)
        return found

    def _cover(self, number: int, place: int) -> None:
        container, matrix = self._found[number]
        bounds = calls.bounds(container.items[place])
        box = _clipped(matrix.box(*bounds), self.view.box) if bounds is not None else None
        if (
            box is not None
            and min(box.width, box.height) > TYPOGRAPHY.frame
            and len(self._covers) < OBJECTS.most_covers
        ):
            self._covers.append((number, place, box))

    @contextmanager
    def without_text(self) -> Iterator[None]:
        """Within the block the page is drawn without its text."""
        texts = [address for container, _ in self._found for _, address in container.texts()]
        for address in texts:
            pdfium_c.FPDFPageObj_SetIsActive(_handle(address), False)
        try:
            yield
        finally:
            for address in texts:
                pdfium_c.FPDFPageObj_SetIsActive(_handle(address), True)

    def walk(self) -> Iterator[tuple[Any, Matrix]]:
        """Every object that is no form, with the map from its own container to the view.

        No more than the bounds allow.
        """
        for found, matrix in self._found:
            for place, address in enumerate(found.items):
                if found.others.get(place) != pdfium_c.FPDF_PAGEOBJ_FORM:
                    yield _handle(address), matrix

    def _containers(self) -> Iterator[tuple[_Container, Matrix]]:
        """The page and the forms on it, each with the map from it to the view.

        A form's own objects come after those of the container it is in.
        """
        room = OBJECTS.most
        stack: list[tuple[int, Matrix, int]] = [(0, self.view.matrix, 0)]
        while stack:
            form, matrix, depth = stack.pop()
            if form:
                count = min(max(pdfium_c.FPDFFormObj_CountObjects(_handle(form)), 0), room)
                items = calls.form_objects(form, count)
            else:
                count = min(max(pdfium_c.FPDFPage_CountObjects(self._page), 0), room)
                items = calls.page_objects(calls.handle_of(self._page), count)
            room -= count
            found = _Container.of(items, self._known)
            yield found, matrix
            if depth < OBJECTS.deepest_form:
                stack += (
                    (items[place], matrix.after(_matrix_of(items[place])), depth + 1)
                    for place, kind in found.others.items()
                    if kind == pdfium_c.FPDF_PAGEOBJ_FORM
                )

    def _image(self, address: int, matrix: Matrix) -> None:
        box = _clipped(matrix.after(_matrix_of(address)).box(0, 0, 1, 1), self.view.box)
        is_large = box is not None and min(box.width, box.height) >= OBJECTS.smallest_picture
        if box is not None and is_large and calls.is_active(address):
            self._pictures.append(Picture(box, len(self.images)))
            self.images.append(_handle(address))

    def _shading(self, address: int, matrix: Matrix, marks: PageMarks) -> None:
        """A small one is a bullet, as the balls of slides."""
        bounds = calls.bounds(address)
        box = _clipped(matrix.box(*bounds), self.view.box) if bounds is not None else None
        if box is not None and _is_dot(box):
            marks.dots.append(box)

    def _paths(self, addresses: Sequence[int], matrix: Matrix) -> Iterator[_Path]:
        """Paths of a container, many at once; matrix: the map from it to the view."""
        for start in range(0, len(addresses), _PATHS_AT_ONCE):
            handles = calls.handles(addresses[start : start + _PATHS_AT_ONCE])
            counts = calls.count_segments(handles)
            modes, colors = calls.draw_modes(handles), calls.fill_colors(handles)
            fills = [_fill(color) if mode else None for (mode, _), color in zip(modes, colors, strict=True)]
            places = calls.own_matrices(handles)
            pens = pens_of(handles, [stroke != 0 for _, stroke in modes], places, matrix)
            ends = itertools.accumulate(counts, initial=self._segments)
            drawn = [
                number
                for number, (end, fill, (_, stroke)) in enumerate(zip(list(ends)[1:], fills, modes, strict=True))
                if (stroke or fill is not None) and end <= OBJECTS.most
            ]
            own = [counts[number] for number in drawn]
            points = _segments([handles[number] for number in drawn], own, places[drawn], matrix)
            taken = dict(zip(drawn, own, strict=True))
            for number, (count, fill, (mode, stroke)) in enumerate(zip(counts, fills, modes, strict=True)):
                paint = Paint(fill, stroke != 0, *pens.get(number, ("", 0.0)))
                holed = mode == pdfium_c.FPDF_FILLMODE_ALTERNATE and not stroke
                yield _Path(count, mode != 0, holed, paint, list(itertools.islice(points, taken.get(number, 0))))

    def _path(self, path: _Path, marks: PageMarks) -> bool:
        """Decide whether it is a filled area of few edges."""
        self._segments += path.length
        if self._segments > OBJECTS.most or len(marks.rules) > OBJECTS.most_rules:
            raise _Stop
        outlines = list(_subpaths(path.segments))
        sides = sides_of_ring(outlines) if path.holed else None
        for points, curved in outlines if sides is None else sides:
            _shape(points, curved, path.paint, self.view.box, marks)
        return path.filled and path.length <= OBJECTS.most_frame_points and sides is None


def _shape(points: list[tuple[float, float]], curved: bool, paint: Paint, page: Box, marks: PageMarks) -> None:
    """Turn one subpath into rules or a dot."""
    fill, stroked = paint.fill, paint.stroked
    filled = fill is not None
    xs, ys = zip(*points, strict=True)
    if not math.isfinite(sum(xs) + sum(ys)):  # as it is where one of them is not
        return
    box = _clipped(Box(min(xs), min(ys), max(xs), max(ys)), page)
    if box is None:
        return
    if _is_dot(box):
        marks.dots.append(box)
        if stroked and not filled and not curved:
            marks.small.append(Drawing(box, _strokes(points)))
        return
    small, large = sorted((box.width, box.height))
    strokes = _strokes(points)
    is_frame = _is_frame(points, strokes, box)
    if large >= OBJECTS.shortest_rule and not curved and is_frame:
        marks.shapes.append(Shape(box, fill or "", paint.edge, paint.pen))
    if not is_frame:
        marks.drawings.append(Drawing(box, strokes, fill or ""))
    elif small > TYPOGRAPHY.frame:
        marks.drawings.append(Drawing(box, 0, fill or ""))
    if curved:
        return
    if filled and small <= TYPOGRAPHY.frame and large >= OBJECTS.shortest_rule:
        x, y = box.center
        marks.rules.append(
            Rule(box.left, y, box.right, y) if box.width > box.height else Rule(x, box.top, x, box.bottom)
        )
    elif stroked or (filled and len(points) in (4, 5) and at_corners(points, box)):
        if filled:
            points = [*points, points[0]]
        marks.rules += _rules(points, page, not stroked)


def _is_dot(box: Box) -> bool:
    width, height = box.width, box.height
    small, large = (width, height) if width < height else (height, width)
    return OBJECTS.dot[0] <= small and large <= OBJECTS.dot[1] and large < TYPOGRAPHY.display * small


def _rules(points: list[tuple[float, float]], page: Box, edge: bool) -> Iterator[Rule]:
    """The straight strokes between points that lie or stand and are long enough."""
    shortest = OBJECTS.shortest_rule
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        if abs(ax - bx) < shortest and abs(ay - by) < shortest:  # as nearly all strokes of drawings
            continue
        box = _clipped(Box(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)), page)
        if box is None or max(box.width, box.height) < shortest:
            continue
        x, y = box.center
        if box.height <= TYPOGRAPHY.size_step:
            yield Rule(box.left, y, box.right, y, edge)
        elif box.width <= TYPOGRAPHY.size_step:
            yield Rule(x, box.top, x, box.bottom, edge)


def _segments(
    paths: Sequence[calls.Handle], counts: Sequence[int], places: calls.Floats, matrix: Matrix
) -> Iterator[_Segment]:
    """The segments of paths, so many of each, on the view.

    places: a row for each path, its own matrix; matrix: from the container of the paths to the view.
    """
    points, kinds, closes = calls.segments(paths, counts)
    with np.errstate(invalid="ignore", over="ignore"):  # where what a hostile page draws is beyond all numbers
        maps = matrix.after(Matrix._make(places.T))
        a, b, c, d, e, f = np.repeat(np.array(maps), np.array(counts, dtype=np.int64), axis=1)
        x, y = points.T
        xs, ys = a * x + c * y + e, b * x + d * y + f
    return zip(xs.tolist(), ys.tolist(), kinds, closes, strict=True)


def _subpaths(segments: Iterable[_Segment]) -> Iterator[tuple[list[tuple[float, float]], bool]]:
    """The subpaths as points, each with whether it has curves."""
    points: list[tuple[float, float]] = []
    curved = False
    for x, y, kind, closes in segments:
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            if len(points) > 1:
                yield points, curved
            points, curved = [], False
        elif kind == pdfium_c.FPDF_SEGMENT_BEZIERTO:
            curved = True
        points.append((x, y))
        if closes and len(points) > 2:
            points.append(points[0])
    if len(points) > 1:
        yield points, curved


def _strokes(points: list[tuple[float, float]]) -> int:
    """Return how many of a shape's edges neither lie nor stand; the points of curves count as edges."""
    slant, found = TYPOGRAPHY.size_step, 0
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        if abs(ax - bx) > slant and abs(ay - by) > slant:
            found += 1
    return found


def _is_frame(points: list[tuple[float, float]], strokes: int, box: Box) -> bool:
    """Decide whether a shape is a straight stroke, or keeps to the edges of its box, its corners perhaps rounded.

    strokes: how many of its edges neither lie nor stand.
    """
    left, top, right, bottom = box
    if len(points) > OBJECTS.most_frame_points or (len(points) <= TYPOGRAPHY.several and strokes):
        return False  # too much of a drawing, or the stroke of a label's leader, which may have a bend
    slant = TYPOGRAPHY.size_step
    reach = max(slant, TYPOGRAPHY.third * min(right - left, bottom - top))
    for x, y in points:
        aside = x - left if x - left < right - x else right - x
        above = y - top if y - top < bottom - y else bottom - y
        if aside > slant and above > slant and (aside > reach or above > reach):
            return False
    return True


def _fill(color: tuple[int, int, int, int] | None) -> str | None:
    """The colour of a fill as it shows on white paper, #rrggbb; empty for a pattern, None where it does not show."""
    if color is None:
        return ""
    return None if color[3] == 0 or min(color[:3]) >= OBJECTS.white else shown(color)


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
