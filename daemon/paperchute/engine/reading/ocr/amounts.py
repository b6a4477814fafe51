"""Whether the ink of an amount bears out what was read: each mark a character, each character a mark of its shape.

The network is as sure of an amount whose sign, point or first digit it passed over as it is of any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import cache
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT


@dataclass(frozen=True, slots=True)
class AmountSettings:
    """When ink bears an amount out. Lengths are shares of the height of its digits, where nothing else is said.

    What fixed them: 4,896 amounts of 72 pages, of which 118 were misread.
    """

    longest: int = 40
    """Characters, and marks as high as digits: more is no amount; a bound on work on hostile pages."""

    low: tuple[float, float] = (0.5, 0.2)
    """Above the baseline: where points and commas begin at the highest, and end."""

    middle: tuple[float, float] = (0.85, 0.05)
    """Above the baseline: where dashes begin at the highest, and end at the lowest."""

    between: float = 0.2
    """Between characters that touch, at the most: what such a mark is wider by."""

    half: float = 0.55
    """The width of half a round digit whose thin top and foot are gone, at the most."""

    soft: float = 1.5
    """Pixels by which a mark may be wider or narrower than said: its soft edges."""

    cut: float = 2.0
    """Pixels: so narrow is what the picture's edge has left of a neighbour's ink."""

    comma: tuple[float, float] = (0.23, 0.02)
    """A comma that is lower, and ends no further below the baseline, is a point. Commas have 0.23 to 0.56 and -0.05 to
    0.29, points 0.08 to 0.33 and -0.11 to 0.11."""

    point: tuple[float, float] = (0.3, 0.12)
    """A point that is as high, and ends so far below the baseline, is a comma."""

    coarse: float = 14.0
    """Pixels: the font size below which a hyphen and a swung dash look nearly alike, and `wave` or `swung` alone makes
    a minus unsure: of 12 to 14 pixels 8 of 32 were misread, 7 of these are told, and 13 of 24 right ones."""

    fine: float = 17.0
    """Pixels: the font size from which they look different enough for the last `wave`."""

    wave: tuple[float, float, float] = (0.008, 0.014, 0.027)
    """Of the font size: by how much the ink of a minus rises and falls along it, by size: below `coarse`, below
    `fine`, above. Hyphens have up to 0.02 below `fine`, 0.026 above and 0.04 there on faxes; swung dashes 0.016 and
    0.033 at the least."""

    swung: float = 0.0003
    """The likelihood of a swung dash in place of a minus whose ink waves that much: where there is none, the ink is
    only rough. All misread ones from `coarse` on had more, and 31 of 587 right ones."""


AMOUNTS = AmountSettings()

_AMOUNT = re.compile(r"[.·…]*[(\[<>~≈±+\-–—−€$£¥]*[.,]?\d[\d.,:/'’‘`´\-–—−]*[%‰€$£¥)\]\-–—−;]*")
_LEADERS = re.compile(r"[.·…]{2,}|…")
_NO_NUMBER = re.compile(r"^\.(?:\D|\d+[.,'’])|[.,'’]{2}\d")
"""What no number looks like: a leader's dot before one, or two points in a row."""

_MINUS = frozenset("-–—−")
_ROUND = frozenset("0689")
_PARTS = frozenset("%‰")
"""Characters of several marks that may touch their neighbours."""


class _Shape(Flag):
    """Where the ink of a character lies."""

    TALL = auto()
    LOW = auto()
    HIGH = auto()
    MIDDLE = auto()
    SMALL = auto()
    """On the baseline, and lower than digits, as a colon."""


_SHAPES = {
    **dict.fromkeys(".,…", _Shape.LOW),
    **dict.fromkeys("'’‘`´", _Shape.HIGH),
    **dict.fromkeys("-–—−~≈·", _Shape.MIDDLE),
    **dict.fromkeys("+±<>:;", _Shape.MIDDLE | _Shape.TALL | _Shape.SMALL),
}
"""Of all other characters it is tall."""

_DIGIT = (0.36, 0.95)
_WIDTHS = {
    "1": (0.1, 0.9),
    **dict.fromkeys("()[]/", (0.12, 0.65)),
    **dict.fromkeys("%‰", (0.6, 1.7)),
    **dict.fromkeys("$€£¥", (0.36, 1.15)),
    **dict.fromkeys(".,…'’‘`´·:;", (0.05, 0.5)),
    **dict.fromkeys("-–—−~≈+±<>", (0.15, 1.5)),
}
"""Of characters, in common faces, at the least and at the most; `_DIGIT` of all others. Shares as in the settings."""


class Mark(NamedTuple):
    """A piece of ink, in pixels of a line's picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Across."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Down."""
        return self.bottom - self.top


def is_amount(text: str) -> bool:
    """Decide whether a word is an amount, or another figure without letters."""
    return len(text) <= AMOUNTS.longest and _AMOUNT.fullmatch(text) is not None


def marks_of(ink: NDArray[np.bool_]) -> list[Mark]:
    """The pieces of a line's ink from left to right; those over each other are one, as the parts of a colon."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    found: list[Mark] = []
    for x, y, width, height, _area in sorted(stats[1:count].tolist()):
        mark = Mark(x, y, x + width, y + height)
        while found and _is_over(found[-1], mark):
            last = found.pop()
            mark = Mark(
                *(min(pair) for pair in zip(last[:2], mark[:2], strict=True)),
                *(max(pair) for pair in zip(last[2:], mark[2:], strict=True)),
            )
        found.append(mark)
    return found


def is_borne_out(text: str, marks: Sequence[Mark], width: int) -> bool:
    """Decide whether the marks from the word before an amount to the word behind it are those of its characters.

    width: of the line's picture.
    """
    seen = _Seen.of(text, [mark for mark in marks if not _is_cut(mark, width)])
    return seen is not None and not _NO_NUMBER.search(seen.text) and seen.is_one_to_one()


def may_be_swung(dark: NDArray[np.float32], sign: Mark, size: float, likely: float) -> bool:
    """Decide whether what was read as a minus may be a swung dash, so that `-10` is `~10`.

    dark: how dark a line's picture is. size: of its font, in pixels. likely: how likely the network held that.
    """
    is_swung = likely >= AMOUNTS.swung
    waves = _wave(dark, sign) > AMOUNTS.wave[(size >= AMOUNTS.coarse) + (size >= AMOUNTS.fine)] * size
    if size < AMOUNTS.coarse:
        return is_swung or waves
    # 8 of 16 misread ones from `coarse` on had more, and one of 609 right ones
    return likely >= PRINT.speck or (is_swung and waves)


def minus_of(text: str, marks: Sequence[Mark]) -> tuple[int, Mark] | None:
    """Return which character of an amount is a minus before its digits, and the mark that is it."""
    for number, character in enumerate(text):
        if character in _MINUS:
            own = [mark for mark in marks if mark.width > mark.height]
            return (number, own[0]) if own else None
        if character.isdecimal():
            return None
    return None


def _is_over(one: Mark, other: Mark) -> bool:
    shared = min(one.right, other.right) - max(one.left, other.left)
    return shared >= PRINT.half * min(one.width, other.width)


def _is_cut(mark: Mark, width: int) -> bool:
    """Decide whether a mark is what the edge of the picture has left of a neighbour's ink."""
    return mark.width <= AMOUNTS.cut and (mark.left == 0 or mark.right == width)


def _wave(dark: NDArray[np.float32], sign: Mark) -> float:
    """By how many pixels the middle of a sign's ink rises and falls from its left end to its right one."""
    around = max(1, sign.height // 2)
    part = dark[max(sign.top - around, 0) : sign.bottom + around, sign.left : sign.right]
    sums = part.sum(axis=0)
    inked = sums > PRINT.part * sums.max()
    middles = (part * np.arange(len(part))[:, None]).sum(axis=0)[inked] / sums[inked]
    return float(np.ptp(middles)) if len(middles) else 0.0


@dataclass(frozen=True)
class _Seen:
    """An amount without leaders beside its marks. height, width, baselines: of its digits, the last under each mark."""

    text: str
    marks: Sequence[Mark]
    height: float
    width: float
    baselines: Sequence[float]

    @classmethod
    def of(cls, text: str, marks: Sequence[Mark]) -> _Seen | None:
        """None where there is no ink, far too much of it, or a leader that was read as a point."""
        if not marks:
            return None
        highest = max(mark.height for mark in marks)
        tall = [mark for mark in marks if mark.height >= PRINT.more * highest]
        if len(tall) > AMOUNTS.longest:
            return None
        inner = tall[text[0] in "([" : len(tall) - (text[-1] in ")]")] or tall
        height = median(mark.height for mark in inner)
        baselines = _line_under(inner, marks)
        low, high = (share * height for share in _DIGIT)
        width = median([mark.width for mark in inner if low <= mark.width <= high] or [low])
        return cls(text, marks, height, width, baselines)._without_leaders()

    def _without_leaders(self) -> _Seen | None:
        dots = 0
        while dots < len(self.marks) and self._is_dot(dots):
            dots += 1
        said = _LEADERS.match(self.text)
        text = self.text[said.end() :] if said else self.text
        is_cut = dots == 1 and self.marks[0].left == 0 and self.text[0] != "."  # the edge has left of a leader no more
        if dots == 1 and not said and not is_cut:  # a point, as of `.50`, or one that was passed over
            return self
        if text[:1] == ".":
            return None
        return replace(self, text=text, marks=self.marks[dots:], baselines=self.baselines[dots:])

    def _is_dot(self, number: int) -> bool:
        mark = self.marks[number]
        is_small = mark.height <= PRINT.less * self.height
        return is_small and _Shape.LOW in self._shape(number)

    def _shape(self, number: int) -> _Shape:
        mark, baseline = self.marks[number], self.baselines[number]
        top, bottom = (baseline - mark.top) / self.height, (baseline - mark.bottom) / self.height
        if mark.height >= PRINT.more * self.height:
            return _Shape.TALL
        shape = _Shape(0)
        if top <= AMOUNTS.low[0] and bottom <= AMOUNTS.low[1]:
            shape |= _Shape.LOW
        if bottom >= PRINT.less:
            shape |= _Shape.HIGH
        if top <= AMOUNTS.middle[0] and bottom >= AMOUNTS.middle[1]:
            shape |= _Shape.MIDDLE
        return shape or _Shape.SMALL

    def is_one_to_one(self) -> bool:
        """Decide whether all marks are accounted for by the characters in their order, and all characters by marks."""
        shapes = [self._shape(number) for number in range(len(self.marks))]
        text, marks = self.text, self.marks

        @cache
        def matches(mark: int, character: int) -> bool:
            if mark == len(marks) or character == len(text):
                return mark == len(marks) and character == len(text)
            for last in range(character, len(text)):
                run = text[character : last + 1]
                if self._fits(mark, mark, run, shapes[mark]) and matches(mark + 1, last + 1):
                    return True
                if run[-1] in _PARTS or run in _ROUND:
                    for end in range(mark + 1, min(mark + PRINT.sample, len(marks))):
                        if self._are_parts(mark, end, run) and matches(end + 1, last + 1):
                            return True
                elif self._is_narrower(mark, run):
                    break
            return False

        return matches(0, 0)

    def _widths(self, run: str) -> tuple[float, float]:
        """The least and the most width of characters that touch."""
        widths = [_WIDTHS.get(character, _DIGIT) for character in run]
        gaps = (len(run) - 1) * AMOUNTS.between
        least, most = (self.height * sum(side) for side in zip(*widths, strict=True))
        if len(run) > 1:
            digits = sum(character not in _WIDTHS for character in run)
            least += digits * (PRINT.most * self.width - _DIGIT[0] * self.height)
        return least - AMOUNTS.soft, most + gaps * self.height + AMOUNTS.soft

    def _is_narrower(self, mark: int, run: str) -> bool:
        return self.marks[mark].width < self._widths(run)[0]

    def _fits(self, first: int, last: int, run: str, shape: _Shape) -> bool:
        least, most = self._widths(run)
        wanted = _Shape(0)
        for character in run:
            wanted |= _SHAPES.get(character, _Shape.TALL)
        is_wide_enough = least <= self.marks[last].right - self.marks[first].left <= most
        return is_wide_enough and bool(shape & wanted) and not self._is_other_point(first, run)

    def _is_other_point(self, number: int, run: str) -> bool:
        """Decide whether a point's mark is that of a comma, or the other way round."""
        mark = self.marks[number]
        high, deep = mark.height / self.height, (mark.bottom - self.baselines[number]) / self.height
        if run == ",":
            return high < AMOUNTS.comma[0] and deep <= AMOUNTS.comma[1]
        return run == "." and high >= AMOUNTS.point[0] and deep >= AMOUNTS.point[1]

    def _are_parts(self, first: int, last: int, run: str) -> bool:
        """Decide whether marks are the parts of a per cent sign, or the halves of a round digit."""
        if run[-1] not in _PARTS:
            halves = self.marks[first : last + 1]
            apart = (after.left - before.right for before, after in pairwise(halves))
            if len(halves) > 2 or max(apart) > AMOUNTS.between * self.height + AMOUNTS.soft:
                return False
            if any(half.width > AMOUNTS.half * self.height for half in halves):
                return False
            if any(half.height < PRINT.more * self.height for half in halves):
                return False
        return self._fits(first, last, run, _Shape.TALL)


def _line_under(digits: Sequence[Mark], marks: Sequence[Mark]) -> list[float]:
    """The baseline under each mark: level, or as the digits rise where the line is a little askew."""
    level = median(mark.bottom for mark in digits)
    if len(digits) < 3:
        return [level] * len(marks)
    middles = np.array([(mark.left + mark.right) / 2 for mark in digits])
    bottoms = np.array([mark.bottom for mark in digits])
    slopes = [
        (bottoms[b] - bottoms[a]) / (middles[b] - middles[a])
        for a in range(len(digits))
        for b in range(a + 1, len(digits))
    ]
    slope = float(np.median(slopes))
    start = float(np.median(bottoms - slope * middles))
    return [start + slope * (mark.left + mark.right) / 2 for mark in marks]
