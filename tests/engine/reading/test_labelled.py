"""Labels in small type over their values: boxes of invoices, boarding passes, payment slips."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.test_pairs import tables

_FACTS = [("Invoice no.", "R-2041"), ("Date", "4 May 2025"), ("Customer no.", "88213"), ("Order", "B 17")]
_ITEMS = [
    ["Description", "Quantity", "Price", "Amount"],
    ["Desk lamp", "2", "40.00", "80.00"],
    ["Cable 5 m", "4", "9.50", "38.00"],
    ["Toner black", "1", "61.20", "61.20"],
]


def _put_facts(sheet: Sheet, facts: list[tuple[str, str]], top: float) -> None:
    """As programs write boxes: each label, then its value."""
    for number, (label, value) in enumerate(facts):
        sheet.put(label, 60 + 120 * number, top, 7.5)
        sheet.put(value, 60 + 120 * number, top + 13, 10)


def _put_items(sheet: Sheet, top: float) -> None:
    for number, row in enumerate(_ITEMS):
        for x, text in zip((60, 250, 360, 470), row, strict=True):
            sheet.put(text, x, top + 16 * number, 10)


@pytest.mark.parametrize("boxed", [False, True])
def test_labels_over_their_values_are_no_head_of_the_items_below(tmp_path: Path, boxed: bool) -> None:
    sheet = Sheet()
    _put_facts(sheet, _FACTS, 100)
    if boxed:
        sheet.grid([55, 175, 295, 415, 535], [90, 119])
    _put_items(sheet, 145)
    facts = [[label for label, _ in _FACTS], [value for _, value in _FACTS]]
    assert tables(sheet.save(tmp_path / "a.pdf")) == [facts, _ITEMS]


def test_rows_of_labels_keep_each_its_own_values(tmp_path: Path) -> None:
    travel = [
        [("Passenger", "Ada Okafor"), ("From", "Graz"), ("To", "Lyon")],
        [("Flight", "OS 411"), ("Gate", "F 12"), ("Seat", "14 C")],
    ]
    sheet = Sheet()
    for number, row in enumerate(travel):
        _put_facts(sheet, row, 100 + 34 * number)
    rows = [[entry[n] for entry in row] for row in travel for n in range(2)]
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]


def test_a_value_of_two_lines_stays_under_its_label(tmp_path: Path) -> None:
    sheet = Sheet()
    _put_facts(sheet, _FACTS[:3], 100)
    sheet.put("at noon", 180, 125, 10)
    rows = [["Invoice no.", "Date", "Customer no."], ["R-2041", "4 May 2025 at noon", "88213"]]
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]


def test_heads_in_small_type_stay_with_all_their_rows(tmp_path: Path) -> None:
    rows = [["Town", "River", "Mills"], ["Celle", "Aller", "14"], ["Bern", "Aare", "9"], ["Reims", "Vesle", "3"]]
    sheet = Sheet()
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.put(text, 60 + 120 * column, 100 + 15 * number, 10 if number else 7.5)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]
