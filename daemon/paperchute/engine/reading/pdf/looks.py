"""How the text objects of a page look, as arrays: some programs make one of each letter, thousands on a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from paperchute.engine.reading.pdf.calls import Addresses, Floats, Integers


class Look(NamedTuple):
    """How one text object looks: the address of its font, its rendering mode, its size and a, b, c, d of its matrix."""

    font: int
    mode: int
    size: float
    matrix: tuple[float, ...]


class Looks(NamedTuple):
    """Of each text object, counted from 1, what is in `Look`; row 0 stands for none.

    fonts, modes, sizes: (count + 1,); matrices: (count + 1, 4).
    """

    fonts: Addresses
    modes: Integers
    sizes: Floats
    matrices: Floats

    @classmethod
    def of(cls, fonts: Addresses, modes: Integers, sizes: Floats, matrices: Floats) -> Looks:
        """Those of text objects. matrices: (count, 4) or more."""
        return cls(
            np.concatenate((np.zeros(1, np.uint64), fonts)),
            np.concatenate((np.zeros(1, np.int64), modes)),
            np.concatenate((np.zeros(1), sizes)),
            np.concatenate((np.zeros((1, 4)), matrices[:, :4])),
        )

    def looks(self, numbers: list[int]) -> Iterator[Look]:
        """Those of some text objects."""
        fonts, modes, sizes, matrices = (told[numbers].tolist() for told in self)
        return map(Look, fonts, modes, sizes, map(tuple, matrices))

    def begins(self) -> list[int]:
        """The numbers of the text objects that look otherwise than the one before them, upwards from 1."""
        same = (self.matrices[2:] == self.matrices[1:-1]).all(axis=1)
        for told in (self.fonts, self.modes, self.sizes):
            same &= told[2:] == told[1:-1]
        begins: list[int] = ((~same).nonzero()[0] + 2).tolist()
        return [1, *begins] if len(self.fonts) > 1 else []
