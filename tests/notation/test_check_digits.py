"""Codes that prove themselves: one that fails is found where it stands, and no other number is taken for one."""

from __future__ import annotations

import pytest

from paperchute.notation.check_digits import broken_codes

_RIGHT = [
    "IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX",
    "GB29NWBK60161331926819",
    "Bank of Aarhus, FR14 2004 1010 0505 0001 3M02 606",
    "EAN 4006381333931",
    "GTIN-13: 4006381333931, UPC 036000291452",
    "ISBN 978-3-16-148410-0, ISBN-10: 3-16-148410-X",
    "ISSN 0378-5955",
    "IMEI 490154203237518",
]


@pytest.mark.parametrize("line", _RIGHT)
def test_right_codes_are_passed(line: str) -> None:
    assert list(broken_codes(line)) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("IBAN DE89 3704 0044 0532 0130 01 BIC COBADEFFXXX", "DE89 3704 0044 0532 0130 01"),
        ("pay to GB29NWBK60161331926817 soon", "GB29NWBK60161331926817"),
        ("IBAN: DEl9 3704 0044 0532 0130 00", "DEl9 3704 0044 0532 0130 00"),
        ("IBAN OE89 3704 0044 0532 0130 00", "OE89 3704 0044 0532 0130 00"),
        ("IBAN DE89 3704 0044 0532 0130", "DE89 3704 0044 0532 0130"),
        ("EAN 4006381333937", "4006381333937"),
        ("EAN: 400638133393", "400638133393"),
        ("EAN 40O6381333931", "40O6381333931"),
        ("ISBN 978-3-16-148410-6", "978-3-16-148410-6"),
        ("ISSN 0378-5956", "0378-5956"),
        ("IMEI 490154203237519", "490154203237519"),
    ],
)
def test_codes_that_fail_are_found(line: str, code: str) -> None:
    assert [line[start:end] for start, end in broken_codes(line)] == [code]


@pytest.mark.parametrize(
    "line",
    [
        "invoice 4006381333937 of 12.03.2024",
        "IBAN and BIC of the recipient",
        "IBAN of the recipient",
        "EAN of the article",
        "the DE12 series of 1250 engines",
        "EAN 12345",
        "AT 12 1250 4480",
    ],
)
def test_other_numbers_are_none(line: str) -> None:
    assert list(broken_codes(line)) == []
