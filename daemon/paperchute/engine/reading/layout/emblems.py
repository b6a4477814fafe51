"""Small drawn pictures beside text: logos and icons, too small to be a chart or a diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.figures import joined_strokes
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Drawing, PageMarks
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class EmblemSettings:
    """What is a small picture. Lengths are points."""

    flattest: float = 5.0
    """Times its shorter side that the longer one is at most: waves and arrows are part of something else. A page of the
    OCR benchmark's heads and feet changes at 4."""


EMBLEMS = EmblemSettings()


def emblems(marks: PageMarks, lines: Sequence[TextLine], taken: Sequence[Box]) -> list[Box]:
    """Return where small drawn pictures are. taken: the places of tables, figures and pictures."""
    if not marks.words or len(marks.drawings) + len(marks.dots) > BOUNDS.lines:
        return []  # a page that is a picture, or a map
    straight = {shape.box for shape in marks.shapes}
    parts = [
        drawing if drawing.strokes or drawing.box in straight else drawing._replace(strokes=TYPOGRAPHY.several)
        for drawing in marks.drawings
        if max(drawing.box.width, drawing.box.height) <= TYPOGRAPHY.row_reach
    ]
    parts += [Drawing(dot, TYPOGRAPHY.pair) for dot in marks.dots]
    words = [word.box for line in lines for word in line.words]
    found: list[Box] = []
    for box, strokes in joined_strokes(parts, TYPOGRAPHY.frame):
        small, large = sorted((box.width, box.height))
        if strokes < TYPOGRAPHY.few or small < TYPOGRAPHY.several * TYPOGRAPHY.frame or large > TYPOGRAPHY.row_reach:
            continue
        if large > EMBLEMS.flattest * small or any(other.overlap(box) > 0 for other in taken):
            continue
        if len(found) > BOUNDS.beside:
            return []
        if any(other.overlap(box) > 0 for other in words):
            continue
        if small >= TYPOGRAPHY.label_reach or not any(_is_before(other, box) for other in words):
            found.append(box)
    return found if len(found) <= BOUNDS.beside else []


def _is_before(word: Box, box: Box) -> bool:
    """Decide whether a word stands left of a picture in its row."""
    level = min(word.bottom, box.bottom) - max(word.top, box.top) > 0
    return level and box.left - TYPOGRAPHY.row_reach < word.right <= box.left
