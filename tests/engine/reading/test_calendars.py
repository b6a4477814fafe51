"""Months whose weeks stand far apart, without rules."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.placing import Sheet
from tests.engine.reading.test_pairs import tables

_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def test_a_month_is_a_table_with_what_is_to_be_done_under_its_days(tmp_path: Path) -> None:
    sheet = Sheet()
    events = {4: "Audit", 17: "Payroll", 30: "Board"}
    expected = [_NAMES]
    for column, name in enumerate(_NAMES):
        sheet.put(name, 60 + 65 * column, 90)
    for week in range(5):
        days = [7 * week + column - 1 for column in range(7)]
        texts = []
        for column, day in enumerate(days):
            if not 1 <= day <= 31:
                continue
            sheet.put(str(day), 60 + 65 * column, 105 + 50 * week)
            if day in events:
                sheet.put(events[day], 60 + 65 * column, 119 + 50 * week)
            texts.append(f"{day} {events[day]}" if day in events else str(day))
        expected.append(texts)
    sheet.put("Please tell us of other dates until the end of May.", 60, 420)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [expected]


def test_numbers_that_count_no_month_are_none(tmp_path: Path) -> None:
    sheet = Sheet()
    for week in range(4):
        for column in range(6):
            sheet.put(str(6 * week + column + 1), 60 + 65 * column, 105 + 60 * week)
    assert all(len(row) != 7 for table in tables(sheet.save(tmp_path / "a.pdf")) for row in table)
