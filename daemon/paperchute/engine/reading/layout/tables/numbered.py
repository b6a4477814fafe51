"""Numbered text that looks like a table and is none: contents, clauses whose numbers stand in the margin."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter

from paperchute.engine.reading.layout.contents import SECTION
from paperchute.engine.reading.layout.lists import looks_like_marker
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.bands import bands_of
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable
from paperchute.engine.reading.layout.trace import Measured
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_PAGE = re.compile(r"^(?:\d{1,4}|[ivxl]{1,7})$")
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.(\d{1,2})\.?")


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
    return _sections_count(sections) if any("." in text.rstrip(".") for text in sections) or _is_bold(entries) else None


def _is_bold(entries: Sequence[Sequence[Word]]) -> bool:
    return all(word.font.bold for row in entries for word in row)


def _sections_count(sections: Sequence[str]) -> Measured | None:
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


def measure_clauses(table: FoundTable) -> Measured | None:
    """Say by which number a table is numbered text; None where it is none.

    All its figures count the texts beside them (1.1, 1.2, 2.1), or are marks, or its numbers stand at several depths.
    """
    if (questions := measure_questions(table)) is not None:
        return questions
    if (depths := _measure_depths(table)) is not None:
        return depths
    columns = [
        [" ".join(word.text for word in cell.words) for cell in table.cells if cell.column == column and cell.words]
        for column in range(table.columns)
    ]
    numbers = [texts for texts in columns if sum(map(_is_number, texts)) > TYPOGRAPHY.half * len(texts)]
    counted = [_count_on(texts) for texts in numbers]
    return counted[0] if numbers and all(counted) else None


def _measure_depths(table: FoundTable) -> Measured | None:
    """Say how far apart the numbers of clauses stand that are indented by their depth; None where they are none.

    All printed lines with a gap are a number and its text. The text of one depth begins below a space within that of
    another, so what looks like columns parts its lines. A long number may stand by a space from its text.
    """
    bands = bands_of(word for cell in table.cells for word in cell.words)
    lines = [band for band in bands if len(band.cells) > 1]
    if len(lines) < TYPOGRAPHY.several or not all(
        len(band.cells) == 2
        and len(band.cells[0]) == 1
        and _numbers_clause(band.cells[0][0])
        and not is_figure(" ".join(word.text for word in band.cells[1]))
        for band in lines
    ):
        return None
    lefts = [band.ordered[0].left for band in bands if _numbers_clause(band.ordered[0])]
    size = max(band.size for band in lines)
    by = Measured("TYPOGRAPHY.em", (max(lefts) - min(lefts)) / size, TYPOGRAPHY.em)
    return by if by.value > TYPOGRAPHY.em else None


def _numbers_clause(word: Word) -> bool:
    """Decide whether a word can be the number of a clause, or the mark of an item."""
    return looks_like_marker(word.text) or _is_number(word.text)


def measure_questions(table: FoundTable) -> Measured | None:
    """Say by which number it is a list of sentences, with a few words and a figure in the margin at the end of each.

    These are the marks that a question gives. None where it is no such list.

    Of the first one the last line alone may be known.
    """
    texts = {(cell.row, cell.column): cell.words for cell in table.cells}
    items = [texts.get((row, 0), []) for row in range(table.rows)]
    marks = [texts.get((row, 1), []) for row in range(table.rows)]
    are_questions = (
        table.columns == 2
        and all(own and looks_like_marker(own[0].text) for own in items[1:])
        and 2 * sum(len(own) > TYPOGRAPHY.phrase for own in items) > len(items)
        and all(len(own) <= TYPOGRAPHY.several and any(c.isdigit() for word in own for c in word.text) for own in marks)
    )
    words = sorted(map(len, items))
    return Measured("TYPOGRAPHY.phrase", words[len(words) // 2], TYPOGRAPHY.phrase) if are_questions else None


def _is_number(text: str) -> bool:
    """Decide whether a cell holds a figure, or the numbers of clauses: of several where some lie in one row."""
    return is_figure(text) or all(map(_NUMBER.fullmatch, text.split()))


def _count_on(texts: Sequence[str]) -> Measured | None:
    """Say how many of the numbers of clauses count on; None where they are too few."""
    found = [match for text in texts for match in map(_NUMBER.fullmatch, text.split()) if match]
    steps = [
        int(below[2]) == (int(above[2]) + 1 if above[1] == below[1] else 1)
        for above, below in itertools.pairwise(found)
    ]
    if len(found) < TYPOGRAPHY.several or sum(steps) < TYPOGRAPHY.nearly_all * len(steps):
        return None
    return Measured("TYPOGRAPHY.nearly_all", sum(steps) / len(steps), TYPOGRAPHY.nearly_all)
