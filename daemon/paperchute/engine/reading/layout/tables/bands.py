"""Bands: printed lines as rows of a table without walls, and runs of them that look like one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class BandSettings:
    """How words make bands and columns.

    Distances are shares of the font size where nothing else is said. Fixed on printed Markdown and generated documents
    (TEDS 0.840 to 0.861, 0.857 to 0.899).
    """

    x_height: float = 0.55
    """The height of small letters, which alone counts so that tight lines stay apart. Of 83 sample pages change 5 at
    0.8 times, 3 at 0.9, 4 at 1.1, 4 at 1.2."""

    spoilers: int = 6
    """One band of so many may have words in a strip between columns, such as a head over both. Of 83 sample pages
    change 5 with one less, 4 with one more."""

    fewest_spoiled: int = 5
    """Bands from which a single one may. Of 83 sample pages change 3 with one less, 2 with one more."""

    narrowest: float = 0.3
    """Of a strip between columns: hardly wider than a space. Of 83 sample pages change 4 at 0.8 times, 3 at 0.9, none
    at 1.2."""


BANDS = BandSettings()


_left = attrgetter("left")
_level = attrgetter("baseline", "size")
_first = itemgetter(0)


@dataclass(slots=True)
class Band:
    """Words whose letters overlap vertically: one printed line, or cells centred beside taller ones.

    size: the largest font size.
    """

    top: float
    bottom: float
    words: list[Word]
    size: float
    _ordered: list[Word] | None = None
    _cells: list[list[Word]] | None = None

    @property
    def ordered(self) -> list[Word]:
        """The words, left to right."""
        if self._ordered is None:
            self._ordered = sorted(self.words, key=_left)
        return self._ordered

    @property
    def cells(self) -> list[list[Word]]:
        """What stands apart on it as cells of a row do."""
        if self._cells is None:
            self._cells = self.chunks(TYPOGRAPHY.em)
        return self._cells

    def chunks(self, gap: float) -> list[list[Word]]:
        """The words, left to right, parted where nothing stands for `gap` times the font size."""
        ordered = self.ordered
        widest = gap * self.size
        result = [[ordered[0]]]
        right = ordered[0].right
        for word in ordered[1:]:
            if word.left - right > widest:
                result.append([word])
            else:
                result[-1].append(word)
            if word.right > right:
                right = word.right
        return result


def bands_of(words: Iterable[Word]) -> list[Band]:
    """Words in bands, top to bottom. Only the height of small letters counts, so tight lines stay apart."""
    height, overlap = BANDS.x_height, TYPOGRAPHY.hardly
    # Most words stand as the one before them does, and with it in one band.
    level = [(low - height * size, low, size, list(own)) for (low, size), own in groupby(words, key=_level)]
    level.sort(key=_first)
    result: list[Band] = []
    band: Band | None = None
    for top, bottom, size, own in level:
        if band is not None and top < band.bottom - overlap * size:
            band.words += own
            if bottom > band.bottom:
                band.bottom = bottom
            if size > band.size:
                band.size = size
        else:
            band = Band(top, bottom, own, size)
            result.append(band)
    return result


_LEADERS = re.compile(r"(?:\.\s?){5,}|_{5,}")


def runs(bands: Sequence[Band]) -> Iterator[tuple[int, int]]:
    """The runs among the bands of a column, top to bottom, as (start, end); each starts on a row of several cells."""
    start = 0
    while start < len(bands):
        end = _end(bands, start) if len(bands[start].cells) > 1 else start
        if end > start + 1:
            yield start, end
        start = max(end, start + 1)


def is_bold(band: Band) -> bool:
    """Decide whether all of a band's words are bold."""
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
        chunks = band.chunks(TYPOGRAPHY.half_em)
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
    for n in range(start, min(len(bands), start + BOUNDS.lines)):
        band, chunks = bands[n], bands[n].cells
        if n > start and len(chunks) == 1:
            chunks = strips.parted(band)
        gap = band.top - bands[n - 1].bottom if n > start else 0.0
        if _LEADERS.search(_text(band)) or all(w.font.mono for w in band.words):
            break
        if n > start and gap > TYPOGRAPHY.quads * band.size:
            break
        if len(chunks) > 1:
            again = n > start + 1 and is_bold(band) and _text(band) == head
            if again or (
                gaps and gap > TYPOGRAPHY.plainly_larger * max(gaps) and is_bold(band) and not is_bold(bands[n - 1])
            ):
                break  # the head of another table
            strips.add(chunks)
            end = n + 1
        elif _is_off(band, gap, gaps) or len(strips.under(chunks[0])) > 1:
            break
        elif band.size > TYPOGRAPHY.larger * bands[start].size:
            break  # a heading between two tables
        if n > start:
            gaps.append(gap)
        stop = n + 1
    return _with_last_lines(bands, end, stop, strips)


def _is_off(band: Band, gap: float, gaps: Sequence[float]) -> bool:
    """Tell if a band with a single cell stands further off than the rows so far, or, in the first, than rows may."""
    rows = max(gaps, default=0.0)
    return gap > (
        TYPOGRAPHY.wider_leading * rows + TYPOGRAPHY.same_baseline * band.size
        if rows > TYPOGRAPHY.wide_space * band.size
        else TYPOGRAPHY.quads * band.size
    )


def _with_last_lines(bands: Sequence[Band], end: int, stop: int, strips: _Strips) -> int:
    """The run's end with the further lines of its last row.

    They stand close under it, and in the first column only beside a cell that stands between its lines.
    """
    while end < stop:
        band, before = bands[end], bands[end - 1]
        gap = band.top - before.bottom
        under = strips.under(band.cells[0])
        between = gap < TYPOGRAPHY.half_em * band.size and 0 not in strips.under(before.cells[0])
        if gap >= TYPOGRAPHY.em * band.size or not under or (under == [0] and not between):
            break
        end += 1
    return end


def _text(band: Band) -> str:
    return " ".join([word.text for word in band.ordered])


def _extent(chunk: Sequence[Word]) -> tuple[float, float]:
    return min([w.left for w in chunk]), max([w.right for w in chunk])


def _meet(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(a[1], b[1]) - max(a[0], b[0]) > TYPOGRAPHY.size_step
