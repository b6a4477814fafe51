"""Which tables a page has: one finder after the other, and what one has found is none of the next one's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.justified import words_for_tables
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import PageMarks, Word, joined_rules
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.tables.aligned import aligned_tables
from paperchute.engine.reading.layout.tables.between import tables_between
from paperchute.engine.reading.layout.tables.calendars import calendar_tables
from paperchute.engine.reading.layout.tables.evidence import PRESENT, Evidence, Need, TableWords, word_ids
from paperchute.engine.reading.layout.tables.grid import GRIDS, FoundTable, rated
from paperchute.engine.reading.layout.tables.headed import headed_tables
from paperchute.engine.reading.layout.tables.labelled import labelled_tables
from paperchute.engine.reading.layout.tables.lone_lines import stand_alone
from paperchute.engine.reading.layout.tables.pairs import pair_tables
from paperchute.engine.reading.layout.tables.rejections import is_rejected
from paperchute.engine.reading.layout.tables.ruled import ruled_tables
from paperchute.engine.reading.layout.tables.statements import figure_tables
from paperchute.engine.reading.layout.tables.tagged import tagged_tables
from paperchute.engine.reading.layout.tables.wordy import text_tables
from paperchute.engine.reading.layout.tables.written import with_written_heads, written_tables
from paperchute.engine.reading.layout.trace import FinderName, rejected


class Finder(NamedTuple):
    """A way of finding tables.

    needs: what must be there for it to be asked. confidence: the share of right cells in its tables; None where these
    are said or drawn, and so are the cells. find: yields what may be tables.
    """

    name: FinderName
    needs: Need
    confidence: float | None
    find: Callable[[Evidence], Iterable[FoundTable]]


SHOWN = (
    Finder("tags", "tags", None, tagged_tables),
    Finder("rules", "grids", None, lambda evidence: evidence.grids),
    Finder("coloured heads", "coloured areas", GRIDS.few, headed_tables),
    Finder("rules of one width", "rules", GRIDS.shown, with_written_heads(tables_between, 2)),
)
"""Asked of a whole page, in the order of trust: what the document says and what is drawn."""

TEXT = (
    Finder("calendars", "figures", GRIDS.few, calendar_tables),
    Finder("labels", "words", GRIDS.few, labelled_tables),
    Finder("written order", "written order", GRIDS.few, written_tables),
    Finder("pairs", "figures", GRIDS.few, pair_tables),
    Finder("figures", "figures", GRIDS.shown, with_written_heads(figure_tables, 1)),
    Finder("text", "words", GRIDS.few, text_tables),
)
"""Asked of each part of a page, before it is parted into columns."""

COLUMN = (Finder("alignment", "words", GRIDS.aligned, aligned_tables),)
"""Asked of the lines of one column."""


def shown_tables(
    marks: PageMarks, lines: Sequence[TextLine], before: Sequence[tuple[float, ...]] = ()
) -> tuple[Sequence[FoundTable], list[Box]]:
    """The tables that tags and rules show, and the places of tables that are themselves turned.

    lines: `segments` of the upright words. before: the edges of the columns of tables of the page before.
    """
    flat, tall = joined_rules(marks.rules)
    drawn = ruled_tables(flat, tall, marks.words, before)
    turned = [table.box for table in drawn if table.is_turned]
    free = TableWords([word for line in lines for word in line.words])
    evidence = Evidence(marks, lines, free, flat, [table for table in drawn if not table.is_turned])
    return _found(SHOWN, evidence), turned


def with_tables(pieces: Sequence[Piece], marks: PageMarks) -> Sequence[Piece]:
    """The pieces with tables of figures, and of text, in place of their lines."""
    if all(piece.alone for piece in pieces):
        return pieces
    lines = [piece.line for piece in pieces if piece.line is not None]
    words = TableWords(words_for_tables(lines))
    if not words.has_leaders and stand_alone(line for line in lines if not line.justified):
        for piece in pieces:
            piece.alone = True  # in each part of the page as well
        return pieces
    tables = _found(TEXT, Evidence(marks, lines, words, pieces=pieces))
    if not tables:
        return pieces
    taken = word_ids(tables)
    whole = [p for p in pieces if p.line is None or not any(id(word) in taken for word in p.line.words)]
    cut = [p.line for p in pieces if p.line is not None and any(id(word) in taken for word in p.line.words)]
    rest = [Piece(line.box, line) for line in lines_outside(cut, taken)]
    return [*whole, *rest, *(Piece(table.box, table) for table in tables)]


def column_tables(lines: Sequence[TextLine], marks: PageMarks) -> Sequence[FoundTable]:
    """The tables that stand among the lines of one column, top to bottom."""
    return _found(COLUMN, Evidence(marks, lines, TableWords(words_for_tables(lines))))


def _found(finders: Iterable[Finder], evidence: Evidence) -> Sequence[FoundTable]:
    """Return what finders find, asked in the order of trust."""
    for finder in finders:
        if PRESENT[finder.needs](evidence):
            evidence = evidence.with_found(chosen(finder, evidence))
    return evidence.known


def chosen(finder: Finder, evidence: Evidence) -> list[FoundTable]:
    """The candidates of a finder that nothing rejects, and that overlap none found by one that is trusted more."""
    found = []
    for table in finder.find(evidence):
        table.finder = finder.name
        over = next((other for other in evidence.known if table.box.overlap(other.box) > 0), None)
        if over is not None:
            rejected(finder.name, table.box, f"overlaps a table by {over.finder}")
        elif not is_rejected(table, evidence):
            if finder.confidence is not None:
                table.confidence = rated(table, finder.confidence)
            found.append(table)
    return found


def lines_outside(lines: Sequence[TextLine], taken: set[int]) -> list[TextLine]:
    """The lines without the words whose ids are in `taken`."""
    if not taken:
        return list(lines)
    whole: list[TextLine] = []
    cut: list[Word] = []
    for line in lines:
        rest = [word for word in line.words if id(word) not in taken]
        if len(rest) == len(line.words):
            whole.append(line)
        else:
            cut += rest
    return sorted([*whole, *segments(cut)], key=lambda line: (line.baseline, line.left)) if cut else whole
