"""Which tables a page has: one method after the other, and what one has found is none of the next one's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.justified import words_for_tables
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import PageMarks, Word, joined_rules
from paperchute.engine.reading.layout.sides import Piece, pieces_of
from paperchute.engine.reading.layout.tables.between import tables_between
from paperchute.engine.reading.layout.tables.calendars import calendar_tables
from paperchute.engine.reading.layout.tables.charted import is_chart
from paperchute.engine.reading.layout.tables.clauses import are_clauses
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.headed import headed_tables
from paperchute.engine.reading.layout.tables.labelled import labelled_tables
from paperchute.engine.reading.layout.tables.lone_lines import stand_alone
from paperchute.engine.reading.layout.tables.pairs import pair_tables
from paperchute.engine.reading.layout.tables.ruled import ruled_tables
from paperchute.engine.reading.layout.tables.statements import figure_tables
from paperchute.engine.reading.layout.tables.table_words import TableWords
from paperchute.engine.reading.layout.tables.tagged import tagged_tables
from paperchute.engine.reading.layout.tables.wordy import text_tables
from paperchute.engine.reading.layout.tables.written import as_written, cells_of, written_tables
from paperchute.engine.reading.layout.tables.written_heads import may_have_written_head, with_written_head


@dataclass(frozen=True, slots=True)
class FindingSettings:
    """How what several methods find is put together."""

    same_table: float = 0.5
    """The share of a tagged table that a drawn grid covers to be its own; half. 0.8 to 1.2 times it reads 83 sample
    pages the same."""


FINDING = FindingSettings()


@dataclass(slots=True)
class _Search:
    """The tables found so far, and the words that are in none of them."""

    words: TableWords
    tables: list[FoundTable]

    def take(self, found: Iterable[FoundTable]) -> None:
        """Add what a method has found."""
        new = list(found)
        self.tables += new
        self.words = self.words.without(word_ids(new))

    def is_free(self, table: FoundTable) -> bool:
        """Whether it overlaps none of those found so far."""
        return not any(table.box.overlap(other.box) > 0 for other in self.tables)


def shown_tables(marks: PageMarks, words: list[Word], lines: Sequence[TextLine]) -> tuple[list[FoundTable], list[Box]]:
    """The tables that tags, rules and small labels show, and the places of tables that are themselves turned.

    lines: `segments` of the upright ones of the words.
    """
    flat, tall = joined_rules(marks.rules)
    ruled = ruled_tables(flat, tall, words)
    grids = [table.box for table in ruled if _is_turned(table)]
    ruled = [table for table in ruled if not _is_turned(table)]
    tagged = [table for table in tagged_tables(marks.tables, words) if not _is_turned(table)]
    for table in tagged:
        drawn = next((r for r in ruled if table.box.overlap(r.box) > FINDING.same_table * table.box.area), None)
        if drawn is not None:
            table.bordered, table.box = True, hull([table.box, drawn.box])
    known = word_ids(tagged)
    free = TableWords([word for line in lines for word in line.words]).without(known)
    labelled = list(labelled_tables(free.bands, words))
    named = word_ids(labelled)
    ruled = [table for table in ruled if not table.word_ids() <= named]  # boxes, each with a label over its value
    search = _Search(TableWords([]), tagged)
    search.tables += [table for table in ruled if search.is_free(table)]
    search.tables += headed_tables(marks.drawings, words, search.tables)
    # Before the edges of their boxes are taken for rules of the table below.
    search.tables += [table for table in labelled if search.is_free(table)]
    between = tables_between(flat, words, lines, search.tables)
    if any(map(may_have_written_head, between)):
        cells = cells_of(as_written(pieces_of(lines, words), words))
        between = [with_written_head(table, cells) for table in between]
    search.tables += between
    return search.tables, grids


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
    search = _Search(words, [])
    search.take([*calendar_tables(words), *labelled_tables(words.bands, marks.words)])
    written = (table for table in written_tables(pieces, marks.words) if not are_clauses(table))
    search.take([table for table in written if search.is_free(table)])
    search.take(table for table in pair_tables(search.words) if not are_clauses(table))
    figures = [table for table in figure_tables(search.words) if not are_clauses(table)]
    if figures:
        cells = cells_of(as_written(pieces, marks.words))
        search.take(with_written_head(table, cells) for table in figures)
    search.take(text_tables(search.words.bands, complete=not any(line.justified for line in lines)))
    tables = [table for table in search.tables if not is_chart(table, marks)]
    if not tables:
        return pieces
    taken = word_ids(tables)
    whole = [p for p in pieces if p.line is None or not any(id(word) in taken for word in p.line.words)]
    cut = [p.line for p in pieces if p.line is not None and any(id(word) in taken for word in p.line.words)]
    rest = [Piece(line.box, line) for line in lines_outside(cut, taken)]
    return [*whole, *rest, *(Piece(table.box, table) for table in tables)]


def word_ids(tables: Iterable[FoundTable]) -> set[int]:
    """The ids of the words of tables."""
    return {number for table in tables for number in table.word_ids()}


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


def _is_turned(table: FoundTable) -> bool:
    """Whether the text of most cells is not upright, so that the table itself is not; a table's head alone may be."""
    full = [cell.words[0].angle != 0 for cell in table.cells if cell.words]
    return 2 * sum(full) > len(full)
