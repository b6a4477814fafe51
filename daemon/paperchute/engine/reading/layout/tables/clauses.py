"""Numbered clauses, whose numbers stand in the margin of their column and are no figures of a table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.grid import FoundTable


@dataclass(frozen=True, slots=True)
class ClauseSettings:
    """What tells the numbers of clauses from figures."""

    fewest: int = 3
    """Numbers that count on: fewer do by chance."""

    figures: float = 0.5
    """The share of a column's cells from which it is one of figures."""

    counting: float = 0.8
    """The share of such a column's steps that count on: a number may have been lost."""


CLAUSES = ClauseSettings()

_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.(\d{1,2})\.?")


def are_clauses(table: FoundTable) -> bool:
    """Whether all figures of a table are numbers that count the texts beside them: 1.1, 1.2, 2.1."""
    columns = [
        [" ".join(word.text for word in cell.words) for cell in table.cells if cell.column == column and cell.words]
        for column in range(table.columns)
    ]
    numbers = [texts for texts in columns if sum(map(is_figure, texts)) > CLAUSES.figures * len(texts)]
    return bool(numbers) and all(map(_count_on, numbers))


def _count_on(texts: Sequence[str]) -> bool:
    found = [match for match in map(_NUMBER.fullmatch, texts) if match]
    steps = [
        int(below[2]) == (int(above[2]) + 1 if above[1] == below[1] else 1)
        for above, below in itertools.pairwise(found)
    ]
    return len(found) >= CLAUSES.fewest and sum(steps) >= CLAUSES.counting * len(steps)
