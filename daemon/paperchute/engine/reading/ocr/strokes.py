"""What is drawn on a page picture: rules, bullets and lone dashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled
from paperchute.engine.reading.layout.marks import Rule
from paperchute.engine.reading.ocr.recognised import Corners, Pixels, line_size, pixels


@dataclass(frozen=True, slots=True)
class PictureStrokeSettings:
    """Which strokes on a page's picture are rules. Lengths are points where nothing else is said."""

    search: float = 2.0
    """Pixels a point in which is searched: 144 dpi, at which half a point is a pixel. At 150 a dash alone in a noisy
    cell is lost."""

    long_across: float = 24.0
    """Of a lying rule: longer than dashes and joined letters."""

    long_down: float = 11.0
    """Of a standing rule: the wall of a low cell; stems of letters are taken off afterwards."""

    thick: float = 4.0
    """Of a rule; thicker ones are areas. Along as much a fine stroke is averaged, so that noise goes and it stays."""

    relief: int = 10
    """Of 255: by so much a rule is darker than the paper beside it."""

    fine: int = 5
    """Pixels: thicker than a fine stroke."""

    line: float = 17.0
    """The height of a found line of common type, by which a picture of unknown size is scaled."""

    inside: float = 0.3
    """From a word's left and right end: nearer strokes stand beside the word."""


RULES = PictureStrokeSettings()


@dataclass(frozen=True, slots=True)
class SpotSettings:
    """Which spots on a page's picture are bullets and lone dashes. Lengths are shares of the size of running text."""

    dot: tuple[float, float] = (0.16, 0.62)
    """The sides of a bullet."""

    dash: tuple[float, float] = (0.2, 0.75)
    """The length of a dash."""


SPOTS = SpotSettings()


_Place = tuple[int, int, int, int]
"""x, y, width, height in pixels."""


class Stroke(NamedTuple):
    """A stroke's place in pixels. across: it lies rather than stands. edge: lighter on one side only."""

    x: int
    y: int
    width: int
    height: int
    across: bool
    edge: bool


def long_strokes(grey: NDArray[np.uint8], a_point: float) -> list[Stroke]:
    """The long straight strokes of a picture with about `PRINT.coarse` pixels an inch (`a_point`: a point).

    These are rules, and what of letters looks like one.
    """
    dark = dark_on(grey)
    across, down = max(round(RULES.long_across * a_point), 12), max(round(RULES.long_down * a_point), 8)
    found = [Stroke(*box, True, edge) for box, edge in _across(grey, dark, a_point, across)]
    for (x, y, width, height), edge in _across(_turned(grey), _turned(dark), a_point, down):
        found.append(Stroke(y, x, height, width, False, edge))
    return found


def dark_on(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """1 where a pixel is darker than its surroundings, whatever the light."""
    around = 2 * (min(31, *grey.shape) // 2) + 1
    return np.asarray(
        cv2.adaptiveThreshold(grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, max(around, 3), 14), np.uint8
    )


def _across(grey: NDArray[np.uint8], dark: NDArray[np.uint8], a_point: float, length: int) -> list[tuple[_Place, bool]]:
    """Lying strokes of at least `length` pixels; with each whether it is an edge.

    Fine ones, however pale, and the thick ones that are dark.
    """
    even = max(round(RULES.thick * a_point), 3)
    depth = _depth(grey, even)
    least = max(RULES.relief, PRINT.several * float(np.median(depth[::3, ::3])))
    fine = (depth > least).astype(np.uint8)
    found = [(_ended(box, depth, even), False) for box in _runs(fine, length) if _is_thin(box, a_point)]
    thick = pixels(cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((RULES.fine - 1, 1), np.uint8)))
    for box in _runs(thick, length):
        if _is_thin(box, a_point) and (sides := _lighter_sides(grey, box)):
            found.append((box, sides == 1))
    return found


def _depth(grey: NDArray[np.uint8], even: int) -> NDArray[np.uint8]:
    """By how much a lying stroke of a few pixels is darker than what is above and below it.

    Laid even along the stroke first, over so many pixels, noise goes and the stroke stays; so what is too pale for
    letters is found, and letters close to it, which darken its surroundings, do not cut it.
    """
    laid = cv2.blur(grey, (even, 1), borderType=cv2.BORDER_REPLICATE)
    return pixels(cv2.morphologyEx(laid, cv2.MORPH_BLACKHAT, np.ones((RULES.fine, 1), np.uint8)))


def _ended(box: _Place, depth: NDArray[np.uint8], even: int) -> _Place:
    """A stroke without what laying it even over so many pixels has put to its ends.

    Where half of it is left, it ended.
    """
    x, y, width, height = box
    along = depth[y : y + height, x : x + width].max(axis=0)
    start, end = (int(np.argmax(ends[:even] >= PRINT.half * ends[even - 1])) for ends in (along, along[::-1]))
    return x + start, y, width - start - end, height


def _runs(mask: NDArray[np.uint8], length: int) -> list[_Place]:
    """Runs of at least `length` pixels across as (x, y, width, height).

    A stroke a little askew steps from one row to the next and stays in one piece, as both rows show it for a while.
    """
    runs = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    # Quicker than to number all pixels. A contour begins at its upper left end.
    contours, levels = cv2.findContours(runs, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    outer = [contour for contour, level in zip(contours, levels[0], strict=True) if level[3] < 0] if contours else []
    outer.sort(key=lambda contour: contour[0, 0, ::-1].tolist())
    return [(x, y, width, height) for x, y, width, height in map(cv2.boundingRect, outer[: PRINT.bound])]


def _is_thin(box: _Place, a_point: float) -> bool:
    _, _, width, height = box
    return height <= max(RULES.thick * a_point, 3) and height * PRINT.several <= width


def _lighter_sides(grey: NDArray[np.uint8], box: _Place) -> int:
    """On how many sides of a lying stroke it is lighter: two for a rule, one for the edge of a filled area."""
    x, y, width, height = box
    own = float(grey[y : y + height, x : x + width].mean())
    columns, end = slice(x, x + width), y + height
    sides = grey[max(y - 4, 0) : max(y - 1, 0), columns], grey[end + 1 : end + 4, columns]
    return sum(side.size > 0 and float(side.mean()) > own + RULES.relief for side in sides)


def _turned(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows as columns."""
    return np.ascontiguousarray(values.T)


def without_rules(picture: Pixels, lines: Sequence[Corners]) -> Pixels:
    """The picture (RGB) with the rules painted over that may touch the text lines found on it; else itself.

    Where letters are measured, the wall of a table's cell is none of their ink. What is not surely longer than a letter
    of the line that it runs through stays.
    """
    heights = sorted(line_size(corners)[1] for corners in lines)
    if not heights:
        return picture
    usual = heights[len(heights) // 2]
    factor = min(1.0, RULES.search * RULES.line / usual)
    small = scaled(picture, factor) if factor < 1 else picture
    grey = pixels(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
    boxes = [(corners.min(0) * factor, corners.max(0) * factor) for corners in lines]
    tops = np.array([box[0] for box in boxes])
    ends = np.array([box[1] for box in boxes])
    result = picture
    for stroke in long_strokes(grey, usual * factor / RULES.line):
        if not stroke.edge and _is_rule(stroke, usual * factor, tops, ends):
            if result is picture:
                result = picture.copy()
            paint_over(result, stroke, 1 / factor)
    return result


def _is_rule(stroke: Stroke, usual: float, tops: NDArray[np.float32], ends: NDArray[np.float32]) -> bool:
    """Decide whether a stroke is longer than letters are, and runs along lines of text rather than through them."""
    if max(stroke.width, stroke.height) < PRINT.thrice * usual:
        return False
    x, y = stroke.x + stroke.width / 2, stroke.y + stroke.height / 2
    if not stroke.across:
        through = (tops[:, 0] < x) & (x < ends[:, 0]) & (tops[:, 1] < y) & (y < ends[:, 1])
        return not bool((stroke.height < PRINT.thrice * (ends - tops)[through, 1]).any())
    high = ends[:, 1] - tops[:, 1]
    through = (tops[:, 1] + PRINT.quarter * high < y) & (y < ends[:, 1] - PRINT.quarter * high)
    common = np.minimum(ends[through, 0], stroke.x + stroke.width) - np.maximum(tops[through, 0], stroke.x)
    return float(np.maximum(common, 0).sum()) < PRINT.part * stroke.width


def paint_over(picture: Pixels, stroke: Stroke, scale: float = 1.0) -> None:
    """Put the mean of what is on both sides in a stroke's place; `scale`: from its pixels to the picture's."""
    if not stroke.across:
        picture = picture.swapaxes(0, 1)
        stroke = Stroke(stroke.y, stroke.x, stroke.height, stroke.width, True, stroke.edge)
    first = max(int((stroke.y - 1) * scale), 0)
    last = min(int(np.ceil((stroke.y + stroke.height + 1) * scale)), picture.shape[0])
    columns = slice(max(int(stroke.x * scale), 0), int(np.ceil((stroke.x + stroke.width) * scale)))
    above = picture[max(first - 1, 0), columns].astype(np.uint16)
    below = picture[min(last, picture.shape[0] - 1), columns].astype(np.uint16)
    picture[first:last, columns] = ((above + below) // 2).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn on a page and is neither text nor picture, in points.

    dots: small full spots that may be bullets; dashes: short lying strokes that may stand for a value.
    """

    rules: list[Rule]
    dots: list[Box]
    dashes: list[Box]


def drawn_on(picture: Pixels, a_point: float, words: Sequence[Box], size: float) -> Drawn:
    """Look for what is drawn.

    picture: the upright page, RGB; a_point: its pixels a point; words: boxes of the page's words in points; size: of
    its running text in points.
    """
    factor = min(1.0, RULES.search / a_point)
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else picture
    a_point *= factor
    grey = pixels(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
    grid = _Grid(words)
    found = (_rule(stroke, a_point) for stroke in long_strokes(grey, a_point))
    rules = [rule for stroke in found if (rule := grid.without_letters(stroke))]
    dots, dashes = _spots(grey, dark_on(grey), a_point, grid, size)
    return Drawn(rules, dots, dashes)


def _rule(stroke: Stroke, a_point: float) -> Rule:
    x, y = (stroke.x + stroke.width / 2) / a_point, (stroke.y + stroke.height / 2) / a_point
    if stroke.across:
        return Rule(stroke.x / a_point, y, (stroke.x + stroke.width) / a_point, y, stroke.edge)
    return Rule(x, stroke.y / a_point, x, (stroke.y + stroke.height) / a_point, stroke.edge)


class _Grid:
    """Finds the words near a place."""

    _CELL = 24.0

    def __init__(self, words: Sequence[Box]) -> None:
        self._rows: dict[int, list[Box]] = {}
        for box in words:
            for row in range(int(box.top // self._CELL), int(box.bottom // self._CELL) + 1):
                self._rows.setdefault(row, []).append(box)

    def near(self, y: float) -> list[Box]:
        return self._rows.get(int(y // self._CELL), [])

    def without_letters(self, rule: Rule) -> Rule | None:
        """A stroke without what of it belongs to letters; None where that is all."""
        return (None if self._is_letters(rule) else rule) if rule.horizontal else self._without_stems(rule)

    def _is_letters(self, rule: Rule) -> bool:
        """Decide whether a lying stroke is part of letters: a dash, or a row of joined ones."""
        y = rule.y1
        crossed = sum(
            max(0.0, min(rule.x2, box.right) - max(rule.x1, box.left))
            for box in self.near(y)
            if box.top + PRINT.few * box.height < y < box.bottom - PRINT.hair * box.height
        )
        return crossed > PRINT.half * (rule.x2 - rule.x1)

    def _without_stems(self, rule: Rule) -> Rule | None:
        """A standing stroke without letters' stems that lengthen it.

        None where it is nothing but the stem of a letter, or those of several lines over each other.
        """
        x, top, bottom = rule.x1, rule.y1, rule.y2
        inside = [box for box in self._between(top, bottom) if box.left + RULES.inside < x < box.right - RULES.inside]
        crossed = sum(min(bottom, box.bottom) - max(top, box.top) for box in inside)
        middle = (top + bottom) / 2
        if any(
            box.top - 1 <= middle <= box.bottom + 1 and bottom - top < PRINT.longer * box.height + PRINT.soft
            for box in inside
        ):
            return None
        if len(inside) > 1 and crossed > PRINT.half * (bottom - top):
            return None
        for box in inside:
            if box.top - 1 <= top:
                top = max(top, box.bottom)
            elif box.bottom + 1 >= bottom:
                bottom = min(bottom, box.top)
        return rule._replace(y1=top, y2=bottom) if bottom - top >= PRINT.half * RULES.long_down else None

    def _between(self, top: float, bottom: float) -> list[Box]:
        """The words that reach into a range of heights."""
        rows = range(int(top // self._CELL), int(bottom // self._CELL) + 1)
        found = {id(box): box for row in rows for box in self._rows.get(row, [])}
        return [box for box in found.values() if box.bottom > top and box.top < bottom]

    def covers(self, box: Box) -> bool:
        x, y = box.center
        return any(word.holds(x, y, 0.5) for word in self.near(y))


def _spots(
    grey: NDArray[np.uint8], dark: NDArray[np.uint8], a_point: float, grid: _Grid, size: float
) -> tuple[list[Box], list[Box]]:
    """Dots and dashes: small, full, as dark as print, and no part of a word."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    em = size * a_point
    dots: list[Box] = []
    dashes: list[Box] = []
    for x, y, width, height, area in stats[1:count].tolist():
        small, large = sorted((width, height))
        is_dot = SPOTS.dot[0] * em <= small and large <= min(SPOTS.dot[1] * em, PRINT.longer * small)
        thick = PRINT.slight * em + 1  # a scanner's soft edge makes a thin stroke up to a pixel thicker
        is_dash = SPOTS.dash[0] * em <= width <= SPOTS.dash[1] * em and 1 <= height <= thick and width >= 2 * height
        if not (is_dot or is_dash) or area < PRINT.more * width * height:
            continue
        box = Box(x / a_point, y / a_point, (x + width) / a_point, (y + height) / a_point)
        around = grey[max(y - 3, 0) : y + height + 3, max(x - 3, 0) : x + width + 3]
        core = grey[y : y + height, x : x + width]
        if not grid.covers(box) and float(np.percentile(core, 25)) < PRINT.more * float(np.percentile(around, 90)):
            (dots if is_dot else dashes).append(box)
    return dots[: PRINT.bound], dashes[: PRINT.bound]
