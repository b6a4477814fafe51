"""What looks like a table by its text and is none: one list of reasons, asked of each candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.tables.assembly import measure_formula, measure_list
from paperchute.engine.reading.layout.tables.charted import measure_chart
from paperchute.engine.reading.layout.tables.clauses import measure_clauses, measure_questions
from paperchute.engine.reading.layout.tables.contents import measure_contents
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.trace import Finder, Measured, rejected


class Rejection(NamedTuple):
    """A reason for which a candidate is no table.

    name: in words. measure: by which number it holds for a table of a page with these marks, where they are known;
    None where it does not.
    """

    name: str
    measure: Callable[[FoundTable, PageMarks | None], Measured | None]


LIST = Rejection("a list", lambda table, _: measure_list(table))
TABLE_OF_CONTENTS = Rejection("a table of contents", lambda table, _: measure_contents(table))
FORMULA = Rejection("a formula", lambda table, _: measure_formula(table))
QUESTIONS = Rejection("questions with their marks", lambda table, _: measure_questions(table))
"""Asked by those methods that find such things as well."""

REJECTIONS = (
    Rejection("numbered clauses", lambda table, _: measure_clauses(table)),
    Rejection("labels of a chart", lambda table, marks: measure_chart(table, marks) if marks is not None else None),
)
"""Asked of what text alone shows; what tags, rules and boxes show is drawn as a table."""


def is_rejected(finder: Finder, table: FoundTable, *reasons: Rejection, marks: PageMarks | None = None) -> bool:
    """Decide whether one of some reasons holds for what a method has found, and tell the first of them."""
    for reason in reasons:
        if (by := reason.measure(table, marks)) is not None:
            rejected(finder, table.box, reason.name, by)
            return True
    return False


def accepted(finder: Finder, candidates: Iterable[FoundTable], marks: PageMarks) -> Iterator[FoundTable]:
    """Yield the candidates that nothing rejects. finder: by what they were found."""
    for table in candidates:
        table.finder = finder
        if not is_rejected(finder, table, *REJECTIONS, marks=marks):
            yield table
