"""Codes that prove themselves: one that fails is found where it stands, and no other number is taken for one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import get_cc_module, iban, numdb

from paperchute.notation.check_digits import IBAN_LENGTHS, broken_codes, is_iban, is_vat_id, vat_id

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


def test_the_lengths_of_ibans_are_those_of_the_registry() -> None:
    """Of every country that python-stdnum knows: its registry is made from that of SWIFT."""
    entries = {country: info["bban"] for _length, country, _high, info, _below in numdb.get("iban").prefixes}
    registry = {country: 4 + sum(map(int, re.findall(r"(\d+)!", parts))) for country, parts in entries.items()}
    assert len(registry) > 80
    assert registry == IBAN_LENGTHS


@pytest.mark.parametrize(
    "text",
    [
        "CY17002001280000001200527600",
        "OM810180000001299123456",
        "RU0204452560040702810412345678901",
        "NI45BAPR00000013000003558124",
        "DE89370400440532013000",
    ],
)
def test_ibans_of_any_country_are_known(text: str) -> None:
    assert iban.is_valid(text)
    assert is_iban(text)
    assert not is_iban(text[:-1] + str((int(text[-1]) + 1) % 10))
    assert list(broken_codes(f"IBAN {' '.join(re.findall('.{1,4}', text))} of the bank")) == []


@pytest.mark.parametrize("country", ["AT", "BE", "DE", "FR", "IT", "LU", "PL"])
@given(number=st.text("0123456789", min_size=11, max_size=11))
def test_vat_ids_prove_themselves(country: str, number: str) -> None:
    rest = {"AT": f"U{number[:8]}", "BE": f"0{number[:9]}", "LU": number[:8], "PL": number[:10], "DE": number[:9]}
    text = country + rest.get(country, number)
    proven = [text[:-1] + digit for digit in "0123456789" if is_vat_id(text[:-1] + digit)]
    assert len(proven) <= 1 or country in ("BE", "LU", "FR"), "the last digit is the check digit"
    known = get_cc_module(country.lower(), "vat")
    assert known is not None
    for digit in "0123456789":
        if known.is_valid(text[:-1] + digit):
            assert is_vat_id(text[:-1] + digit)


@pytest.mark.parametrize("text", ["DE 136 695 976", "CHE-116.281.710 MWST", "FR 40 303 265 045", "BE 0428.759.497"])
def test_vat_ids_are_read_as_they_are_written(text: str) -> None:
    assert is_vat_id(vat_id(text))
