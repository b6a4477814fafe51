"""Leaders: rows of dots that lead to an amount or to the number of a page. Digits beside them are read as dots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.ink import ink_of
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.recognition import LineReading
from paperchute.engine.reading.ocr.scripts import LineModel, read
from paperchute.engine.reading.ocr.strokes import Stroke, paint_over


@dataclass(frozen=True, slots=True)
class LeaderSettings:
    """Which ink of a line's picture is a leader. Lengths are shares of the picture's height."""

    fewest: int = 5
    """Dots of a leader: three are an omission, and four one with a full stop."""

    dot: float = 0.17
    """The longer side of a dot: full stops have 0.06 to 0.12, the dots of soft pictures up to 0.15."""


LEADERS = LeaderSettings()

_LED = re.compile(r"[.·•…]\s?[.·•…]|(?:^|\s)[.·•…]\s?\S")
"""What the network makes of leaders: more than one dot, or one before a word."""

_BEGUN = re.compile(r"[.·•…\s]+[(\[<>~≈±+\-–—−]*[€$£¥]?\s?[(\-–—−]?\d")
"""A leader that begins a line, before a figure."""

_NO_POINT = re.compile(r"\.\s?(?:[(\[<>~≈±+\-–—−€$£¥]+\s?\d|\d+[.,'’]\d)")
"""A line that begins with a dot and a figure with its point already, or with a sign: the last dot of a leader."""


class Leader(NamedTuple):
    """A row of dots in a line's picture, in its pixels."""

    left: int
    top: int
    right: int
    bottom: int
    dots: int


def read_beside_leaders(model: LineModel, lines: Sequence[Pixels]) -> tuple[list[LineReading], list[list[Leader]]]:
    """Return what lines (RGB) say, in their order, and their leaders, which are no part of that."""
    readings = read(model, lines)
    leaders: list[list[Leader]] = [[] for _ in lines]
    for number, reading in enumerate(readings):
        if may_be_led(reading.narrow.text):
            leaders[number] = leaders_of(ink_of(lines[number]).mask, reading.narrow.text)
    led = [number for number, found in enumerate(leaders) if found]
    again = read(model, [without_leaders(lines[number], leaders[number]) for number in led])
    for number, reading in zip(led, again, strict=True):
        if reading.narrow.text.strip():
            readings[number] = reading
        else:
            leaders[number] = []
    return readings, leaders


def may_be_led(text: str) -> bool:
    """Decide whether what was read on a line looks like leaders among other text."""
    return _LED.search(text) is not None and any(map(str.isalnum, text))


def leaders_of(ink: NDArray[np.bool_], text: str) -> list[Leader]:
    """The leaders of a line, from left to right. ink: where its picture is dark; text: what was read with them."""
    height = ink.shape[0]
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    spots = sorted(stats[1:count].tolist())
    found: list[Leader] = []
    fewest = 1 if _NO_POINT.match(text) else PRINT.pair if _BEGUN.match(text) else LEADERS.fewest
    for run in _runs([_Spot(*spot[:4]) for spot in spots], height):
        regular = _regular(run)
        begins = len(regular) > 0 and regular[0].x == spots[0][0]
        if len(regular) >= (fewest if begins else LEADERS.fewest):
            left, right = regular[0].x, max(spot.x + spot.width for spot in regular)
            top, bottom = min(spot.y for spot in regular), max(spot.y + spot.height for spot in regular)
            found.append(Leader(left, top, right, bottom, len(regular)))
    return found


def without_leaders(picture: Pixels, leaders: Sequence[Leader]) -> Pixels:
    """A line's picture (RGB) with its leaders painted over."""
    result = picture.copy()
    for left, top, right, bottom, _ in leaders:
        soft = max(bottom - top, 1)  # the edges of dots are as pale as they are wide
        paint_over(
            result, Stroke(left - soft // 2, top - soft // 2, right - left + soft, bottom - top + soft, True, False)
        )
    return result


class _Spot(NamedTuple):
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


def _runs(spots: Sequence[_Spot], height: int) -> Iterator[list[_Spot]]:
    """Dots on one level that follow each other with no other ink between."""
    run: list[_Spot] = []
    end = 0
    for spot in spots:
        fits = _is_dot(spot, height) and spot.x >= end
        if run and not (fits and _follows(run[-1], spot, height)):
            yield run
            run = []
        if fits:
            run.append(spot)
        end = max(end, spot.x + spot.width)
    yield run


def _is_dot(spot: _Spot, height: int) -> bool:
    short, long = sorted((spot.width, spot.height))
    is_round = long <= max(PRINT.twice * short, short + 2) or (spot.x == 0 and spot.width == short)
    return is_round and long <= LEADERS.dot * height and spot.middle[1] >= PRINT.half * height


def _follows(before: _Spot, spot: _Spot, height: int) -> bool:
    (x, y), (far, level) = before.middle, spot.middle
    return far - x <= PRINT.nearly * height and abs(level - y) <= max(PRINT.hair * height, 1.0)


def _regular(run: Sequence[_Spot]) -> Sequence[_Spot]:
    """The dots of a run without those at its ends that stand apart; none where its steps are of many widths."""
    while len(run) >= PRINT.pair:
        steps = [after.middle[0] - before.middle[0] for before, after in pairwise(run)]
        usual = median(steps)
        odd = [abs(step - usual) > max(PRINT.less * usual, 1.0) for step in steps]
        if odd[-1]:
            run = run[:-1]
        elif odd[0]:
            run = run[1:]
        else:
            return [] if any(odd) else run
    return run
