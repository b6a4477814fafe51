"""Words that are wider than a page: none of their letters is lost."""

from __future__ import annotations

import json
from pathlib import Path

import docx
import pytest

from tests.engine.reading.office.parsing import Parsed, parsed

LONG = "https://example.org/?" + "".join(f"{number:05d}" for number in range(300))
LONGEST = "".join(f"{number:05d}" for number in range(1_500))


def width_of(found: Parsed) -> int:
    return int(json.loads(found.record)["metrics"][0]["width"])


@pytest.mark.parametrize(
    ("name", "text"), [("a.txt", "see {} there"), ("a.md", "see\n\n    {}\n"), ("a.csv", "see,there\n{},x\n")]
)
def test_a_long_word_of_a_text_is_whole(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text.format(LONG), "utf-8")
    found = parsed(tmp_path / name)
    assert LONG in found.text
    assert found.warnings == []


def test_a_long_word_of_a_document_is_whole(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph(LONG)
    made.add_table(1, 2).cell(0, 0).text = LONG
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert found.text.count(LONG) == 2
    assert found.warnings == []


def test_a_word_that_fits_on_no_page_goes_on_in_the_next_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LONGEST, "utf-8")
    assert "".join(parsed(tmp_path / "a.txt").text.split()) == LONGEST


def test_scripts_without_spaces_have_plain_pages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("今天我们去吃饭" * 200, "utf-8")
    assert width_of(parsed(tmp_path / "a.txt")) == 1190
