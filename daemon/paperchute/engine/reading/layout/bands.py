"""Words in bands: the printed rows of something that may be a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from paperchute.engine.reading.layout.records import Word

_FEWEST_ALIGNED = 4
_ALIGNED_SHARE = 0.8
_SAME_EDGE = 1.0

_left = attrgetter("left")

Column = tuple[float, float]
"""Left and right end of a column of cells."""


@dataclass(slots=True)
class Band:
    """Words whose letters overlap vertically: one printed line, or cells centred beside taller ones."""

    top: float
    bottom: float
    words: list[Word]

    @property
    def size(self) -> float:
        """The largest font size."""
        return max([word.size for word in self.words])

    def chunks(self, gap: float) -> list[list[Word]]:
        """The words, left to right, parted where nothing stands for `gap` times the font size."""
        ordered = sorted(self.words, key=_left)
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
    result: list[Band] = []
    band: Band | None = None
    for word in sorted(words, key=_small_top):
        bottom, size = word.baseline, word.size
        top = bottom - 0.55 * size
        if band is not None and top < band.bottom - 0.05 * size:
            band.words.append(word)
            if bottom > band.bottom:
                band.bottom = bottom
        else:
            band = Band(top, bottom, [word])
            result.append(band)
    return result


def _small_top(word: Word) -> float:
    return word.baseline - 0.55 * word.size


def columns_of(bands: Sequence[Band], narrowest: float, wide: float, wide_share: float) -> list[Column]:
    """Columns: what stands between vertical strips that (almost) no word enters.

    A strip is at least `narrowest` wide (in font sizes), and in at least `wide_share` of the bands with words on both
    of its sides the gap there is `wide` or more.
    """
    size = sorted(band.size for band in bands)[len(bands) // 2]
    events: list[tuple[float, int]] = []
    for band in bands:
        for chunk in band.chunks(0.0):
            events += [(chunk[0].left, 1), (max(w.right for w in chunk), -1)]
    events.sort()
    allowed = len(bands) // 6 if len(bands) >= 6 else int(len(bands) == 5)
    columns: list[Column] = []
    depth, start = 0, None
    for x, change in events:
        depth += change
        if depth > allowed and start is None:
            start = x
        elif depth <= allowed and start is not None:
            columns.append((start, x))
            start = None
    merged = columns[:1]
    for column in columns[1:]:
        before = merged[-1]
        if column[0] - before[1] < narrowest * size or not _parts(bands, before, column, wide, wide_share):
            merged[-1] = (before[0], column[1])
        else:
            merged.append(column)
    return _with_sparse(bands, merged, narrowest * size)


def _with_sparse(bands: Sequence[Band], columns: Sequence[Column], narrowest: float) -> list[Column]:
    """The columns, and those in which so few bands have words that they looked like strips."""
    found: list[tuple[float, float, int]] = []
    extents = ((chunk[0].left, max(w.right for w in chunk)) for band in bands for chunk in band.chunks(0.6))
    outside = [e for e in extents if all(e[0] > right - 0.5 or e[1] < left + 0.5 for left, right in columns)]
    for left, right in sorted(outside):
        if found and left - found[-1][1] < narrowest:
            found[-1] = found[-1][0], max(found[-1][1], right), found[-1][2] + 1
        else:
            found.append((left, right, 1))
    sparse = [
        (left, right)
        for left, right, count in found  # a single one is the head of a column whose cells are set to the other side
        if count > 1 and all(left - c[1] >= narrowest or c[0] - right >= narrowest for c in columns)
    ]
    return sorted([*columns, *sparse])


def _parts(bands: Sequence[Band], left: Column, right: Column, wide: float, share: float) -> bool:
    """Whether the strip between two columns parts cells: the gap there is wide, or what follows it begins at one x."""
    both = clear = 0
    begins: list[float] = []
    middle = (left[1] + right[0]) / 2
    for band in bands:
        before = [w.right for w in band.words if left[0] - 1 <= (w.left + w.right) / 2 < middle]
        after = [w.left for w in band.words if middle <= (w.left + w.right) / 2 <= right[1] + 1]
        if after:
            begins.append(min(after))
        if before and after:
            both += 1
            clear += min(after) - max(before) >= wide * band.size
    if not begins:
        return False  # only the ends of words that belong to the column before
    if both == 0 or clear >= share * both:
        return True
    edge = min(begins)
    return both >= _FEWEST_ALIGNED and sum(x - edge < _SAME_EDGE for x in begins) >= _ALIGNED_SHARE * len(begins)
