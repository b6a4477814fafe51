"""Numbers of a workbook that are sums of those above them."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from paperchute.engine.document.model import Block
from paperchute.engine.writing.xlsx.writer import WorkbookWriter
from tests.engine.writing.blocks import page, table


def cells(tmp_path: Path, block: Block, column: str) -> tuple[list[object], list[object]]:
    """A column's formulas, and the values that are shown for them."""
    path = tmp_path / "a.xlsx"
    WorkbookWriter(path, tmp_path / "scratch", everything=False).write([page(1, block)])
    books = (openpyxl.load_workbook(path, data_only=shown) for shown in (False, True))
    first, second = ([cell.value for cell in book["Table 1"][column]][1:] for book in books)
    return first, second


def amounts(*numbers: str) -> Block:
    return table(["Item", "Amount"], *([f"row {n}", number] for n, number in enumerate(numbers)))


def test_net_and_total_of_an_invoice_are_sums(tmp_path: Path) -> None:
    made = amounts("1,204.50", "310.00", "85.25", "1,599.75", "303.95", "1,903.70")
    formulas, values = cells(tmp_path, made, "B")
    assert formulas == [1204.5, 310, 85.25, "=SUM(B2:B4)", 303.95, "=SUM(B5:B6)"]
    assert values == [1204.5, 310, 85.25, 1599.75, 303.95, 1903.7]


def test_parts_of_a_table_have_sums_of_their_own(tmp_path: Path) -> None:
    formulas, _ = cells(tmp_path, amounts("210", "320", "430", "960", "110", "120", "130", "360"), "B")
    assert formulas == [210, 320, 430, "=SUM(B2:B4)", 110, 120, 130, "=SUM(B6:B8)"]


@pytest.mark.parametrize(
    "numbers",
    [
        ("1", "2", "3", "6"),  # so small that they may add up by chance
        ("150", "250", "400"),  # one and another
        ("150", "250", "100", "501"),  # not their sum
        ("100.10", "200.20", "300.30", "600.61"),  # a cent more
        ("150", "250", "100", "500", "1", "2", "4", "8", "16"),  # among others
        ("150", "250", "n/a", "100", "500"),  # a word between them
    ],
)
def test_what_is_no_sure_sum_is_a_number(numbers: tuple[str, ...], tmp_path: Path) -> None:
    formulas, _ = cells(tmp_path, amounts(*numbers), "B")
    assert not any(str(value).startswith("=") for value in formulas)


def test_empty_cells_part_no_sum(tmp_path: Path) -> None:
    formulas, _ = cells(tmp_path, amounts("150", "", "250", "100", "500"), "B")
    assert formulas[-1] == "=SUM(B2:B5)"


def test_years_are_no_sum_of_each_other(tmp_path: Path) -> None:
    formulas, _ = cells(tmp_path, amounts("2001", "2002", "2003", "2004"), "B")
    assert formulas == [2001, 2002, 2003, 2004]


def test_a_table_prints_as_wide_as_a_page_with_its_head_on_each(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    WorkbookWriter(path, tmp_path / "scratch", everything=False).write([page(1, amounts("1", "2", "4"))])
    sheet = openpyxl.load_workbook(path)["Table 1"]
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) in ((None, 0), (1, 0))
    setup = sheet.sheet_properties.pageSetUpPr
    assert setup is not None
    assert setup.fitToPage
    assert sheet.print_title_rows == "$1:$1"
