"""Reading order: a page's pieces parted into columns and put in sequence.

Own variant of recursive cutting: a gutter may be crossed by wide pieces (titles, tables); they part the page into
bands, and only bands with text columns on both sides are read column by column.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.blocks import Placed
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import FIRST_WIDE
from paperchute.engine.reading.layout.tables.grid import FoundTable


@dataclass(frozen=True, slots=True)
class ColumnSettings:
    """How a page's pieces are parted into columns.

    Fixed on printed Markdown in two columns, and on scans of tables that reach over a gutter.
    """

    narrowest_gutter: float = 0.7
    """Of the text size: wider than spaces of justified text."""

    fewest_lines: int = 3
    """Lines of a column; two lines beside two are a letter's head or a table's rows."""

    overhang: float = 0.05
    """Of its width: so far a table may reach out of its column, as cells that do not fit widen it."""

    crossed: float = 0.5
    """Of what usually stands at an x: where less does may be a gutter, which titles and tables cross."""

    inner: float = 0.1
    """Of that limit, above the emptiest x: what belongs to the middle of a gutter."""

    slack: float = 1.0
    """Points by which a piece may reach over a gutter without crossing it: letters reach out of their boxes."""

    most_gutters: int = 6
    """Places that are tried: a bound on work; more than columns are printed side by side."""

    most_steps: int = 3_000
    """Points across a page that are looked at one by one: a bound on work; a sheet A0 has 2,384."""

    deepest: int = 8
    """Cuts inside of cuts: a bound on work."""

    narrowest_side: float = 0.12
    """Of the whole width: narrower sides are margin notes or line numbers, not columns."""

    same_baseline: float = 0.2
    """Of the font size: between baselines of one row, which cells have and columns have by chance."""

    level_share: float = 0.5
    """The share of lines with one beside them on their baseline from which the sides are rows of a table."""

    common_height: float = 0.5
    """Of the shorter side: by so much columns stand beside each other."""

    filled_height: float = 0.5
    """Of a side's height: where tables and pictures fill more, its few lines tell nothing."""

    prose_width: float = 0.55
    """Of its column's width: what most lines of running text fill."""

    prose_chars: int = 18
    """Characters that most lines of running text have at least; cells of tables have fewer."""

    prose_wide_chars: int = 12
    """The same in Chinese and Japanese, where each says more."""

    usual_size: float = 10.0
    """Points: the text size where a part of the page has no text."""


COLUMNS = ColumnSettings()


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
        overhang = COLUMNS.overhang * self.box.width if isinstance(self.content, FoundTable) else 0.0
        return self.box.left + overhang, self.box.right - overhang


def in_reading_order(
    pieces: Sequence[Piece], with_tables: Callable[[Sequence[Piece]], Sequence[Piece]], depth: int = 0
) -> list[list[Piece]]:
    """The pieces in groups, each group one column's worth, in the order one reads them.

    with_tables: puts tables in place of the lines that make them up, before each cut, which would part their columns.
    """
    if not pieces:
        return []
    pieces = with_tables(pieces)
    bands = _best_cut(pieces) if depth < COLUMNS.deepest and len(pieces) >= 2 * COLUMNS.fewest_lines else None
    if bands is None:
        return [sorted(pieces, key=lambda p: (p.box.top, p.box.left))]
    groups: list[list[Piece]] = []
    for band in bands:
        for part in band:
            groups += in_reading_order(part, with_tables, depth + 1)
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
    size = median([p.line.size for p in pieces if p.line] or [COLUMNS.usual_size])
    count = min(max(int(whole.width), 1), COLUMNS.most_steps)
    step = whole.width / count or 1.0
    change = [0.0] * (count + 1)
    for piece in pieces:
        first, last = (int((end - whole.left) / step) for end in piece.core)
        height = piece.box.height
        change[min(max(first, 0), count)] += height
        change[min(max(last, 0), count)] -= height
    cover = list(itertools.accumulate(change[:count]))
    limit = COLUMNS.crossed * median(sorted(cover)[count // 2 :])
    found: list[tuple[float, float]] = []
    ends = np.flatnonzero(np.diff(np.array(cover) <= limit, prepend=False, append=False)).tolist()
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start > 0 and end < count:
            low = min(cover[start:end])
            inner = [k for k in range(start, end) if cover[k] <= low + 1e-6 + COLUMNS.inner * limit]
            width = len(inner) * step
            if width >= COLUMNS.narrowest_gutter * size:
                found.append((width / (1.0 + low), whole.left + (inner[0] + inner[-1] + 1) / 2 * step))
    return [x for _, x in sorted(found, reverse=True)[: COLUMNS.most_gutters]]


def _bands(pieces: Sequence[Piece], gutter: float) -> list[tuple[list[Piece], ...]]:
    """Pieces parted at the gutter wherever they make columns there."""
    slack = COLUMNS.slack
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
    if common <= 0 or min(b.width for b in boxes) < COLUMNS.narrowest_side * (boxes[1].right - boxes[0].left):
        return False
    lines = [[p.line for p in side if p.line] for side in sides]
    if any(len(own) < COLUMNS.fewest_lines and len(own) == len(side) for own, side in zip(lines, sides, strict=True)):
        return False
    if any(_is_filled(side, box) for side, box in zip(sides, boxes, strict=True)):
        return True
    if all(_is_prose(own, box) for own, box in zip(lines, boxes, strict=True)):
        return True
    few, many = sorted(lines, key=len)
    level = sum(any(abs(a.baseline - b.baseline) < COLUMNS.same_baseline * a.size for b in many) for a in few)
    return (
        level < COLUMNS.level_share * len(few)
        and common > COLUMNS.common_height * min(b.height for b in boxes)
        and len(few) >= 2 * COLUMNS.fewest_lines
    )


def _is_filled(side: Sequence[Piece], box: Box) -> bool:
    """Whether a side has no lines, or tables and pictures fill most of it, so that its few lines tell nothing."""
    other = [piece.box.height for piece in side if piece.line is None]
    return len(other) == len(side) or sum(other) > COLUMNS.filled_height * box.height


def _is_prose(lines: Sequence[TextLine], box: Box) -> bool:
    """Whether lines are running text: most of them long, filling their column."""
    if len(lines) < COLUMNS.fewest_lines:
        return False
    widths = sorted(line.right - line.left for line in lines)
    chars = sorted(line.chars for line in lines)
    wide = 2 * sum(line.words[0].text >= FIRST_WIDE for line in lines) > len(lines)
    return widths[len(widths) // 2] > COLUMNS.prose_width * box.width and chars[len(chars) // 2] >= (
        COLUMNS.prose_wide_chars if wide else COLUMNS.prose_chars
    )
