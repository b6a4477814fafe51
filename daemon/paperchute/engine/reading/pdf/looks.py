"""How the text objects of a page look, as arrays: some programs make one of each letter, thousands on a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paperchute.engine.reading.pdf.calls import Floats

Addresses = npt.NDArray[np.uint64]


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
    modes: npt.NDArray[np.int64]
    sizes: Floats
    matrices: Floats

    @classmethod
    def of(cls, fonts: Sequence[tuple[int, int]], sizes: Sequence[float], matrices: Floats) -> Looks:
        """Those of text objects. fonts: with their rendering modes; matrices: (count, 4) or more."""
        rows = np.zeros((len(fonts) + 1, 4))
        rows[1:] = matrices[:, :4]
        return cls(
            np.array([0, *(font for font, _ in fonts)], dtype=np.uint64),
            np.array([0, *(mode for _, mode in fonts)], dtype=np.int64),
            np.array([0.0, *sizes]),
            rows,
        )

    def look(self, number: int) -> Look:
        """That of one text object."""
        return Look(
            int(self.fonts[number]),
            int(self.modes[number]),
            float(self.sizes[number]),
            tuple(self.matrices[number].tolist()),
        )

    def begins(self) -> list[int]:
        """The numbers of the text objects that look otherwise than the one before them, upwards from 1."""
        same = (self.matrices[2:] == self.matrices[1:-1]).all(axis=1)
        for told in (self.fonts, self.modes, self.sizes):
            same &= told[2:] == told[1:-1]
        begins: list[int] = ((~same).nonzero()[0] + 2).tolist()
        return [1, *begins] if len(self.fonts) > 1 else []
