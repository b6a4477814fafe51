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
from paperchute.engine.reading.ocr.strokes import SEARCH, Stroke, dark_on, long_strokes

_MOST = 4_000
_LEAST_LEFT = 5.5  # points of a standing stroke, when letters are taken off
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
    factor = min(1.0, SEARCH / a_point)
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
        """Whether a lying stroke is part of letters: a dash, or a row of joined ones."""
        y = rule.y1
        crossed = sum(
            max(0.0, min(rule.x2, box.right) - max(rule.x1, box.left))
            for box in self.near(y)
            if box.top + 0.12 * box.height < y < box.bottom - 0.05 * box.height
        )
        return crossed > 0.5 * (rule.x2 - rule.x1)

    def _without_stems(self, rule: Rule) -> Rule | None:
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
        return rule._replace(y1=top, y2=bottom) if bottom - top >= _LEAST_LEFT else None

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
        thick = _DASH_THICK * em + 1  # a scanner's soft edge makes a thin stroke up to a pixel thicker
        is_dash = _DASH[0] * em <= width <= _DASH[1] * em and 1 <= height <= thick and width >= 2 * height
        if not (is_dot or is_dash) or area < _DOT_FULL * width * height:
            continue
        box = Box(x / a_point, y / a_point, (x + width) / a_point, (y + height) / a_point)
        around = grey[max(y - 3, 0) : y + height + 3, max(x - 3, 0) : x + width + 3]
        core = grey[y : y + height, x : x + width]
        if not grid.covers(box) and float(np.percentile(core, 25)) < _DOT_DARK * float(np.percentile(around, 90)):
            (dots if is_dot else dashes).append(box)
    return dots[:_MOST], dashes[:_MOST]
