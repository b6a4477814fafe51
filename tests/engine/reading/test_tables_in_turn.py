"""Tables one under the other, as in bills: each has its own head and columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.test_pairs import tables

_READINGS = [
    ["Meter", "Number", "Old", "New"],
    ["Gas", "7747145", "13574", "16616"],
    ["Water", "8514103", "25479", "28961"],
    ["Heat", "4426763", "8151", "8966"],
]
_COSTS = [
    ["Item", "Price", "Amount"],
    ["Base price", "1.37", "176.98"],
    ["Metering", "6.29", "732.29"],
    ["Levy", "9.61", "740.36"],
]
_PLACES = {4: (60, 200, 320, 450), 3: (60, 270, 470)}


def _put(sheet: Sheet, rows: list[list[str]], top: float, ruled: bool) -> float:
    for row in rows:
        for x, text in zip(_PLACES[len(row)], row, strict=True):
            sheet.put(text, x, top)
        if ruled:
            sheet.line(58, top + 5, 510, top + 5)
        top += 17
    return top


@pytest.mark.parametrize("first", [3, 4])
@pytest.mark.parametrize("heading", ["", "Costs"])
@pytest.mark.parametrize("ruled", [False, True])
def test_a_table_under_another_has_its_own_head(tmp_path: Path, first: int, heading: str, ruled: bool) -> None:
    sheet = Sheet()
    top = _put(sheet, _READINGS[:first], 100, ruled) + 12
    if heading:
        sheet.put(heading, 60, top + 6, 15, bold=True)
        top += 26
    _put(sheet, _COSTS, top, ruled)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [_READINGS[:first], _COSTS]


def test_a_row_of_words_between_rows_of_figures_stays_in_its_table(tmp_path: Path) -> None:
    rows = [*_READINGS[:3], ["Feed-in", "replaced", "none", "17"], _READINGS[3]]
    sheet = Sheet()
    _put(sheet, rows, 100, False)
    assert tables(sheet.save(tmp_path / "a.pdf")) == [rows]
