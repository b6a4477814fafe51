"""Numbered clauses, whose numbers stand in the margin of their column and are no figures of a table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.lists import looks_like_marker
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.grid import FoundTable


@dataclass(frozen=True, slots=True)
class ClauseSettings:
    """What tells the numbers of clauses from figures."""

    fewest: int = 3
    """Numbers that count on: fewer do by chance."""

    mark_words: int = 3
    """Words in the margin at the end of a question, at most: `10 marks`, `( 2 points )`."""

    question_words: int = 9
    """Words of half of the questions: more than cells of most tables have (`AlignedTableSettings.most_words`)."""

    figures: float = 0.5
    """The share of a column's cells from which it is one of figures."""

    counting: float = 0.8
    """The share of such a column's steps that count on: a number may have been lost."""


CLAUSES = ClauseSettings()

_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.(\d{1,2})\.?")


def are_clauses(table: FoundTable) -> bool:
    """Whether a table is numbered text: all its figures count the texts beside them (1.1, 1.2, 2.1), or are marks."""
    if are_questions(table):
        return True
    columns = [
        [" ".join(word.text for word in cell.words) for cell in table.cells if cell.column == column and cell.words]
        for column in range(table.columns)
    ]
    numbers = [texts for texts in columns if sum(map(is_figure, texts)) > CLAUSES.figures * len(texts)]
    return bool(numbers) and all(map(_count_on, numbers))


def are_questions(table: FoundTable) -> bool:
    """Whether it is a list of sentences with a few words and a figure in the margin at the end of each: their marks.

    Of the first one the last line alone may be known.
    """
    texts = {(cell.row, cell.column): cell.words for cell in table.cells}
    items = [texts.get((row, 0), []) for row in range(table.rows)]
    marks = [texts.get((row, 1), []) for row in range(table.rows)]
    return (
        table.columns == 2
        and all(own and looks_like_marker(own[0].text) for own in items[1:])
        and 2 * sum(len(own) > CLAUSES.question_words for own in items) > len(items)
        and all(len(own) <= CLAUSES.mark_words and any(c.isdigit() for word in own for c in word.text) for own in marks)
    )


def _count_on(texts: Sequence[str]) -> bool:
    found = [match for match in map(_NUMBER.fullmatch, texts) if match]
    steps = [
        int(below[2]) == (int(above[2]) + 1 if above[1] == below[1] else 1)
        for above, below in itertools.pairwise(found)
    ]
    return len(found) >= CLAUSES.fewest and sum(steps) >= CLAUSES.counting * len(steps)
