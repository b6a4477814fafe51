"""Where words stand in a text, as arrays of the numbers of characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paperchute.engine.reading.pdf.calls import Floats, Integers
from paperchute.engine.reading.pdf.unsaid_spaces import SPACES

_LAST_SPACE = 0x3000  # the ideographic one; beyond it Unicode has no space
_IS_SPACE = np.array([*(chr(code).isspace() for code in range(_LAST_SPACE + 1)), False])
"""Of each character's code whether it is a space, and of all higher ones at the end that they are not."""


def words_in(text: str) -> tuple[Integers, Integers]:
    """Return where the words of a text start, and where they end: one number of each a word."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    space = np.ones(len(codes) + 2, dtype=bool)
    space[1:-1] = _IS_SPACE[np.minimum(codes, _LAST_SPACE + 1)]
    edges = (space[1:] != space[:-1]).nonzero()[0]
    return edges[::2], edges[1::2]


def merged(places: Integers, others: Integers) -> Integers:
    """Places of both kinds, upwards; none is in both."""
    return np.sort(np.concatenate([places, others])) if len(others) else places


def torn(
    text: str, starts: Integers, ends: Integers, boxes: Floats, runs: Integers, sizes: Floats
) -> npt.NDArray[np.bool_]:
    """Return whether a word only goes on with the one before, and PDFium broke the line between them.

    It may where letters are text objects of their own and the page's text stands in columns far apart: it takes such a
    page for one of vertical writing. boxes: of all characters, as rows; runs: -1 where text does not run to the right.
    """
    found = np.zeros(len(starts), dtype=bool)
    if len(starts) > 1:
        last, here = boxes[:, ends[:-1] - 1], boxes[:, starts[1:]]
        near = SPACES.level * sizes[1:]
        level = np.abs(here[3] - last[3]) < near
        found[1:] = level & (runs[1:] == runs[:-1]) & (runs[1:] >= 0) & (np.abs(here[0] - last[2]) < near)
        for place in found.nonzero()[0].tolist():
            found[place] = text[ends[place - 1] : starts[place]] == "\r\n"
    return found
