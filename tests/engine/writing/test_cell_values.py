"""What cells are taken for, and above all what stays text."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.writing.cell_values import Typed, Writing, is_identifier, numeral, typed, writing_of

POINT, COMMA, OPEN = Writing(comma=False), Writing(comma=True), Writing()


@pytest.mark.parametrize(
    ("text", "writing", "value", "shown"),
    [
        ("5", OPEN, 5, "0"),
        ("-7", OPEN, -7, "0"),
        ("\u22127.5", OPEN, -7.5, "0.0"),
        ("1,234", POINT, 1234, "#,##0"),
        ("1,234.56", OPEN, 1234.56, "#,##0.00"),
        ("1.234,56", OPEN, 1234.56, "#,##0.00"),
        ("1.234", COMMA, 1234, "#,##0"),
        ("1.234", POINT, 1.234, "0.000"),
        ("12,5", OPEN, 12.5, "0.0"),
        ("1 234 567,5", OPEN, 1234567.5, "#,##0.0"),
        ("1\u202f234", OPEN, 1234, "#,##0"),
        ("1'234.50", OPEN, 1234.5, "#,##0.00"),
        ("12,34,567.00", OPEN, 1234567, "#,##0.00"),
        ("(1,234)", POINT, -1234, "#,##0_);(#,##0)"),
        ("123-", OPEN, -123, "0"),
        ("+3.2", OPEN, 3.2, "+0.0;-0.0"),
        ("45 %", OPEN, 0.45, "0%"),
        ("(5.2%)", OPEN, -0.052, "0.0%_);(0.0%)"),
        ("$12.50", OPEN, 12.5, '"$"0.00'),
        ("3,00 €", OPEN, 3, '0.00 "€"'),
        ("CHF 1'200.00", OPEN, 1200, '"CHF" #,##0.00'),
        ("-$5", OPEN, -5, '"$"0'),
        ("1.5E-03", OPEN, 0.0015, "0.0E+00"),
        ("٣٤٫٥", OPEN, 34.5, "0.0"),
        ("１２３", OPEN, 123, "0"),
    ],
)
def test_numbers(text: str, writing: Writing, value: float, shown: str) -> None:
    found = typed(text, writing)
    assert isinstance(found, Typed)
    assert found.value == pytest.approx(value)
    assert found.format == shown


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "n/a", "007", "0123", "+49 30 1234567", "+491701234567", "555-1234", "1-2", "5/6", "12:30", "1.2.3",
        "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "123456789012", "=1+1", "@SUM(A1)", "+A1", "1,23,4",
        "25g", "Q1", "2.", "1 2", "12,3456,7", "(5", "--5", "$€5", "1234567890.1234567", "3*", "1,234.567,8", "1.234",
        "1,234",
    ],
)  # fmt: skip
def test_what_stays_text(text: str) -> None:
    assert typed(text, OPEN) is None


def test_a_number_that_contradicts_its_table_stays_text() -> None:
    assert typed("12.5", COMMA) is None
    assert typed("12,5", POINT) is None


@pytest.mark.parametrize(
    ("text", "writing", "day", "shown"),
    [
        ("2024-03-05", OPEN, (2024, 3, 5), "yyyy-mm-dd"),
        ("05.03.2024", OPEN, (2024, 3, 5), "dd.mm.yyyy"),
        ("25/03/2024", OPEN, (2024, 3, 25), "dd/mm/yyyy"),
        ("03/25/2024", OPEN, (2024, 3, 25), "mm/dd/yyyy"),
        ("04/03/2024", Writing(day_first=True), (2024, 3, 4), "dd/mm/yyyy"),
        ("04/03/2024", Writing(day_first=False), (2024, 4, 3), "mm/dd/yyyy"),
        ("5 March 2024", OPEN, (2024, 3, 5), "d mmm yyyy"),
        ("5. März 2024", OPEN, (2024, 3, 5), "d mmm yyyy"),
        ("Mar 5, 2024", OPEN, (2024, 3, 5), "mmm d, yyyy"),
        ("2024年3月5日", OPEN, (2024, 3, 5), 'yyyy"年"m"月"d"日"'),
    ],
)
def test_dates(text: str, writing: Writing, day: tuple[int, int, int], shown: str) -> None:
    assert typed(text, writing) == Typed(datetime.datetime(*day), shown)


@pytest.mark.parametrize(
    "text", ["04/03/2024", "2024-02-30", "31.04.2024", "1/2", "05-03-24", "1850-01-01", "5 Foo 2024"]
)
def test_dates_that_could_be_two_or_are_none_stay_text(text: str) -> None:
    assert typed(text, OPEN) is None


def test_a_table_tells_how_it_writes() -> None:
    assert writing_of(["1.234,5", "2.345"]).comma is True
    assert writing_of(["1,234", "0.5"]).comma is False
    assert writing_of(["1,234", "x"]).comma is None
    assert writing_of(["04/03/2024", "25/12/2024"]).day_first is True
    assert writing_of(["5"], COMMA).comma is True  # as the tables before


def test_numbers_in_a_column_of_identifiers_stay_text() -> None:
    assert typed("4711", OPEN, identifier=True) is None
    assert is_identifier("Account No.")
    assert is_identifier("ZIP code")
    assert not is_identifier("Amount")
    assert not is_identifier("Idaho")


@given(st.integers(-(10**11) + 1, 10**11 - 1), st.integers(0, 4), st.booleans(), st.sampled_from([",", "."]))
def test_any_number_reads_back(value: int, decimals: int, grouped: bool, mark: str) -> None:
    """However a number is written, its value is found again, or it stays text."""
    number = value / 10**decimals
    text = f"{number:,.{decimals}f}" if grouped else f"{number:.{decimals}f}"
    if mark == ",":
        text = text.replace(",", "_").replace(".", ",").replace("_", ".")
    found = typed(text, Writing(comma=mark == ","))
    assert found is not None
    assert found.value == pytest.approx(number)


@given(st.text(max_size=80))
def test_any_text_is_taken_somehow(text: str) -> None:
    typed(text, writing_of([text]))


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("5 kwietnia 2024", 4),
        ("5. huhtikuuta 2024", 4),
        ("5 août 2024", 8),
        ("5 мая 2024", 5),
        ("12 dez 2024", 12),
        ("Sept 5, 2024", 9),
    ],
)
def test_days_have_months_in_every_language(text: str, month: int) -> None:
    found = typed(text, OPEN)
    assert found is not None
    assert isinstance(found.value, datetime.datetime)
    assert found.value.month == month


@pytest.mark.parametrize("text", ["Pro 12 2024", "Led 12, 2024", "out 5, 2024", "5 pro 2024", "5 kiwis 2024"])
def test_words_that_are_months_of_one_language_alone_are_none(text: str) -> None:
    assert typed(text, OPEN) is None


@pytest.mark.parametrize("text", ["1,000円", "￥1,000", "1 250,00 Kč", "RON 5.00", "5.00 лв."])
def test_amounts_have_the_currencies_of_every_language(text: str) -> None:
    assert numeral(text) is not None


@pytest.mark.parametrize("text", ["TOP 10", "ALL 5", "EURO 5", "5 PLNX"])
def test_other_words_are_no_currencies(text: str) -> None:
    assert numeral(text) is None
