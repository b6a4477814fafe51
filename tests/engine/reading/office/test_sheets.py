"""Workbooks: what people see on their sheets is in the result."""

from __future__ import annotations

import re
import time
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from paperchute.engine.reading.office.markup import csv_html
from paperchute.engine.work import Refused
from tests.engine.reading.office.parsing import parsed, rewritten, words


def test_amounts_look_as_in_their_cells(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for value, form in ((1234.5, '#,##0.00 "EUR"'), (-99, "#,##0.00;(#,##0.00)"), (0.0725, "0.00%"), (42, "00000")):
        sheet.append(["x", value])
        sheet.cell(sheet.max_row, 2).number_format = form
    book.save(tmp_path / "a.xlsx")
    assert words(parsed(tmp_path / "a.xlsx").text) == "# Sheet x 1234.50 EUR x (99.00) x 7.25% x 00042"


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (20_260_312, "yyyy-mm-dd", "20260312"),
        (-98_765_432, "dd/mm/yyyy hh:mm", "-98765432"),
        (1e300, "yyyy-mm-dd", "1e+300"),
        (99_999_999, "[h]:mm", "2399999976:00:00"),
        (46_000, "dd/mm/yyyy", "2025-12-09"),
    ],
)
def test_a_number_beyond_the_calendar_stays_itself(tmp_path: Path, number: float, form: str, text: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["due", number])
    sheet["B1"].number_format = form
    book.save(tmp_path / "a.xlsx")
    assert words(parsed(tmp_path / "a.xlsx").text) == f"# Sheet due {text}"


def test_formulas_without_values_are_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append([1, 2, "=A1+B1"])
    book.save(tmp_path / "a.xlsx")
    (warning,) = parsed(tmp_path / "a.xlsx").warnings
    assert "Formulas in a.xlsx (Sheet) were saved without their values" in warning


def test_formulas_that_give_nothing_are_not_told(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_formula(0, 0, '=IF(1,"","x")', value="")
        sheet.write_formula(0, 1, "=1+1", value=2)
    texts = (b'<c r="A1"><f>', b'<c r="A1" t="str"><f>')
    rewritten(tmp_path / "a.xlsx", lambda _, content: content.replace(*texts))
    assert parsed(tmp_path / "a.xlsx").warnings == []


def test_text_boxes_and_titles_of_charts_are_read(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("Ships")
        sheet.write_row(0, 0, ["Kiel", 11])
        sheet.insert_textbox(3, 1, "Not audited")
        chart = book.add_chart({"type": "bar"})
        chart.add_series({"categories": "=Ships!$A$1:$A$1", "values": "=Ships!$B$1:$B$1"})
        chart.set_title({"name": "Ships in port"})
        sheet.insert_chart(9, 1, chart)
    found = parsed(tmp_path / "a.xlsx")
    assert words(found.text) == "# Ships Kiel 11 Not audited Ships in port"
    assert (found.warnings, found.notes) == ([], [])


def test_hidden_rows_and_columns_are_told(tmp_path: Path) -> None:
    for name, hide in (("a", lambda s: s.set_row(1, None, None, {"hidden": True})),
                       ("b", lambda s: s.set_column(1, 1, None, None, {"hidden": True}))):  # fmt: skip
        with xlsxwriter.Workbook(tmp_path / f"{name}.xlsx") as book:
            sheet = book.add_worksheet("Ships")
            sheet.write_row(0, 0, ["Kiel", 11])
            sheet.write_row(1, 0, ["Oslo", 12])
            hide(sheet)
        found = parsed(tmp_path / f"{name}.xlsx")
        assert "12" in found.text
        assert found.notes == [f"Hidden in {name}.xlsx, and in the result: Ships."]


def test_a_sheet_wider_than_any_page_loses_no_column(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        book.add_worksheet().write_row(0, 0, [f"c{column}" for column in range(5_000)])
    found = parsed(tmp_path / "a.xlsx")
    assert found.warnings == []
    assert re.findall(r"c\d+", found.text) == [f"c{column}" for column in range(5_000)]


def test_cells_far_apart_are_no_large_sheet(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "brick")
        sheet.write(1_000_000, 16_000, "timber")
    assert words(parsed(tmp_path / "a.xlsx").text) == "# Sheet1 brick timber"


def test_many_merged_cells_cost_no_time(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        for row in range(3_000):
            sheet.merge_range(row, 0, row, 1, f"quay {row}")
    began = time.process_time()
    assert "quay 2999" in parsed(tmp_path / "a.xlsx").text
    assert time.process_time() - began < 30


def test_a_sheet_that_unfolds_without_end_is_refused(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.save(tmp_path / "a.xlsx")
    bomb = '<!DOCTYPE a [<!ENTITY a "' + "x" * 9_000 + '">]>'

    def armed(name: str, content: bytes) -> bytes:
        if name != "xl/worksheets/sheet1.xml":
            return content
        row = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{"&a;" * 20_000}</t></is></c></row>'
        inner = content.decode().replace("<sheetData/>", f"<sheetData>{row}</sheetData>")
        inner = inner.replace("<sheetData></sheetData>", f"<sheetData>{row}</sheetData>")
        return (bomb + inner[inner.index("<worksheet") :]).encode()

    rewritten(tmp_path / "a.xlsx", armed)
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"&a;" in archive.read("xl/worksheets/sheet1.xml")
    with pytest.raises(Refused) as refused:
        parsed(tmp_path / "a.xlsx")
    assert refused.value.code == "02207"


def test_fonts_of_signs_are_read_as_they_show(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet["A1"] = CellRichText("5 ", TextBlock(InlineFont(rFont="Symbol"), "m"), "g a day")
    for cell, value, font in (
        ("A2", "a", "Symbol"),
        ("A3", "\xfe", "Wingdings"),
        ("A4", 12.5, "Symbol"),
        ("A5", "m", ""),
    ):
        sheet[cell] = value
        sheet[cell].font = Font(name=font or "Calibri")
    book.save(tmp_path / "a.xlsx")
    found = words(parsed(tmp_path / "a.xlsx").text).replace("|", " ")
    assert " ".join(found.split()) == "# Sheet 5 μg a day α ☑ 12.5 m"


def test_short_rows_of_text_are_not_filled_up_without_end() -> None:
    wide = ",".join("x" * 3_000)
    assert csv_html(f"{wide}\n" + "x\n" * 100).count("<td") == 300_000
    with pytest.raises(Refused, match="500,000 cells"):
        csv_html(f"{wide}\n" + "x\n" * 3_000)
