"""Tables whose head is a row of coloured boxes, one a column: the boxes say where the columns are."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.marks import Drawing, Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.assembly import assembled, placed_words
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.columns import Column
from paperchute.engine.reading.layout.tables.evidence import Evidence, word_ids
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, in_box
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class HeadedSettings:
    """Which boxes are a head, and what is under it. Lengths are points where nothing else is said."""

    widest_step: float = 6.0
    """Of the font size, from one line to the next, and from the boxes to the end of one or two lines that are all there
    is: rows with remarks stand far apart."""


HEADED = HeadedSettings()

_YEAR = re.compile(r"(?:19|20)\d\d$")


def headed_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables under rows of boxes, beside those that are known already."""
    rows_of_boxes = list(islice(_rows_of_boxes(evidence.marks.drawings), BOUNDS.lines))
    if not rows_of_boxes:
        return  # as on most pages
    upright = [word for word in evidence.marks.words if word.angle == 0]
    taken = word_ids(evidence.known)
    free = [word for word in upright if id(word) not in taken]
    heads = [(boxes, own) for boxes in rows_of_boxes if (own := _labels(boxes, free))]
    for number, (boxes, labels) in enumerate(heads):
        whole = hull(boxes)
        end = min((other[0].top for other, _ in heads[number + 1 :] if other[0].top >= whole.bottom), default=math.inf)
        below = bands_of(word for word in upright if whole.bottom <= word.baseline < end)
        columns = _columns(boxes)
        size = max(word.size for own in labels for word in own)
        rows = _rows(_below(below, whole, columns, size, taken), columns, whole.bottom)
        if rows:
            table = _table(boxes, labels, assembled(rows, columns, (), bare=True))
            taken |= table.word_ids()
            yield table


def _columns(boxes: Sequence[Box]) -> list[Column]:
    return [(box.left, box.right) for box in boxes]


def _labels(boxes: Sequence[Box], words: Sequence[Word]) -> list[list[Word]]:
    """The words in each of a row of boxes; none where they are no head: rows may be coloured, too.

    A row has figures, or stands right under another.
    """
    whole = hull(boxes)
    inside = in_box(words, whole)
    found = [in_box(inside, box) for box in boxes]
    texts = ["".join(word.text for word in own) for own in found]
    if not all(texts) or any(is_figure(text) and not _YEAR.match(text) for text in texts):
        return []
    reach = max(whole.height, TYPOGRAPHY.tab * max(word.size for own in found for word in own))
    above = bands_of(word for word in words if whole.top - reach < word.baseline <= whole.top)
    is_row = any(len({column for column, _, _ in placed_words(band, _columns(boxes))}) > 1 for band in above)
    return [] if is_row or any(len(bands_of(own)) > TYPOGRAPHY.few for own in found) else found


def _rows_of_boxes(drawings: Sequence[Drawing]) -> Iterator[list[Box]]:
    """Rows of boxes that stand close, of one colour and height, from top to bottom."""
    rows: defaultdict[tuple[int, int, str], list[Box]] = defaultdict(list)
    for drawing in drawings[: BOUNDS.marks]:
        if not drawing.strokes and drawing.fill:
            box = drawing.box
            rows[round(box.top / TYPOGRAPHY.rounding), round(box.bottom / TYPOGRAPHY.rounding), drawing.fill].append(
                box
            )
    for _, boxes in sorted(rows.items()):
        boxes.sort()
        apart = [after.left - before.right for before, after in pairwise(boxes)]
        if len(boxes) >= TYPOGRAPHY.several and all(0 < gap <= TYPOGRAPHY.frame for gap in apart):
            yield boxes


def _below(bands: Sequence[Band], head: Box, columns: Sequence[Column], size: float, taken: set[int]) -> Iterator[Band]:
    """The printed lines under a head, down to one that stands out, is larger, far off, or of another table."""
    bottom = head.bottom
    if bands and len(placed_words(bands[0], columns)) > 1:
        size = max(size, bands[0].size)
    for band in bands:
        left, right = min(word.left for word in band.words), max(word.right for word in band.words)
        if left < head.left - TYPOGRAPHY.frame or right > head.right + TYPOGRAPHY.frame:
            return
        if band.size > TYPOGRAPHY.larger * size or band.top - bottom > HEADED.widest_step * band.size:
            return
        if any(id(word) in taken for word in band.words):
            return
        yield band
        bottom = band.bottom


def _rows(bands: Iterable[Band], columns: Sequence[Column], bottom: float) -> list[Band]:
    """Those of the lines that are rows: text that runs from the first column on over others is under the table.

    A line in the first column alone may be a heading of that text, and another that stands off the last row a text of
    its own, unless more of the table follows, or nothing else is in it.
    """
    rows: list[Band] = []
    waiting: list[Band] = []
    last = bottom
    for band in bands:
        (first, span, _), *rest = placed_words(band, columns)
        if first == 0 and span > 1:
            break
        if rest or not (waiting or first == 0 or band.top - last > TYPOGRAPHY.blank_line * band.size):
            rows += [*waiting, band]
            waiting = []
        else:
            waiting.append(band)
        last = band.bottom
    close = waiting and last - bottom < HEADED.widest_step * waiting[0].size
    return rows or (waiting if close else [])


def _table(boxes: Sequence[Box], head: Sequence[list[Word]], body: FoundTable) -> FoundTable:
    cells = [FoundCell(0, n, 1, 1, box, own) for n, (box, own) in enumerate(zip(boxes, head, strict=True))]
    cells += [replace(cell, row=cell.row + 1) for cell in body.cells]
    return replace(body, box=hull([body.box, *boxes]), rows=body.rows + 1, cells=cells, heads=1)
