"""Sheets are called after what stands above their tables, in names that Excel takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.model import Block
from paperchute.engine.writing.xlsx.names import NAMES, SheetNames, name_of
from paperchute.engine.writing.xlsx.writer import WorkbookWriter
from tests.engine.writing.blocks import page, table, text

TABLE = table(["Port", "Ships"], ["Narvik", "31"])


def names(folder: Path, *blocks: Block, everything: bool = True) -> list[str]:
    path = folder / "a.xlsx"
    WorkbookWriter(path, folder / "scratch", everything=everything).write([page(1, *blocks)])
    return openpyxl.load_workbook(path).sheetnames


@pytest.mark.parametrize("everything", [True, False])
def test_a_caption_names_its_table_and_a_heading_those_below_it(everything: bool, tmp_path: Path) -> None:
    blocks = [
        *[TABLE, text("2 Ships and ports", level=1, kind="paragraph_title"), text("They come and go."), TABLE],
        *[text("Table 3: Ships by port"), TABLE, TABLE, text("Figure 2: A quay"), TABLE],
        *[text("Tables are long."), TABLE],
    ]
    own = ["Table 1", "2 Ships and ports", "Table 3 Ships by port"]
    again = [f"2 Ships and ports ({number})" for number in (2, 3, 4)]
    assert names(tmp_path, *blocks, everything=everything) == ["Document"] * everything + own + again


def test_what_leads_to_a_sheet_has_its_name(tmp_path: Path) -> None:
    names(tmp_path, text("Bob's [old] ships", level=1, kind="paragraph_title"), TABLE)
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames == ["Document", "Bob's old ships"]
    link = book["Document"]["A2"].hyperlink
    assert link is not None
    assert link.location == "'Bob''s old ships'!A1"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Table 2: Ships", "Table 2 Ships"),
        ("Ships 2024/2025?", "Ships 2024 2025"),
        ("'Quoted'", "Quoted"),
        ("All the ships that came to the harbour of Narvik", "All the ships that came to the"),
        ("x" * 40, "x" * 31),
        ("Donaudampfschiffahrtsgesellschaften", "Donaudampfschiffahrtsgesellscha"),
        ("[]:*?/\\", ""),
    ],
)
def test_names_are_of_whole_words_without_what_excel_forbids(said: str, name: str) -> None:
    assert name_of(said) == name


@given(st.lists(st.text(max_size=50), max_size=12))
def test_every_name_is_taken_by_excel_and_given_once(texts: list[str]) -> None:
    made = SheetNames()
    given_names = [made.fresh(name_of(said) or f"Table {number}") for number, said in enumerate(texts)]
    assert len({name.casefold() for name in given_names}) == len(texts)
    for name in given_names:
        assert 0 < len(name.encode("utf-16-le")) // 2 <= NAMES.longest
        assert not set(name) & set("[]:*?/\\")
        assert name.strip("'") == name
        assert name.casefold() != "history"


@pytest.mark.parametrize(
    ("size", "paper", "turned"), [((595, 842), 9, False), ((842, 595), 9, True), ((612, 792), 1, False)]
)
def test_a_table_prints_on_the_paper_it_stood_on(
    size: tuple[float, float], paper: int, turned: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.xlsx"
    sheet = replace(page(1, TABLE), width=size[0], height=size[1])
    WorkbookWriter(path, tmp_path / "scratch", everything=False).write([sheet])
    setup = openpyxl.load_workbook(path)["Table 1"].page_setup
    assert (setup.paperSize and int(setup.paperSize), setup.orientation == "landscape") == (paper, turned)
