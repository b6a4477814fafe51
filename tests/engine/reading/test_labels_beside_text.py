"""Years, or other labels, in a column left of text, under headings that are underlined, as CVs have them."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks
from tests.engine.reading.test_headings import headings
from tests.engine.reading.test_tables import grids

_PARTS = {"Experience": ["2015 - 2020", "2011 - 2015", "2009 - 2011"], "Education": ["2005 - 2009", "2001 - 2005"]}
_LINES = (
    "The quick survey of the northern harbours showed that most of",
    "the older quays had been rebuilt in brick, and not in any wood.",  # as wide, so that its end tells nothing
)


def _sheet(rules: bool) -> Sheet:
    """Entries right under each other, so that no space parts them."""
    sheet, y = Sheet(), 100.0
    for part, years in _PARTS.items():
        y += 30
        sheet.put(part, 60, y, 14, bold=True)
        if rules:
            sheet.line(60, y + 4, 535, y + 4)
        y += 8
        for number, year in enumerate(years):
            own = [f"Place {part} {number}", *_LINES]
            sheet.put(year, 60, y + 13)
            for line in own:
                y += 13
                sheet.put(line, 200, y)
    return sheet


def test_headings_over_rules_are_no_rows_of_the_tables_between(tmp_path: Path) -> None:
    path = _sheet(rules=True).save(tmp_path / "a.pdf")
    assert [title for _, title in headings(path)] == list(_PARTS)
    assert [[row[0] for row in rows] for rows in grids(path)] == [_PARTS["Experience"]]


def test_each_entry_begins_with_its_own_label(tmp_path: Path) -> None:
    texts = [block.text for block in blocks(_sheet(rules=False).save(tmp_path / "a.pdf")) if not block.level]
    for years in _PARTS.values():
        for year in years:
            assert sum(text.startswith(year) for text in texts) == 1, texts
