"""Headings with a rule under them, as wide as the column: between two such rules stand the parts of a CV."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Rule
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def end_over_heading(above: Rule, rule: Rule, between: Sequence[TextLine]) -> Rule | None:
    """Where what begins under the rule above ends, if the next rule is drawn under a heading in larger type than that.

    between: the lines from the rule above on, of which the heading is the last.
    """
    own = [line for line in between if line.left < rule.x2 and line.right > rule.x1]
    if len(own) < 2:
        return None
    own.sort(key=lambda line: line.baseline)
    *others, last = own
    if (
        others[-1].baseline >= last.top
        or rule.y1 - last.baseline >= TYPOGRAPHY.em * last.size
        or last.size <= TYPOGRAPHY.larger * max(line.size for line in others)
        or last.left - rule.x1 >= last.size
    ):
        return None
    middle = (others[-1].bottom + last.top) / 2
    return Rule(above.x1, middle, above.x2, middle)
