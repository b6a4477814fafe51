"""Reading order: a page's pieces parted into columns and put in sequence.

Own variant of recursive cutting: a gutter may be crossed by wide pieces (titles, tables); they part the page into
bands, and only bands with text columns on both sides are read column by column.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.blocks import Placed
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.tables.grid import FoundTable

_DEEPEST = 8
_NARROWEST_GUTTER = 0.7  # of the text size
_FEWEST_LINES = 3
_OVERHANG = 0.05  # of its width: so far a table may reach out of its column, as cells that do not fit widen it
_FIRST_WIDE = "\u2e80"  # letters as wide as high, of which each says more, begin here in Unicode


@dataclass(slots=True)
class Piece:
    """Something with a place on the page: a line, a table, a picture, or the blocks of a text that is turned."""

    box: Box
    content: TextLine | FoundTable | Placed | list[Placed]

    @property
    def line(self) -> TextLine | None:
        """The content when it is text."""
        return self.content if isinstance(self.content, TextLine) else None

    @property
    def core(self) -> tuple[float, float]:
        """Left and right end of what is surely in its own column."""
        overhang = _OVERHANG * self.box.width if isinstance(self.content, FoundTable) else 0.0
        return self.box.left + overhang, self.box.right - overhang


def in_reading_order(pieces: Sequence[Piece], depth: int = 0) -> list[list[Piece]]:
    """The pieces in groups, each group one column's worth, in the order one reads them."""
    if not pieces:
        return []
    bands = _best_cut(pieces) if depth < _DEEPEST and len(pieces) >= 2 * _FEWEST_LINES else None
    if bands is None:
        return [sorted(pieces, key=lambda p: (p.box.top, p.box.left))]
    groups: list[list[Piece]] = []
    for band in bands:
        for part in band:
            groups += in_reading_order(part, depth + 1)
    return groups


def _best_cut(pieces: Sequence[Piece]) -> list[tuple[list[Piece], ...]] | None:
    """Bands from top to bottom, each one list (no columns) or a left and a right one; None when nothing is to cut."""
    best: tuple[float, list[tuple[list[Piece], ...]]] | None = None
    for gutter in _gutters(pieces):
        bands = _bands(pieces, gutter)
        weight = sum(hull(p.box for part in band for p in part).height for band in bands if len(band) == 2)
        if weight > 0 and (best is None or weight > best[0]):
            best = (weight, bands)
    return best[1] if best else None


def _gutters(pieces: Sequence[Piece]) -> list[float]:
    """The x of places that few pieces cross, the most promising first."""
    whole = hull(p.box for p in pieces)
    size = median([p.line.size for p in pieces if p.line] or [10.0])
    count = min(max(int(whole.width), 1), 3000)
    step = whole.width / count or 1.0
    change = [0.0] * (count + 1)
    for piece in pieces:
        first, last = (int((end - whole.left) / step) for end in piece.core)
        height = piece.box.height
        change[min(max(first, 0), count)] += height
        change[min(max(last, 0), count)] -= height
    cover = list(itertools.accumulate(change[:count]))
    limit = 0.5 * median(sorted(cover)[count // 2 :])
    found: list[tuple[float, float]] = []
    ends = np.flatnonzero(np.diff(np.array(cover) <= limit, prepend=False, append=False)).tolist()
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start > 0 and end < count:
            low = min(cover[start:end])
            inner = [k for k in range(start, end) if cover[k] <= low + 1e-6 + 0.1 * limit]
            width = len(inner) * step
            if width >= _NARROWEST_GUTTER * size:
                found.append((width / (1.0 + low), whole.left + (inner[0] + inner[-1] + 1) / 2 * step))
    return [x for _, x in sorted(found, reverse=True)[:6]]


def _bands(pieces: Sequence[Piece], gutter: float) -> list[tuple[list[Piece], ...]]:
    """Pieces parted at the gutter wherever they make columns there."""
    slack = 1.0
    bands: list[tuple[list[Piece], ...]] = []
    left: list[Piece] = []
    right: list[Piece] = []
    single: list[Piece] = []

    def close() -> None:
        if left and right and _are_columns(left, right):
            if single:
                bands.append((single[:],))
                single.clear()
            bands.append((left[:], right[:]))
        else:
            single.extend(left + right)
        left.clear()
        right.clear()

    for piece in sorted(pieces, key=lambda p: p.box.top):
        start, end = piece.core
        if start < gutter - slack and end > gutter + slack:
            close()
            single.append(piece)
        elif piece.box.center[0] < gutter:
            left.append(piece)
        else:
            right.append(piece)
    close()
    if single:
        bands.append((single,))
    return bands


def _are_columns(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Whether both sides are columns of their own rather than cells of common rows."""
    sides = [left, right]
    boxes = [hull(p.box for p in side) for side in sides]
    common = min(b.bottom for b in boxes) - max(b.top for b in boxes)
    if common <= 0 or min(b.width for b in boxes) < 0.12 * (boxes[1].right - boxes[0].left):
        return False
    lines = [[p.line for p in side if p.line] for side in sides]
    if any(len(own) < _FEWEST_LINES and len(own) == len(side) for own, side in zip(lines, sides, strict=True)):
        return False
    if any(_is_filled(side, box) for side, box in zip(sides, boxes, strict=True)):
        return True
    if all(_is_prose(own, box) for own, box in zip(lines, boxes, strict=True)):
        return True
    few, many = sorted(lines, key=len)
    level = sum(any(abs(a.baseline - b.baseline) < 0.2 * a.size for b in many) for a in few)
    return level < 0.5 * len(few) and common > 0.5 * min(b.height for b in boxes) and len(few) >= 2 * _FEWEST_LINES


def _is_filled(side: Sequence[Piece], box: Box) -> bool:
    """Whether a side has no lines, or tables and pictures fill most of it, so that its few lines tell nothing."""
    other = [piece.box.height for piece in side if piece.line is None]
    return len(other) == len(side) or sum(other) > 0.5 * box.height


def _is_prose(lines: Sequence[TextLine], box: Box) -> bool:
    """Whether lines are running text: most of them long, filling their column."""
    if len(lines) < _FEWEST_LINES:
        return False
    widths = sorted(line.right - line.left for line in lines)
    chars = sorted(line.chars for line in lines)
    wide = 2 * sum(line.words[0].text >= _FIRST_WIDE for line in lines) > len(lines)
    return widths[len(widths) // 2] > 0.55 * box.width and chars[len(chars) // 2] >= (12 if wide else 18)
