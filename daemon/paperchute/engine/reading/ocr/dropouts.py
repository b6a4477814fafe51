"""Dropouts: a dead element of a sensor or of a printer's head leaves a white line, seen only where it cuts letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.planes import runs_of
from paperchute.engine.reading.ocr.recognised import Pixels, darkness


@dataclass(frozen=True, slots=True)
class DropoutSettings:
    """What counts as a dropout, and what it costs. Lengths are inches where nothing else is said."""

    ink: int = 100
    """Levels of grey darker than the paper, at least."""

    widest: float = 0.03
    """What is wider hides letters, or is the gap between two columns."""

    around: float = 0.3
    """To both sides, with what a column is compared: several letters."""

    evidence: float = 0.25
    """Of ink in the columns around, in all: that of a paragraph of ten lines. In fewer, gaps between letters may lie
    over each other by chance."""


DROPOUTS = DropoutSettings()


def left_out(picture: Pixels, dpi: float) -> float:
    """The share of the lines on a scan (RGB) that is not surely read because white lines cut their letters.

    They run straight up or down the picture, or across it: as it came from the scanner those of its sensor, once it is
    laid straight those of the printer. dpi: pixels per inch where known, else 0. Not seen are those in type whose
    letters all have one width, as the gaps between them are such lines, too.
    """
    dpi = dpi or max(picture.shape[:2]) / PRINT.sheet
    if dpi < PRINT.coarsest or min(picture.shape[:2]) < 2 * DROPOUTS.around * dpi:
        return 0.0
    ink = darkness(picture, PRINT.search / dpi) > DROPOUTS.ink
    widths = [end - start for inked in (ink, ink.T) for start, end in _dropouts(inked, dpi)]
    return PRINT.few if max(widths, default=0) > PRINT.hidden * dpi else 0.0


def _dropouts(ink: NDArray[np.bool_], dpi: float) -> list[tuple[int, int]]:
    """First column and the one after the last of each narrow run without ink, amid columns that all have much."""
    inks = ink.sum(axis=0, dtype=np.float32)
    reach = round(DROPOUTS.around * dpi)
    usual = np.median(sliding_window_view(np.pad(inks, reach), 2 * reach + 1), axis=1)
    is_empty = (usual >= DROPOUTS.evidence * dpi) & (inks <= PRINT.grain * usual)
    widest = max(2, round(DROPOUTS.widest * dpi))
    runs = [(start, end) for start, end in runs_of(is_empty) if end - start <= widest and start and end < len(inks)]
    own = np.zeros(len(inks), np.bool_)
    for start, end in runs:
        own[start - 1 : end + 1] = True  # beside a dropout ink is paler
    found = []
    for start, end in runs if len(runs) <= PRINT.dozen else ():
        low, high = max(0, start - reach), end + reach
        beside = inks[low:high][~own[low:high]]
        is_alone = sum(low <= other < high for other, _ in runs) <= PRINT.some
        # Columns have 0.57 and more in running text, 0.43 and less where letters stand under each other, and gaps, too.
        if is_alone and np.quantile(beside, 1 - PRINT.nearly) >= PRINT.half * usual[start]:
            found.append((start, end))
    return found
