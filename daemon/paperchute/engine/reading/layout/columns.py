"""Reading order: a page's pieces parted into columns and put in sequence.

Own variant of recursive cutting: a gutter may be crossed by wide pieces (titles, tables); they part the page into
bands, and only bands with text columns on both sides are read column by column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

import numpy as np

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.running_text import running_and_last
from paperchute.engine.reading.layout.sides import (
    Piece,
    are_columns,
    parts_numbers,
    rows_of_text,
    rows_with_labels,
    stacked,
)
from paperchute.engine.reading.layout.strips import masthead, panels_beside, strips
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY
from paperchute.engine.reading.layout.written import blocks_beside, texts_beside


def in_reading_order(
    pieces: Sequence[Piece],
    with_tables: Callable[[Sequence[Piece]], Sequence[Piece]],
    title: tuple[float, float] | None = None,
    panels: Sequence[Box] = (),
) -> list[list[Piece]]:
    """The pieces in groups, each group one column's worth, in the order one reads them.

    with_tables: puts tables in place of the lines that make them up, before each cut, which would part their columns.
    title: from where to where down the page the document's own title stands, if it does. panels: areas and frames in
    which text may stand.
    """
    rtl = sum(piece.line.rtl for piece in pieces if piece.line)
    leftward = 2 * rtl > sum(piece.line is not None for piece in pieces)
    return _Page(pieces, with_tables, leftward, title, panels).parted(pieces, 0)


@dataclass(slots=True)
class _Page:
    """All pieces of a page. rtl: the right column is read first. title: where the document's own stands."""

    pieces: Sequence[Piece]
    with_tables: Callable[[Sequence[Piece]], Sequence[Piece]]
    rtl: bool
    title: tuple[float, float] | None = None
    panels: Sequence[Box] = ()
    _is_marked: bool = False
    _above: dict[int, TextLine] = field(default_factory=dict)

    def parted(self, pieces: Sequence[Piece], depth: int) -> list[list[Piece]]:
        """The groups of a part of the page."""
        if not pieces:
            return []
        may_cut = depth < BOUNDS.tried and len(pieces) >= 2 * TYPOGRAPHY.several
        bands = self._told_bands(pieces) if may_cut else masthead(pieces)
        if not bands:
            pieces = self.with_tables(pieces)
            bands = (self._best_cut(pieces) or texts_beside(pieces)) if may_cut else []
        if not bands:
            return [sorted(pieces, key=lambda p: (p.box.top, p.box.left))]
        groups: list[list[Piece]] = []
        for band in bands:
            for part in band[::-1] if self.rtl or self._is_beside_title(band) else band:
                groups += self.parted(part, depth + 1)
        return groups

    def _told_bands(self, pieces: Sequence[Piece]) -> list[tuple[list[Piece], ...]]:
        """Bands that are told without looking for columns."""
        return masthead(pieces) or panels_beside(pieces, self.panels) or strips(pieces) or blocks_beside(pieces)

    def _is_beside_title(self, band: Sequence[Sequence[Piece]]) -> bool:
        """Tell if the left column begins under the title, which stands in the right one: a journal's notes beside it.

        The document begins with its title.
        """
        if self.title is None or len(band) < 2:
            return False
        top, bottom = self.title
        left, right = ([piece.box for piece in part if piece.line] for part in band)
        return (
            bool(left)
            and min(box.top for box in left) > bottom
            and any(top - 1 <= box.top and box.bottom <= bottom + 1 for box in right)
            and hull(left).width < TYPOGRAPHY.most * hull(right).width
        )

    def _best_cut(self, pieces: Sequence[Piece]) -> list[tuple[list[Piece], ...]] | None:
        """Bands from top to bottom, each one list (no columns) or a left and a right one; None where nothing is cut."""
        cores = [piece.core for piece in pieces]
        if min([end for _, end in cores]) - max([start for start, _ in cores]) > 2 * TYPOGRAPHY.rounding:
            return None  # all pieces stand over one place, so that no gutter has some on both of its sides
        gutters = _gutters(pieces, cores) + _gaps(pieces)
        if not gutters:
            return None
        self._mark_running()
        best: tuple[float, list[tuple[list[Piece], ...]]] | None = None
        ordered = [_Extent(piece, *self._reach(piece), piece.box.center[0]) for piece in pieces]
        ordered.sort(key=lambda extent: extent.piece.box.top)
        for gutter in gutters:
            bands = _bands(ordered, gutter)
            # Both sides count, or a table's labels would part a page from the picture far below them.
            weight = sum(min(map(_printed_height, band)) for band in bands if len(band) == 2)
            if weight > 0 and (best is None or weight > best[0]):
                best = (weight, bands)
        return best[1] if best else None

    def _mark_running(self) -> None:
        """Say of the page's own pieces which are running text, which is asked only where there may be columns."""
        if self._is_marked:
            return
        self._is_marked = True
        running, self._above = running_and_last(piece.line for piece in self.pieces if piece.line)
        for piece in self.pieces:
            piece.running = id(piece.content) in running

    def _reach(self, piece: Piece) -> tuple[float, float]:
        """The ends of what crosses a gutter: of a text's last line those of the line above too, or it would fall off.

        So the short end of a wide text is none of the column that begins below.
        """
        start, end = piece.core
        above = self._above.get(id(piece.content))
        return (start, end) if above is None else (min(start, above.left), max(end, above.right))


def _printed_height(pieces: Sequence[Piece]) -> float:
    """Return how much of the height of a side something stands at."""
    height, bottom = 0.0, -math.inf
    for box in sorted((piece.box for piece in pieces), key=lambda box: box.top):
        height += max(box.bottom - max(box.top, bottom), 0.0)
        bottom = max(bottom, box.bottom)
    return height


def _gutters(pieces: Sequence[Piece], cores: Sequence[tuple[float, float]]) -> list[float]:
    """The x of places that few pieces cross, the most promising first."""
    whole = hull(p.box for p in pieces)
    size = median([p.line.size for p in pieces if p.line] or [2 * TYPOGRAPHY.frame])
    count = min(max(int(whole.width), 1), BOUNDS.marks)
    step = whole.width / count or 1.0
    changes = (np.array([piece.box.height for piece in pieces])[:, None] * (1, -1)).ravel()
    places = ((np.array(cores).ravel() - whole.left) / step).astype(np.int64)
    cover = np.bincount(np.minimum(np.maximum(places, 0), count), changes, count + 1)[:count].cumsum()
    upper = np.sort(cover)[count // 2 :]
    limit = TYPOGRAPHY.half * float(upper[(len(upper) - 1) // 2] + upper[len(upper) // 2]) / 2
    low_enough = np.zeros(count + 2, dtype=bool)
    low_enough[1:-1] = cover <= limit
    found: list[tuple[float, float]] = []
    ends = (low_enough[1:] != low_enough[:-1]).nonzero()[0].tolist()
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start > 0 and end < count:
            low = float(cover[start:end].min())
            inner = start + (cover[start:end] <= low + 1e-6 + TYPOGRAPHY.tenth * limit).nonzero()[0]
            width = len(inner) * step
            if width >= TYPOGRAPHY.wide_space * size:
                found.append((width / (1.0 + low), whole.left + float(inner[0] + inner[-1] + 1) / 2 * step))
    return [x for _, x in sorted(found, reverse=True)[: BOUNDS.tried]]


def _gaps(pieces: Sequence[Piece]) -> list[float]:
    """The x at which most pieces have another beside them.

    So columns below a wide figure, or above a long text, are found although most of the page has none there.
    """
    lines = [piece for piece in pieces if piece.line][: BOUNDS.lines]
    if not lines:
        return []
    boxes = np.array([piece.box for piece in lines])
    size = median([piece.line.size for piece in lines if piece.line])
    left, top, right, bottom = boxes.T
    common = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    gap = left - right[:, None]
    gap[(common <= 0) | (gap <= 0)] = np.inf
    nearest = gap.argmin(axis=1)
    width = gap[np.arange(len(lines)), nearest]
    own = np.flatnonzero(np.isfinite(width) & (width >= TYPOGRAPHY.wide_space * size))
    starts, ends = right[own], left[nearest[own]]
    found: list[float] = []
    while len(starts) and len(found) < BOUNDS.tried:
        counts = ((starts[:, None] <= ends) & (ends <= ends[:, None])).sum(axis=0)
        end = ends[counts.argmax()]
        over = (starts <= end) & (end <= ends)
        found.append(float(starts[over].max() + end) / 2)
        starts, ends = starts[~over], ends[~over]
    return found


class _Extent(NamedTuple):
    """A piece with its core's ends and the middle of its box, as several gutters ask for them."""

    piece: Piece
    start: float
    end: float
    middle: float


def _bands(pieces: Sequence[_Extent], gutter: float) -> list[tuple[list[Piece], ...]]:
    """Pieces, top to bottom, parted at the gutter wherever they make columns there."""
    slack = TYPOGRAPHY.rounding
    bands: list[tuple[list[Piece], ...]] = []
    left: list[Piece] = []
    right: list[Piece] = []
    single: list[Piece] = []

    def close() -> None:
        if not (left and right):  # as between most wide pieces
            single.extend(left or right)
            left.clear()
            right.clear()
            return
        for first, second in stacked(left, right):
            rows = []
            if first and second and not parts_numbers(first, second):
                rows = [(first, second)] if are_columns(first, second) else rows_of_text(first, second)
                rows = rows or rows_with_labels(first, second)
            if rows and single:
                bands.append((single[:],))
                single.clear()
            bands.extend(rows)
            if not rows:
                single.extend(first + second)
        left.clear()
        right.clear()

    for piece, start, end, middle in pieces:
        if start < gutter - slack and end > gutter + slack:
            close()
            single.append(piece)
        elif middle < gutter:
            left.append(piece)
        else:
            right.append(piece)
    close()
    if single:
        bands.append((single,))
    return bands
