"""Greys of other depths than 8 bits."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_DEPTHS: Final = (8, 10, 12, 14, 16)
"""Bits of a grey that scanners and cameras know; 16 of them are written all the same."""


def used_bits(values: NDArray[Any]) -> int:
    """Return how many bits of greys from 0 to 65535 are used: read as 16, a page of 12 would be all but black."""
    return next(bits for bits in _DEPTHS if int(values.max()) < 1 << bits)


def eight_bits(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Grey values of any depth as 0 to 255: up to 16 bits by the upper 8 of those used, others from least to most."""
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    if values.dtype.kind in "iu" and least >= 0 and most < 65_536:
        return (values.astype(np.uint32) >> used_bits(values) - 8).astype(np.uint8)
    if not math.isfinite(least) or most <= least:
        return np.full(values.shape, 255, np.uint8)
    scaled = (np.nan_to_num(values.astype(np.float32), nan=most) - least) * (255 / (most - least))
    narrow: NDArray[np.uint8] = np.clip(scaled, 0, 255).astype(np.uint8)
    return narrow
