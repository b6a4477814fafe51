"""Tables that are none: the scales and labels of charts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.tables.assembly import filled_share
from paperchute.engine.reading.layout.tables.bands import bands_of
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.trace import Measured
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_NUMBER = re.compile(r"[-−–]?\d+(?:\.\d+)?")


def measure_chart(table: FoundTable, marks: PageMarks) -> Measured | None:
    """Say by which number a table that alignment tells is a chart's labels; None where it is none.

    In a picture of a page with text, these leave many places empty or are a scale. Elsewhere there are two scales
    beside each other, or one beside many empty places, that fall as those of charts do and those of tables rarely.
    """
    sparse = Measured("TYPOGRAPHY.nearly_all", filled_share(table), TYPOGRAPHY.nearly_all)
    is_sparse = sparse.value < sparse.limit
    if marks.has_insets and any(picture.box.holds(*table.box.center) for picture in marks.pictures):
        scale = next((steps for words in (*_rows(table), *_columns(table)) if (steps := _steps(words))), None)
        return sparse if is_sparse else _scale(scale) if scale else None
    found = [_steps(words) for words in _columns(table) if _tick(words[0].text) is not None]
    falling = [steps for steps in found if min(steps, default=0) < 0]
    return _scale(falling[0]) if len(falling) > 1 else sparse if falling and is_sparse else None


def _scale(steps: Sequence[float]) -> Measured:
    """Return how many numbers of a scale follow each other. steps: of one, by `_steps`."""
    return Measured("TYPOGRAPHY.few", len(steps) + TYPOGRAPHY.few - 1, TYPOGRAPHY.few)


def _rows(table: FoundTable) -> Iterator[list[Word]]:
    for band in bands_of(word for cell in table.cells for word in cell.words):
        yield band.ordered


def _columns(table: FoundTable) -> Iterator[list[Word]]:
    for column in range(table.columns):
        own = [w for c in table.cells if c.column == column and c.column_span == 1 for w in c.words]
        if own:
            yield sorted(own, key=lambda word: word.baseline)


def _steps(words: Sequence[Word]) -> list[float]:
    """The steps in which numbers follow each other evenly, but those of one: ticks do so, the numbers of rows too."""
    found: list[float] = []
    run = 1
    before, step = None, 0.0
    for word in words:
        number = _tick(word.text)
        if number is None or before is None:
            run = 1
        elif number != before and abs(number - before - step) < abs(step) * TYPOGRAPHY.hardly:
            run += 1
        else:
            step, run = number - before, 2
        if run >= TYPOGRAPHY.few and abs(step) != 1:
            found.append(step)
        before = number
    return found


def _tick(text: str) -> float | None:
    found = _NUMBER.search(text)
    return (
        float(found[0].replace("−", "-").replace("–", "-"))
        if found and len(text) - len(found[0]) <= TYPOGRAPHY.pair
        else None
    )
