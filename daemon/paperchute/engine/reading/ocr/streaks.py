"""Streaks: dust on a scanner's glass draws them along the way of the paper, from its edge and through the letters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import runs_of
from paperchute.engine.reading.ocr.recognised import Pixels, pixels


@dataclass(frozen=True, slots=True)
class StreakSettings:
    """What counts as a streak, and how it is taken out. Lengths are inches where nothing else is said."""

    widest: float = 0.05
    """What is wider is an edge, a fold or a drawn bar."""

    parts: int = 16
    """Of a streak's way, each looked at by itself: in one, letters and rules may look like a streak."""

    bright: int = 110
    """The tone of paper on which a streak can be seen, of 255; in a black bar nothing is looked for."""

    dark: float = 15.0
    """Levels darker than the paper: paler ones hide no letter."""

    letter: float = 0.2
    """What is longer, along the streak or away from it, is a rule that meets it and no part of a letter."""

    line: float = 0.08
    """From the middle of a line of common type to the gap beneath it: tones so far apart differ most across the lines,
    while a shadow hardly changes."""


STREAKS = StreakSettings()


class _Streak(NamedTuple):
    """Where a streak lies: its first column and the one after its last, its rows in the same way."""

    left: int
    right: int
    top: int
    bottom: int


def without_streaks(picture: Pixels, dpi: float) -> tuple[Pixels, float]:
    """Take out of a scan (RGB, as it came from the scanner) what dust drew on it.

    What little light came through a streak is made as bright as beside it, so that the letters under it are seen again.
    dpi: pixels per inch where known, else 0. Returns the picture, the same one where there is no streak, and the share
    of the lines that is not surely read because too much of them was hidden.
    """
    dpi = dpi or max(picture.shape[:2]) / PRINT.sheet
    grey = pixels(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))
    upright, lying = _streaks(grey, dpi), _streaks(_turned(grey), dpi)
    if len(lying) <= PRINT.several:
        picture, unsure = _cleaned(picture, grey, upright, dpi)
        if unsure is not None:
            return picture, unsure
    if len(upright) <= PRINT.several:
        turned, unsure = _cleaned(_turned(picture), _turned(grey), lying, dpi)
        if unsure is not None:
            return _turned(turned), unsure
    return picture, 0.0


def _turned(picture: Pixels) -> Pixels:
    """With rows for columns."""
    return np.ascontiguousarray(np.swapaxes(picture, 0, 1))


def _cleaned(picture: Pixels, grey: Pixels, found: list[_Streak], dpi: float) -> tuple[Pixels, float | None]:
    """Without the upright streaks, and what is unsure then; None where there are none."""
    if len(found) > PRINT.dozen:
        return picture, None
    most = max((_crossings(grey, streak, dpi) for streak in found), default=0)
    # Letters that hang low go through a ruled line in some places, through a streak along text nearly all of a line.
    if most < PRINT.some or (most < PRINT.twice * PRINT.dozen and _is_along_text(grey, found, dpi)):
        return picture, None
    clean = picture.copy()
    widest = max([_take_out(clean, streak, dpi) for streak in found])
    return clean, PRINT.few if widest > PRINT.hidden * dpi else 0.0


def _is_along_text(grey: Pixels, found: list[_Streak], dpi: float) -> bool:
    """Decide whether the lines of text run up and down: tones of a square inch then vary from column to column."""
    inch, apart, gap = round(dpi), round(STREAKS.line * dpi), _beside(dpi)
    grey = np.delete(grey, np.concatenate([np.arange(one.left - gap, one.right + gap) for one in found]), axis=1)
    excess = 0.0
    for top in range(0, len(grey) - inch + 1, inch):
        for left in range(0, grey.shape[1] - inch + 1, inch):
            square = grey[top : top + inch, left : left + inch]
            columns, rows = square.mean(axis=0), square.mean(axis=1)
            excess += float((columns[apart:] - columns[:-apart]).std() - (rows[apart:] - rows[:-apart]).std())
    return excess > 0


def _streaks(grey: Pixels, dpi: float) -> list[_Streak]:
    """Return what is dark, narrow and straight and begins at the upper or lower edge, from left to right."""
    height, width = grey.shape
    if dpi < PRINT.coarsest or height < STREAKS.parts * STREAKS.letter * dpi or width < 2 * STREAKS.letter * dpi:
        return []  # too little to see a streak in
    edge = max(2, round(PRINT.speck * height))
    ends = [0, *np.linspace(edge, height - edge, STREAKS.parts + 1).astype(int).tolist(), height]
    rows = [slice(a, b, max(1, (b - a) // (2 * STREAKS.parts))) for a, b in pairwise(ends)]
    tones = np.array([np.median(grey[part], axis=0) for part in rows], np.float32)
    paper = cv2.morphologyEx(tones, cv2.MORPH_CLOSE, np.ones((1, _reach(dpi)), np.uint8))
    relief = paper - tones
    is_dark = relief > np.maximum(STREAKS.dark, PRINT.several * np.median(relief, axis=1, keepdims=True))
    bright = paper > STREAKS.bright
    found: list[_Streak] = []
    down, up = _unbroken(is_dark, bright), _unbroken(is_dark[::-1], bright[::-1])
    for left, right in _runs(down > 0, dpi):
        parts = int(down[left:right].max())
        bottom = height if parts == len(rows) else _end(grey, left, right, ends[parts - 1], ends[parts + 1])
        found.append(_Streak(left, right, 0, bottom))
    for left, right in _runs((up > 0) & ~_broadened(down == len(rows), _beside(dpi)), dpi):
        parts = len(rows) - int(up[left:right].max())
        top = height - _end(grey[::-1], left, right, height - ends[parts + 1], height - ends[parts - 1])
        found.append(_Streak(left, right, top, height))
    margin = _beside(dpi) + 1
    return [streak for streak in found if streak.left >= margin and streak.right <= width - margin]


def _reach(dpi: float) -> int:
    return 2 * max(2, round(STREAKS.widest * dpi)) + 1


def _beside(dpi: float) -> int:
    return max(2, round(PRINT.hidden * dpi))


def _unbroken(is_dark: NDArray[np.bool_], bright: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each column the number of parts, from the first on, that a streak goes through; 0 for too few to be one."""
    through = np.cumprod(is_dark | ~bright, axis=0, dtype=np.int64)
    seen = (through * (is_dark & bright)).sum(axis=0)
    return np.where(seen >= PRINT.sample, through.sum(axis=0), 0)


def _broadened(columns: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    return np.convolve(columns, np.ones(2 * by + 1), "same") > 0


def _runs(columns: NDArray[np.bool_], dpi: float) -> list[tuple[int, int]]:
    """The runs of columns that are narrow enough; two side by side are one, as neither has paper on both sides."""
    found: list[tuple[int, int]] = []
    for left, right in runs_of(columns):
        if found and left - found[-1][1] <= 2 * _beside(dpi) + 1:
            left, _ = found.pop()
        found.append((left, right))
    return [(left, right) for left, right in found if right - left <= max(2, round(STREAKS.widest * dpi))]


def _end(grey: Pixels, left: int, right: int, top: int, bottom: int) -> int:
    """The row in which a streak from above ends: most is dark before it and bright after it."""
    middle = (left + right) // 2
    away = right - left + 2
    beside = np.minimum(
        grey[top:bottom, max(0, middle - away)], grey[top:bottom, min(grey.shape[1] - 1, middle + away)]
    )
    relief = beside.astype(np.float64) - grey[top:bottom, middle]
    return top + 1 + int(np.argmax(np.cumsum(relief - np.percentile(relief, 90) / 2)))


def _crossings(grey: Pixels, streak: _Streak, dpi: float) -> int:
    """In how many places a letter goes through a streak: there is ink on both sides, and no rule."""
    length, gap = round(STREAKS.letter * dpi), _beside(dpi)
    strip = cv2.blur(grey[streak.top : streak.bottom, max(0, streak.left - length) : streak.right + length], (1, 3))
    left = min(streak.left, length)
    right = left + streak.right - streak.left
    ink = strip < PRINT.more * strip.max(axis=1, keepdims=True).astype(np.float32)
    before, after = ink[:, : left - gap + 1], ink[:, right + gap - 1 :]
    through = before[:, -1] & after[:, 0] & ~before.all(axis=1) & ~after.all(axis=1)
    return sum(end - start <= length for start, end in runs_of(through))


def _take_out(picture: Pixels, streak: _Streak, dpi: float) -> int:
    """Take one streak out of a picture. How many pixels of its width nothing is left of."""
    reach, gap = _reach(dpi), _beside(dpi)
    start = max(0, streak.left - reach)
    strip = picture[streak.top : streak.bottom, start : streak.right + reach]
    columns = slice(streak.left - gap - start, streak.right + gap - start)
    beside = strip[:, [columns.start - 1, columns.stop]]
    lit = beside.mean(axis=2).min(axis=1) > STREAKS.bright
    if not lit.any():
        return 0
    light = np.median(strip[lit, columns], axis=0) / np.median(beside[lit].mean(axis=1), axis=0)
    paper = cv2.morphologyEx(strip, cv2.MORPH_CLOSE, np.ones((1, reach), np.uint8))[:, columns]
    strip[:, columns] = np.minimum(strip[:, columns] / np.clip(light, PRINT.hair, 1.0), paper)
    # Where less light came through, nothing is left of what was there: of 224 words with streaks of 20 kinds a share of
    # 0.2 lost 36, 0.35 lost 16, 0.5 lost 35.
    gone = np.zeros(strip.shape[:2], np.uint8)
    gone[:, columns] = light.mean(axis=1) < PRINT.less
    if gone.any():
        strip[:] = cv2.inpaint(np.ascontiguousarray(strip), gone, PRINT.painted, cv2.INPAINT_TELEA)
    return int(gone[0].sum())
