"""From line to line: how much room the lines of a text take, and where a word processor puts them in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Line
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.fonts import family, natural_pitch
from paperchute.engine.writing.office.parts import Leading


@dataclass(frozen=True, slots=True)
class LeadingSettings:
    """How lines are measured, and how word processors lay them out."""

    closer: float = 0.985
    """Of what a font's lines take when they are set single: lines that stand closer keep their distance only where it
    is said to be exact. Sizes and places of a page are rounded."""

    above: float = 0.8
    """Of the room that a line has beside its letters: above them. LibreOffice and Word put the letters of a line of an
    exact height so that four fifths of it are above the baseline."""


LEADING = LeadingSettings()


def size_of(lines: Sequence[Line]) -> float:
    """The font size most characters have, 0 when none is known."""
    weights: dict[float, int] = {}
    for line in lines:
        for span in line.spans:
            if not span.style.script:
                size = round(span.style.size * 2) / 2
                weights[size] = weights.get(size, 0) + len(span.text)
    return max(weights, key=lambda size: weights[size]) if weights else 0.0


def step_of(lines: Sequence[Line]) -> float:
    """From line to line in points; 0 where there are too few lines to tell."""
    size = size_of(lines)
    bottoms = [line.quad.box.bottom for line in lines]
    steps = [b - a for a, b in pairwise(bottoms) if b - a > TYPOGRAPHY.half_em * size]
    if not steps or size <= 0:
        return 0.0
    usual = median(steps)
    alike = [step for step in steps if abs(step - usual) <= TYPOGRAPHY.fifth * usual]
    return fmean(alike) if alike else usual


def pitch_of(lines: Sequence[Line]) -> float:
    """From line to line as a multiple of the font size; 0 where there are too few lines to tell."""
    step = step_of(lines)
    return step / size_of(lines) if step else 0.0


def leading_of(lines: Sequence[Line]) -> Leading:
    """Measure the lines of a paragraph; a single one gets what its font takes."""
    seen = [line for line in lines if line.quad.box.height > 0 and not line.quad.angle]
    size = size_of(seen)
    if size <= 0:
        return Leading()
    tall = median(line.quad.box.height for line in seen)
    font = family(next((span.style.font for line in seen for span in line.spans), ""))
    own = max(TYPOGRAPHY.wider_leading * size, natural_pitch(font) * size, tall)
    height = step_of(seen) or own
    largest = max(span.style.size for line in seen for span in line.spans)
    exact = height < LEADING.closer * own and largest <= height
    return Leading(height, exact, LEADING.above * (height - tall), (1 - LEADING.above) * (height - tall))


def ends_of(lines: Sequence[Line], box: Box) -> tuple[float, float]:
    """The top and the bottom of lines; of a `box` where there are none. An item's marker may stand higher than both."""
    places = [line.quad.box for line in lines if line.quad.box.height > 0]
    return (min(p.top for p in places), max(p.bottom for p in places)) if places else (box.top, box.bottom)


def within(leading: Leading, room: float) -> Leading:
    """The leading of a single line with no more above its letters than there is room for in points, exact then."""
    if not leading.height or leading.above <= max(room, 0.0):
        return leading
    taken = (leading.above - max(room, 0.0)) / LEADING.above
    kept = (1 - LEADING.above) * taken
    return Leading(leading.height - taken, True, max(room, 0.0), leading.below - kept)
