"""What recognition works on and what it sees: pictures, the lines on them, words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled

if TYPE_CHECKING:
    from paperchute.engine.reading.ocr.curvature import Points
    from paperchute.engine.reading.ocr.recognition import Reading
    from paperchute.engine.reading.ocr.scripts import LineModel


@dataclass(frozen=True, slots=True)
class CropSettings:
    """How lines are cut out of a page's picture."""

    longest: int = 8_000
    """Pixels of a line's picture: a bound on memory; a line across a sheet A0 at 200 dpi has 6,600."""


CROPS = CropSettings()


Pixels = NDArray[np.uint8]
"""A picture: rows of pixels, 8-bit RGB (height, width, 3), or grey (height, width)."""

Corners = NDArray[np.float32]
"""The four corners (4, 2) of a line as (x, y) pixels, clockwise from the top left one as one reads it."""

Affine = NDArray[np.float64]
"""A map of the plane as 2 x 3 matrix: (x, y) goes to m[:, :2] @ (x, y) + m[:, 2]."""

BEYOND = 0.1
"""Of a page's height: how far above and below the page its bend is followed."""


@dataclass(frozen=True, slots=True)
class SeenWord:
    """One recognised word, in pixels of the upright picture.

    box: around its ink. baseline: where its letters stand. size: font size. stroke: thickness of its strokes as a
    share of the size, 0 where it could not be measured; line_stroke: the mean over its line, which has line_letters
    letters. glued: no space before it. angle: reading direction in degrees clockwise; for 90 and 270 the baseline is
    its box's lower edge. sized: whether letters of its line tell size and baseline; else these are rough.
    confidence: the mean likelihood of its characters, of a figure that of its least sure one.
    """

    text: str
    box: Box
    baseline: float
    size: float
    stroke: float
    line_stroke: float
    line_letters: int
    confidence: float
    glued: bool = False
    angle: Literal[0, 90, 270] = 0
    sized: bool = True


@dataclass(frozen=True, slots=True)
class Bend:
    """The bend of a page.

    heights: for rows of the flat page, evenly from `BEYOND` above it to `BEYOND` below, and for columns
    evenly from its left edge to its right one, the y in the picture as it was; size: width and height of both. inner:
    from pixels of what is made of the flat picture to those of the flat picture.
    """

    heights: NDArray[np.float32]
    size: tuple[int, int]
    inner: Affine

    def flattened(self, picture: Pixels) -> Pixels:
        """The picture laid flat."""
        width, height = self.size
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        return pixels(cv2.remap(picture, x, self._heights(x, y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))

    def lifts(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """By how much points (n, 2) of what was made of the flat picture lie elsewhere in one never laid flat."""
        if not len(points):
            return np.zeros((0, 2))
        at = moved(self.inner, points)
        down = self._heights(at[:, :1], at[:, 1:]) - at[:, 1:]
        return np.asarray(np.column_stack([np.zeros(len(at)), down]) @ np.linalg.inv(self.inner[:, :2]).T, np.float64)

    def _heights(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
        width, height = self.size
        rows, columns = self.heights.shape
        column = x * ((columns - 1) / width)
        row = (y / height + BEYOND) * ((rows - 1) / (1 + 2 * BEYOND))
        found = cv2.remap(self.heights, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found, np.float32)


@dataclass(slots=True)
class Seen:
    """A page picture made upright, and the words on it, line by line from top to bottom.

    turn: degrees clockwise (0, 90, 180, 270) by which the given picture was turned; after that it was straightened by
    `skew` degrees. back: from upright pixels to those of the given picture, but for the bend of a sheet that did not
    lie flat, which is none where it did. unsure: the share of its lines, by their length, that were not read surely.
    """

    picture: Pixels
    turn: int
    skew: float
    back: Affine
    words: list[SeenWord] = field(default_factory=list)
    unsure: float = 0.0
    bend: Bend | None = None

    @property
    def pixel(self) -> float:
        """The side of its pixels, in those of the given picture: above 1 where that was made smaller to be read."""
        return math.sqrt(abs(float(np.linalg.det(self.back[:, :2]))))


@dataclass(slots=True)
class Upright:
    """An upright picture with its lines. turn, skew, back, bend: see `Seen`.

    front: the picture without what shines through from the back of the sheet, None where nothing does. guessed: whether
    no model surely knows its script.
    """

    picture: Pixels
    lines: list[Corners]
    turn: int = 0
    skew: float = 0.0
    back: Affine = field(default_factory=lambda: np.eye(2, 3))
    front: Pixels | None = None
    bend: Bend | None = None
    guessed: bool = False

    @property
    def readable(self) -> Pixels:
        """The picture that is read."""
        return self.picture if self.front is None else self.front

    def moved(
        self, picture: Pixels, lines: list[Corners], back: Affine, *, turn: int = 0, skew: float = 0.0
    ) -> Upright:
        """The same turned by so many degrees. back: from the pixels of `picture` to those of the one before."""
        bend = self.bend and replace(self.bend, inner=after(self.bend.inner, back))
        turn, skew = (self.turn + turn) % 360, self.skew + skew
        return Upright(picture, lines, turn, skew, after(self.back, back), self.front, bend, self.guessed)


@dataclass(slots=True)
class WorkingPicture:
    """A page's picture on its way to words; what repairs look at and change.

    picture: as it came from the scanner, but for what was taken out of it. dpi: its pixels per inch, 0 where that is
    not known. language, straighten: see `page.see`. scale: of the picture in which lines are looked for. middles: of
    the long lines found on it. model: what reads them. upright: what was made of picture and lines. level: its lines
    that run across; cut: their pictures; readings: what these say. words: what is read on the page. unsure: see `Seen`.
    """

    picture: Pixels
    dpi: float
    language: str
    straighten: bool
    scale: float
    model: LineModel
    upright: Upright
    middles: list[Points] = field(default_factory=list)
    level: list[Corners] = field(default_factory=list)
    cut: list[Pixels] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    words: list[SeenWord] = field(default_factory=list)
    unsure: float = 0.0


def pixels(array: NDArray[Any]) -> Pixels:
    """Return what a library made of a picture, as the picture it is."""
    return np.asarray(array, np.uint8)


def darkness(picture: Pixels, scale: float) -> Pixels:
    """By how much each pixel of a picture (RGB) is darker than the paper around it, 255 for black on white.

    What is dark and narrower than a quarter of an inch lies on paper, what is broader is its colour. scale: of the
    picture in which lines were looked for.
    """
    grey = pixels(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))
    around = (round(PRINT.quarter * PRINT.search), round(PRINT.quarter * PRINT.search))
    paper = cv2.blur(cv2.morphologyEx(scaled(grey, scale), cv2.MORPH_CLOSE, np.ones(around, np.uint8)), around)
    paper = cv2.resize(paper, grey.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return pixels(np.clip(255 - grey * np.float32(255) / np.maximum(paper, 1), 0, 255))


def moved(matrix: Affine, points: NDArray[Any]) -> NDArray[np.float32]:
    """Points (..., 2) where `matrix` takes them."""
    result: NDArray[np.float32] = (points @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    return result


def after(outer: Affine, inner: Affine) -> Affine:
    """The map that applies `inner` first and `outer` then."""
    return np.hstack([outer[:, :2] @ inner[:, :2], (outer[:, :2] @ inner[:, 2] + outer[:, 2])[:, None]])


def is_tall(corners: Corners) -> bool:
    """Decide whether a line's box is clearly higher than wide: sideways text, or a single narrow character."""
    return float(np.hypot(*(corners[3] - corners[0]))) >= PRINT.longer * float(np.hypot(*(corners[1] - corners[0])))


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
    return min(max(width, 1), CROPS.longest), min(max(height, 1), CROPS.longest)


def from_line(corners: Corners) -> Affine:
    """From pixels of a line's picture to those of the page."""
    width, height = line_size(corners)
    across, down = (corners[1] - corners[0]) / width, (corners[3] - corners[0]) / height
    return np.array([[across[0], down[0], corners[0][0]], [across[1], down[1], corners[0][1]]], np.float64)
