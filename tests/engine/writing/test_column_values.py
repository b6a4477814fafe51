"""A column's numbers are all numbers or all text, and never others than were printed."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.model import Cell, Line, Span, Table
from paperchute.engine.report import collected
from paperchute.engine.writing.cell_values import Entry, Writing, values_of
from paperchute.engine.writing.xlsx.writer import WorkbookWriter
from tests.engine.reading.printing import printed
from tests.engine.writing.blocks import QUAD, page, raised, table
from tests.engine.writing.sample import outputs

OPEN = Writing()


def read(*texts: str, around: Writing = OPEN, identifier: bool = False) -> list[object]:
    """Values, and None for text."""
    found = values_of([Entry(text) for text in texts], around, identifier)
    return [value.value if value else None for value in found.cells]


def problem(*texts: str, around: Writing = OPEN) -> str:
    found = values_of([Entry(text) for text in texts], around)
    assert found.problem
    return found.problem


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["3.597", "1.847", "732", "714", "556", "7.446"], [3597, 1847, 732, 714, 556, 7446]),
        (["4.330", "119"], [4330, 119]),
        (["4,330", "119", "-"], [4330, 119, None]),
        (["1.250", "3,99"], [1250, 3.99]),
        (["1,250", "3,99"], [1.25, 3.99]),
        (["1.250", "0.5", "n/a"], [1.25, 0.5, None]),
        (["1.178", "2.226", "3.371", "9", "12", "44"], [1178, 2226, 3371, 9, 12, 44]),
        (["732", "3.597", "4.329"], [732, 3597, 4329]),
        (["1 250", "3.5"], [1250, 3.5]),
        (["(1.250)", "12,5 %", "€ 3,00"], [-1250, 0.125, 3]),
        (["1.250*", "12,5"], [1250, 12.5]),
        (["12,34,567", "1,250"], [1234567, 1250]),
        (["0042", "1234"], [None, None]),
        (["0042", "1234", "3.5"], [None, None, 3.5]),
        (["4711", "x"], [4711, None]),
    ],
)
def test_the_column_decides(texts: list[str], found: list[float | None]) -> None:
    assert read(*texts) == [value if value is None else pytest.approx(value) for value in found]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["1.234"], "can be read in two ways (1.234 as 1.234 or 1234)"),
        (["1,234", "5,678", "12,345"], "can be read in two ways"),
        (["3.597", "732"], "can be read in two ways"),
        (["3.597", "1.847", "2024"], "can be read in two ways"),
        (["1.5", "1,5", "7"], "some of its numbers have a decimal point and some a decimal comma"),
        (["1.250", "2.500", "3.750"], "can be read in two ways"),
        (["03/04/2024", "05/06/2024"], "its dates can be read in two ways (03/04/2024)"),
        (["25/12/2024", "12/25/2024"], "some of its dates have the day first and some the month"),
    ],
)
def test_what_stays_unclear_stays_text_as_a_whole(texts: list[str], why: str) -> None:
    assert why in problem(*texts)
    assert read(*texts) == [None] * len(texts)


def test_the_document_decides_where_the_column_does_not_and_never_against_it() -> None:
    assert read("1.234", around=Writing(comma=True)) == [1234]
    assert read("1.234", around=Writing(comma=False)) == [1.234]
    assert read("1.234", "0.5", around=Writing(comma=True)) == [1.234, 0.5]
    assert "two ways" in problem("4.330", "119", around=Writing(comma=False))
    assert read("1,234", identifier=True) == [None]


def test_a_footnote_is_shown_with_the_number() -> None:
    found = values_of([Entry("732", "1"), Entry("714"), Entry("(5)*"), Entry("12 (a)")], OPEN).cells
    assert [(value.value, value.format) for value in found if value] == [
        (732, '0"1"'),
        (714, "0"),
        (-5, '0_)"*";(0)"*"'),
        (12, '0"(a)"'),
    ]
    assert values_of([Entry("10", "3"), Entry("714")], OPEN).cells[0] is None, "a power of ten"
    assert values_of([Entry("12", "3")], OPEN).cells[0] is None, "nothing beside it is a number"


_LOCALES = st.sampled_from(["de", "en_US", "de_CH", "fr", "pt_BR", "en_IN", "sv", "pl", "it", "tr"])
_PLACES = st.integers(0, 3)


@given(_LOCALES, _PLACES, st.booleans(), st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=12))
def test_any_column_is_all_numbers_or_all_text_and_the_numbers_are_those_that_were_printed(
    locale: str, places: int, fixed: bool, digits: list[int]
) -> None:
    amounts = [Decimal(number).scaleb(-places) for number in digits]
    form = "#,##0" + (("." + ("0" if fixed else "#") * places) if places else "")
    texts = [format_decimal(amount, form, locale) for amount in amounts]
    found = read(*texts)
    assert found == [None] * len(texts) or found == [pytest.approx(float(amount)) for amount in amounts]


@given(
    st.lists(
        st.sampled_from(["1.234", "1,234", "7", "0.5", "0,5", "-", "x", "12 %", "007", "1.234.567", "03/04/2024", ""])
    )
)
def test_any_column_that_has_a_problem_holds_no_half_of_its_numbers(texts: list[str]) -> None:
    found = values_of([Entry(text) for text in texts], OPEN)
    if "numbers" in found.problem:
        assert all(value is None for text, value in zip(texts, found.cells, strict=True) if "/" not in text)


def test_the_workbook_and_the_job_say_which_column_stays_text(tmp_path: Path) -> None:
    rows = (("Port", "Ships"), ("Genoa", "1.234"), ("Varna", "5.678"))
    writer = WorkbookWriter(tmp_path / "a.xlsx", tmp_path / "scratch")
    writer.write([page(1, table(*rows))])
    assert writer.unclear == [
        "a.xlsx, sheet 'Table 1', column B (Ships): its numbers can be read in two ways (1.234 as 1.234 or 1234)"
    ]
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["Table 1"]
    assert [sheet["B2"].value, sheet["B3"].value] == ["1.234", "5.678"]
    assert sheet["B1"].comment.text.startswith("This column stays text: its numbers can be read in two ways")
    german = WorkbookWriter(tmp_path / "b.xlsx", tmp_path / "scratch", language="de-DE")
    german.write([page(1, table(*rows))])
    assert german.unclear == []
    assert openpyxl.load_workbook(tmp_path / "b.xlsx")["Table 1"]["B2"].value == 1234


def test_raised_marks_are_seen_in_the_document(tmp_path: Path) -> None:
    noted = Cell(2, 1, QUAD, (Line(QUAD, (Span("732"), raised("1"))),))
    block = table(("Port", "Ships"), ("Genoa", "714"), ("Varna", "x"))
    assert block.table is not None
    grid = Table(3, 2, (*block.table.cells[:5], noted), True)
    WorkbookWriter(tmp_path / "a.xlsx", tmp_path / "scratch").write([page(1, type(block)("table", QUAD, table=grid))])
    cell = openpyxl.load_workbook(tmp_path / "a.xlsx")["Table 1"]["B3"]
    assert (cell.value, cell.number_format) == (732, '0"¹"')


def test_the_operation_warns_of_a_column_that_stays_text(tmp_path: Path) -> None:
    rows = "<tr><td>Genoa</td><td>1.234</td></tr><tr><td>Varna</td><td>5.678</td></tr>"
    style = "<style>td, th { border: 1px solid; padding: 4px }</style>"
    ports = f"{style}<table><tr><th>Port</th><th>Ships</th></tr>{rows}</table>"
    source = printed(tmp_path / "a.pdf", ports)
    with collected() as warnings:
        outputs("pdf-to-xlsx", source, tmp_path / "out")
    assert warnings == [
        "a.xlsx, sheet 'Table 1', column B (Ships): its numbers can be read in two ways (1.234 as 1.234 or 1234). "
        "It stays text: check it before you add it up."
    ]
