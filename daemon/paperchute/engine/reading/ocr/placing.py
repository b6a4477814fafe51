"""What was read on lines as words on the page, each measured at its ink."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.ink import InkLine, ink_line
from paperchute.engine.reading.ocr.leaders import Leader, without_leaders
from paperchute.engine.reading.ocr.recognised import (
    Affine,
    Corners,
    Pixels,
    SeenWord,
    WorkingPicture,
    after,
    from_line,
    line_picture,
    moved,
)
from paperchute.engine.reading.ocr.recognition import Reading, is_wide
from paperchute.engine.reading.ocr.rows import on_rows
from paperchute.engine.reading.ocr.scripts import chosen, read
from paperchute.engine.reading.ocr.strokes import without_rules
from paperchute.notation.check_digits import broken_codes

_LEFT_TO_RIGHT = re.compile(r"\d[\d.,:/]*\d|[A-Za-z]+")


def placed(page: WorkingPicture, leaders: Sequence[Sequence[Leader]]) -> list[SeenWord]:
    """The words of the lines that run across a page, line by line. leaders: in each line."""
    bare = without_rules(page.upright.readable, page.level)
    is_ruled = bare is not page.upright.readable
    letters = [line_picture(bare, corners) for corners in page.level] if is_ruled else page.cut
    words: list[SeenWord] = []
    for corners, picture, line, reading, led in zip(page.level, page.cut, letters, page.readings, leaders, strict=True):
        place, painted = from_line(corners), _painted_columns(picture, line)
        words += _placed(without_leaders(line, led) if led else line, reading, place, 0, painted, led)
    return on_rows(words)


def _painted_columns(picture: Pixels, bare: Pixels) -> NDArray[np.bool_]:
    """The columns of a line's picture that a rule filled, which was painted over."""
    if bare is picture:
        return np.zeros(picture.shape[1], np.bool_)
    return np.asarray((picture != bare).any(axis=2).mean(axis=0) > PRINT.most)


def _placed(
    picture: Pixels,
    reading: Reading,
    place: Affine,
    angle: Literal[0, 90, 270],
    painted: NDArray[np.bool_] | None = None,
    leaders: Sequence[Leader] = (),
) -> list[SeenWord]:
    """A line's words on the page, if they are sure.

    place: from the line picture's pixels to the page's; painted: see `ink_line`; leaders: beside what was read.
    """
    length = len("".join(reading.text.split()))
    if reading.confidence < (PRINT.more if length > 2 else PRINT.most):
        return []
    line = ink_line(picture, reading, painted)
    if line is None:
        return []
    scale = float(np.hypot(*place[:, 0]))
    line_stroke, letters = line.stroke
    words = []
    for number, word in enumerate(line.words):
        box = _box(place, Box(word.left, word.top, word.right, word.bottom))
        middle = (word.left + word.right) / 2
        baseline = float(moved(place, np.array([middle, line.baseline]))[1]) if angle == 0 else box.bottom
        text = _as_read(word.text) if is_rtl(word.text) else word.text
        glued = number > 0 and not _parted(line, number)
        strokes = word.stroke / line.size if line.size else 0.0, line_stroke, letters
        size = line.size * scale
        words.append(SeenWord(text, box, baseline, size, *strokes, word.confidence, glued, angle, line.sized))
    words = _with_broken_codes(words)
    for left, top, right, bottom, dots in leaders:
        box = _box(place, Box(left, top, right, bottom))
        words.append(SeenWord("." * dots, box, box.bottom, line.size * scale, 0.0, 0.0, 0, reading.confidence))
    return sorted(words, key=lambda word: word.box.left) if leaders else words


def _as_read(text: str) -> str:
    """A word from right to left as one reads it: models give it as it looks, and figures in it run the other way."""
    return _LEFT_TO_RIGHT.sub(lambda run: run[0][::-1], text[::-1])


def _parted(line: InkLine, number: int) -> bool:
    """Decide whether a space belongs before a word: between Han characters there is none unless the gap is wide."""
    before, word = line.words[number - 1], line.words[number]
    han = is_wide(before.text[-1]) and is_wide(word.text[0])
    return not han or word.left - before.right > PRINT.part * line.size


def placed_sideways(page: WorkingPicture, lines: Sequence[Corners]) -> list[SeenWord]:
    """The words of lines that run up or down an upright page, read in the direction that reads better."""
    pictures = [line_picture(page.upright.readable, corners) for corners in lines]
    down, up = (
        chosen(
            read(page.model, [np.ascontiguousarray(np.rot90(picture, turns)) for picture in pictures]), page.language
        )
        for turns in (1, -1)
    )
    words: list[SeenWord] = []
    for corners, picture, *both in zip(lines, pictures, down, up, strict=True):
        height, width = picture.shape[:2]
        is_down = both[0].confidence >= both[1].confidence
        reading, turns = (both[0], 1) if is_down else (both[1], -1)
        turned = np.ascontiguousarray(np.rot90(picture, turns))
        # Where a pixel (x, y) of the turned line picture lies in the line picture.
        back = np.array([[0, -1, width], [1, 0, 0]] if is_down else [[0, 1, 0], [-1, 0, height]], np.float64)
        words += _placed(turned, reading, after(from_line(corners), back), 90 if is_down else 270)
    return [replace(word, baseline=word.box.bottom) for word in words]


def _box(place: Affine, box: Box) -> Box:
    points = np.array([[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]])
    (left, top), (right, bottom) = (p.tolist() for p in (moved(place, points).min(0), moved(place, points).max(0)))
    return Box(left, top, right, bottom)


def _with_broken_codes(words: Sequence[SeenWord]) -> list[SeenWord]:
    """The words of a line, those unsure that make a code whose check digits fail: some character was misread."""
    ends = list(accumulate(len(word.text) + 1 for word in words))
    broken: set[int] = set()
    for start, end in broken_codes(" ".join(word.text for word in words)):
        broken.update(range(bisect_right(ends, start), bisect_right(ends, end - 1) + 1))
    return [
        replace(word, confidence=min(word.confidence, PRINT.half)) if number in broken else word
        for number, word in enumerate(words)
    ]
