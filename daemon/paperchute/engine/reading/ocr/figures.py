"""Pictures on a page picture, and what is printed behind its text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import PIL.Image
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled
from paperchute.engine.reading.layout.marks import Ground, Rule
from paperchute.engine.reading.ocr.recognised import Pixels, pixels


@dataclass(frozen=True, slots=True)
class PictureSettings:
    """What on a page's picture is a picture. Lightness and colour are beside the paper around."""

    ink: float = 0.72
    """Of the paper's lightness: darker is drawn."""

    smallest: float = 24.0
    """Points: smaller pictures are signs and specks."""

    reach: float = 10.0
    """Points: parts of a picture lie no further apart."""

    even: int = 18
    """Standard deviation of lightness, of 255: what is more even along the edge is the lid."""

    large_png: int = 200_000
    """Pixels: larger pictures become JPEG, whose files are smaller."""


PICTURES = PictureSettings()


class Figures:
    """Looks at an upright page picture (RGB) for what is no text.

    a_point: pixels a point. words: boxes of the words, rules: drawn lines, all in points.
    """

    def __init__(self, picture: Pixels, a_point: float, words: Sequence[Box], rules: Sequence[Rule]) -> None:
        self._picture = picture
        self._a_point = a_point
        self._words = words
        factor = min(1.0, PRINT.search / 72 / a_point)
        self._small = scaled(picture, factor)
        self._scale = a_point * factor
        self._light, self._colour = _against_paper(self._small)
        self._text = np.zeros(self._light.shape, np.uint8)
        for box in words:
            self._fill(self._text, box.grown(PRINT.soft))
        self._lines = np.zeros(self._light.shape, np.uint8)
        for rule in rules:
            self._fill(self._lines, Box(rule.x1, rule.y1, rule.x2, rule.y2).grown(PRINT.soft))

    def boxes(self) -> list[Box]:
        """The places of pictures, in points, top to bottom."""
        marks = ((self._light < PICTURES.ink) | (self._colour > PRINT.faint)) & (self._text == 0) & (self._lines == 0)
        marks = pixels(cv2.morphologyEx(marks.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)))
        reach = max(3, round(PICTURES.reach * self._scale))
        joined = cv2.morphologyEx(marks, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        found: list[Box] = []
        for number in range(1, min(count, PRINT.bound)):
            x, y, width, height, _area = stats[number].tolist()
            part = np.s_[y : y + height, x : x + width]
            if self._is_picture(marks[part], labels[part] == number, x, y):
                s = self._scale
                found.append(Box(x / s, y / s, (x + width) / s, (y + height) / s))
        return sorted(_merged(found), key=lambda box: (box.top, box.left))

    def _is_picture(self, marks: NDArray[np.uint8], own: NDArray[np.bool_], x: int, y: int) -> bool:
        height, width = marks.shape
        if min(width, height) < PICTURES.smallest * self._scale or marks[own].sum() < PRINT.hair * width * height:
            return False
        page_height, page_width = self._light.shape
        if self._text[y : y + height, x : x + width].mean() > PRINT.less:
            return False
        at_edge = x <= 1 or y <= 1 or x + width >= page_width - 1 or y + height >= page_height - 1
        if not at_edge:
            return True
        # The scanner's lid and the shadow of a book's fold lie along the edge; they are even, or narrow.
        grey = cv2.cvtColor(self._small[y : y + height, x : x + width], cv2.COLOR_RGB2GRAY)
        inside = grey[(marks > 0) & own]
        narrow = width < PRINT.few * page_width or height < PRINT.few * page_height
        return not narrow and float(inside.std()) > PICTURES.even

    def cut(self, box: Box) -> Image:
        """The picture at a place."""
        s = self._a_point
        top, left = max(0, int(box.top * s)), max(0, int(box.left * s))
        part = self._picture[top : max(int(box.bottom * s), top + 1), left : max(int(box.right * s), left + 1)]
        return encoded(part)

    def background(self, pictures: Sequence[Box], grounds: Sequence[Ground]) -> Image | None:
        """The page without its words and pictures, None when that is plain paper.

        It lies behind text that flows, and so stands elsewhere than it was printed. What is dark is left out, since
        nothing could be read on it, and so are panels in the midst of the page, which other words would come to lie
        on, and the grounds, which words say themselves.
        """
        other = self._text.copy()
        for box in (*(box.grown(PRINT.soft) for box in pictures), *(g.box for g in grounds)):
            self._fill(other, box)
        tinted = (self._light < PRINT.nearly) | (self._colour > PRINT.contrast)
        left = _without_specks(tinted & (other == 0) & (self._lines == 0), 5)
        self._leave_lid(left)
        moving = _without_specks(self._light < PICTURES.ink, 5) | self._inner(left)
        left[moving > 0] = 0
        if left.mean() < PRINT.grain:
            return None
        edge = 2 * round(PRINT.soft * self._scale) + 1
        return self._without(other | pixels(cv2.dilate(moving, np.ones((edge, edge), np.uint8))))

    def _inner(self, marks: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return what lies in the midst of the page, and not along its edge or over much of it."""
        _count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
        height, width = marks.shape
        x, y, w, h = stats[:, 0], stats[:, 1], stats[:, 2], stats[:, 3]
        near = PRINT.soft * self._scale
        at_edge = (x <= near) | (y <= near) | (x + w >= width - near) | (y + h >= height - near)
        inner = ~at_edge & (w * h < PRINT.half * width * height)
        return pixels(inner[labels] & (marks > 0))

    def backdrop(self) -> Image | None:
        """The page without its words, pictures and rules included; None when that is plain paper."""
        seen = ((self._light < PICTURES.ink) | (self._colour > PRINT.faint)) & (self._text == 0)
        seen = pixels(cv2.morphologyEx(seen.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)))
        return self._without(self._text) if seen.any() or self._lines.any() else None

    def _without(self, hidden: NDArray[np.uint8]) -> Image:
        """The page with parts painted over from what is around them."""
        factor = min(1.0, PRINT.coarse / 72 / self._a_point)
        page = scaled(self._picture, factor)
        mask = cv2.resize(hidden, page.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        return encoded(np.asarray(cv2.inpaint(page, mask, PRINT.painted, cv2.INPAINT_TELEA), np.uint8))

    def _leave_lid(self, marks: NDArray[np.uint8]) -> None:
        """Take out what is even and grey along the edges: the scanner's lid or a table, not the page."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
        height, width = marks.shape
        grey = cv2.cvtColor(self._small, cv2.COLOR_RGB2GRAY)
        for number in range(1, min(count, PRINT.bound)):
            x, y, w, h, _area = stats[number].tolist()
            own = labels == number
            at_edge = x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1
            if (
                at_edge
                and float(grey[own].std()) < PICTURES.even
                and float(np.median(self._colour[own])) < PRINT.contrast
            ):
                marks[own] = 0

    def _fill(self, mask: NDArray[np.uint8], box: Box) -> None:
        s = self._scale
        mask[
            max(0, int(box.top * s)) : max(0, int(np.ceil(box.bottom * s))),
            max(0, int(box.left * s)) : max(0, int(np.ceil(box.right * s))),
        ] = 1


def encoded(part: Pixels) -> Image:
    """A picture (RGB) as a file: PNG where it is small, else JPEG."""
    height, width = part.shape[:2]
    buffer = io.BytesIO()
    picture = PIL.Image.fromarray(part)
    if width * height <= PICTURES.large_png:
        picture.save(buffer, "png")
        return Image(buffer.getvalue(), "png", width, height)
    picture.save(buffer, "jpeg", quality=PRINT.quality)
    return Image(buffer.getvalue(), "jpg", width, height)


def cut_from(sheet: Image, box: Box, a_point: float) -> Image:
    """A part of a page's picture, given in points; a_point: its pixels a point."""
    with PIL.Image.open(io.BytesIO(sheet.data)) as opened:
        left, top, right, bottom = (round(value * a_point) for value in box)
        return encoded(np.asarray(opened.convert("RGB").crop((left, top, max(right, left + 1), max(bottom, top + 1)))))


def _against_paper(page: Pixels) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Lightness as a share of the paper's around, and how far the colour is from the paper's, 0 to 255.

    The paper's own colour and the light that falls on it change slowly over the page; print does not, unless it is
    large, such as a photograph: then it has another colour than the paper elsewhere, which shadows have not.
    """
    height, width = page.shape[:2]
    size = max(3, min(height, width) // 6) | 1
    tiny = cv2.resize(page, (max(1, width // 8), max(1, height // 8)), interpolation=cv2.INTER_AREA)
    small = max(3, size // 8) | 1
    paper = cv2.morphologyEx(tiny, cv2.MORPH_CLOSE, np.ones((small, small), np.uint8))
    common = np.maximum(np.median(paper.reshape(-1, 3), axis=0), 1.0)
    beside = paper / common
    printed = (beside.max(axis=2) - beside.min(axis=2)) * 255 > PRINT.coloured
    paper[printed] = common.astype(np.uint8)
    paper = cv2.GaussianBlur(paper, (0, 0), max(small / 6, 1.0))
    paper = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    even = page.astype(np.float32) / np.maximum(paper, 1.0)
    light = even.mean(axis=2)
    colour = (even.max(axis=2) - even.min(axis=2)) * 255
    return light.astype(np.float32), colour


def _without_specks(marks: NDArray[np.bool_], size: int) -> Pixels:
    """Marks that are at least so many pixels wide and high."""
    return pixels(cv2.morphologyEx(marks.astype(np.uint8), cv2.MORPH_OPEN, np.ones((size, size), np.uint8)))


def _merged(boxes: list[Box]) -> list[Box]:
    """Boxes that lie over each other made one."""
    result: list[Box] = []
    for box in sorted(boxes, key=lambda b: -b.area):
        for number, other in enumerate(result):
            if other.overlap(box) > 0:
                result[number] = Box(
                    min(box.left, other.left),
                    min(box.top, other.top),
                    max(box.right, other.right),
                    max(box.bottom, other.bottom),
                )
                break
        else:
            result.append(box)
    return result
