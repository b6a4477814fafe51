"""Tables whose heads stand slanted over narrow columns, and whose parts have titles across the first columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.test_tables import grids

PARTS = {"Northern quays": ["Easy", "Normal", "Hard"], "Western docks": ["Easy", "Normal", "Hard"]}


def drawn(path: Path, *, angle: int, head: bool) -> Path:
    """A table of five columns between rules: a running number and a word under the titles of parts, three figures."""
    sheet = Sheet()
    for rule in (100, 140, 140 + 13 * 9):
        sheet.line(72, rule, 330, rule)
    if head:
        sheet.put("No", 75, 136, 9)
        sheet.put("Level", 95, 136, 9)
    for x, name in ((150, "Procedure"), (190, "Completion"), (230, "Knowledge")):
        sheet.put(name, x, 136, 9, angle=angle)
    y, number = 140.0, 0
    for part, levels in PARTS.items():
        y += 13
        sheet.put(part, 75, y, 9, bold=True)
        for level in levels:
            y += 13
            number += 1
            sheet.put(str(number + 7), 75, y, 9)
            sheet.put(level, 95, y, 9)
            for n, x in enumerate((148, 188, 228)):
                sheet.put(f"0.{number}{n}", x, y, 9)
    return sheet.save(path)


def test_each_slanted_head_stands_over_the_column_that_it_begins_at(tmp_path: Path) -> None:
    (rows,) = grids(drawn(tmp_path / "a.pdf", angle=-45, head=True))
    assert rows[0] == ["No", "Level", "Procedure", "Completion", "Knowledge"]
    assert rows[2] == ["8", "Easy", "0.10", "0.11", "0.12"]
    assert rows[5][0] == "Western docks"


@pytest.mark.parametrize("head", [True, False])
def test_two_columns_under_titles_are_two_whether_or_not_the_head_names_two(head: bool, tmp_path: Path) -> None:
    (rows,) = grids(drawn(tmp_path / "a.pdf", angle=-45, head=head))
    assert not any("8 Easy" in row for row in rows)
