"""Rules, bullets and lone dashes on a page picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
_FINE = 5  # pixels: thicker than a fine stroke
_EVEN = 4.0  # points along which a fine stroke is laid even
_NOISE = 4.0
_MOST = 4_000
_DOT = (0.16, 0.62)  # of the size of running text
_DASH, _DASH_THICK = (0.2, 0.75), 0.16
_DOT_FULL = 0.6
_DOT_DARK = 0.6  # of the paper around: grain is paler


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
    factor = min(1.0, _SEARCH / a_point)
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else picture
    a_point *= factor
    grey = pixels(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
    dark = _dark(grey)
    across, down = max(round(_LONG_ACROSS * a_point), 12), max(round(_LONG_DOWN * a_point), 8)
    grid = _Grid(words)
    rules = [rule for rule in _rules_across(grey, dark, a_point, across) if not grid.is_letter(rule)]
    standing = map(_upended, _rules_across(_turned(grey), _turned(dark), a_point, down))
    rules += [rule for stroke in standing if (rule := grid.without_stems(stroke))]
    dots, dashes = _spots(grey, dark, a_point, grid, size)
    return Drawn(rules, dots, dashes)


def _dark(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """1 where a pixel is darker than its surroundings, whatever the light."""
    around = 2 * (min(31, *grey.shape) // 2) + 1
    return np.asarray(
        cv2.adaptiveThreshold(grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, max(around, 3), 14), np.uint8
    )


def _rules_across(grey: NDArray[np.uint8], dark: NDArray[np.uint8], a_point: float, length: int) -> list[Rule]:
    """Lying rules of at least `length` pixels: fine ones, however pale, and the thick ones that are dark."""
    found = [_rule(box, a_point, edge=False) for box in _runs(_fine(grey, a_point), length) if _is_thin(box, a_point)]
    thick = pixels(cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((_FINE - 1, 1), np.uint8)))
    for box in _runs(thick, length):
        if _is_thin(box, a_point) and (sides := _lighter_sides(grey, box)):
            found.append(_rule(box, a_point, edge=sides == 1))
    return found


def _fine(grey: NDArray[np.uint8], a_point: float) -> NDArray[np.uint8]:
    """1 where a lying stroke of a few pixels is darker than what is above and below it.

    Laid even along the stroke first, noise goes and the stroke stays; so what is too pale for letters is found, and
    letters close to it, which darken its surroundings, do not cut it.
    """
    even = cv2.blur(grey, (max(round(_EVEN * a_point), 3), 1), borderType=cv2.BORDER_REPLICATE)
    depth = cv2.morphologyEx(even, cv2.MORPH_BLACKHAT, np.ones((_FINE, 1), np.uint8))
    noise = float(np.median(depth[::3, ::3]))
    return (depth > max(_RELIEF, _NOISE * noise)).astype(np.uint8)


def _runs(mask: NDArray[np.uint8], length: int) -> list[tuple[int, int, int, int]]:
    """Runs of at least `length` pixels across as (x, y, width, height); a stroke a little askew steps from one row to
    the next and stays in one piece, as both rows show it for a while."""
    runs = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    return [(x, y, width, height) for x, y, width, height, _area in stats[1 : min(count, _MOST)].tolist()]


def _is_thin(box: tuple[int, int, int, int], a_point: float) -> bool:
    _, _, width, height = box
    return height <= max(_THICK * a_point, 3) and height * 4 <= width


def _lighter_sides(grey: NDArray[np.uint8], box: tuple[int, int, int, int]) -> int:
    """On how many sides of a lying stroke it is lighter: two for a rule, one for the edge of a filled area."""
    x, y, width, height = box
    own = float(grey[y : y + height, x : x + width].mean())
    columns, end = slice(x, x + width), y + height
    sides = grey[max(y - 4, 0) : max(y - 1, 0), columns], grey[end + 1 : end + 4, columns]
    return sum(side.size > 0 and float(side.mean()) > own + _RELIEF for side in sides)


def _rule(box: tuple[int, int, int, int], a_point: float, *, edge: bool) -> Rule:
    x, y, width, height = box
    middle = (y + height / 2) / a_point
    return Rule(x / a_point, middle, (x + width) / a_point, middle, edge)


def _turned(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows as columns."""
    return np.ascontiguousarray(values.T)


def _upended(rule: Rule) -> Rule:
    return Rule(rule.y1, rule.x1, rule.y2, rule.x2, rule.edge)


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
        """Whether a lying stroke is part of letters: a dash, or a row of joined ones."""
        y = rule.y1
        crossed = sum(
            max(0.0, min(rule.x2, box.right) - max(rule.x1, box.left))
            for box in self.near(y)
            if box.top + 0.12 * box.height < y < box.bottom - 0.05 * box.height
        )
        return crossed > 0.5 * (rule.x2 - rule.x1)

    def without_stems(self, rule: Rule) -> Rule | None:
        """A standing stroke without letters' stems that lengthen it; None where it is nothing but the stem of a letter,
        or those of several lines over each other."""
        x, top, bottom = rule.x1, rule.y1, rule.y2
        inside = [box for box in self._between(top, bottom) if box.left + 0.3 < x < box.right - 0.3]
        crossed = sum(min(bottom, box.bottom) - max(top, box.top) for box in inside)
        middle = (top + bottom) / 2
        if any(box.top - 1 <= middle <= box.bottom + 1 and bottom - top < 1.5 * box.height + 2.0 for box in inside):
            return None
        if len(inside) > 1 and crossed > 0.5 * (bottom - top):
            return None
        for box in inside:
            if box.top - 1 <= top:
                top = max(top, box.bottom)
            elif box.bottom + 1 >= bottom:
                bottom = min(bottom, box.top)
        return rule._replace(y1=top, y2=bottom) if bottom - top >= _LONG_DOWN / 2 else None

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
        is_dot = _DOT[0] * em <= small and large <= min(_DOT[1] * em, 1.5 * small)
        is_dash = (
            _DASH[0] * em <= width <= _DASH[1] * em and 1 <= height <= max(_DASH_THICK * em, 2) and width >= 2 * height
        )
        if not (is_dot or is_dash) or area < _DOT_FULL * width * height:
            continue
        box = Box(x / a_point, y / a_point, (x + width) / a_point, (y + height) / a_point)
        around = grey[max(y - 3, 0) : y + height + 3, max(x - 3, 0) : x + width + 3]
        core = grey[y : y + height, x : x + width]
        if not grid.covers(box) and float(np.percentile(core, 25)) < _DOT_DARK * float(np.percentile(around, 90)):
            (dots if is_dot else dashes).append(box)
    return dots[:_MOST], dashes[:_MOST]
