"""Which tables a page has: one method after the other, and what one has found is none of the next one's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.justified import words_for_tables
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import PageMarks, Word, joined_rules
from paperchute.engine.reading.layout.sides import Piece, pieces_of
from paperchute.engine.reading.layout.tables.between import tables_between
from paperchute.engine.reading.layout.tables.calendars import calendar_tables
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.headed import headed_tables
from paperchute.engine.reading.layout.tables.labelled import labelled_tables
from paperchute.engine.reading.layout.tables.lone_lines import stand_alone
from paperchute.engine.reading.layout.tables.pairs import pair_tables
from paperchute.engine.reading.layout.tables.rejections import accepted
from paperchute.engine.reading.layout.tables.ruled import ruled_tables
from paperchute.engine.reading.layout.tables.statements import figure_tables
from paperchute.engine.reading.layout.tables.table_words import TableWords
from paperchute.engine.reading.layout.tables.tagged import tagged_tables
from paperchute.engine.reading.layout.tables.wordy import text_tables
from paperchute.engine.reading.layout.tables.written import as_written, cells_of, written_tables
from paperchute.engine.reading.layout.tables.written_heads import may_have_written_head, with_written_head
from paperchute.engine.reading.layout.trace import Finder, Measured, rejected


@dataclass(frozen=True, slots=True)
class FindingSettings:
    """How what several methods find is put together."""

    same_table: float = 0.5
    """The share of a tagged table that a drawn grid covers to be its own; half. 0.8 to 1.2 times it reads 83 sample
    pages the same."""

    masthead: float = 1.8
    """Times the size of the small words at its sides: of a name over a newspaper between two rules."""

    masthead_rows: int = 3
    """Of what seems to be a table there, at most."""


FINDING = FindingSettings()


@dataclass(slots=True)
class _Search:
    """The tables found so far, and the words that are in none of them."""

    words: TableWords
    tables: list[FoundTable]
    marks: PageMarks

    def take(self, finder: Finder, found: Iterable[FoundTable]) -> None:
        """Add what a method has found and nothing rejects."""
        new = list(accepted(finder, found, self.marks))
        self.tables += new
        self.words = self.words.without(word_ids(new))

    def free(self, finder: Finder, found: Iterable[FoundTable]) -> Iterator[FoundTable]:
        """Yield of what a method has found that which overlaps none of those found so far."""
        for table in found:
            table.finder = finder
            over = next((other for other in self.tables if table.box.overlap(other.box) > 0), None)
            if over is None:
                yield table
            else:
                rejected(finder, table.box, f"overlaps a table by {over.finder}")


def shown_tables(
    marks: PageMarks, words: list[Word], lines: Sequence[TextLine], before: Sequence[tuple[float, ...]] = ()
) -> tuple[list[FoundTable], list[Box]]:
    """The tables that tags, rules and small labels show, and the places of tables that are themselves turned.

    lines: `segments` of the upright ones of the words. before: the edges of the columns of tables of the page before.
    """
    flat, tall = joined_rules(marks.rules)
    ruled = ruled_tables(flat, tall, words, before)
    grids = [table.box for table in ruled if _is_turned(table)]
    ruled = [table for table in ruled if not _is_turned(table)]
    tagged = [table for table in tagged_tables(marks.tables, words) if not _is_turned(table)]
    for table in tagged:
        table.finder = "tags"
        drawn = next((r for r in ruled if table.box.overlap(r.box) > FINDING.same_table * table.box.area), None)
        if drawn is not None:
            table.bordered, table.box = True, hull([table.box, drawn.box])
            _take_areas(table, drawn)
    known = word_ids(tagged)
    free = TableWords([word for line in lines for word in line.words]).without(known)
    labelled = list(labelled_tables(free.bands, words))
    named = word_ids(labelled)
    for table in ruled:
        if table.word_ids() <= named:
            rejected("rules", table.box, "boxes, each with a label over its value")
    ruled = [table for table in ruled if not table.word_ids() <= named]
    search = _Search(TableWords([]), tagged, marks)
    search.tables += list(search.free("rules", ruled))
    headed = list(headed_tables(marks.drawings, words, search.tables))
    search.tables += _found_by("coloured heads", headed)
    # Before the edges of their boxes are taken for rules of the table below.
    search.tables += list(search.free("labels", labelled))
    between = _found_by("rules of one width", tables_between(flat, words, lines, search.tables))
    between = [table for table in between if not _is_masthead(table)]
    if any(map(may_have_written_head, between)):
        cells = cells_of(as_written(pieces_of(lines, words), words))
        between = [with_written_head(table, cells) for table in between]
    search.tables += between
    return search.tables, grids


def _take_areas(tagged: FoundTable, drawn: FoundTable) -> None:
    """Give the cells of a tagged table, whose boxes are those of their words, the areas of the grid drawn around them.

    Only where both have the same cells, a head aside that is a coloured bar over the grid: its words stand in the
    middle of it. Writers take areas for the edges of rows and columns.
    """
    heads = tagged.rows - drawn.rows
    if heads not in (0, 1):
        return
    areas = {(cell.row + heads, cell.column, cell.row_span, cell.column_span): cell.box for cell in drawn.cells}
    found: list[Box] = []
    for cell in tagged.cells:
        words = hull(word.box for word in cell.words) if cell.words else None
        area = areas.get((max(cell.row, heads), cell.column, cell.row_span, cell.column_span))
        if area is not None and words is not None and cell.row < heads:
            area = Box(area.left, words.top + words.bottom - area.top, area.right, area.top)
        if area is None or (words is not None and not area.holds(*words.center)):
            return
        found.append(area)
    for cell, area in zip(tagged.cells, found, strict=True):
        cell.box = area
    tagged.box = hull(found)


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
    search = _Search(words, [], marks)
    search.take("calendars", calendar_tables(words))
    search.take("labels", labelled_tables(words.bands, marks.words))
    search.take("written order", search.free("written order", written_tables(pieces, marks.words)))
    search.take("pairs", pair_tables(search.words))
    figures = [*accepted("figures", figure_tables(search.words), marks)]
    if figures:
        cells = cells_of(as_written(pieces, marks.words))
        search.take("figures", (with_written_head(table, cells) for table in figures))
    search.take("text", text_tables(search.words.bands, complete=not any(line.justified for line in lines)))
    if not search.tables:
        return pieces
    taken = word_ids(search.tables)
    whole = [p for p in pieces if p.line is None or not any(id(word) in taken for word in p.line.words)]
    cut = [p.line for p in pieces if p.line is not None and any(id(word) in taken for word in p.line.words)]
    rest = [Piece(line.box, line) for line in lines_outside(cut, taken)]
    return [*whole, *rest, *(Piece(table.box, table) for table in search.tables)]


def _found_by(finder: Finder, tables: Iterable[FoundTable]) -> list[FoundTable]:
    return [replace(table, finder=finder) for table in tables]


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


def _is_masthead(table: FoundTable) -> bool:
    """Whether a name in large type stands between small lines, as over a newspaper."""
    sizes = sorted(word.size for cell in table.cells for word in cell.words)
    if table.rows > FINDING.masthead_rows or sizes[-1] < FINDING.masthead * sizes[len(sizes) // 4]:
        return False
    by = Measured("FINDING.masthead", sizes[-1] / sizes[len(sizes) // 4], FINDING.masthead)
    rejected("rules of one width", table.box, "a masthead", by)
    return True


def _is_turned(table: FoundTable) -> bool:
    """Whether the text of most cells is not upright, so that the table itself is not; a table's head alone may be."""
    full = [cell.words[0].angle != 0 for cell in table.cells if cell.words]
    return 2 * sum(full) > len(full)
