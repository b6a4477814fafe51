"""The gate: no kind of document comes out worse, or at more cost, than benchmarks/fidelity/figures.json says."""

from __future__ import annotations

import json
from pathlib import Path

import docx
import openpyxl
import pytest
from benchmarks.fidelity.__main__ import FIGURES
from benchmarks.fidelity.measuring import falls, measured
from benchmarks.fidelity.results import word, workbook


@pytest.mark.slow
def test_nothing_is_worse_than_it_was(tmp_path: Path) -> None:
    """What is better goes into the file by `python -m benchmarks.fidelity --write`."""
    assert falls(json.loads(FIGURES.read_text("utf-8")), measured(tmp_path)) == []


def test_a_fall_is_named_and_rounding_is_none() -> None:
    before = {"word": {"cv: tables": 0.9, "cost: looks": 10.0, "gone": 1.0}}
    assert falls(before, {"word": {"cv: tables": 0.899, "cost: looks": 10.9, "gone": 1.0}}) == []
    worse = falls(before, {"word": {"cv: tables": 0.8, "cost: looks": 12.0}})
    assert [line.split(":")[0] for line in worse] == ["word, cv", "word, cost", "word, gone"]


def test_a_word_file_is_read_as_what_it_shows(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Quays", 1)
    document.add_paragraph("Count the posts", "List Bullet")
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
    table.cell(1, 1).text = "12"
    document.add_page_break()
    document.sections[0].footer.paragraphs[0].text = "Harbour office"
    path = tmp_path / "a.docx"
    document.save(str(path))
    found = word(path)
    assert found.items == ("Count the posts",)
    assert found.running == "Harbour office"
    assert found.pages == 2
    assert found.markdown.startswith('# Quays\n\n- Count the posts\n\n<table><tr><td colspan="2"')


def test_a_workbook_is_read_with_its_spans(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Both", None])
    sheet.append(["a", 1.5])
    sheet.merge_cells("A1:B1")
    path = tmp_path / "a.xlsx"
    book.save(path)
    assert 'colspan="2">Both</td></tr><tr>' in workbook(path)
    assert ">1.5</td>" in workbook(path)
