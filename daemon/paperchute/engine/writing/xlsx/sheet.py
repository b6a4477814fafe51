"""One worksheet, written row by row so that memory does not grow with it, and the formats of its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xlsxwriter.utility import xl_col_to_name

from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import Cell, Image, Line, Note, Span, Table
from paperchute.engine.writing.cell_values import Entry, Typed, Writing, is_identifier, values_of
from paperchute.engine.writing.xlsx.sums import Range, sums_of
from paperchute.language import _

HEAD = "#E8ECF1"
RULE = "#BFC5CC"


@dataclass(frozen=True, slots=True)
class CellTextSettings:
    """How text and tables are laid over a sheet's cells, and what a sheet holds.

    Sizes are points, widths characters, as spreadsheets count them. Limits are those of Excel where nothing else is
    said.
    """

    size: int = 11
    """Of text: Excel's own."""

    headings: tuple[int, ...] = (18, 15, 13, 12)
    """Sizes of headings from level 1 on; the last one of all that are deeper."""

    row_height: float = 15.0
    """Of a row that nothing is said of, with text of 11 points."""

    tallest: float = 409.0
    """Of a row."""

    longest_text: int = 32_767
    """Characters of a cell."""

    longest_author: int = 52
    """Characters of a comment's author, as XlsxWriter takes them."""

    longest_address: int = 2_079
    """Characters of a link's address, as XlsxWriter takes them."""

    most_addresses: int = 60_000
    """Links of a sheet: Excel takes 65,530, and those to other sheets count too."""

    deepest_indent: int = 15
    """Steps of indent: what Excel's own dialogue took first; newer ones take more."""

    least_column: float = 8.0
    """Of a column with a table: nearly that of an empty one (8.43), as numbers need it."""

    widest_column: float = 60.0
    """Of a column with a table: longer cells are wrapped, so that a table's other columns stay in sight.
    Some column of 4 of 22 sample documents changes at 51, of 3 at 69."""

    spare: tuple[float, float] = (1.1, 2.0)
    """Room for a cell's longest line: times its characters, and more on top, as many are wider than the digits that
    spreadsheets count by."""

    prose_width: float = 100.0
    """Of the one column of a sheet without tables: what fits across a screen."""

    text_columns: int = 8
    """Columns that a paragraph is laid over where tables set their widths."""


CELL_TEXT = CellTextSettings()


@dataclass(frozen=True, slots=True)
class Look:
    """How a row of text looks: the level of a heading, else 0; indent in steps; note for an annotation."""

    level: int = 0
    indent: int = 0
    bold: bool = False
    note: bool = False

    @property
    def size(self) -> int:
        """The font size in points."""
        if not self.level:
            return CELL_TEXT.size
        return CELL_TEXT.headings[min(self.level, len(CELL_TEXT.headings)) - 1]


class Formats:
    """Makes each format once."""

    def __init__(self, workbook: Any) -> None:
        """`workbook`: XlsxWriter's."""
        self._workbook = workbook
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}

    def cell(self, number: str = "", bold: bool = False, header: bool = False, quoted: bool = False) -> Any:
        """A table cell. number: its number format. quoted: text that must not turn into a formula when edited."""
        look: dict[str, Any] = {"valign": "top", "border": 1, "border_color": RULE}
        if number:
            look["num_format"] = number
        else:
            look["text_wrap"] = True
        if header:
            look |= {"bold": True, "bg_color": HEAD, "valign": "vcenter"}
        elif bold:
            look["bold"] = True
        if quoted and not number:
            look["quote_prefix"] = True
        return self._format(look)

    def text(self, look: Look, wrapped: bool) -> Any:
        """A row of text."""
        shape: dict[str, Any] = {"valign": "top", "quote_prefix": True}
        if wrapped:
            shape["text_wrap"] = True
        if look.indent:
            shape["indent"] = min(look.indent, CELL_TEXT.deepest_indent)
        if look.size != CELL_TEXT.size:
            shape["font_size"] = look.size
        if look.bold or look.level:
            shape["bold"] = True
        if look.note:
            shape |= {"italic": True, "font_color": "#7A5C00"}
        return self._format(shape)

    def link(self) -> Any:
        """A reference to another sheet."""
        return self._format({"font_color": "#0563C1", "underline": 1})

    def _format(self, look: dict[str, Any]) -> Any:
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format(look)
        return self._made[key]


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula begins with once somebody edits a text: such texts are marked as text."""
_PIXELS_A_POINT = 96 / 72
"""As spreadsheets have it: 96 by the inch."""
AUTHOR = "Paperchute"
_PAPERS = {1: (612, 792), 5: (612, 1008), 8: (842, 1191), 9: (595, 842), 11: (420, 595)}
"""Letter, Legal, A3, A4 and A5 by Excel's numbers (`paperSize`, ECMA-376 part 1, 18.3.1.63), in points."""
_PAPER_ROUNDING = 3.0
"""Points by which the sides of one paper differ from program to program."""
_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


@dataclass(slots=True)
class Sheet:
    """A worksheet of XlsxWriter in its constant-memory mode: rows go in from the top, and are gone once written.

    prose: it holds no tables, so that text has one wide column. unclear: which columns stay text, and why.
    """

    sheet: Any
    formats: Formats
    prose: bool = False
    row: int = 0
    addresses: int = 0
    unclear: list[str] = field(default_factory=list)
    _widths: dict[int, float] = field(default_factory=dict)

    def room_for(self, rows: int) -> bool:
        """Decide whether that many more rows fit."""
        return bool(self.row + rows < self.sheet.xls_rowmax)

    def gap(self) -> None:
        """An empty row between two things."""
        self.row += bool(self.row)

    def table(self, table: Table, writing: Writing, notes: Sequence[Note] = ()) -> None:
        """A table below what is there; typed cells, spans merged, notes as comments on the cells they lie over.

        writing: how the document writes numbers and dates, for columns that do not say.
        """
        grid: dict[int, list[Cell]] = {}
        for cell in table.cells:
            if cell.column < self.sheet.xls_colmax:
                grid.setdefault(cell.row, []).append(cell)
        top = self.row
        values = self._values(top, table, writing)
        sums = sums_of(table, values)
        covers: dict[int, list[tuple[int, bool]]] = {}
        for row in range(table.rows):
            for column, header in covers.pop(row, []):
                self.sheet.write_blank(top + row, column, None, self.formats.cell(header=header))
            for cell in grid.get(row, []):
                place = cell.row, cell.column
                self._cell(top, cell, values.get(place), sums.get(place))
                for below in range(row, row + cell.row_span):
                    beside = range(
                        cell.column + (below == row), min(cell.column + cell.column_span, self.sheet.xls_colmax)
                    )
                    covers.setdefault(below, []).extend((column, cell.header) for column in beside)
                for note in notes:
                    if cell.quad.box.holds(*note.quad.box.center):
                        self.comment(top + row, cell.column, note)
            for column, header in covers.pop(row, []):
                self.sheet.write_blank(top + row, column, None, self.formats.cell(header=header))
        self.row = top + table.rows

    def _values(self, top: int, table: Table, writing: Writing) -> dict[tuple[int, int], Typed]:
        """What the cells below the heads are, by row and column. A column that stays text says why, at its head."""
        heads: dict[int, Cell] = {}
        bodies: dict[int, list[Cell]] = {}
        for cell in sorted(table.cells, key=lambda cell: cell.row):
            if cell.header:
                heads.update(dict.fromkeys(range(cell.column, cell.column + cell.column_span), cell))
            elif cell.column < self.sheet.xls_colmax:
                bodies.setdefault(cell.column, []).append(cell)
        found: dict[tuple[int, int], Typed] = {}
        for column, cells in bodies.items():
            head = heads.get(column)
            name = cell_text(head.lines) if head else ""
            values = values_of([_entry(cell) for cell in cells], writing, is_identifier(name))
            found |= {(c.row, column): v for c, v in zip(cells, values.cells, strict=True) if v is not None}
            if values.problem:
                place = f"{xl_col_to_name(column)}{top + (head or cells[0]).row + 1}"
                text = _("This column stays text: {why}.", why=values.problem)
                self.sheet.write_comment(place, text, {"author": AUTHOR})
                called = f"{xl_col_to_name(column)} ({name})" if name else xl_col_to_name(column)
                self.unclear.append(
                    _(
                        "sheet {sheet}, column {column}: {why}",
                        sheet=repr(self.sheet.get_name()),
                        column=called,
                        why=values.problem,
                    )
                )
        return found

    def text(self, lines: Sequence[Line], level: int = 0, indent: int = 0, marker: str = "") -> None:
        """A paragraph, heading or list item; a long one is laid over several columns and wrapped."""
        spans = flowed(lines)
        text = f"{marker} {plain_text(spans)}".strip() if marker else plain_text(spans)
        bold = all(s.style.bold for s in spans if s.text.strip())
        for start in range(0, max(len(text), 1), CELL_TEXT.longest_text):
            self._text(text[start : start + CELL_TEXT.longest_text], Look(level, indent, bold), _address(spans))

    def note(self, note: Note) -> None:
        """An annotation as a row of its own."""
        who = f"{note.author}: " if note.author else ""
        self._text(f"{who}{note.text}"[: CELL_TEXT.longest_text], Look(note=True), "")

    def comment(self, row: int, column: int, note: Note) -> None:
        """An annotation as a cell's comment."""
        self.sheet.write_comment(
            row, column, note.text[: CELL_TEXT.longest_text], {"author": note.author[: CELL_TEXT.longest_author]}
        )

    def picture(self, path: Path, image: Image, width: float) -> None:
        """A picture over as many rows as it needs; `width` in points, as it was printed."""
        scale = width * _PIXELS_A_POINT / max(image.width, 1)
        options = {"x_scale": scale, "y_scale": scale, "object_position": 1, "description": ""}
        self.sheet.insert_image(self.row, 0, str(path), options)
        self.row += math.ceil(image.height * scale / _PIXELS_A_POINT / CELL_TEXT.row_height) + 1

    def link_to(self, name: str) -> None:
        """A row that leads to another sheet."""
        quoted = name.replace("'", "''")
        self.sheet.write_url(self.row, 0, f"internal:'{quoted}'!A1", self.formats.link(), name)
        self.row += 1

    def freeze(self, rows: int) -> None:
        """Keep the head in sight, and on each printed page."""
        self.sheet.freeze_panes(rows, 0)
        self.sheet.repeat_rows(0, rows - 1)

    def print_on(self, width: float, height: float) -> None:
        """Print it on the paper that its table stood on, in points: of its kind where Excel knows that."""
        if width > height:
            self.sheet.set_landscape()
        sides = sorted((width, height))
        for paper, known in _PAPERS.items():
            if max(abs(side - other) for side, other in zip(sides, known, strict=True)) <= _PAPER_ROUNDING:
                self.sheet.set_paper(paper)

    def close(self) -> None:
        """Set the columns' widths, which are known only now."""
        self.sheet.fit_to_pages(1, 0)  # as wide as a page, and as many pages as that takes
        if self.prose:
            self.sheet.set_column(0, 0, CELL_TEXT.prose_width)
        for column, width in self._widths.items():
            self.sheet.set_column(column, column, width)

    def _cell(self, top: int, cell: Cell, value: Typed | None, added: Range | None) -> None:
        row, column = top + cell.row, cell.column
        spans = flowed(cell.lines)
        text = plain_text(spans)[: CELL_TEXT.longest_text]
        bold = bool(text) and all(span.style.bold for span in spans if span.text.strip())
        shape = self.formats.cell(value.format if value else "", bold, cell.header, text.startswith(FORMULA_STARTS))
        if added is not None and value is not None:
            name = xl_col_to_name(column)
            formula = f"=SUM({name}{top + added[0] + 1}:{name}{top + added[1] + 1})"
            self.sheet.write_formula(row, column, formula, shape, value.value)
        else:
            self._write(row, column, text, value, shape, _address(spans))
        if cell.column_span == 1:
            longest = max(map(len, text.split("\n")))
            factor, more = CELL_TEXT.spare
            wanted = min(longest * factor + more, CELL_TEXT.widest_column)
            self._widths[column] = max(self._widths.get(column, CELL_TEXT.least_column), wanted)
        if cell.row_span > 1 or cell.column_span > 1:
            # merge_range writes rows that are still to come, which constant memory does not allow; this says the same.
            last = min(column + cell.column_span, self.sheet.xls_colmax) - 1
            self.sheet.merge.append([row, column, row + cell.row_span - 1, last])

    def _text(self, text: str, look: Look, address: str) -> None:
        """A row of text. What fits into one line runs on over empty cells; what does not is wrapped."""
        scale = look.size / CELL_TEXT.size
        width = CELL_TEXT.prose_width if self.prose else CELL_TEXT.text_columns * CELL_TEXT.least_column
        width = max(width / scale - 2 * look.indent, CELL_TEXT.least_column)
        lines = sum(max(1, math.ceil(len(line) / width)) for line in text.split("\n"))
        wrapped = lines > 1
        shape = self.formats.text(look, wrapped)
        if wrapped or look.size > CELL_TEXT.size:
            self.sheet.set_row(self.row, min(lines * scale * CELL_TEXT.row_height, CELL_TEXT.tallest))
        self._write(self.row, 0, text, None, shape, address)
        if wrapped and not self.prose:
            for column in range(1, CELL_TEXT.text_columns):
                self.sheet.write_blank(self.row, column, None, shape)
            self.sheet.merge.append([self.row, 0, self.row, CELL_TEXT.text_columns - 1])
        self.row += 1

    def _write(self, row: int, column: int, text: str, value: Typed | None, shape: Any, address: str) -> None:
        """Text is written as text whatever it looks like, so nothing becomes a formula."""
        if value is not None and isinstance(value.value, float):
            self.sheet.write_number(row, column, value.value, shape)
        elif value is not None:
            self.sheet.write_datetime(row, column, value.value, shape)
        elif not text:
            self.sheet.write_blank(row, column, None, shape)
        elif address and self.addresses < CELL_TEXT.most_addresses and len(address) <= CELL_TEXT.longest_address:
            self.addresses += 1
            self.sheet.write_url(row, column, address, shape, text)
        else:
            self.sheet.write_string(row, column, text, shape)


def _entry(cell: Cell) -> Entry:
    """A cell's text, and what is raised behind it. Anything else that is raised or lowered belongs to the text."""
    spans = [span for span in flowed(cell.lines) if span.text.strip()]
    if len(spans) > 1 and spans[-1].style.script == "super" and not any(span.style.script for span in spans[:-1]):
        return Entry(plain_text(spans[:-1]), plain_text(spans[-1:]))
    return Entry(plain_text(spans)[: CELL_TEXT.longest_text])


def cell_text(lines: Sequence[Line]) -> str:
    """A cell's text; raised and lowered digits stay apart from the others."""
    return plain_text(flowed(lines))


def plain_text(spans: Sequence[Span]) -> str:
    """Spans as text without what XML cannot hold."""
    parts = []
    for span in spans:
        tables = {"super": _SUPERSCRIPTS, "sub": _SUBSCRIPTS}
        text = span.text.translate(tables[span.style.script]) if span.style.script else span.text
        parts.append(cleaned(text))
    return "".join(parts).strip()


def cleaned(text: str) -> str:
    """A text without what XML cannot hold: control characters, and halves of a pair that stand alone."""
    return "".join(c for c in text if " " <= c < "\ud800" or "\udfff" < c < "\ufffe" or c > "\uffff" or c in "\n\t")


def _address(spans: Sequence[Span]) -> str:
    """The one address that all of the text leads to, or nothing."""
    found = {span.link for span in spans if span.text.strip()}
    return found.pop() if len(found) == 1 else ""
