"""The lines, tables and pictures of one column to its blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Quad, hull
from paperchute.engine.document.model import Block, BlockKind
from paperchute.engine.reading.layout.blocks import (
    Placed,
    certainty,
    code_block,
    list_item,
    table_block,
    text_block,
)
from paperchute.engine.reading.layout.formulas import Formula, displayed_formulas
from paperchute.engine.reading.layout.latex import latex_of
from paperchute.engine.reading.layout.levels import face_of
from paperchute.engine.reading.layout.lines import TextLine, line_of, rows
from paperchute.engine.reading.layout.listings import numbered_listings
from paperchute.engine.reading.layout.lists import place_of
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.paragraph_kinds import footnote_start, with_levels
from paperchute.engine.reading.layout.paragraphs import Paragraph, is_other_list, paragraphs
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.survey import Norms
from paperchute.engine.reading.layout.tables.evidence import word_ids
from paperchute.engine.reading.layout.tables.finding import column_tables
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.lone_lines import stand_alone
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class ColumnTextSettings:
    """How the parts of a column are put together. Distances are shares of the font size where nothing else is said."""

    code_gap: float = 3.2
    """Between baselines of lines of code; two empty lines stay in one listing. A printed guideline changes at 3.0."""


COLUMN_TEXT = ColumnTextSettings()


@dataclass(frozen=True, slots=True)
class ColumnText:
    """Makes blocks of what stands in one column of a page.

    marks: of the page. norms: of the document.
    """

    marks: PageMarks
    norms: Norms

    def blocks(self, group: Sequence[Piece]) -> list[Placed]:
        """Make the blocks of the pieces of one column, which stand in reading order."""
        result: list[Placed] = []
        pending: list[TextLine] = []
        alone = all(piece.alone for piece in group)

        def flush() -> None:
            result.extend(self._text(pending, alone))
            pending.clear()

        for piece in group:
            if piece.line is not None:
                pending.append(piece.line)
                continue
            flush()
            if isinstance(piece.content, FoundTable):
                result.append(self._table(piece.content))
            elif isinstance(piece.content, Placed):
                result.append(piece.content)
            elif isinstance(piece.content, list):
                result += piece.content
        flush()
        return result

    def _text(self, segments_: Sequence[TextLine], alone: bool) -> list[Placed]:
        """Blocks of one column's text: listings, formulas, tables by alignment, footnotes, and the text between.

        alone: whether no two of its lines are known to make the row of a table.
        """
        listings = numbered_listings(segments_)
        if listings:
            code = {id(word) for listing in listings for line in listing for word in line.words}
            segments_ = [line for line in segments_ if id(line.words[0]) not in code]
        formulas = displayed_formulas(segments_)
        if formulas:
            own = {id(line) for formula in formulas for line in formula.all}
            segments_ = [line for line in segments_ if id(line) not in own]
        apart = [*map(self._formula, formulas), *map(_code, listings)]
        apart.sort(key=lambda item: item.block.quad.box.center[1])
        lines = rows(segments_)
        notes = footnote_start(lines, self.marks, self.norms)
        tables: list[FoundTable] = []
        if not (alone or stand_alone(line for line in segments_ if not line.justified)):
            tables = [*column_tables(lines[:notes], self.marks)]
        taken = word_ids(tables)
        result: list[Placed] = []
        pending: list[TextLine] = []
        for line in lines[:notes]:
            while apart and apart[0].block.quad.box.center[1] < line.box.center[1]:
                result += self._paragraphs(pending)
                pending = []
                result.append(apart.pop(0))
            rest = [word for word in line.words if id(word) not in taken] if taken else line.words
            if len(rest) < len(line.words) and tables and tables[0].box.top <= line.bottom:
                result += self._paragraphs(pending)
                pending = []
                result.append(self._table(tables.pop(0)))
            if rest:
                pending.append(line if len(rest) == len(line.words) else line_of(rest))
        result += self._paragraphs(pending)
        result += map(self._table, tables)
        result += apart
        for note in paragraphs(lines[notes:]):
            result.append(self._block("footnote", note.lines, note))
        return result

    def _formula(self, formula: Formula) -> Placed:
        block = text_block("formula", formula.lines, self.norms.hyphens)
        return Placed(replace(block, latex=latex_of(formula, self.marks.rules)), made_of=formula.all)

    def _table(self, table: FoundTable) -> Placed:
        return Placed(table_block(table, self.norms.hyphens, self.marks.grounds), made_of=table)

    def _paragraphs(self, lines: Sequence[TextLine]) -> list[Placed]:
        result: list[Placed] = []
        items: list[Paragraph] = []
        code: list[TextLine] = []

        def flush() -> None:
            if items:
                result.append(self._list(items))
                items.clear()
            if code:
                result.append(_code(code))
                code.clear()

        for paragraph, level in with_levels(paragraphs(lines), self.marks.number, self.norms):
            if level and _is_pictured(paragraph, self.marks):
                level = 0
            if not level and all(line.mono for line in paragraph.lines) and paragraph.marker is None:
                if items:
                    flush()
                if code and paragraph.lines[0].baseline - code[-1].baseline > COLUMN_TEXT.code_gap * code[-1].size:
                    flush()
                code += paragraph.lines
                continue
            if code:
                flush()
            if level:
                flush()
                front = self.norms.front
                title = front.is_title(self.marks.number, face_of(paragraph.lines[0]))
                kind: BlockKind = "doc_title" if title else "paragraph_title"
                result.append(self._block(kind, paragraph.lines, paragraph, level))
            elif paragraph.marker is not None:
                if items and is_other_list(items[-1], paragraph):
                    flush()
                items.append(paragraph)
            elif items and _goes_on(items[-1], paragraph):
                items[-1].hard.add(len(items[-1].lines) - 1)
                items[-1].lines += paragraph.lines
            else:
                flush()
                result.append(self._block("text", paragraph.lines, paragraph))
        flush()
        return result

    def _block(
        self, kind: BlockKind, lines: Sequence[TextLine], paragraph: Paragraph | None = None, level: int = 0
    ) -> Placed:
        hard = frozenset(paragraph.hard) if paragraph else frozenset()
        return Placed(text_block(kind, lines, self.norms.hyphens, hard, level), made_of=tuple(lines))

    def _list(self, items: Sequence[Paragraph]) -> Placed:
        """Items as one list block, their levels as tagged, else from how far their markers are indented."""
        found = []
        lines = [line for item in items for line in item.lines]
        sure = certainty([word for line in lines for word in line.words])
        places = [place.level for item in items if (place := place_of(item.lines[0])) is not None]
        if len(places) == len(items):
            found = [list_item(i, n - min(places), self.norms.hyphens) for i, n in zip(items, places, strict=True)]
            quad = Quad.of(hull(item.quad.box for item in found))
            return Placed(Block("list", quad, items=tuple(found), confidence=sure), made_of=lines)
        stack: list[float] = []
        for paragraph in items:
            marker = paragraph.marker
            assert marker is not None
            size = paragraph.lines[0].size
            while stack and marker.left < stack[-1] - TYPOGRAPHY.half_em * size:
                stack.pop()
            if not stack or marker.left > stack[-1] + TYPOGRAPHY.half_em * size:
                stack.append(marker.left)
            found.append(list_item(paragraph, len(stack) - 1, self.norms.hyphens))
        quad = Quad.of(hull(item.quad.box for item in found))
        return Placed(Block("list", quad, items=tuple(found), confidence=sure), made_of=lines)


def _code(lines: Sequence[TextLine]) -> Placed:
    return Placed(code_block(lines), made_of=tuple(lines))


def _goes_on(item: Paragraph, paragraph: Paragraph) -> bool:
    """Tell whether a paragraph is a further one of a list item: the tags say so, or it stands under the item's text."""
    size = paragraph.lines[0].size
    own, here = place_of(item.lines[0]), place_of(paragraph.lines[0])
    if own is not None:
        return here is not None and own.item == here.item
    return (
        abs(paragraph.left - item.left) < TYPOGRAPHY.half_em * size
        and paragraph.lines[0].baseline - item.lines[-1].baseline < TYPOGRAPHY.blank_line * size
        and not paragraph.lines[0].bold
    )


def _is_pictured(paragraph: Paragraph, marks: PageMarks) -> bool:
    """Tell if a paragraph was recognised in a picture on a page that has more text of its own: it heads nothing."""
    return paragraph.lines[0].words[0].confidence < 1 and marks.has_pictured
