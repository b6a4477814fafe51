"""Blocks as a Word file and as a workbook, for LibreOffice to print."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import docx
import xlsxwriter
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.shared import Mm, Pt
from docx.table import Table as WordTable
from docx.table import _Cell as WordCell

from benchmarks.sets.documents import Block, Cell, Code, Heading, Listing, Paragraph, Table, plain

STYLES = (
    "Table Grid",
    "Light Shading",
    "Light Shading Accent 1",
    "Light List Accent 1",
    "Light Grid Accent 3",
    "Medium Shading 1 Accent 1",
    "Medium Shading 2 Accent 5",
    "Medium List 1",
    "Medium List 2 Accent 2",
    "Medium Grid 1 Accent 6",
    "Medium Grid 3 Accent 1",
    "Colorful List",
    "Colorful Shading Accent 4",
)
"""Word's own, as its first template has them."""

_STYLE_OF = {
    "bare": "Normal Table",
    "rules": "Light Shading",
    "lines": "Light List",
    "grid": "Table Grid",
    "bands": "Light Shading Accent 1",
}
_PRINTED = 160
_LINE = 15
_ALIGNS = {"r": WD_ALIGN_PARAGRAPH.RIGHT, "c": WD_ALIGN_PARAGRAPH.CENTER, "l": WD_ALIGN_PARAGRAPH.LEFT}


def word(blocks: Iterable[Block], look: str, chance: Random, target: Path, table_style: str = "") -> None:
    """A Word file at `target`; `table_style` is one of STYLES."""
    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(chance.choice((20, 25, 30)))
    normal = document.styles["Normal"]
    normal.font.name = chance.choice(("Liberation Serif", "Liberation Sans", "DejaVu Sans", "Carlito"))
    normal.font.size = Pt(chance.choice((10, 11, 12)))
    for block in blocks:
        match block:
            case Heading():
                document.add_heading(block.text, level=block.level)
            case Paragraph():
                made = document.add_paragraph()
                if block.lead:
                    made.add_run(f"{block.lead} ").bold = True
                for run in block.runs:
                    if run.kind != "note":
                        made.add_run(run.text).italic = run.kind == "emphasis" or None
            case Listing():
                for item in block.items:
                    document.add_paragraph(item, style="List Number" if block.ordered else "List Bullet")
            case Table():
                if block.caption:
                    document.add_paragraph(block.caption)
                _word_table(document.add_table(0, block.columns), block, table_style or _STYLE_OF[look])
                document.add_paragraph()
            case Code():
                for line in block.lines:
                    document.add_paragraph().add_run(line).font.name = "Liberation Mono"
            case _:
                raise TypeError(f"{type(block).__name__} cannot stand in a Word file")
    document.save(str(target))


def sheet(blocks: Iterable[Block], look: str, chance: Random, target: Path) -> None:
    """A workbook at `target`: a heading is a cell in larger letters, a table its cells."""
    book = xlsxwriter.Workbook(str(target))
    page = book.add_worksheet()
    page.set_paper(9)
    page.fit_to_pages(1, 0)
    if chance.random() < 0.4:
        page.set_landscape()
    font = chance.choice(("Liberation Sans", "Carlito", "DejaVu Sans"))
    at = 0
    for block in blocks:
        match block:
            case Heading():
                page.write_string(at, 0, block.text, book.add_format({"bold": True, "font_size": 17 - 2 * block.level}))
                at += 2
            case Paragraph():
                page.write_string(at, 0, plain(block.runs), book.add_format({"font_size": 9, "font_name": font}))
                at += 2
            case Table():
                at = _sheet_table(book, page, block, at, look, font) + 1
            case _:
                raise TypeError(f"{type(block).__name__} cannot stand in a workbook")
    book.close()


def places(block: Table) -> Iterable[tuple[int, int, Cell]]:
    """Each cell with its row and column."""
    taken: set[tuple[int, int]] = set()
    for r, row in enumerate(block.rows):
        c = 0
        for cell in row:
            while (r, c) in taken:
                c += 1
            taken |= {(r + i, c + j) for i in range(cell.rows) for j in range(cell.columns)}
            yield r, c, cell
            c += cell.columns


def _word_table(made: WordTable, block: Table, table_style: str) -> None:
    made.style = table_style
    made.autofit = False
    widths = _widths(block)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = Mm(width)
    for number in range(len(block.rows)):
        row = made.add_row()  # type: ignore[no-untyped-call]
        properties = row._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if number < block.heads:
            properties.append(OxmlElement("w:tblHeader"))
    for r, c, cell in places(block):
        place: WordCell = made.cell(r, c)
        if cell.columns > 1 or cell.rows > 1:
            place = place.merge(made.cell(r + cell.rows - 1, c + cell.columns - 1))
        paragraph = place.paragraphs[0]
        run = paragraph.add_run(cell.text)
        run.bold = cell.bold or None
        paragraph.alignment = _ALIGNS[
            "c" if cell.align == "center" else "l" if cell.align == "left" else block.aligns[c]
        ]
        paragraph.paragraph_format.space_after = Pt(0)
        paragraph.paragraph_format.left_indent = Mm(4 * cell.indent)
        place.width = Mm(sum(widths[c : c + cell.columns]))


def _lines(block: Table, number: int, cell: Cell) -> int:
    """How many lines a cell takes in the sheet."""
    wraps = block.widths and cell.columns == cell.rows == 1 and block.widths[min(number, block.columns - 1)]
    return 1 + len(cell.text) * 2 // wraps if wraps else 1


def _widths(block: Table) -> list[int]:
    """Of columns, in millimetres, by their longest words and the page's width."""
    letters = [4] * block.columns
    for _, column, cell in places(block):
        if cell.columns == 1:
            limit = block.widths[column] // 2 if block.widths and block.widths[column] else 30
            letters[column] = max(letters[column], min(len(cell.text) + 4, limit))
    return [round(_PRINTED * each / sum(letters)) for each in letters]


def _sheet_table(
    book: xlsxwriter.Workbook, page: xlsxwriter.worksheet.Worksheet, block: Table, at: int, look: str, font: str
) -> int:
    if block.heads:
        page.repeat_rows(at, at + block.heads - 1)
    for r, c, cell in places(block):
        head = r < block.heads
        form = {
            "font_name": font,
            "bold": cell.bold,
            "align": cell.align or {"r": "right", "c": "center", "l": "left"}[block.aligns[c]],
            "indent": cell.indent,
            "valign": "top",
            "text_wrap": bool(block.widths and block.widths[c]),
            "border": int(look == "grid"),
            "bottom": int(look in ("lines", "grid") or (head and look == "rules")),
        }
        if look == "bands" and (head or r % 2):
            form["bg_color"] = "#C8D0DC"
        made = book.add_format(form)
        if cell.columns > 1 or cell.rows > 1:
            page.merge_range(at + r, c, at + r + cell.rows - 1, c + cell.columns - 1, cell.text, made)
        else:
            page.write_string(at + r, c, cell.text, made)
    for c in range(block.columns):
        own = [len(cell.text) for _, k, cell in places(block) if k == c and cell.columns == 1]
        limit = block.widths[c] / 2 if block.widths and block.widths[c] else 99
        page.set_column(c, c, min(max(own, default=8) + 3, limit))
    for r, row in enumerate(block.rows):
        page.set_row(at + r, _LINE * max(_lines(block, number, cell) for number, cell in enumerate(row)))
    return at + len(block.rows)
