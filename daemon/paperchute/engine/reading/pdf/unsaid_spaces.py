"""Spaces that a page shows between two text objects, and neither its text nor PDFium says.

PDFium makes up a space where a gap is wide for the font; a sixth of the size may not be, in a font with wide spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf.calls import Floats, Integers


@dataclass(frozen=True, slots=True)
class SpaceSettings:
    """Which gaps between text objects are spaces. Lengths are shares of the font size."""

    level: float = 0.08
    """By which letters of one line, and the parts of one word, miss each other: a third of any space."""


SPACES = SpaceSettings()


def unsaid_spaces(
    text: str,
    places: Integers,
    boxes: Floats,
    sizes: Floats,
    angles: Integers,
    asked: Callable[[list[int]], Floats],
) -> npt.NDArray[np.bool_]:
    """Return whether a space stands before each of the `places` in the text, where text objects begin inside a word.

    boxes: of all characters, as rows; sizes and angles: of those at the places; asked: gives boxes (left, top, right,
    bottom, a character a row) of any characters.
    """
    gaps = boxes[0, places] - boxes[2, places - 1]
    # Of 483,054 words on 1,305 pages this parts 7, all of them two words run into one; gaps of 0.12 are inside words.
    found: npt.NDArray[np.bool_] = (
        (gaps >= TYPOGRAPHY.touching * np.maximum(sizes, 1.0))
        & (np.abs(boxes[3, places] - boxes[3, places - 1]) < SPACES.level * sizes)
        & (angles == 0)
    )
    for n in found.nonzero()[0].tolist():
        place = int(places[n])
        if not _may_part(text[max(place - 2, 0) : place], text[place : place + 2]):
            found[n] = False
            continue
        left, _, right, _ = asked([place - 2, place - 1, place, place + 1]).T
        # Where letters stand as far apart on either side, they are set wide, and the gap is none.
        found[n] = max(left[1] - right[0], left[3] - right[2]) < TYPOGRAPHY.half * gaps[n]
    return found


def _may_part(before: str, behind: str) -> bool:
    """Tell if a space may stand between two signs and two more: between words, not between the digits of a number."""
    if len(before) < 2 or len(behind) < 2 or not (before.isalnum() and behind.isalnum()):
        return False
    return not (before[1].isdigit() and behind[0].isdigit())
