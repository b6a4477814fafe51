"""Markdown with HTML in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.engine.reading.office.parsing import parsed, words


@pytest.mark.parametrize("start", ["<!-- made by hand -->", '<p align="center">Harbour office</p>', "<h1>Harbour</h1>"])
def test_a_file_that_begins_with_a_tag_is_markdown_all_the_same(start: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"{start}\n\n## Survey\n\nMost *quays*.\n\n- brick\n- timber\n", "utf-8")
    found = parsed(tmp_path / "a.md").text
    assert "# Survey\n" in found
    assert "- brick\n" in found
    assert "made by hand" not in found
    assert "align" not in found


def test_html_that_formats_is_html(tmp_path: Path) -> None:
    table = "<table border=1><tr><td>Port</td><td>In</td></tr><tr><td>Kiel</td><td>11</td></tr></table>"
    (tmp_path / "a.md").write_text(f"Most <b>quays</b><br>stand.\n\n{table}\n", "utf-8")
    found = parsed(tmp_path / "a.md").text
    assert words(found.replace("*", "").replace("|", " ").replace("-", "")) == "Most quays stand. Port In Kiel 11"


def test_comments_without_end_are_words_and_cost_no_time(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("<p>" + "<!-- " * 20_000 + "\n\nquay\n", "utf-8")
    began = time.process_time()
    assert "quay" in parsed(tmp_path / "a.md").text
    assert time.process_time() - began < 30


def test_other_tags_are_words(tmp_path: Path) -> None:
    lines = "Go to <folder>, call <title> and <script>f()</script>, then 3 < 4.\n\n<your-name>\nhere\n</your-name>\n"
    (tmp_path / "a.md").write_text(lines, "utf-8")
    found = parsed(tmp_path / "a.md").record
    for said in ("<folder>", "<title>", "<script>f()</script>", "3 < 4", "<your-name>", "here", "</your-name>"):
        assert said in found


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Company Name GmbH\nStreet 5\n8010 Graz", "Company Name GmbH  \nStreet 5  \n8010 Graz"),
        ("+ 12.5 % revenue\n- 3.0 % costs", "\\+ 12.5 % revenue  \n\\- 3.0 % costs"),
        (
            "The quick survey of the northern harbours showed that most\nof them were rebuilt.",
            "The quick survey of the northern harbours showed that most of them were rebuilt.",
        ),
        (
            "Dear Sir,\nthis line is long enough to be one that some program has wrapped\nat its margin.",
            "Dear Sir,  \nthis line is long enough to be one that some program has wrapped at its margin.",
        ),
    ],
)
def test_line_ends_of_a_text_that_were_meant_stay(typed: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(typed, "utf-8")
    assert parsed(tmp_path / "a.txt").text.strip() == expected
