"""Tables under a row of coloured boxes, which say where their columns are."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks
from tests.engine.reading.test_tables import grid

XS = [60, 110, 210, 350, 410, 470, 540]
HEADS = ["Pos", "Number", "Goods", "Price", "Off", "Sum"]


def _headed(sheet: Sheet, top: float, gap: float = 2) -> None:
    for head, left, right in zip(HEADS, XS, XS[1:], strict=False):
        sheet.area(left, top, right - gap, top + 24)
        sheet.put(head, left + 3, top + 15, 9)


def _item(sheet: Sheet, y: float, texts: list[str]) -> None:
    for text, left, right in zip(texts, XS, XS[1:], strict=False):
        sheet.put(text, left + 3 if right < 360 else right - 8 - 5 * len(text), y, 9)


def test_items_far_apart_with_remarks_between_stay_in_their_table(tmp_path: Path) -> None:
    sheet = Sheet()
    _headed(sheet, 100)
    _item(sheet, 140, ["1", "4012345001235", "Artificial grass", "3.3333", "", "10.00"])
    sheet.put("From the delivery of May, which we invoice here", XS[2] + 3, 152, 9)
    _item(sheet, 190, ["2", "4000050986428", "Steak", "5.5000", "", "27.50"])
    sheet.put("from Germany", XS[2] + 3, 220, 9)
    _item(sheet, 260, ["3", "4000001234561", "Water", "5.4900", "", "109.80"])
    sheet.put("Thank you for your order", XS[2] + 3, 296, 9)
    sheet.put("Sums", 58, 330, 13, bold=True)
    sheet.put("All of these were delivered in one go, and are to be paid within fourteen days of today.", 60, 350, 9)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    (table,) = [block for block in found if block.table is not None]
    cells = grid(table)
    assert cells[0] == HEADS
    assert [row[:2] + row[3:] for row in cells if row[0].isdigit()] == [
        ["1", "4012345001235", "3.3333", "", "10.00"],
        ["2", "4000050986428", "5.5000", "", "27.50"],
        ["3", "4000001234561", "5.4900", "", "109.80"],
    ]
    said = " ".join(" ".join(row) for row in cells)
    assert "From the delivery of May, which we invoice here" in said
    assert "from Germany" in said
    assert "Thank you" not in said
    assert "Sums" not in said
    assert [block.kind for block in found] == ["table", "text", "doc_title", "text"]


def test_a_second_head_begins_a_table_of_its_own(tmp_path: Path) -> None:
    sheet = Sheet()
    for top in (100, 200):
        _headed(sheet, top)
        _item(sheet, top + 40, ["1", "40123", "Grass", "3.00", "", "10.00"])
        _item(sheet, top + 60, ["2", "40124", "Steak", "5.50", "", "27.50"])
    tables = [block for block in blocks(sheet.save(tmp_path / "a.pdf")) if block.table is not None]
    assert [[row[0] for row in grid(table)] for table in tables] == [["Pos", "1", "2"], ["Pos", "1", "2"]]


def test_coloured_rows_are_no_heads(tmp_path: Path) -> None:
    rows = [[str(n), "Lot", "Grass", f"{n}.00", "None", f"{n}0.00"] for n in range(1, 6)]
    sheet = Sheet()
    _item(sheet, 100, HEADS)
    for number, row in enumerate(rows):
        if number % 2 == 1:
            for left, right in itertools.pairwise(XS):
                sheet.area(left, 104 + 16 * number, right - 2, 120 + 16 * number)
        _item(sheet, 116 + 16 * number, row)
    (table,) = [block for block in blocks(sheet.save(tmp_path / "a.pdf")) if block.table is not None]
    assert grid(table) == [HEADS, *rows]


@pytest.mark.parametrize("gap", [2, 14])
def test_text_under_boxes_is_no_table(tmp_path: Path, gap: float) -> None:
    sheet = Sheet()
    _headed(sheet, 100, gap)
    for row in range(4):
        sheet.put(
            "The quick survey of the northern harbours showed that most of the older quays had been",
            60,
            140 + 12 * row,
            10,
        )
    assert not [
        block for block in blocks(sheet.save(tmp_path / "a.pdf")) if block.table is not None and len(grid(block)) > 2
    ]
