"""Letters and figures that run from right to left, where they come in the order in which they are drawn."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks


def _read(path: Path) -> str:
    return " ".join(block.text for block in blocks(path))


def test_words_that_come_from_their_last_letter_on_are_read_from_the_first(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.named("الودائع"[::-1], 300, 100)
    sheet.named("الشهرية"[::-1], 210, 100)
    assert _read(sheet.save(tmp_path / "a.pdf")) == "الودائع الشهرية"


def test_words_that_come_from_their_first_letter_on_stay_as_they_are(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.across("الودائع"[::-1], 300, 100)
    assert _read(sheet.save(tmp_path / "a.pdf")) == "الودائع"


def test_figures_of_columns_that_are_read_to_the_left_stay_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, (first, second) in enumerate((("60", "82.0"), ("536", "62.8"), ("605", "70.5"))):
        sheet.across("المدارس"[::-1], 300, 100 + 15 * number)
        sheet.leaping(first, second, 240, 100 + 15 * number, 80)
    words = _read(sheet.save(tmp_path / "a.pdf")).split()
    tables = [block.table for block in blocks(tmp_path / "a.pdf") if block.table]
    words += [line.text for table in tables for cell in table.cells for line in cell.lines]
    assert {"60", "82.0", "536", "62.8", "605", "70.5"} <= set(words)
