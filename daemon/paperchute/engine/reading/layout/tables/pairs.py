"""Lists of labels and figures in few rows, or with hardly a space between: what tells them is where both ends stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.lines import LINES
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.assembly import in_parts
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundTable, in_box, table_of
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class _Pair:
    """A line with a label and a figure. led: by dots; close: no further apart than words."""

    band: Band
    label: list[Word]
    figure: Word
    led: bool
    close: bool

    def is_under(self, above: _Pair) -> bool:
        """Decide whether it stands where the next row does, and begins and ends as that above."""
        return (
            abs(self.label[0].left - above.label[0].left) < TYPOGRAPHY.rounding
            and abs(self.figure.right - above.figure.right) < TYPOGRAPHY.rounding
            and self.band.top - above.band.bottom <= TYPOGRAPHY.quads * self.band.size
        )


def pair_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The lists among words of one column that the gaps between labels and figures alone do not tell."""
    figures = evidence.free.figures
    bands = figures.bands
    pairs = [_pair(band, figures.leaders) for band in bands]
    start = 0
    while start < len(bands):
        own = list(_run(pairs, start))
        end = start + len(own)
        if own and _are_rows(own) and not (_counts(own) or _is_beside_rows(bands, start, end)):
            table = _table(own)
            table.leaders = in_box(figures.leaders, table.box)
            yield in_parts(table, figures.parts)
        start = max(end, start + 1)


def _pair(band: Band, leaders: Sequence[Word]) -> _Pair | None:
    """The band as a pair; None where it is none, or where several gaps show further cells."""
    *label, figure = band.ordered
    if not label or not is_figure(figure.text) or len(label) > TYPOGRAPHY.phrase:
        return None
    if sum(c.isalpha() for word in label for c in word.text) < TYPOGRAPHY.pair:
        return None
    if any(b.left - a.right > TYPOGRAPHY.em * band.size for a, b in itertools.pairwise(label)):
        return None
    gap = figure.left - label[-1].right
    led = any(label[-1].right <= dot.left and dot.right <= figure.left and _is_level(dot, figure) for dot in leaders)
    return _Pair(band, label, figure, led, not led and gap <= TYPOGRAPHY.em * band.size)


def _is_level(dot: Word, figure: Word) -> bool:
    return abs(dot.baseline - figure.baseline) < LINES.overlap * figure.size


def _run(pairs: Sequence[_Pair | None], start: int) -> Iterator[_Pair]:
    """The pairs under each other from `start` on, which stand as the first one does."""
    above: _Pair | None = None
    for n in range(start, len(pairs)):
        pair = pairs[n]
        if pair is None or (above is not None and not pair.is_under(above)):
            return
        yield pair
        above = pair


def _are_rows(pairs: Sequence[_Pair]) -> bool:
    """Decide whether they are enough, and such that other methods would leave rows out."""
    led, close = sum(pair.led for pair in pairs), sum(pair.close for pair in pairs)
    if led >= TYPOGRAPHY.pair:
        return True
    return len(pairs) >= TYPOGRAPHY.several and 0 < close < len(pairs)


def _is_beside_rows(bands: Sequence[Band], start: int, end: int) -> bool:
    """Decide whether lines of several cells stand right above or below, whose table knows more columns."""
    above = start and bands[start].top - bands[start - 1].bottom <= TYPOGRAPHY.quads * bands[start].size
    below = end < len(bands) and bands[end].top - bands[end - 1].bottom <= TYPOGRAPHY.quads * bands[end].size
    return bool((above and len(bands[start - 1].cells) > 1) or (below and len(bands[end].cells) > 1))


def _counts(pairs: Sequence[_Pair]) -> bool:
    """Decide whether the figures are pages of a table of contents."""
    numbers = [pair.figure.text for pair in pairs]
    return all(map(str.isdecimal, numbers)) and all(int(a) <= int(b) for a, b in itertools.pairwise(numbers))


def _table(pairs: Sequence[_Pair]) -> FoundTable:
    cells = {(row, 0): pair.label for row, pair in enumerate(pairs)}
    return table_of(cells | {(row, 1): [pair.figure] for row, pair in enumerate(pairs)}, len(pairs), 2)
