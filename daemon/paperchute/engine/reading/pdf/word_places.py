"""Where words stand in a text, as arrays of the numbers of characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_LAST_SPACE = 0x3000  # the ideographic one; beyond it Unicode has no space
_IS_SPACE = np.array([*(chr(code).isspace() for code in range(_LAST_SPACE + 1)), False])
"""Of each character's code whether it is a space, and of all higher ones at the end that they are not."""


def words_in(text: str) -> tuple[Integers, Integers]:
    """Where the words of a text start, and where they end: one number of each a word."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    space = np.ones(len(codes) + 2, dtype=bool)
    space[1:-1] = _IS_SPACE[np.minimum(codes, _LAST_SPACE + 1)]
    edges = (space[1:] != space[:-1]).nonzero()[0]
    return edges[::2], edges[1::2]


def merged(places: Integers, others: Integers) -> Integers:
    """Places of both kinds, upwards; none is in both."""
    return np.sort(np.concatenate([places, others])) if len(others) else places
