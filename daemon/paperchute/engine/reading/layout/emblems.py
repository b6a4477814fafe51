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

    least: float = 9.0
    """Of its shorter side: smaller ones are bullets and signs."""

    most: float = 120.0
    """Of its longer side: larger ones are figures, or the page's ornament."""

    logo: float = 24.0
    """Of its shorter side: from there on it may have text at both sides; smaller ones stand before the text of their
    row, others in it, as check marks in a table do."""

    flattest: float = 5.0
    """Times its shorter side that the longer one is at most: waves and arrows are part of something else."""

    dot: int = 2
    """Curves that a dot counts for, as it may be a sign on a disc."""

    most_count: int = 40
    """Of a page: more are signs of a map or a plan."""


EMBLEMS = EmblemSettings()


def emblems(marks: PageMarks, lines: Sequence[TextLine], taken: Sequence[Box]) -> list[Box]:
    """Where small drawn pictures are. taken: the places of tables, figures and pictures."""
    if not marks.words or len(marks.drawings) + len(marks.dots) > BOUNDS.lines:
        return []  # a page that is a picture, or a map
    straight = {shape.box for shape in marks.shapes}
    parts = [
        drawing if drawing.strokes or drawing.box in straight else drawing._replace(strokes=TYPOGRAPHY.several)
        for drawing in marks.drawings
        if max(drawing.box.width, drawing.box.height) <= EMBLEMS.most
    ]
    parts += [Drawing(dot, EMBLEMS.dot) for dot in marks.dots]
    words = [word.box for line in lines for word in line.words]
    found: list[Box] = []
    for box, strokes in joined_strokes(parts, TYPOGRAPHY.frame):
        small, large = sorted((box.width, box.height))
        if strokes < TYPOGRAPHY.few or small < EMBLEMS.least or large > EMBLEMS.most:
            continue
        if large > EMBLEMS.flattest * small or any(other.overlap(box) > 0 for other in taken):
            continue
        if len(found) > EMBLEMS.most_count:
            return []
        if any(other.overlap(box) > 0 for other in words):
            continue
        if small >= EMBLEMS.logo or not any(_is_before(other, box) for other in words):
            found.append(box)
    return found if len(found) <= EMBLEMS.most_count else []


def _is_before(word: Box, box: Box) -> bool:
    """Whether a word stands left of a picture in its row."""
    level = min(word.bottom, box.bottom) - max(word.top, box.top) > 0
    return level and box.left - TYPOGRAPHY.row_reach < word.right <= box.left
