"""Short lists of labels and figures, such as those of payslips and menus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks

_DIGIT = 0.556
"""Of the font size: the width of a digit in Helvetica; of a comma and a point half of it."""


def _right(text: str, size: float = 11) -> float:
    """The width of a figure."""
    return size * sum(_DIGIT if c.isdigit() else _DIGIT / 2 for c in text)


def tables(path: Path) -> list[list[list[str]]]:
    """The texts of all tables, by rows."""
    found: list[list[list[str]]] = []
    for block in blocks(path):
        if block.table:
            rows: list[list[str]] = [[] for _ in range(block.table.rows)]
            for cell in block.table.cells:
                rows[cell.row].append(" ".join(line.text for line in cell.lines))
            found.append(rows)
    return found


_PAY = [
    ["Unemployment insurance", "2,977.01"],
    ["Union fee", "3,976.40"],
    ["Overtime", "1,911.62"],
    ["Church tax", "31.58"],
]


@pytest.mark.parametrize("close", [0, 1, 3])
def test_a_row_whose_label_comes_close_to_its_figure_is_a_row_as_the_others(tmp_path: Path, close: int) -> None:
    rows = _PAY[1:]
    rows.insert(close, _PAY[0])
    sheet = Sheet()
    sheet.put("What was paid to you in March, as agreed with the works council in the year before.", 60, 60)
    for number, (label, figure) in enumerate(rows):
        sheet.put(label, 60, 100 + 17 * number)
        sheet.put(figure, 234 - _right(figure), 100 + 17 * number)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]


def test_three_rows_are_a_table_though_two_of_them_have_no_gap(tmp_path: Path) -> None:
    rows = [["Bonus", "39.83"], ["Unemployment insurance", "2,916.36"], ["Unemployment benefit fee", "2,979.81"]]
    sheet = Sheet()
    for number, (label, figure) in enumerate(rows):
        sheet.put(label, 60, 100 + 17 * number)
        sheet.put(figure, 234 - _right(figure), 100 + 17 * number)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]


def test_a_course_of_two_dishes_whose_prices_points_lead_to(tmp_path: Path) -> None:
    courses = [("Starters", [["Leek soup", "6.50"], ["Smoked trout", "14.80"]]), ("Desserts", [["Lemon tart", "7.20"]])]
    courses[1][1].extend([["Plum cake", "5.90"], ["Fig sorbet", "6.10"]])
    sheet = Sheet()
    top = 100
    for course, dishes in courses:
        sheet.put(course, 60, top, 15, bold=True)
        for dish, price in dishes:
            top += 16
            sheet.put(dish, 60, top)
            sheet.put(". . . . . . . . . . . .", 140, top)
            sheet.put(price, 260 - _right(price), top)
        top += 40
    assert tables(sheet.save(tmp_path / "a.pdf")) == [dishes for _, dishes in courses]


def test_pages_that_points_lead_to_are_no_table(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, (title, page) in enumerate((("Introduction", "1"), ("Methods", "4"), ("Results", "11"))):
        sheet.put(title, 60, 100 + 16 * number)
        sheet.put(". . . . . . . . . . . .", 140, 100 + 16 * number)
        sheet.put(page, 260 - _right(page), 100 + 16 * number)
    assert tables(sheet.save(tmp_path / "a.pdf")) == []


def test_lines_of_text_that_end_in_numbers_are_no_table(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, line in enumerate(("paid in the year 2019", "kept in the year 2020", "lost in the year 2021")):
        sheet.put(line, 60, 100 + 13 * number)
    assert tables(sheet.save(tmp_path / "a.pdf")) == []
