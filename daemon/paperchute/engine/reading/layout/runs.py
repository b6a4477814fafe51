"""Where a table without rules may begin and end: runs of printed rows whose words stand in common columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from paperchute.engine.reading.layout.bands import Band
from paperchute.engine.reading.layout.records import Word

_CELL_GAP = 1.0  # of the font size: what parts two cells on one line
_CLOSE_GAP = 0.5
_MOST_BANDS = 1_000
_MOST_LONE = 12
_WIDEST_STEP = 3.2  # of the font size, between rows
_LEADERS = re.compile(r"(?:\.\s?){5,}|_{5,}")


def runs(bands: Sequence[Band]) -> Iterator[tuple[int, int]]:
    """The runs among the bands of a column, top to bottom, as (start, end); each starts on a row of several cells."""
    start = 0
    while start < len(bands):
        end = _end(bands, start) if len(cells_of(bands[start])) > 1 else start
        if end > start + 1:
            yield start, end
        start = max(end, start + 1)


def cells_of(band: Band) -> list[list[Word]]:
    """What stands apart on a band as cells of a row do."""
    return band.chunks(_CELL_GAP)


def is_bold(band: Band) -> bool:
    """Whether all of a band's words are bold."""
    return all(word.font.bold for word in band.words)


class _Strips:
    """The columns seen so far, as intervals that do not overlap."""

    def __init__(self) -> None:
        self._strips: list[tuple[float, float]] = []

    def add(self, chunks: Sequence[Sequence[Word]]) -> None:
        """Take in a row of several cells. One that runs across columns says nothing about them."""
        extents = [_extent(chunk) for chunk in chunks]
        wide = [s for s in self._strips if sum(_meet(s, extent) for extent in extents) > 1]
        self._strips = [s for s in self._strips if s not in wide]  # a head over several columns: they are told now
        for extent in extents:
            under = [s for s in self._strips if _meet(s, extent)]
            if len(under) < 2:
                self._strips = [s for s in self._strips if s not in under]
                self._strips.append(
                    (min(extent[0], *(s[0] for s in under)), max(extent[1], *(s[1] for s in under)))
                    if under
                    else extent
                )

    def under(self, chunk: Sequence[Word]) -> list[int]:
        """The numbers, left to right, of the columns that a piece of text touches."""
        extent = _extent(chunk)
        return [n for n, strip in enumerate(sorted(self._strips)) if _meet(strip, extent)]

    def parted(self, band: Band) -> list[list[Word]]:
        """A band's words as cells that stand closer than cells usually do, each in a column of its own; else as one."""
        chunks = band.chunks(_CLOSE_GAP)
        under = [self.under(chunk) for chunk in chunks]
        places = {columns[0] for columns in under if len(columns) == 1}
        return chunks if len(places) == len(chunks) else [band.words]


def _end(bands: Sequence[Band], start: int) -> int:
    """The end of the run that begins at `start`; `start` when none does.

    A band with a single cell belongs to the run when it stands inside one column, no further off than the rows so far,
    and more rows follow: the further lines of cells, and cells centred beside taller ones.
    """
    strips = _Strips()
    head = _text(bands[start])
    gaps: list[float] = []
    end = stop = start
    for n in range(start, min(len(bands), start + _MOST_BANDS)):
        band, chunks = bands[n], cells_of(bands[n])
        if n > start and len(chunks) == 1:
            chunks = strips.parted(band)
        gap = band.top - bands[n - 1].bottom if n > start else 0.0
        if _LEADERS.search(_text(band)) or all(w.font.mono for w in band.words):
            break
        if n > start and (gap > _WIDEST_STEP * band.size or (len(gaps) > 2 and gap > 2.5 * max(gaps) + band.size)):
            break
        if len(chunks) > 1:
            again = n > start + 1 and is_bold(band) and _text(band) == head
            if again or (gaps and gap > 1.3 * max(gaps) and is_bold(band) and not is_bold(bands[n - 1])):
                break  # the head of another table
            strips.add(chunks)
            end = n + 1
        elif n == start or n - end >= _MOST_LONE or _is_off(band, gap, gaps) or len(strips.under(chunks[0])) > 1:
            break
        if n > start:
            gaps.append(gap)
        stop = n + 1
    return _with_last_lines(bands, end, stop, strips)


def _is_off(band: Band, gap: float, gaps: Sequence[float]) -> bool:
    """Whether a band with a single cell stands further off than the rows so far, or, in the first, than rows may."""
    rows = max(gaps, default=0.0)
    return gap > (1.2 * rows + 0.3 * band.size if rows > 0.8 * band.size else _WIDEST_STEP * band.size)


def _with_last_lines(bands: Sequence[Band], end: int, stop: int, strips: _Strips) -> int:
    """The run's end with the further lines of its last row: close under it, and in the first column only beside a cell
    that stands between its lines."""
    while end < stop:
        band, before = bands[end], bands[end - 1]
        gap = band.top - before.bottom
        under = strips.under(cells_of(band)[0])
        between = gap < 0.45 * band.size and 0 not in strips.under(cells_of(before)[0])
        if gap >= 0.9 * band.size or not under or (under == [0] and not between):
            break
        end += 1
    return end


def _text(band: Band) -> str:
    return " ".join([w.text for w in sorted(band.words, key=attrgetter("left"))])


def _extent(chunk: Sequence[Word]) -> tuple[float, float]:
    return min([w.left for w in chunk]), max([w.right for w in chunk])


def _meet(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(a[1], b[1]) - max(a[0], b[0]) > 0.5
