"""Workbooks, as another library reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.workbook import Workbook

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Line, Note, Page, Span, Table
from paperchute.engine.work import Refused
from paperchute.engine.writing.xlsx.writer import Per, WorkbookWriter
from tests.engine.reading.printing import LOREM, printed
from tests.engine.writing.blocks import QUAD, lines, page, raised, table, text
from tests.engine.writing.sample import PASSWORD, outputs, rich_pdf

HEAD = ("Port", "Ships")


def written(folder: Path, *pages: Page, per: Per = "e_ForTable", everything: bool = True) -> Workbook:
    path = folder / "a.xlsx"
    WorkbookWriter(path, folder / "scratch", per, everything).write(pages)
    assert list((folder / "scratch").rglob("*.*")) == []
    return openpyxl.load_workbook(path, rich_text=False)


def values(sheet: Any) -> list[list[Any]]:
    return [list(row) for row in sheet.iter_rows(values_only=True)]


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich_pdf(tmp_path_factory.mktemp("rich"))


def test_cells_are_typed_and_shown_as_printed(tmp_path: Path) -> None:
    rows = (HEAD, ("1,234.50", "12 %"), ("(45)", "$3.00"), ("2024-03-05", "0042"), ("total", "7"))
    sheet = written(tmp_path, page(1, table(*rows)))["Table 1"]
    assert sheet["A2"].value == 1234.5
    assert sheet["A2"].number_format == "#,##0.00"
    assert (sheet["B2"].value, sheet["B2"].number_format) == (0.12, "0%")
    assert (sheet["A3"].value, sheet["A3"].number_format) == (-45, "0_);(0)")
    assert (sheet["B3"].value, sheet["B3"].number_format) == (3, '"$"0.00')
    assert sheet["A4"].is_date
    assert sheet["A4"].value.isoformat().startswith("2024-03-05")
    assert sheet["B4"].value == "0042"
    assert sheet["A1"].font.b
    assert sheet.freeze_panes == "A2"


def test_identifiers_and_raised_digits_stay_text(tmp_path: Path) -> None:
    note = Cell(1, 1, QUAD, (Line(QUAD, (Span("12"), raised("3"))),))
    block = table(("Account", "Ships"), ("4711", "x"))
    assert block.table is not None
    grid = Table(2, 2, (*block.table.cells[:3], note), True)
    sheet = written(tmp_path, page(1, Block("table", QUAD, table=grid)))["Table 1"]
    assert values(sheet) == [["Account", "Ships"], ["4711", "12³"]]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), st.sampled_from("=+-@\t\r "))
def test_nothing_becomes_a_formula(tmp_path_factory: pytest.TempPathFactory, words: str, start: str) -> None:
    book = written(tmp_path_factory.mktemp("x"), page(1, text(start + words), table((start + words, "x"), heads=0)))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert cells
    assert all(cell.data_type != "f" for cell in cells)


def test_spans_are_merged(tmp_path: Path) -> None:
    cells = (
        Cell(0, 0, QUAD, lines("tall"), row_span=2, header=True),
        Cell(0, 1, QUAD, lines("wide"), column_span=2, header=True),
        Cell(1, 1, QUAD, lines("1")),
        Cell(1, 2, QUAD, lines("2")),
        Cell(2, 0, QUAD, lines("block"), row_span=2, column_span=2),
        Cell(2, 2, QUAD, lines("3")),
        Cell(3, 2, QUAD, lines("4")),
    )
    block = Block("table", QUAD, table=Table(4, 3, cells, True))
    sheet = written(tmp_path, page(1, block), per="e_ForTable", everything=False)["Table 1"]
    assert {str(found) for found in sheet.merged_cells.ranges} == {"A1:A2", "B1:C1", "A3:B4"}
    assert values(sheet) == [["tall", "wide", None], [None, 1, 2], ["block", None, 3], [None, None, 4]]


def test_a_sheet_a_table_and_one_that_leads_to_them(tmp_path: Path) -> None:
    pages = [
        page(1, text("Harbours", kind="paragraph_title", level=1), table(HEAD, ("x", "1")), text("between")),
        page(2, table(HEAD, ("y", "2"))),
    ]
    book = written(tmp_path, *pages)
    assert book.sheetnames == ["Document", "Harbours", "Harbours (2)"]
    assert [row[0] for row in values(book["Document"])] == ["Harbours", "Harbours", "between", "Harbours (2)"]
    assert book["Document"]["A2"].hyperlink.location == "'Harbours'!A1"
    assert values(book["Harbours (2)"]) == [["Port", "Ships"], ["y", 2]]


def test_a_sheet_a_page_keeps_broken_tables_apart_and_one_sheet_joins_them(tmp_path: Path) -> None:
    pages = [page(1, text("a"), table(HEAD, ("x", "1"))), page(2, table(HEAD, ("y", "2"), continues=True))]
    by_page = written(tmp_path, *pages, per="e_ForPage")
    assert by_page.sheetnames == ["Page 1", "Page 2"]
    assert values(by_page["Page 2"])[-2:] == [["Port", "Ships"], ["y", 2]]
    whole = written(tmp_path, *pages, per="e_ForDocument")
    assert whole.sheetnames == ["Document"]
    assert values(whole["Document"])[-3:] == [["Port", "Ships"], ["x", 1], ["y", 2]]


def test_annotations_over_a_table_are_comments_others_are_rows(tmp_path: Path) -> None:
    low = Quad.of(Box(10, 500, 20, 510))
    notes = (Note("text", QUAD, "over", "Ada"), Note("text", low, "elsewhere"))
    book = written(tmp_path, Page(1, 595, 842, blocks=(table(HEAD, ("x", "1")),), notes=notes))
    comments = [cell.comment for row in book["Table 1"].iter_rows() for cell in row if cell.comment]
    assert {(comment.text, comment.author) for comment in comments} == {("over", "Ada")}
    assert [row[0] for row in values(book["Document"])] == ["Table 1", "elsewhere"]


def test_pictures_are_in_the_sheet(rich: Path, tmp_path: Path) -> None:
    (path,) = outputs("pdf-to-xlsx", rich, tmp_path / "with", password=PASSWORD)
    (bare,) = outputs("pdf-to-xlsx", rich, tmp_path / "without", password=PASSWORD, isContainImg=0)
    for file, pictures in ((path, 2), (bare, 0)):
        sheet = openpyxl.load_workbook(file)["Document"]
        assert len(sheet._images) == pictures  # type: ignore[attr-defined]  # its stubs leave it out
    assert [p.name for p in path.parent.iterdir()] == ["rich.xlsx"]


def test_tables_only(rich: Path, tmp_path: Path) -> None:
    (path,) = outputs("pdf-to-xlsx", rich, tmp_path / "out", password=PASSWORD, excelAllContent=0)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Ships"]
    assert values(book["Ships"])[:2] == [["Port", "Ships", "Share"], ["port 1", 3001, 0.01]]
    assert len(values(book["Ships"])) == 71


def test_without_a_table_there_is_nothing_to_write(tmp_path: Path) -> None:
    source = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>")
    with pytest.raises(Refused) as refused:
        outputs("pdf-to-xlsx", source, tmp_path / "out", excelAllContent=0)
    assert refused.value.code == "190007"
    (path,) = outputs("pdf-to-xlsx", source, tmp_path / "all")
    assert openpyxl.load_workbook(path)["Document"]["A1"].value == LOREM.strip()


def test_a_workbook_a_page_leaves_pages_without_tables_out(rich: Path, tmp_path: Path) -> None:
    paths = outputs(
        "pdf-to-xlsx", rich, tmp_path / "out", password=PASSWORD, isOutputDocumentPerPage=1, excelAllContent=0
    )
    assert paths
    assert not {"rich-4.xlsx", "rich-5.xlsx"} & {p.name for p in paths}
    assert sorted(paths) == sorted((tmp_path / "out").iterdir())
