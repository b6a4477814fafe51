"""Words whose letters come one by one from left to right, each with its actual text, as browsers write Arabic."""

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
