"""Show-through: what a thin sheet lets be seen of its back, told by its mirror writing, and taken off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import Corners, Pixels, darkness, line_picture, pixels
from paperchute.engine.reading.ocr.recognition import Reading
from paperchute.engine.reading.ocr.scripts import LineModel, read


@dataclass(frozen=True, slots=True)
class ShowThroughSettings:
    """What is from the back, and how it is taken off. Darkness is from 0, the paper around, to 1, black."""

    least: int = 8
    """Letters in the mirror, of all such lines together: fewer are pale ticks, signs and digits of the front, which
    look like others there. Of 60 made pages the backs, of one line and more, give 19 to 111, and the fronts of charts,
    dialogs and tables 3 at most, beside digits."""

    own: float = 2.5
    """Times the darkness of the lines from the back: from here on ink stays as it is; between both it is lessened."""


SHOW_THROUGH = ShowThroughSettings()


def front_of(
    picture: Pixels,
    lines: Sequence[Corners],
    pictures: Sequence[Pixels],
    readings: Sequence[Reading],
    model: LineModel,
    scale: float,
) -> Pixels | None:
    """An upright picture (RGB) without what shines through from its back; None where surely nothing does.

    Sure are lines that are faint, doubtful, and plain in the mirror. Where there are such, what is no darker than they
    is taken off, but for the lines that are the front's own. lines, pictures, readings: level lines of the picture, cut
    out, and as `model` reads them. scale: of the picture in which lines were looked for.
    """
    # Mirror writing is read with 0.4 to 0.92, in the mirror with 0.95 to 1; lines of the front there with 0.6 to 0.9.
    doubtful = [
        number
        for number, reading in enumerate(readings)
        if reading.confidence < PRINT.surely and _is_faint(pictures[number])
    ]
    # where the front is blank, what shines through may have been turned by a half, which leaves it upside down
    back = _mirrored(doubtful, pictures, readings, model, 1) or _mirrored(doubtful, pictures, readings, model, 0)
    if not back:
        return None
    dark = darkness(picture, scale)
    inks = [float(np.percentile(line_picture(dark, corners), 100 * (1 - PRINT.grain))) / 255 for corners in lines]
    level = PRINT.longer * median(inks[number] for number in back)
    steps = np.arange(256, dtype=np.float32) / 255
    kept = np.clip((steps - level) / ((SHOW_THROUGH.own - 1) * level), 0, 1)  # of the darkness
    lighter = ((1 - kept * steps) / np.maximum(1 - steps, 1 / 255)).astype(np.float32)
    front = pixels(np.clip(picture * cv2.LUT(dark, lighter)[..., None], 0, 255))
    for number, corners in enumerate(lines):
        is_sure = readings[number].confidence >= PRINT.surely
        if number not in back and inks[number] < (SHOW_THROUGH.own if is_sure else 1) * level:
            left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
            right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
            front[top:bottom, left:right] = picture[top:bottom, left:right]
    return front


def _mirrored(
    numbers: Sequence[int], pictures: Sequence[Pixels], readings: Sequence[Reading], model: LineModel, axis: int
) -> set[int]:
    """Those of the lines that are read surely when their pictures are flipped along this axis; none for too little."""
    flipped = read(model, [np.ascontiguousarray(np.flip(pictures[number], axis)) for number in numbers])
    found = {
        number: reading.any.text
        for number, reading in zip(numbers, flipped, strict=True)
        if reading.any.confidence > max(PRINT.nearly, readings[number].confidence + PRINT.hair)
    }
    letters = sum(sum(map(str.isalpha, text)) for text in found.values())
    return set(found) if letters >= SHOW_THROUGH.least else set()


def _is_faint(line: Pixels) -> bool:
    """Decide whether the ink on a line's picture is that pale, if it is dark on light."""
    paper, ink = np.percentile(cv2.cvtColor(line, cv2.COLOR_RGB2GRAY), (80, 100 - 100 * (1 - PRINT.grain)))
    return bool(paper and 1 - ink / paper < PRINT.half)
