"""One page picture to words: upright, every line found and read, every word measured at its ink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import cv2
import numpy as np

from paperchute.engine import report
from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import PLANES, scaled
from paperchute.engine.reading.ocr.detection import Found, find_lines
from paperchute.engine.reading.ocr.leaders import Leader, read_beside_leaders
from paperchute.engine.reading.ocr.models import built_in_reader, return_memory
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.placing import placed, placed_sideways
from paperchute.engine.reading.ocr.recognised import (
    Corners,
    Pixels,
    Seen,
    SeenWord,
    Upright,
    WorkingPicture,
    is_tall,
    line_picture,
    line_size,
    pixels,
)
from paperchute.engine.reading.ocr.recognition import Reading, is_figure
from paperchute.engine.reading.ocr.repairs import repair
from paperchute.engine.reading.ocr.scripts import SCRIPTS, best_model, chosen, model_for, note_choice, read
from paperchute.engine.reading.ocr.stacks import unstacked
from paperchute.engine.reading.ocr.tesseract import TrainedData
from paperchute.engine.reading.ocr.unread import around, may_be_print, unread_ink
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class RecognitionSettings:
    """How a page's picture is prepared, and which of what is read is believed."""

    most_pixels: int = 24_000_000
    """Pixels of a page: a bound on memory; A3 at 300 dpi has 17 million."""

    search_side: int = 1_152
    """Pixels of a page's long side in which lines are looked for where its size is not known: about A4 at 100 dpi."""

    small_side: int = 640
    """Pixels: smaller pictures are made larger, to this side. 0.8 to 1.2 times it reads 6 sample scans the same."""

    low: float = 14.0
    """Pixels: lower lines are looked for closer, too. Common type has 16 to 22, type of 6 points 13: of a page of that
    3.8 % of the letters are wrong, and none in the larger picture."""

    coarse: float = 12.0
    """Pixels: the font size below which a comma has too few of them to be told from a point, or a hyphen from a swung
    dash, however sure the network is: of 1,000 amounts 33 were misread so. From 13 on none was."""


RECOGNITION = RecognitionSettings()


def see(picture: Pixels, language: str, dpi: float = 0.0, *, straighten: bool = True, closely: bool = True) -> Seen:
    """Recognise a page picture (RGB).

    language: a code of the contract whose model is installed. dpi: pixels per inch where known, else 0. straighten:
    lay a skewed page straight, and a bent one flat. closely: look once more where ink is left that no word covers; much
    of what is no page is no text. A page without text gives no words. Raises Refused 190005.
    """
    page = _rendered(picture, language, dpi, straighten)
    if closely:
        repair(page, "before lines are found")
    closer = max(page.scale, min((1 + PRINT.more) * page.scale, 1.0)) if closely else page.scale
    _find(page)
    if closer > page.scale and _is_low(page):
        page.scale = closer
        _find(page)
    _read(page)
    page = _looked_closer(page, closer)
    if closely:
        repair(page, "once words are placed")
    seen = _judged(page, picture)
    return_memory()
    return seen


def _rendered(picture: Pixels, language: str, dpi: float, straighten: bool) -> WorkingPicture:
    """A page's picture in the size in which it is worked on."""
    shrunk = _shrink(picture, dpi)
    dpi *= shrunk.shape[1] / picture.shape[1]
    model = (model_for(language) if language != AUTO else None) or built_in_reader()
    return WorkingPicture(shrunk, dpi, language, straighten, _scale(shrunk, dpi), model, Upright(shrunk, []))


def _looked_closer(page: WorkingPicture, closer: float) -> WorkingPicture:
    """The page, looked at once more in a larger picture where ink is left that no word covers, if that leaves less."""
    unread = unread_ink(page.upright.readable, map(around, page.words), page.scale)
    marks = [_hull(corners) for corners in page.upright.lines]
    # Of 36 sample scans 0.003 is unread at the most, of pages whose small type was overlooked 0.7.
    if closer > page.scale and unread > PRINT.few and may_be_print(page.upright.readable, marks, page.scale):
        other = replace(page, scale=closer)
        _find(other)
        hulls = map(_hull, other.upright.lines)
        if unread_ink(other.upright.readable, hulls, page.scale) < unread - PRINT.speck:
            _read(other)
            left = unread_ink(other.upright.readable, map(around, other.words), page.scale)
            if left < unread:
                page, unread = other, left
    if unread > PRINT.few and _is_low(page):
        page.unsure = max(page.unsure, unread)  # more of such small type, of which nothing is known
    return page


def _judged(page: WorkingPicture, picture: Pixels) -> Seen:
    """Return what is seen on the given picture, and how sure that is."""
    upright, unsure = page.upright, max(page.unsure, _unsure(page.level, page.readings))
    if any(is_figure(word.text) and is_doubtful(word) for word in page.words):
        unsure = max(unsure, PRINT.few)
    if upright.guessed:
        unsure = 1.0
    if page.language == AUTO and page.words:
        note_choice(page.model)
    if upright.front is not None:
        report.note(_("Text showing through from the back of a sheet was left out."))
    grow = np.array([picture.shape[1] / page.picture.shape[1], picture.shape[0] / page.picture.shape[0]])
    back = upright.back * grow[:, None]
    return Seen(upright.picture, upright.turn, upright.skew, back, page.words, unsure, upright.bend)


def _hull(corners: Corners) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box(left, top, right, bottom)


def _is_low(page: WorkingPicture) -> bool:
    """Tell if a good part of the lines is so low in the picture in which they were found that they are cut badly."""
    heights = sorted(line_size(corners)[1] * page.scale for corners in _level(page.upright.lines))
    return bool(heights) and heights[len(heights) // 4] < RECOGNITION.low


def is_doubtful(figure: SeenWord) -> bool:
    """Tell if a figure may be another: one of its characters was not surely read, or its marks have too few pixels."""
    is_plain = figure.text.isalnum()
    # Of 57 pages on which amounts were misread, coarse, faint, pressed or worn, 0.7 names 49, 0.75 52 and 0.8 54; of 36
    # sample scans one, for a figure that is wrong.
    return figure.confidence < 1 - PRINT.quarter or (figure.size < RECOGNITION.coarse and not is_plain)


def _shrink(picture: Pixels, dpi: float) -> Pixels:
    """The picture with no more pixels than help reading."""
    height, width = picture.shape[:2]
    scale = min(1.0, (RECOGNITION.most_pixels / (width * height)) ** 0.5, PRINT.fine / dpi if dpi else 1.0)
    bound = PLANES.longest / max(width, height)
    if scale > PRINT.surely and bound >= 1:
        return picture
    return scaled(picture, min(scale, bound))


def _scale(picture: Pixels, dpi: float) -> float:
    """By how much smaller lines are looked for."""
    short, long = sorted(map(int, picture.shape[:2]))
    if long < RECOGNITION.small_side:
        return min(PRINT.twice, RECOGNITION.small_side / long)
    wanted = PRINT.search / dpi if dpi else RECOGNITION.search_side / min(long, PRINT.longer * short)
    return min(wanted, 1.0)


def _find(page: WorkingPicture) -> None:
    """Find the lines of a page, make it upright, and choose the model that reads its script."""
    found = find_lines(page.picture, page.scale)
    return_memory()  # of what found them, before what reads them takes its own
    page.middles = found.middles
    if page.language != AUTO:
        _make_upright(page, found)
        return
    model = page.model = built_in_reader()
    _make_upright(page, found)
    pictures = _sample(page.upright)
    best, sure = best_model(pictures)
    if sure < SCRIPTS.sure and _left_back(page):  # mirror writing is in no script
        pictures = _sample(page.upright)
        best, sure = best_model(pictures)
    if sure < SCRIPTS.sure:  # nor is what stands on its head
        turned, turned_sure = best_model([pixels(cv2.rotate(line, cv2.ROTATE_180)) for line in pictures])
        if turned_sure >= SCRIPTS.sure:
            best, sure = turned, turned_sure
    if best != model:
        page.model = best
        _make_upright(page, found)
        page.upright.guessed = isinstance(best, TrainedData) and sure < SCRIPTS.own


def _make_upright(page: WorkingPicture, found: Found) -> None:
    page.upright = Upright(page.picture, found.lines)
    if found.lines:
        repair(page, "once lines are found")


def _sample(upright: Upright) -> list[Pixels]:
    """Pictures of the longest lines."""
    lines = sorted(_level(upright.lines), key=lambda c: -line_size(c)[0])
    return [line_picture(upright.readable, corners) for corners in lines[: PRINT.sample]]


def _level(lines: Sequence[Corners]) -> list[Corners]:
    return [corners for corners in lines if not is_tall(corners)]


def _left_back(page: WorkingPicture) -> bool:
    """Leave what shines through from the back out of what is read. Whether there is such."""
    page.level = _level(page.upright.lines)
    page.cut = [line_picture(page.upright.picture, corners) for corners in page.level]
    page.readings = [reading.any for reading in read(page.model, page.cut)]
    return repair(page, "once lines are read")


def _read(page: WorkingPicture) -> None:
    """Read all lines of a page and place their words, line by line; its back is left out where it shines through."""
    sideways, leaders = _read_lines(page)
    if repair(page, "once lines are read"):
        sideways, leaders = _read_lines(page)
    return_memory()
    page.words = placed(page, leaders) + placed_sideways(page, sideways)


def _read_lines(page: WorkingPicture) -> tuple[list[Corners], list[list[Leader]]]:
    """Read the lines that run across a page. The others, and the leaders in each of those."""
    upright = page.upright
    usual = median([line_size(corners)[1] for corners in _level(upright.lines)] or [0])
    level: list[Corners] = []
    sideways: list[Corners] = []
    for corners in unstacked(upright.readable, upright.lines):
        width, height = line_size(corners)
        (sideways if is_tall(corners) and height > PRINT.twice * max(usual, width) else level).append(corners)
    page.level, page.cut = level, [line_picture(upright.readable, corners) for corners in level]
    found, leaders = read_beside_leaders(page.model, page.cut)
    page.readings = chosen(found, page.language)
    return sideways, leaders


def _unsure(lines: Sequence[Corners], readings: Sequence[Reading]) -> float:
    """The share of the lines, by their length, that were not read surely."""
    hard = total = 0.0
    for corners, reading in zip(lines, readings, strict=True):
        width, height = line_size(corners)
        letters = len("".join(reading.text.split()))
        total += width
        # Handwriting, and scripts that the network has not learnt, have 0.3 to 0.75; faxes and blurs 0.9 and more.
        if reading.confidence < PRINT.most or letters * height < PRINT.less * width:
            hard += width
    return hard / total if total else 0.0
