"""The signs that lines were overlooked, however surely the others read: ink without a word, a word over words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import scaled
from paperchute.engine.reading.ocr.recognised import Pixels, SeenWord, pixels


@dataclass(frozen=True, slots=True)
class UnreadSettings:
    """What counts as ink. Lengths are pixels of the picture in which lines are looked for, about 100 an inch."""

    edge: int = 30
    """Levels of grey between ink and paper, at least: less is grain, shadow and what shines through. 36 sample scans
    have 40 and more at the faintest letters."""

    rule: int = 17
    """Longer straight runs of edge are rules and frames, those of small cells too: common type is 14 high. Boxed digits
    are left over at 23 and more."""

    strokes: float = 0.075
    """Turns of grey, up and down again, a pixel along a row: fine print, of which several lines are taken for one mark,
    has 0.1 and more, the marks that are seen in 12 photographs 0.05 and less."""


UNREAD = UnreadSettings()

Mask = NDArray[np.uint8]


def around(word: SeenWord) -> Box:
    """A word with the ink that belongs to it."""
    return word.box.grown(PRINT.quarter * word.size)


def unread_ink(picture: Pixels, boxes: Iterable[Box], scale: float) -> float:
    """The share of the edges of ink on an upright picture (RGB) that lies outside of all boxes; 0 for a blank one.

    boxes: of words or lines, in pixels. scale: of the picture in which lines were looked for. Pages that are read well
    have 0.003 or less, those of which lines are overlooked 0.5 and more; photographs and drawings count as ink, too.
    """
    ink = _ink(scaled(pixels(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)), scale))
    total = int(np.count_nonzero(ink))
    for box in boxes:
        left, top, right, bottom = (round(value * scale) for value in box)
        ink[max(top, 0) : max(bottom + 1, 0), max(left, 0) : max(right + 1, 0)] = 0
    return int(np.count_nonzero(ink)) / total if total else 0.0


def may_be_print(picture: Pixels, boxes: Sequence[Box], scale: float) -> bool:
    """Decide whether marks, or without any the page, may be lines of small type and not a photograph.

    boxes: of the marks on the upright picture (RGB), in pixels. scale: of the picture in which lines were looked for.
    """
    height, width = picture.shape[:2]
    grey = scaled(pixels(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)), scale)
    for box in boxes or [Box(0.0, 0.0, float(width), float(height))]:
        left, top, right, bottom = (max(round(value * scale), 0) for value in box)
        levels = grey[top : bottom + 1, left : right + 1].astype(np.int16)
        step = levels[:, 1:] - levels[:, :-1]
        steep = np.abs(step) > UNREAD.edge / 2
        turns = (step[:, 1:] * step[:, :-1] < 0) & steep[:, 1:] & steep[:, :-1]
        if np.count_nonzero(turns) > UNREAD.strokes * step.size:
            return True
    return False


def is_stamped_over(words: Sequence[SeenWord]) -> bool:
    """Tell whether a large word lies over others: of the lines under a stamp some are not found, some not read well."""
    if not words:
        return False
    boxes = np.array([word.box for word in words])
    heights = boxes[:, 3] - boxes[:, 1]
    areas = np.maximum((boxes[:, 2] - boxes[:, 0]) * heights, 1.0)
    for number in np.flatnonzero(heights > PRINT.twice * median(heights)):
        left_top = np.maximum(boxes[:, :2], boxes[number, :2])
        right_bottom = np.minimum(boxes[:, 2:], boxes[number, 2:])
        shared = np.clip(right_bottom - left_top, 0, None).prod(axis=1) / areas
        if ((shared > PRINT.half) & (heights[number] > PRINT.twice * heights)).any():
            return True
    return False


def _ink(grey: Mask) -> Mask:
    """The edges of all ink but rules."""
    square = np.ones((3, 3), np.uint8)
    edges = cv2.morphologyEx(cv2.medianBlur(grey, 3), cv2.MORPH_GRADIENT, square)
    level, _ = cv2.threshold(edges, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ink: Mask = np.asarray(edges > max(level, UNREAD.edge), np.uint8)
    for shape in ((1, UNREAD.rule), (UNREAD.rule, 1)):
        rules = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones(shape, np.uint8))
        ink[cv2.dilate(rules, square) > 0] = 0
    return ink
