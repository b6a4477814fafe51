"""Footnotes: small type at the foot of a column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.records import PageMarks
from paperchute.engine.reading.layout.survey import Norms

_MARK = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\])[.)]?(?=\s|[A-Z\"“(]|$)")


def footnote_start(lines: Sequence[TextLine], marks: PageMarks, norms: Norms) -> int:
    """The number of the line from which on a column's lines are footnotes; len(lines) for none.

    They are the smaller lines at the end, in the lower half of the page, that begin with a note mark (raised, or under
    a short rule).
    """
    start = len(lines)
    while start > 0 and lines[start - 1].size < 0.93 * norms.body_size and lines[start - 1].top > 0.5 * marks.height:
        start -= 1
    for number in range(start, len(lines)):
        line = lines[number]
        first = line.words[0]
        if _MARK.match(first.text) and (
            first.script == "super" or first.size < 0.85 * line.size or _under_rule(line, marks)
        ):
            return number
    return len(lines)


def _under_rule(line: TextLine, marks: PageMarks) -> bool:
    return any(
        rule.horizontal
        and 0 <= line.top - rule.y1 < 2 * line.size
        and abs(rule.x1 - line.left) < 3 * line.size
        and rule.x2 - rule.x1 < 0.45 * marks.width
        for rule in marks.rules
    )
