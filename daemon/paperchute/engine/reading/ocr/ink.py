"""The ink of a line: where its words begin and end, how large its letters are, where they stand, how thick they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from statistics import median
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import runs_of
from paperchute.engine.reading.ocr.amounts import (
    Mark,
    is_amount,
    is_borne_out,
    marks_of,
    may_be_swung,
    minus_of,
)
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.recognition import Reading, is_figure, is_wide
from paperchute.engine.reading.ocr.spaces import edges, parted


@dataclass(frozen=True, slots=True)
class InkSettings:
    """How letters are measured. Extents are shares of the font size, means over common text faces."""

    ascent: float = 0.715
    """Of tall letters above the baseline."""

    accents: float = 0.92
    """Of accents on capitals above the baseline, and of Han characters in all; accents on small letters are
    about as high as tall ones."""

    x_height: float = 0.51
    """Of small letters above the baseline."""

    descent: float = 0.21
    """Of deep letters below the baseline."""

    wide_below: float = 0.08
    """Of Han characters below the baseline."""

    most_along: int = 255
    """Pixels along a line over which its paper has one level, at the most: what OpenCV takes."""

    paper: int = 230
    """Of 255: the level to which the paper is brought."""

    grain: int = 12
    """Levels by which the paper's grain is darker: no ink."""

    most_window: int = 128
    """Pixels of the shorter side in which the paper's level is found: a bound on time, which grows with the window."""


INK = InkSettings()


# Shares of the font size, means over common text faces; letters by how far they reach.
_TALL_LETTERS = frozenset("bdfhklt0123456789ßþðđħłŁ!?&%$€£§")
_DEEP_LETTERS = frozenset("gjpqyçşţģķļņŗ")
_BOTH = frozenset("()[]{}|/\\@ſƒþ")
_SMALL_LETTERS = frozenset("acemnorsuvwxzæœıøð")
_OWN_DEPTH = frozenset("J")
"""Letters that some faces set on the baseline and others below it."""

_LEADERS = re.compile(r"[.·…]{2,}")
"""Dots that lead to a figure: one more or less of them changes nothing."""

_ABOVE = 230
"""Unicode's combining class of accents above a letter."""


@dataclass(frozen=True, slots=True)
class InkWord:
    """A word of a line picture, in its pixels. height: of its ink; stroke: thickness, 0 unknown."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    stroke: float
    confidence: float


@dataclass(frozen=True, slots=True)
class InkLine:
    """The words of a line with what they have in common: font size and baseline in pixels of its picture.

    sized: whether its letters tell these; else they are rough.
    """

    words: list[InkWord]
    size: float
    baseline: float
    sized: bool = True

    @property
    def stroke(self) -> tuple[float, int]:
        """The mean thickness of its letters, as a share of its size, and how many there are."""
        known = [(w.stroke, len(w.text)) for w in self.words if w.stroke and any(map(str.isalnum, w.text))]
        total = sum(weight for _, weight in known)
        mean = sum(stroke * weight for stroke, weight in known) / total if total else 0.0
        return mean / self.size if self.size else 0.0, total


def ink_line(picture: Pixels, reading: Reading, painted: NDArray[np.bool_] | None = None) -> InkLine | None:
    """Words with their places for a line picture (RGB) and what was read on it; None when nothing was.

    painted: the columns in which a rule was painted over, and with it what it hid.
    """
    found = ink_of(picture)
    ink, height = found.mask, found.mask.shape[0]
    walls = found.walls if painted is None else found.walls | painted
    columns = np.asarray(ink.any(axis=0))
    words = []
    for first, last in parted(reading, columns, walls, height):
        text = reading.text[first:last].strip()
        if text:
            words.append((first, last, text))
    if not words:
        return None
    ends = edges(words, reading, columns)
    measured = [
        _measured(ink, text, left, right, _confidence(reading, first, last))
        for (first, last, text), (left, right) in zip(words, ends, strict=True)
    ]
    size, baseline, is_sized = _letters(measured, height)
    if any(is_amount(text) for _, _, text in words):
        measured = _doubted(measured, [first for first, _, _ in words], reading, found, size)
    return InkLine(measured, size, baseline, is_sized)


def _doubted(
    words: Sequence[InkWord], starts: Sequence[int], reading: Reading, ink: LineInk, size: float
) -> list[InkWord]:
    """The words, amounts unsure that their ink does not bear out. starts: the first character of each."""
    marks = marks_of(ink.mask)
    edges_ = [0.0, *(word.right for word in words[:-1])], [*(word.left for word in words[1:]), float(ink.mask.shape[1])]
    result = []
    for word, start, low, high in zip(words, starts, *edges_, strict=True):
        own = [mark for mark in marks if low <= (mark.left + mark.right) / 2 <= high]
        if is_amount(word.text) and not _is_borne_out(word.text, own, start, reading, ink, size):
            word = replace(word, confidence=min(word.confidence, PRINT.half))
        result.append(word)
    return result


def _is_borne_out(text: str, marks: Sequence[Mark], start: int, reading: Reading, ink: LineInk, size: float) -> bool:
    if not is_borne_out(text, marks, ink.mask.shape[1]):
        return False
    minus = minus_of(text, marks)
    if minus is None or reading.swung is None:
        return True
    number, sign = minus
    return not may_be_swung(ink.dark, sign, size, float(reading.swung[start + number]))


def _confidence(reading: Reading, first: int, last: int) -> float:
    """How surely a word was read: the mean likelihood of its characters, but of a figure that of its least sure one.

    A word is still told with a letter amiss, while an amount hangs on each of its digits, points and signs.
    """
    text, scores = reading.text[first:last], reading.scores[first:last]
    if not is_figure(text):
        return float(scores.mean())
    leaders = _LEADERS.match(text)
    own = leaders.end() if leaders else 0
    letters = zip(text[own:], scores[own:], strict=True)
    return float(min((score for letter, score in letters if not is_wide(letter)), default=scores.mean()))


class LineInk(NamedTuple):
    """The ink of a line's picture.

    walls: the columns of those that were taken out. dark: by how much it is darker than the paper, or lighter than a
    dark one, in levels of grey.
    """

    mask: NDArray[np.bool_]
    walls: NDArray[np.bool_]
    dark: NDArray[np.float32]


def ink_of(picture: Pixels) -> LineInk:
    """Return where the letters' colour is, dark on light or light on dark; rules are left out."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)
    if _is_light_on_dark(grey):
        grey = 255 - grey
    paper = _paper(grey)
    even = np.clip(grey.astype(np.float32) * INK.paper / np.maximum(paper, 1), 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(even, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ink = even <= level
    if ink.all() or not ink.any() or float(even[~ink].mean()) - float(even[ink].mean()) < PRINT.contrast:
        return LineInk(
            np.zeros(grey.shape, np.bool_), np.zeros(grey.shape[1], np.bool_), np.zeros(grey.shape, np.float32)
        )
    walls = _leave_rules(ink)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    least = max(2, grey.shape[0] // 12)
    specks = np.flatnonzero(stats[:count, cv2.CC_STAT_AREA] < least)
    if 0 < len(specks) < count:
        ink &= ~np.isin(labels, specks)
    _leave_neighbours(ink)
    return LineInk(ink, walls, np.clip(INK.paper - INK.grain - even.astype(np.float32), 0, None))


def _is_light_on_dark(grey: Pixels) -> bool:
    """Tell if a line's letters are lighter than its paper: most is paper, and what is furthest from it are the letters.

    The paper's level is taken along the line, as a shadow from one end to the other goes further than pale letters do.
    """
    around = min(PRINT.several * grey.shape[0], INK.most_along) | 1
    level = cv2.medianBlur(np.median(grey, axis=0).astype(np.uint8)[None], around)
    darkest, lightest = np.percentile(grey.astype(np.int16) - level, (3, 97))
    return bool(lightest > -darkest)


def _paper(grey: Pixels) -> Pixels:
    """The paper's level everywhere: what is left when everything narrower than half the picture's height is gone.

    Of large pictures on a smaller copy, as the time grows with the window's size.
    """
    height, width = grey.shape
    shrink = max(1, min(height, width) // INK.most_window)
    small = cv2.resize(grey, (max(1, width // shrink), max(1, height // shrink)), interpolation=cv2.INTER_AREA)
    side = max(3, 2 * (min(small.shape) // 2) + 1)
    paper = cv2.blur(cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)), (side, side))
    return np.asarray(cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _leave_rules(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Take rules out that run through the picture or along its edges, such as the walls of a table's cell.

    Returns which columns were walls.

    The picture is higher than its letters, so no letter fills a column; few fill a row, and those in the middle.
    """
    height, width = ink.shape
    walls = np.asarray(ink.mean(axis=0) > PRINT.nearly)
    ink[:, walls] = False
    rows = np.flatnonzero(ink.mean(axis=1) > PRINT.nearly)
    if width < PRINT.several * height:
        rows = rows[(rows < PRINT.quarter * height) | (rows >= (1 - PRINT.quarter) * height)]
    ink[rows] = False
    return walls


def _leave_neighbours(ink: NDArray[np.bool_]) -> None:
    """Take the lines above and below out, whose letters reach into the picture at its edges."""
    runs = runs_of(np.asarray(ink.any(axis=1)))
    if len(runs) < 2:
        return
    main = max(runs, key=lambda run: float(ink[run[0] : run[1]].sum()))
    apart = max(1.0, PRINT.few * (main[1] - main[0]))
    margin = PRINT.few * ink.shape[0]
    for start, end in runs:
        at_edge = start <= margin or end >= ink.shape[0] - margin
        if at_edge and max(start - main[1], main[0] - end) >= apart:
            ink[start:end] = False


def _measured(ink: NDArray[np.bool_], text: str, left: float, right: float, confidence: float) -> InkWord:
    part = ink[:, int(left) : max(int(np.ceil(right)), int(left) + 1)]
    rows = np.flatnonzero(part.sum(axis=1) >= max(1, PRINT.speck * part.shape[1]))
    if not len(rows):
        return InkWord(text, left, right, 0.0, float(ink.shape[0]), 0.0, confidence)
    top, bottom = float(rows[0]), float(rows[-1] + 1)
    stroke = 0.0
    if part.sum() >= PRINT.dozen:
        padded = np.pad(part, 1).astype(np.uint8)
        depth = cv2.distanceTransform(padded, cv2.DIST_L2, 3)
        ridge = depth[(depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (padded > 0)]
        stroke = float(2 * np.mean(ridge) - 1)
    return InkWord(text, left, right, top, bottom, max(stroke, 0.0), confidence)


def _letters(words: Sequence[InkWord], height: int) -> tuple[float, float, bool]:
    """Font size and baseline, from how far the letters that were read reach up and down; whether these tell it.

    Words that reach differently far in different faces count where there are no others.
    """
    wide = sum(is_wide(c) for word in words for c in word.text)
    if wide * 2 > sum(len(word.text) for word in words):
        full = [word for word in words if any(map(is_wide, word.text))]
        size = median(word.bottom - word.top for word in full) / INK.accents
        return size, median(word.bottom for word in full) - INK.wide_below * size, True
    found: dict[_Reach, list[tuple[float, float]]] = {}
    for word in words:
        reach = _reach(word.text)
        if reach is None:
            continue
        kind, up, down = reach
        size = (word.bottom - word.top) / (up + down)
        found.setdefault(kind, []).append((size, word.bottom - down * size))
    for kind in _Reach:
        if kind in found:
            sizes, baselines = zip(*found[kind], strict=True)
            return median(sizes), median(baselines), kind is not _Reach.FACE
    return PRINT.more * height, (1 - PRINT.quarter) * height, False


class _Reach(Enum):
    """How surely a word's ink tells its size, surest first."""

    TALL = auto()
    SMALL = auto()
    FACE = auto()
    """Brackets, accents and what else reaches as far as the face has it."""


def _reach(text: str) -> tuple[_Reach, float, float] | None:
    """Give how far a word's letters reach above and below the baseline, in font sizes; None when that is not known."""
    letters = [c for c in text if c.isalnum() or c in _BOTH]
    if not letters:
        return None
    capitals = any(c.isupper() and _accents(c) for c in letters)
    accented = any(map(_accents, letters))
    tall = accented or any(c in _TALL_LETTERS or c in _BOTH or c.isupper() or c in "ij" for c in letters)
    if not tall and any(c not in _SMALL_LETTERS and c not in _DEEP_LETTERS for c in letters):
        return None
    deep = any(c in _DEEP_LETTERS or c in _BOTH or c == "Q" for c in letters)
    down = INK.descent if deep else PRINT.slight if any(c in ",;" for c in text) else 0.0
    if not tall:
        return _Reach.SMALL, INK.x_height, down
    if not deep and any(c in _OWN_DEPTH for c in letters):
        down = max(down, PRINT.few)
    if accented or any(c in _BOTH or c in _OWN_DEPTH for c in letters):
        return _Reach.FACE, INK.accents if capitals else INK.ascent, down
    return _Reach.TALL, INK.ascent, down


def _accents(letter: str) -> bool:
    """Decide whether a letter has an accent above it."""
    return any(unicodedata.combining(c) == _ABOVE for c in unicodedata.normalize("NFD", letter))
