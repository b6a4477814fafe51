"""Printed tables of contents, whose entries are lines of text and no rows."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter

from paperchute.engine.reading.layout.contents import SECTION
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable
from paperchute.engine.reading.layout.trace import Measured
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_PAGE = re.compile(r"^(?:\d{1,4}|[ivxl]{1,7})$")


def measure_contents(table: FoundTable) -> Measured | None:
    """Say by which number rows are entries of a table of contents; None where they are none.

    They begin with the numbers of sections, which count, and end in page numbers, which never fall. Numbers of one
    level alone may be those of a list's items: there all of an entry is bold, as LaTeX sets its sections.
    """
    cells: defaultdict[int, list[FoundCell]] = defaultdict(list)
    for cell in table.cells:
        if cell.words:
            cells[cell.row].append(cell)
    if any(is_figure(" ".join(word.text for word in cell.words)) for row in cells.values() for cell in row[1:-1]):
        return None
    rows = [sorted((w for cell in cells[row] for w in cell.words), key=attrgetter("baseline", "left")) for row in cells]
    entries = [row for row in rows if len(row) > 1 and _PAGE.match(row[-1].text)]
    if len(cells[min(cells)]) > 1 and rows[0] not in entries:
        return None  # under a head stand figures
    if len(entries) < max(TYPOGRAPHY.several, TYPOGRAPHY.most * len(rows)):
        return None
    pages = [int(row[-1].text) for row in entries if row[-1].text.isdigit()]
    sections = [row[0].text for row in entries if SECTION.match(row[0].text)]
    if any(a > b for a, b in itertools.pairwise(pages)) or len(sections) < TYPOGRAPHY.most * len(entries):
        return None
    return _count(sections) if any("." in text.rstrip(".") for text in sections) or _is_bold(entries) else None


def _is_bold(entries: Sequence[Sequence[Word]]) -> bool:
    return all(word.font.bold for row in entries for word in row)


def _count(sections: Sequence[str]) -> Measured | None:
    """Say how many of the sections' numbers count on; None where they are too few."""
    numbers = [[int(p) if p.isdigit() else ord(p) for p in text.rstrip(".").split(".")] for text in sections]
    follow = sum(
        b == [*a, 1] or any(b == [*a[:depth], a[depth] + 1] for depth in range(len(a)))
        for a, b in itertools.pairwise(numbers)
    )
    steps = len(numbers) - 1
    if follow < TYPOGRAPHY.nearly_all * steps:
        return None
    return Measured("TYPOGRAPHY.nearly_all", follow / steps if steps else 1.0, TYPOGRAPHY.nearly_all)
