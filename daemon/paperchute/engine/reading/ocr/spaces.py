"""Where the words of a line part: at the spaces that were read, and at those that its ink shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import runs_of
from paperchute.engine.reading.ocr.recognition import Reading


@dataclass(frozen=True, slots=True)
class SpaceSettings:
    """What tells a space."""

    wide_step: float = 1.8
    """Times the usual step from character to character: there a gap is looked for."""

    wide_gap: float = 0.36
    """Of the picture's height, over half of the font size: no space was read, yet no word goes on over such a gap."""


SPACES = SpaceSettings()


_THIN = frozenset("1Il|!.,:;'`´‘’\"“”·•-–—_/\\([{")
"""Around these, or before them, faces leave as much room as a space takes."""


def parted(
    reading: Reading, columns: NDArray[np.bool_], walls: NDArray[np.bool_], height: int
) -> Iterator[tuple[int, int]]:
    """The words as first and last character number + 1: parted at spaces, and where gaps show that one was not read."""
    text, centers = reading.text, reading.places * len(columns)
    shown = _wide_gaps(centers, columns, height) | _missed_spaces(text, centers, columns | walls, height)
    start = 0
    for number, character in enumerate(text):
        if character.isspace():
            yield start, number
            start = number + 1
        elif number > start and number in shown:
            yield start, number
            start = number
    yield start, len(text)


def _wide_gaps(centers: NDArray[np.float32], columns: NDArray[np.bool_], height: int) -> frozenset[int]:
    """The characters before which a gap lies over which no word goes on, however wide the spaces of the line are."""
    steps = np.diff(centers)
    if not len(steps):
        return frozenset()
    apart = (np.flatnonzero(steps > SPACES.wide_step * np.median(steps)) + 1).tolist()
    least = SPACES.wide_gap * height
    return frozenset(number for number in apart if _blank(columns, centers[number - 1], centers[number])[2] > least)


def _missed_spaces(text: str, centers: NDArray[np.float32], columns: NDArray[np.bool_], height: int) -> frozenset[int]:
    """The characters before which a gap lies that is as wide as the spaces of the line, though none was read.

    As where the colour of the paper changes: the network takes the edge for ink. columns: those with ink or a wall, as
    a wall may hide a letter's stem.
    """
    gaps = _gaps(columns)
    spaces = [n for n in range(1, len(text) - 1) if text[n].isspace() and not text[n + 1].isspace()]
    taken = {gap for n in spaces if (gap := _widest(gaps, centers[n - 1], centers[n + 1])) is not None}
    if len(taken) < PRINT.pair:
        return frozenset()
    usual = median(end - start for start, end in taken)
    # What was found within letters that are faint or underlined has 0.13 at the most.
    if usual < PRINT.slight * height:
        return frozenset()
    found = set()
    for number in range(1, len(text)):
        if _tells_gaps(text[number - 1]) and _tells_gaps(text[number]):
            gap = _widest(gaps, centers[number - 1], centers[number])
            # Spaces that were missed have 0.9 to 1.2, gaps between letters 0.75 at the most.
            if gap is not None and gap not in taken and gap[1] - gap[0] >= PRINT.most * usual:
                found.add(number)
    return frozenset(found)


def _tells_gaps(character: str) -> bool:
    """Decide whether faces leave less room beside this character than a space takes."""
    cased = character.lower() != character.upper()
    return character not in _THIN and not character.isspace() and (character.isascii() or cased)


def _gaps(columns: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of columns without ink between others: first column, last column + 1."""
    return [(start, end) for start, end in runs_of(~columns) if start and end < len(columns)]


def _widest(gaps: Sequence[tuple[int, int]], start: float, end: float) -> tuple[int, int] | None:
    """The widest gap whose middle lies between two places."""
    return max((gap for gap in gaps if start <= (gap[0] + gap[1]) / 2 <= end), key=lambda g: g[1] - g[0], default=None)


def _blank(columns: NDArray[np.bool_], start: float, end: float) -> tuple[int, int, int]:
    """The longest run without ink between two letters' places: first column, last column + 1, length.

    Of length 0 where there is no ink at all, thus none of the letters either: they are too faint to be told from paper.
    """
    low, high = max(int(start), 0), min(int(end) + 1, len(columns))
    free = runs_of(~columns[low:high]) if columns[low:high].any() else []
    start, end = max(free, key=lambda run: run[1] - run[0], default=(0, 0))
    return low + start, low + end, end - start


def edges(
    words: Sequence[tuple[int, int, str]], reading: Reading, columns: NDArray[np.bool_]
) -> list[tuple[float, float]]:
    """Left and right end of each word, at its ink. words: first character, last + 1 and text of each."""
    width = len(columns)
    centers = reading.places * width
    steps = np.diff(centers)
    advance = float(np.median(steps)) if len(steps) else width / 2
    ends: list[list[float]] = [[0.0, 0.0] for _ in words]
    first, last = words[0][0], words[-1][1] - 1
    ends[0][0] = _first_ink(columns, max(centers[first] - PRINT.longer * advance, 0.0), centers[first], advance)
    mirrored = columns[::-1]
    right = width - centers[last]
    ends[-1][1] = width - _first_ink(mirrored, max(right - PRINT.longer * advance, 0.0), right, advance)
    for number in range(len(words) - 1):
        before, behind = centers[words[number][1] - 1], centers[words[number + 1][0]]
        low, high, length = _blank(columns, before, behind)
        if not length:
            low = high = int((before + behind) / 2)
        ends[number][1], ends[number + 1][0] = low, high
    return [(min(left, right), max(left, right)) for left, right in ends]


def _first_ink(columns: NDArray[np.bool_], low: float, center: float, advance: float) -> float:
    """Return where the ink begins that reaches to about `center`; half a character before it where there is none."""
    found = np.flatnonzero(columns[int(low) : int(center) + 1])
    return float(int(low) + found[0]) if len(found) else max(center - advance / 2, 0.0)
