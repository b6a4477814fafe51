"""Tables between rules that lie under each other, without walls: what each stack of such rules shows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import Rule
from paperchute.engine.reading.layout.running_text import is_running
from paperchute.engine.reading.layout.tables.aligned import lacks_labels, rule_stacks, table_between
from paperchute.engine.reading.layout.tables.assembly import measure_gaps
from paperchute.engine.reading.layout.tables.evidence import Evidence, word_ids
from paperchute.engine.reading.layout.tables.grid import FoundTable, in_box
from paperchute.engine.reading.layout.tables.statements import figure_tables
from paperchute.engine.reading.layout.trace import Measured
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class BetweenSettings:
    """Which words stand between rules. Distances are points."""

    row_reach: float = 30.0
    """Above and below rules, where a row may stand outside of them: two lines of common type."""


BETWEEN = BetweenSettings()


def tables_between(evidence: Evidence) -> Sequence[FoundTable]:
    """The tables that lying rules show beside those known already."""
    result: list[FoundTable] = []
    known, lines, words = evidence.known, evidence.lines, evidence.marks.words
    taken = word_ids(known)
    for stack in rule_stacks(evidence.rules, [table.box for table in known], lines):
        beside, reach = TYPOGRAPHY.frame, BETWEEN.row_reach
        area = Box(stack[0].x1 - beside, stack[0].y1 - reach, stack[0].x2 + beside, stack[-1].y1 + reach)
        inside = [word for word in in_box(words, area) if id(word) not in taken and word.angle == 0]
        if not inside or (len(stack) == 2 and _frames_table(area, known)):
            continue
        pieces = segments(inside)
        if (len(stack) == 2 and is_running(pieces)) or _is_centred(pieces, stack[0]):
            continue
        found = table_between(stack, inside)
        if found is None or lacks_labels(found, lines) or _is_text(found):
            continue
        whole = _whole(found, evidence, taken, (area.left, area.right))
        if whole is found or not lacks_labels(whole, lines):
            result.append(whole)
            taken |= whole.word_ids()
    return result


def measure_masthead(table: FoundTable) -> Measured | None:
    """Say by which number a name in large type stands between small lines, as over a newspaper."""
    sizes = sorted(word.size for cell in table.cells for word in cell.words)
    by = Measured("TYPOGRAPHY.display", sizes[-1] / sizes[len(sizes) // 4], TYPOGRAPHY.display)
    return by if table.rows <= TYPOGRAPHY.several and by.value >= by.limit else None


def _frames_table(area: Box, tables: Sequence[FoundTable]) -> bool:
    """Tell if a table that is known already stands between two rules, which are then those of the page around it."""
    return any(area.holds(*table.box.center) for table in tables)


def _is_centred(lines: Sequence[TextLine], rule: Rule) -> bool:
    """Decide whether most rows are one line in the middle, as in the frame of a certificate."""
    middle, slack = (rule.x1 + rule.x2) / 2, TYPOGRAPHY.hardly * (rule.x2 - rule.x1)
    rows: dict[int, list[TextLine]] = {}
    for line in lines:
        rows.setdefault(round(line.baseline), []).append(line)
    centred = sum(len(row) == 1 and abs(row[0].box.center[0] - middle) < slack for row in rows.values())
    return centred >= max(TYPOGRAPHY.several, TYPOGRAPHY.most * len(rows))


def _is_text(table: FoundTable) -> bool:
    """Decide whether the rows are lines of text in columns, as sentences run on over them: a frame round text."""
    columns = 0
    for column in range(table.columns):
        own = [cell for cell in table.cells if cell.column == column and cell.words]
        goes_on = sum(
            below.row == above.row + 1
            and len(above.words) >= TYPOGRAPHY.few
            and above.words[-1].text[-1] not in ".:;!?"
            and below.words[0].text[0].islower()
            for above, below in itertools.pairwise(own)
        )
        columns += goes_on >= TYPOGRAPHY.pair
    return columns >= TYPOGRAPHY.pair


def _whole(found: FoundTable, evidence: Evidence, taken: set[int], reach: tuple[float, float]) -> FoundTable:
    """The table of figures that goes beyond the rules which show a part of it, such as the grounds of every other row.

    reach: the left and the right end of the rules; lines that go beyond them are none of the table's.
    """
    own = found.word_ids()
    inside = [line for line in evidence.lines if reach[0] <= line.left and line.right <= reach[1]]
    free = (word for line in inside for word in line.words if id(word) not in taken)
    for table in figure_tables(evidence.among(free)):
        held = table.word_ids()
        more = len(held) > len(own) or (len(held) == len(own) and table.columns > found.columns)
        if more and not measure_gaps(table) and len(own & held) >= TYPOGRAPHY.nearly_all * len(own):
            return table
    return found
