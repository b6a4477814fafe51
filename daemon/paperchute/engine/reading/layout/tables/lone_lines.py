"""Lines beside and under which nothing stands as cells of a table do, as those of most pages."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.tables.bands import BANDS
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def stand_alone(lines: Iterable[TextLine]) -> bool:
    """Tell if each of the `segments` is a band of its own with one cell, so that none of them makes rows of a table.

    Those of lists in the document's own structure are left out, as tables do without them.
    """
    extents: list[tuple[float, float]] = []
    for line in lines:
        words = line.words
        listed = [word for word in words if word.place is not None]
        if len(listed) == len(words):
            continue
        # Only a bullet that was drawn stands off from the other words of its segment.
        if listed or (len(words) > 1 and words[1].left - words[0].right > TYPOGRAPHY.em * line.size):
            return False
        size, low = words[0].size, words[0].baseline
        top = high = low - BANDS.x_height * size
        least = low
        if [word.size for word in words].count(size) < len(words) or (
            [word.baseline for word in words].count(low) < len(words)  # else they stand as the first one does
        ):
            bottoms = [word.baseline for word in words]
            tops = [word.baseline - BANDS.x_height * word.size for word in words]
            size, low, least = max([word.size for word in words]), max(bottoms), min(bottoms)
            top, high = min(tops), max(tops)
        if high >= least - TYPOGRAPHY.hardly * size:
            return False
        extents.append((top, low))
    extents.sort()
    return all(above[1] <= below[0] for above, below in itertools.pairwise(extents))
