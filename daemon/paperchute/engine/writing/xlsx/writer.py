"""The workbook writer, by XlsxWriter in constant memory: pages go in as they come.

Sheets by `per`: e_ForTable gives every table a sheet of its own, called after its caption or heading, and all other
content one sheet in front of them that leads to each; e_ForPage a sheet a page; e_ForDocument one sheet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import xlsxwriter

from paperchute.engine.document.flow import pieces
from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Note, Page, Table
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.writing.cell_values import Writing, writing_of
from paperchute.engine.writing.pictures import PictureFiles
from paperchute.engine.writing.xlsx.names import SheetNames, Titles
from paperchute.engine.writing.xlsx.sheet import Formats, Sheet, cell_text
from paperchute.notation.dates import DAY_FIRST
from paperchute.notation.languages import known_locale, mark_of, order_of
from paperchute.notation.numbers import COMMA

Per = Literal["e_ForTable", "e_ForPage", "e_ForDocument"]
_MOST_SHEETS = 1_000
"""Each one is an open file until the end; further tables go below each other on the last."""
_TEXT_SHEET = "Document"


@dataclass(slots=True)
class WorkbookWriter:
    """Writes one workbook. scratch: a folder for pictures until the end. everything: False for tables only.

    language: of the document (BCP 47), empty where it does not say.
    """

    path: Path
    scratch: Path
    per: Per = "e_ForTable"
    everything: bool = True
    language: str = ""
    tables: int = 0
    _book: Any = None
    _formats: Formats = field(init=False)
    _sheets: dict[str, Sheet] = field(default_factory=dict)
    _pictures: PictureFiles = field(init=False)
    _told: Writing = field(default_factory=Writing)
    _notes: dict[int, list[Note]] = field(default_factory=dict)
    _titles: Titles = field(default_factory=Titles)
    _names: SheetNames = field(default_factory=SheetNames)
    _last: str = ""
    _sizes: dict[int, tuple[float, float]] = field(default_factory=dict)

    def write(self, pages: Iterable[Page]) -> bool:
        """Write the pages as they come; whether there was anything to write. Raises OSError."""
        self.scratch.mkdir(parents=True, exist_ok=True)
        options = {"constant_memory": True, "tmpdir": str(self.scratch), "default_date_format": "yyyy-mm-dd"}
        self._book = xlsxwriter.Workbook(str(self.path), options)
        self._formats = Formats(self._book)
        self._names.keep(_TEXT_SHEET)
        self._pictures = PictureFiles(self.scratch, "picture")
        for piece in pieces(KeptOnce().pages(pages), self._joins):
            if piece.page is not None:
                self._sizes[piece.page.number] = piece.page.width, piece.page.height
                if piece.page.notes:
                    self._notes[piece.page.number] = list(piece.page.notes)
            elif piece.note is not None:
                self._note(piece.note, piece.numbers[0])
            else:
                self._block(piece.block, piece.blocks, piece.numbers)
        return self._close()

    @property
    def unclear(self) -> list[str]:
        """Which columns stay text, and why."""
        return [f"{self.path.name}, {column}" for sheet in self._sheets.values() for column in sheet.unclear]

    def _joins(self, before: Block, block: Block, page_end: bool) -> bool:
        return not (page_end and self.per == "e_ForPage")

    def _close(self) -> bool:
        written = bool(self._sheets)
        if not written:
            self._sheet(_TEXT_SHEET)  # a workbook has at least one
        for sheet in self._sheets.values():
            sheet.close()
        self._book.close()
        for path in self._pictures.files:
            path.unlink()
        return written

    def _block(self, block: Block, parts: tuple[Block, ...], numbers: tuple[int, ...]) -> None:
        if block.table is not None:
            places = [(part.quad.box, number) for part, number in zip(parts, numbers, strict=True)]
            self._table(block.table, numbers[0], self._notes_over(places))
            return
        self._titles.pass_by(block)
        if not self.everything:
            return
        sheet = self._sheet(self._text_name(numbers[0]))
        if block.image is not None:
            address = self._pictures.address(block.image, numbers[0])
            sheet.picture(self.scratch / address, block.image, block.quad.box.width)
        elif block.items:
            for item in block.items:
                sheet.text(item.lines, indent=item.level + 1, marker=item.marker)
        elif block.kind == "code":
            for line in block.lines:
                sheet.text([line])
        else:
            if block.level:
                sheet.gap()
            sheet.text(block.lines, block.level)

    def _table(self, table: Table, page: int, notes: list[Note]) -> None:
        self.tables += 1
        self._told = writing_of((cell_text(cell.lines) for cell in table.cells), self._told)
        writing = _with_language(self._told, self.language)
        if self.per != "e_ForTable":
            name = self._text_name(page)
            sheet = self._sheet(name, table.rows + 2)
            sheet.gap()
            sheet.table(table, writing, notes)
            sheet.row += 1
            return
        fresh = self.tables <= _MOST_SHEETS
        if fresh:
            self._last = self._names.fresh(self._titles.of_table() or f"Table {self.tables}")
        name = self._last
        if fresh and self.everything:
            self._sheet(_TEXT_SHEET).link_to(name)
        sheet = self._sheet(name, table.rows + 1)
        if not fresh:
            sheet.gap()
        sheet.table(table, writing, notes)
        heads = max((cell.row + 1 for cell in table.cells if cell.header), default=0)
        if fresh and 0 < heads < table.rows:
            sheet.freeze(heads)
        if fresh:
            sheet.print_on(*self._sizes.get(page, (0.0, 0.0)))

    def _text_name(self, page: int) -> str:
        if self.per == "e_ForPage":
            return f"Page {page}" if len(self._sheets) < _MOST_SHEETS else "More pages"
        return _TEXT_SHEET

    def _sheet(self, name: str, rows: int = 10) -> Sheet:
        """The sheet of that name, or the one that goes on with it once it is full."""
        number = 1
        current = name
        while current in self._sheets and not self._sheets[current].room_for(rows):
            number += 1
            current = f"{name} ({number})"
        if current not in self._sheets:
            prose = self.per == "e_ForTable" and name == _TEXT_SHEET
            self._sheets[current] = Sheet(self._book.add_worksheet(current), self._formats, prose)
        return self._sheets[current]

    def _notes_over(self, places: list[tuple[Box, int]]) -> list[Note]:
        """The notes of these places, which are then done with."""
        found = []
        for box, number in places:
            for note in self._notes.get(number, [])[:]:
                if box.holds(*note.quad.box.center):
                    self._notes[number].remove(note)
                    found.append(note)
        return found

    def _note(self, note: Note, page: int) -> None:
        """A note over no table; it comes after the page's blocks."""
        waiting = self._notes.get(page, [])
        if note in waiting:
            waiting.remove(note)
            if self.everything:
                self._sheet(self._text_name(page)).note(note)


def _with_language(writing: Writing, language: str) -> Writing:
    """Take what the tables so far leave open as in the document's language."""
    locale = known_locale(language) if language else None
    if locale is None:
        return writing
    mark, order = mark_of(locale), order_of(locale)
    return Writing(
        (mark == COMMA if mark else None) if writing.comma is None else writing.comma,
        (order == DAY_FIRST if order else None) if writing.day_first is None else writing.day_first,
    )


def per_of(text: str) -> Per:
    """excelWorksheetOption, its default when absent."""
    return cast(Per, text or "e_ForTable")
