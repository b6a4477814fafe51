"""Words whose letters are text objects of their own, on pages that PDFium takes for vertical writing."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from tests.engine.reading.printing import blocks

SIZE, WIDTH = 12, 0.6  # of Courier's letters
ROWS = [("Name", "Mon", "Sum"), ("Ada", "F", "25,00"), ("Eva", "S", "1.312,50"), ("Udo", "F", "7,25")]


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    """Columns far apart on a broad page, each letter shown by itself."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(842, 595))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier)
    page.Resources = Dictionary(Font=Dictionary(F=pdf.make_indirect(font)))
    content = []
    for row, texts in enumerate(ROWS):
        for text, left in zip(texts, (40, 400, 720), strict=True):
            content += [
                f"BT /F {SIZE} Tf {left + number * WIDTH * SIZE:.2f} {540 - 16 * row} Td ({letter}) Tj ET"
                for number, letter in enumerate(text)
            ]
    for row in range(len(ROWS) + 1):
        content.append(f"36 {552 - 16 * row} m 800 {552 - 16 * row} l S")
    for x in (36, 390, 700, 800):
        content.append(f"{x} 552 m {x} {552 - 16 * len(ROWS)} l S")
    page.Contents = pdf.make_stream("\n".join(content).encode())
    page.MediaBox = Array([0, 0, 842, 595])
    pdf.save(tmp_path / "roster.pdf")
    return tmp_path / "roster.pdf"


def test_letters_of_a_word_in_a_cell_stay_together(roster: Path) -> None:
    (table,) = [block.table for block in blocks(roster) if block.table is not None]
    cells = {(cell.row, cell.column): " ".join(line.text for line in cell.lines) for cell in table.cells}
    assert [tuple(cells[row, column] for column in range(3)) for row in range(len(ROWS))] == ROWS
