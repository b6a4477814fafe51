"""Numbers as the formats of cells show them."""

from __future__ import annotations

import datetime
import time

import pytest

from paperchute.engine.reading.office.number_formats import shown

_ACCOUNTS = '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1234.5, "General", "1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (1234.5, "#,##0.00", "1234.50"),
        (1234567.891, "#,##0", "1234568"),
        (1.005, "0.00", "1.01"),
        (-0.001, "0.00", "0.00"),
        (7, "000", "007"),
        (0.5, "#.##", "0.5"),
        (1.5, "0.0##", "1.5"),
        (0, "#", "0"),
        (1234567, '0.0,,"M"', "1.2M"),
        (12345, "0.00E+00", "1.23E+04"),
        (2.25, "# ?/?", "2 1/4"),
        (0.256, "0%", "26%"),
        (-0.256, "0.0%;[Red]-0.0%", "-25.6%"),
        (1234.5, '#,##0.00\\ "€"', "1234.50 €"),
        (1234.5, "[$$-409]#,##0.00", "$1234.50"),
        (1234.5, "#,##0.00 [$CHF]", "1234.50 CHF"),
        (12, 'General" kg"', "12 kg"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1234.50)"),
        (-1234, _ACCOUNTS, "$ (1234.00)"),
        (1234, _ACCOUNTS, "$ 1234.00"),
        (0, _ACCOUNTS, "$ -"),
        (0, '#,##0;-#,##0;"-"', "-"),
        (3, '"Yes";"No"', "Yes"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (123456789, "000-00-0000", "123-45-6789"),
        (12, '[>10]"big" 0;"small" 0', "big 12"),
        (3, '[>10]"big" 0;"small" 0', "small 3"),
        (1e300, "0", f"1{'0' * 300}"),
        (True, "0", "TRUE"),
        (datetime.datetime(2024, 5, 6, 1, 2, 3), "d", "2024-05-06 01:02:03"),
        (datetime.time(10, 30), "h:mm", "10:30"),
        (datetime.timedelta(hours=26), "[h]:mm", "26:00:00"),
    ],
)
def test_a_value_is_what_its_cell_shows(value: object, form: str, text: str) -> None:
    assert shown(value, form) == text


def test_a_format_without_end_costs_no_time() -> None:
    began = time.process_time()
    assert shown(5, "[]" * 40 + '"') == "5"
    assert time.process_time() - began < 1


def test_no_number_is_lost_by_its_look() -> None:
    assert shown(-5, "0;[Red]0") == "-5"  # people see it in the colour alone
    assert shown(5, ";;;") == "5"
    assert shown(45000, "dd/mm/yyyy") == "45000"  # a day that openpyxl does not know
    assert shown(float("inf"), "0") == "inf"
