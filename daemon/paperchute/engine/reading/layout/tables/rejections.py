"""What looks like a table and is none: one list of reasons, each asked of what certain finders find."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from paperchute.engine.reading.layout.tables.assembly import (
    measure_formula,
    measure_gaps,
    measure_list,
    measure_sentences,
)
from paperchute.engine.reading.layout.tables.between import measure_masthead
from paperchute.engine.reading.layout.tables.charted import measure_chart
from paperchute.engine.reading.layout.tables.evidence import Evidence, word_ids
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.labelled import labelled_tables
from paperchute.engine.reading.layout.tables.numbered import measure_clauses, measure_contents
from paperchute.engine.reading.layout.trace import FinderName, Measured, rejected

DRAWN: frozenset[FinderName] = frozenset({"rules"})
"""What finds tables by their cells, which are drawn."""

UNDRAWN: frozenset[FinderName] = frozenset(
    {
        "coloured heads", "rules of one width",
        "calendars", "labels", "written order", "pairs", "figures", "text", "alignment",
    }
)  # fmt: skip
"""What finds tables by how words stand, in part or wholly."""


WITHOUT_WALLS: frozenset[FinderName] = frozenset({"rules of one width", "figures", "alignment"})
"""What finds tables by strips between their columns."""

ALIGNED: frozenset[FinderName] = frozenset({"alignment"})


class Rejection(NamedTuple):
    """A reason for which a candidate is no table.

    name: in words. asked_of: the finders of whose candidates it is asked. measure: whether it holds for a candidate,
    with the number that decides, where one does.
    """

    name: str
    asked_of: frozenset[FinderName]
    measure: Callable[[FoundTable, Evidence], Measured | bool | None]


def _is_labelled(table: FoundTable, evidence: Evidence) -> bool:
    return table.word_ids() <= word_ids(labelled_tables(evidence))


REJECTIONS = (
    Rejection("boxes, each with a label over its value", DRAWN, _is_labelled),
    Rejection("a masthead", UNDRAWN, lambda table, _: measure_masthead(table)),
    Rejection("too empty", WITHOUT_WALLS, lambda table, _: measure_gaps(table)),
    Rejection("cells of sentences", ALIGNED, lambda table, _: measure_sentences(table)),
    Rejection("a list", UNDRAWN, lambda table, _: measure_list(table)),
    Rejection("a table of contents", UNDRAWN, lambda table, _: measure_contents(table)),
    Rejection("a formula", UNDRAWN, lambda table, _: measure_formula(table)),
    Rejection("numbered clauses", UNDRAWN, lambda table, _: measure_clauses(table)),
    Rejection("labels of a chart", UNDRAWN, lambda table, evidence: measure_chart(table, evidence.marks)),
)
"""What the document itself says is a table is asked nothing."""


def is_rejected(table: FoundTable, evidence: Evidence) -> bool:
    """Decide whether a reason holds for what a finder has found, and tell the first of them."""
    for reason in REJECTIONS:
        if table.finder in reason.asked_of and (by := reason.measure(table, evidence)):
            rejected(table.finder, table.box, reason.name, by if isinstance(by, Measured) else None)
            return True
    return False
