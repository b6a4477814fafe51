"""One page picture to words: upright, every line found and read, every word measured at its ink."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine import report
from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.ocr.codes import with_broken_codes
from paperchute.engine.reading.ocr.detection import find_lines
from paperchute.engine.reading.ocr.dropouts import left_out
from paperchute.engine.reading.ocr.ink import InkLine, ink_line
from paperchute.engine.reading.ocr.leaders import Leader, read_beside_leaders, without_leaders
from paperchute.engine.reading.ocr.models import built_in_reader, return_memory
from paperchute.engine.reading.ocr.options import AUTO, LATIN_ONLY
from paperchute.engine.reading.ocr.recognised import (
    Affine,
    Corners,
    Pixels,
    Seen,
    SeenWord,
    after,
    from_line,
    is_tall,
    line_picture,
    line_size,
    moved,
    pixels,
)
from paperchute.engine.reading.ocr.recognition import LineReading, Reading, is_figure, is_wide
from paperchute.engine.reading.ocr.rows import on_rows
from paperchute.engine.reading.ocr.scripts import SCRIPTS, LineModel, best_model, model_for, note_choice, read
from paperchute.engine.reading.ocr.show_through import front_of
from paperchute.engine.reading.ocr.specks import spoiled
from paperchute.engine.reading.ocr.stacks import unstacked
from paperchute.engine.reading.ocr.streaks import without_streaks
from paperchute.engine.reading.ocr.strokes import without_rules
from paperchute.engine.reading.ocr.tesseract import TrainedData
from paperchute.engine.reading.ocr.unread import around, is_stamped_over, may_be_print, unread_ink
from paperchute.engine.reading.ocr.upright import Upright, made_upright
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class RecognitionSettings:
    """How a page's picture is prepared, and which of what is read is believed."""

    fine_dpi: float = 300.0
    """Pixels per inch: more do not help reading. 0.8 to 1.2 times it reads 6 sample scans the same."""

    nearly: float = 0.95
    """A picture that would be made smaller by less stays as it is. 0.8 to 1.2 times it reads 6 sample scans the
    same."""

    most_pixels: int = 24_000_000
    """Pixels of a page: a bound on memory; A3 at 300 dpi has 17 million."""

    longest: int = 32_000
    """Pixels of a page's long side: OpenCV moves no picture that is longer than 32,766. No sample comes to it."""

    search_dpi: float = 100.0
    """Pixels per inch in which lines are looked for: common type is then as high as the network was trained on. Of 6
    sample scans change 6 at 0.8 times, 6 at 0.9, 6 at 1.1, 6 at 1.2."""

    search_side: int = 1_152
    """Pixels of a page's long side in which lines are looked for where its size is not known: about A4 at 100 dpi. No
    sample comes to it."""

    small_side: int = 640
    """Pixels: smaller pictures are made larger, to this side. 0.8 to 1.2 times it reads 6 sample scans the same."""

    most_larger: float = 2.0
    """Times: larger a small picture is not made; what is not there cannot be read. No sample comes to it."""

    most_searched: int = 16_000_000
    """Pixels in which lines are looked for: a bound on time."""

    page_shape: float = 1.6
    """Times its width: what is longer is no page, but several. No sample comes to it."""

    least_sure: float = 0.6
    """The likelihood of a line that is believed: less is texture of pictures. Of 6 sample scans change 1 at 0.8 times,
    1 at 0.9, none at 1.2."""

    least_sure_short: float = 0.8
    """The same for one or two characters: specks look like letters. Of 6 sample scans change none at 0.8 times, 1 at
    1.1, 1 at 1.2."""

    hard: float = 0.8
    """The likelihood of a line that is not surely read. Handwriting, and scripts that the network has not learnt, give
    0.3 to 0.75; faxes and blurred pages in its own scripts 0.9 and more."""

    unread: float = 0.1
    """The share of the ink outside of all words from which lines are looked for once more, in a larger picture: lines
    of very small type are overlooked in the usual one, or run into one. 36 sample scans have 0.003 at most, such pages
    0.7."""

    gain: float = 0.01
    """The share of the ink that the lines found then must cover more than the words did, to be read: less is what looks
    like a letter in a photograph."""

    closer: float = 1.6
    """Times the usual scale, then: type of 5 points is read from 1.3 times on."""

    low: float = 14.0
    """Pixels: lower lines are looked for closer, too. Common type has 16 to 22, type of 6 points 13: of a page of that
    3.8 % of the letters are wrong, and none in the larger picture."""

    figure: float = 0.75
    """The likelihood of a figure's least sure character from which it is surely read. Of 57 pages on which amounts were
    misread, coarse, faint, pressed or worn, 0.7 names 49, 0.75 52 and 0.8 54; of 36 sample scans one, for a figure that
    is wrong."""

    coarse: float = 12.0
    """Pixels: the font size below which a comma has too few of them to be told from a point, or a hyphen from a swung
    dash, however sure the network is: of 1,000 amounts 33 were misread so. From 13 on none was."""

    doubt: float = 0.1
    """The share of a page's lines, at least, that is not surely read where a figure is not, as much may hang on it, or
    where a stamp lies over lines."""

    sparse: float = 0.4
    """Characters for each line height along the line: Han gives 0.8, Latin 2 to 3. Fewer is a line of which the network
    knows little more than the spaces."""

    sure: float = 0.85
    """The likelihood of characters that surely are of a wide script. No sample comes to it."""

    wide_lines: int = 3
    """Lines of wide script from which a page may have single characters of it. One less or more reads 6 sample scans
    the same."""

    sample: int = 6
    """Lines that are read to tell a page's language. One less or more reads 6 sample scans the same."""

    sideways: float = 2.2
    """Of the usual line height: what is higher and narrow is no single character. No sample comes to it."""

    han_gap: float = 0.3
    """Of the font size: between Han characters a wider gap is a space. No sample comes to it."""

    crossing: float = 0.8
    """Of a line's height that a rule fills which runs across it."""


RECOGNITION = RecognitionSettings()

_LEFT_TO_RIGHT = re.compile(r"\d[\d.,:/]*\d|[A-Za-z]+")


def see(picture: Pixels, language: str, dpi: float = 0.0, *, straighten: bool = True, closely: bool = True) -> Seen:
    """Recognise a page picture (RGB).

    language: a code of the contract whose model is installed. dpi: pixels per inch where known, else 0. straighten:
    lay a skewed page straight, and a bent one flat. closely: look once more where ink is left that no word covers; much
    of what is no page is no text. A page without text gives no words. Raises Refused 190005.
    """
    shrunk = _shrink(picture, dpi)
    dpi *= shrunk.shape[1] / picture.shape[1]
    scale = _scale(shrunk, dpi)
    dusty = shrunk
    shrunk, hidden = without_streaks(dusty, dpi) if closely else (dusty, 0.0)
    closer = max(scale, min(RECOGNITION.closer * scale, _largest(shrunk))) if closely else scale
    model, upright = _upright(shrunk, scale, language, straighten)
    if closer > scale and _is_low(upright.lines, scale):
        scale = closer
        model, upright = _upright(shrunk, scale, language, straighten)
    seen = _seen(upright, model, language, scale)
    unread = unread_ink(upright.readable, map(around, seen.words), scale)
    marks = [_hull(corners) for corners in upright.lines]
    if closer > scale and unread > RECOGNITION.unread and may_be_print(upright.readable, marks, scale):
        other, nearer = _upright(shrunk, closer, language, straighten)
        if unread_ink(nearer.readable, map(_hull, nearer.lines), scale) < unread - RECOGNITION.gain:
            again = _seen(nearer, other, language, closer)
            if (left := unread_ink(nearer.readable, map(around, again.words), scale)) < unread:
                seen, unread, upright, scale, model = again, left, nearer, closer, other
    if unread > RECOGNITION.unread and _is_low(upright.lines, scale):
        seen.unsure = max(seen.unsure, unread)  # more of such small type, of which nothing is known
    if closely:
        seen.unsure = max(seen.unsure, hidden, spoiled(upright.readable, upright.lines, scale))
        seen.unsure = max(seen.unsure, left_out(shrunk, dpi))  # by the sensor
        if upright.skew:
            seen.unsure = max(seen.unsure, left_out(upright.readable, dpi))  # by the printer
        if is_stamped_over(seen.words):
            seen.unsure = max(seen.unsure, RECOGNITION.doubt)
    if upright.guessed:
        seen.unsure = 1.0
    if language == AUTO and seen.words:
        note_choice(model)
    if upright.front is not None:
        report.note(_("Text showing through from the back of a sheet was left out."))
    if shrunk is not dusty:
        report.note(_("Streaks left by dust on the scanner's glass were removed from the text. Clean the glass."))
    grow = np.array([picture.shape[1] / shrunk.shape[1], picture.shape[0] / shrunk.shape[0]])
    seen.back = seen.back * grow[:, None]
    return_memory()
    return seen


def _hull(corners: Corners) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box(left, top, right, bottom)


def _is_low(lines: Sequence[Corners], scale: float) -> bool:
    """Whether a good part of the lines is so low in the picture in which they were found that they are cut badly."""
    heights = sorted(line_size(corners)[1] * scale for corners in lines if not is_tall(corners))
    return bool(heights) and heights[len(heights) // 4] < RECOGNITION.low


def _seen(upright: Upright, model: LineModel, language: str, scale: float) -> Seen:
    words, unsure = _words(upright, model, language, scale)
    if any(is_figure(word.text) and is_doubtful(word) for word in words):
        unsure = max(unsure, RECOGNITION.doubt)
    return Seen(upright.picture, upright.turn, upright.skew, upright.back, words, unsure, upright.bend)


def is_doubtful(figure: SeenWord) -> bool:
    """Whether a figure may be another: one of its characters was not surely read, or its marks have too few pixels."""
    is_plain = figure.text.isalnum()
    return figure.confidence < RECOGNITION.figure or (figure.size < RECOGNITION.coarse and not is_plain)


def _shrink(picture: Pixels, dpi: float) -> Pixels:
    """The picture with no more pixels than help reading."""
    height, width = picture.shape[:2]
    scale = min(1.0, (RECOGNITION.most_pixels / (width * height)) ** 0.5, RECOGNITION.fine_dpi / dpi if dpi else 1.0)
    bound = RECOGNITION.longest / max(width, height)
    if scale > RECOGNITION.nearly and bound >= 1:
        return picture
    scale = min(scale, bound)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _scale(picture: Pixels, dpi: float) -> float:
    """By how much smaller lines are looked for."""
    short, long = sorted(map(int, picture.shape[:2]))
    if long < RECOGNITION.small_side:
        return min(RECOGNITION.most_larger, RECOGNITION.small_side / long)
    wanted = (
        RECOGNITION.search_dpi / dpi if dpi else RECOGNITION.search_side / min(long, RECOGNITION.page_shape * short)
    )
    return min(wanted, _largest(picture))


def _largest(picture: Pixels) -> float:
    """The largest scale in which lines are looked for: that of the picture, or what the bound allows."""
    height, width = picture.shape[:2]
    return min(1.0, math.sqrt(RECOGNITION.most_searched / (height * width)))


def _upright(picture: Pixels, scale: float, language: str, straighten: bool) -> tuple[LineModel, Upright]:
    """The picture made upright, and the model that reads its language."""
    model = (model_for(language) if language != AUTO else None) or built_in_reader()
    found = find_lines(picture, scale)
    upright = made_upright(picture, found, scale, model, straighten=straighten)
    if language != AUTO:
        return model, upright
    pictures = _sample(upright)
    best, sure = best_model(pictures)
    if sure < SCRIPTS.sure and _left_front(upright, model, scale):  # mirror writing is in no script
        pictures = _sample(upright)
        best, sure = best_model(pictures)
    if sure < SCRIPTS.sure:  # nor is what stands on its head
        turned, turned_sure = best_model([pixels(cv2.rotate(line, cv2.ROTATE_180)) for line in pictures])
        if turned_sure >= SCRIPTS.sure:
            best, sure = turned, turned_sure
    if best == model:
        return best, upright
    upright = made_upright(picture, found, scale, best, straighten=straighten)
    upright.guessed = isinstance(best, TrainedData) and sure < SCRIPTS.own
    return best, upright


def _sample(upright: Upright) -> list[Pixels]:
    """Pictures of the longest lines."""
    lines = sorted((c for c in upright.lines if not is_tall(c)), key=lambda c: -line_size(c)[0])
    return [line_picture(upright.readable, corners) for corners in lines[: RECOGNITION.sample]]


def _left_front(upright: Upright, model: LineModel, scale: float) -> bool:
    """Leave what shines through from the back out of what is read. Whether there is such."""
    lines = [corners for corners in upright.lines if not is_tall(corners)]
    pictures = [line_picture(upright.picture, corners) for corners in lines]
    readings = [reading.any for reading in read(model, pictures)]
    front = front_of(upright.picture, lines, pictures, readings, model, scale)
    if front is not None:
        upright.read_front(front, scale)
    return front is not None


def _words(upright: Upright, model: LineModel, language: str, scale: float) -> tuple[list[SeenWord], float]:
    """All words, line by line, and which share of the lines was not read surely."""
    usual = median([line_size(c)[1] for c in upright.lines if not is_tall(c)] or [0])
    level: list[Corners] = []
    sideways: list[Corners] = []
    for corners in unstacked(upright.readable, upright.lines):
        width, height = line_size(corners)
        (sideways if is_tall(corners) and height > RECOGNITION.sideways * max(usual, width) else level).append(corners)
    pictures = [line_picture(upright.readable, corners) for corners in level]
    found, leaders = read_beside_leaders(model, pictures)
    readings = _chosen(found, language)
    if upright.front is None:
        front = front_of(upright.picture, level, pictures, readings, model, scale)
        if front is not None:
            upright.read_front(front, scale)
            return _words(upright, model, language, scale)
    bare = without_rules(upright.readable, level)
    letters = pictures if bare is upright.readable else [line_picture(bare, corners) for corners in level]
    words: list[SeenWord] = []
    for corners, picture, line, reading, led in zip(level, pictures, letters, readings, leaders, strict=True):
        place, painted = from_line(corners), _painted_columns(picture, line)
        words += _placed(without_leaders(line, led) if led else line, reading, place, 0, painted, led)
    words = on_rows(words) + _sideways_words(upright, sideways, model, language)
    return words, _unsure(level, readings)


def _painted_columns(picture: Pixels, bare: Pixels) -> NDArray[np.bool_]:
    """The columns of a line's picture that a rule filled, which was painted over."""
    if bare is picture:
        return np.zeros(picture.shape[1], np.bool_)
    return np.asarray((picture != bare).any(axis=2).mean(axis=0) > RECOGNITION.crossing)


def _unsure(lines: Sequence[Corners], readings: Sequence[Reading]) -> float:
    """The share of the lines, by their length, that were not read surely."""
    hard = total = 0.0
    for corners, reading in zip(lines, readings, strict=True):
        width, height = line_size(corners)
        letters = len("".join(reading.text.split()))
        total += width
        if reading.confidence < RECOGNITION.hard or letters * height < RECOGNITION.sparse * width:
            hard += width
    return hard / total if total else 0.0


def _chosen(readings: Sequence[LineReading], language: str) -> list[Reading]:
    """One reading a line.

    A page without lines of wide script has no single such characters either: where one is read in a Latin line, it is a
    misread sign.
    """
    if language in LATIN_ONLY:
        return [reading.narrow for reading in readings]
    if language != AUTO:
        return [reading.any for reading in readings]
    wide = [_surely_wide(reading.any) for reading in readings]
    if sum(wide) >= RECOGNITION.wide_lines:
        return [reading.any for reading in readings]
    return [r.any if sure else r.narrow for r, sure in zip(readings, wide, strict=True)]


def _surely_wide(reading: Reading) -> bool:
    scores = [score for c, score in zip(reading.text, reading.scores, strict=True) if is_wide(c) and c.isalpha()]
    return len(scores) >= 2 and sum(scores) / len(scores) > RECOGNITION.sure


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
    if reading.confidence < (RECOGNITION.least_sure if length > 2 else RECOGNITION.least_sure_short):
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
    words = with_broken_codes(words)
    for left, top, right, bottom, dots in leaders:
        box = _box(place, Box(left, top, right, bottom))
        words.append(SeenWord("." * dots, box, box.bottom, line.size * scale, 0.0, 0.0, 0, reading.confidence))
    return sorted(words, key=lambda word: word.box.left) if leaders else words


def _as_read(text: str) -> str:
    """A word from right to left as one reads it: models give it as it looks, and figures in it run the other way."""
    return _LEFT_TO_RIGHT.sub(lambda run: run[0][::-1], text[::-1])


def _parted(line: InkLine, number: int) -> bool:
    """Whether a space belongs before a word: between Han characters there is none unless the gap is wide."""
    before, word = line.words[number - 1], line.words[number]
    han = is_wide(before.text[-1]) and is_wide(word.text[0])
    return not han or word.left - before.right > RECOGNITION.han_gap * line.size


def _sideways_words(upright: Upright, lines: Sequence[Corners], model: LineModel, language: str) -> list[SeenWord]:
    """Lines that run up or down an upright page, read in the direction that reads better."""
    pictures = [line_picture(upright.readable, corners) for corners in lines]
    down = read(model, [np.ascontiguousarray(np.rot90(picture, 1)) for picture in pictures])
    up = read(model, [np.ascontiguousarray(np.rot90(picture, -1)) for picture in pictures])
    words: list[SeenWord] = []
    for corners, picture, *both in zip(lines, pictures, _chosen(down, language), _chosen(up, language), strict=True):
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
