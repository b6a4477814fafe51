"""Rules and bullets on a page picture."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.records import Rule
from paperchute.engine.reading.ocr.records import Pixels, pixels

_SEARCH = 2.0  # pixels a point: 144 dpi
_LONG_ACROSS, _LONG_DOWN = 24.0, 11.0  # points
_THICK = 4.0
_RELIEF = 10  # of 255
_MOST = 4_000
_DOT = (0.16, 0.62)  # of the size of running text
_DOT_FULL = 0.6
_DOT_DARK = 0.6  # of the paper around: grain is paler


def rules_and_dots(picture: Pixels, a_point: float, words: Sequence[Box], size: float) -> tuple[list[Rule], list[Box]]:
    """Drawn straight lines, and small full spots that may be bullets, in points.

    picture: the upright page, RGB; a_point: its pixels a point; words: boxes of the page's words in points; size: of
    its running text in points.
    """
    factor = min(1.0, _SEARCH / a_point)
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else picture
    a_point *= factor
    grey = pixels(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
    dark = _dark(grey)
    flat = _strokes(dark, max(round(_LONG_ACROSS * a_point), 12), across=True)
    tall = _strokes(dark, max(round(_LONG_DOWN * a_point), 8), across=False)
    flat = [box for box in flat if _is_thin(box[3], box[2], a_point)]
    tall = [box for box in tall if _is_thin(box[2], box[3], a_point)]
    rules = [
        _rule(box, a_point, across=across, edge=sides == 1)
        for across, boxes, page in ((True, flat, grey), (False, [_turned(box) for box in tall], grey.T))
        for box in boxes
        if (sides := _lighter_sides(page, box))
    ]
    grid = _Grid(words)
    rules = [rule for rule in rules if not grid.is_letter(rule)]
    return rules, _dots(grey, dark, a_point, grid, size)


def _dark(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """1 where a pixel is darker than its surroundings, whatever the light."""
    around = 2 * (min(31, *grey.shape) // 2) + 1
    return np.asarray(
        cv2.adaptiveThreshold(grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, max(around, 3), 14), np.uint8
    )


def _strokes(dark: NDArray[np.uint8], length: int, *, across: bool) -> list[tuple[int, int, int, int]]:
    """Straight runs of at least `length` pixels as (x, y, width, height)."""
    # A line that is a little askew steps from row to row: thickened first, it stays in one piece.
    thick = cv2.dilate(dark, np.ones((3, 1) if across else (1, 3), np.uint8))
    kernel = np.ones((1, length) if across else (length, 1), np.uint8)
    runs = cv2.morphologyEx(thick, cv2.MORPH_OPEN, kernel)
    count, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    found = []
    for x, y, width, height, _area in stats[1 : min(count, _MOST)].tolist():
        found.append((x, y + 1, width, max(height - 2, 1)) if across else (x + 1, y, max(width - 2, 1), height))
    return found


def _is_thin(thickness: int, length: int, a_point: float) -> bool:
    return thickness <= max(_THICK * a_point, 3) and thickness * 4 <= length


def _turned(box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    x, y, width, height = box
    return y, x, height, width


def _lighter_sides(grey: NDArray[np.uint8], box: tuple[int, int, int, int]) -> int:
    """On how many sides of a lying stroke it is lighter: two for a rule, one for the edge of a filled area."""
    x, y, width, height = box
    own = float(grey[y : y + height, x : x + width].mean())
    columns, end = slice(x, x + width), y + height
    sides = grey[max(y - 4, 0) : max(y - 1, 0), columns], grey[end + 1 : end + 4, columns]
    return sum(side.size > 0 and float(side.mean()) > own + _RELIEF for side in sides)


def _rule(box: tuple[int, int, int, int], a_point: float, *, across: bool, edge: bool) -> Rule:
    """A rule from a lying box; one that stands was turned to lie."""
    x, y, width, height = box
    middle = (y + height / 2) / a_point
    start, end = x / a_point, (x + width) / a_point
    return Rule(start, middle, end, middle, edge) if across else Rule(middle, start, middle, end, edge)


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

    def is_letter(self, rule: Rule) -> bool:
        """Whether a stroke is part of a letter: the stem of an l, a dash, a row of joined letters."""
        x, y = (rule.x1 + rule.x2) / 2, (rule.y1 + rule.y2) / 2
        if not rule.horizontal:
            return any(
                box.holds(x, y, 1.0) and rule.y2 - rule.y1 < 1.5 * box.height + 2.0 and box.left + 0.3 < x < box.right
                for box in self.near(y)
            )
        crossed = sum(
            max(0.0, min(rule.x2, box.right) - max(rule.x1, box.left))
            for box in self.near(y)
            if box.top + 0.12 * box.height < y < box.bottom - 0.05 * box.height
        )
        return crossed > 0.5 * (rule.x2 - rule.x1)

    def covers(self, box: Box) -> bool:
        x, y = box.center
        return any(word.holds(x, y, 0.5) for word in self.near(y))


def _dots(grey: NDArray[np.uint8], dark: NDArray[np.uint8], a_point: float, grid: _Grid, size: float) -> list[Box]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    least, most = (share * size * a_point for share in _DOT)
    found = []
    for x, y, width, height, area in stats[1:count].tolist():
        if not (least <= min(width, height) and max(width, height) <= most):
            continue
        if max(width, height) > 1.5 * min(width, height) or area < _DOT_FULL * width * height:
            continue
        box = Box(x / a_point, y / a_point, (x + width) / a_point, (y + height) / a_point)
        around = grey[max(y - 3, 0) : y + height + 3, max(x - 3, 0) : x + width + 3]
        core = grey[y : y + height, x : x + width]
        if not grid.covers(box) and float(np.median(core)) < _DOT_DARK * float(np.percentile(around, 90)):
            found.append(box)
    return found[:_MOST]
