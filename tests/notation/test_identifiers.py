"""Numbers of people: found where python-stdnum finds them right, and nowhere else."""

from __future__ import annotations

import random
import string
from typing import Any

import pytest
from stdnum import luhn
from stdnum.at import vnr
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.pt import nif
from stdnum.se import personnummer

from paperchute.notation.identifiers import IDENTIFIERS, is_luhn


def _found(kind: str, text: str) -> list[str]:
    return [text[start:end] for start, end in IDENTIFIERS[kind](text)]


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choice(string.digits) for _ in range(count))


_FORMS: list[tuple[Any, str]] = [
    (idnr, "###########"), (dni, "########@"), (nie, "X#######@"), (nir, "1850578######%%"), (bsn, "#########"),
    (pesel, "8#0#1######"), (nif, "2########"), (personnummer, "850101-####"), (fodselsnummer, "010185#####"),
    (ahv, "756##########"), (cpf, "#########%%"), (ric, "11010519850101###%"), (hetu, "131052-###@"),
    (vnr, "####010185"), (nn, "850101#####"), (codicefiscale, "RCCMNL83S18D96#@"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "form"), _FORMS, ids=[module.__name__ for module, _form in _FORMS])
def test_national_numbers_are_found_where_their_check_digits_are_right(module: Any, form: str) -> None:
    chance = random.Random(2)
    right = 0
    for _ in range(6000):
        text = "".join(
            chance.choice(string.digits)
            if sign in "#%"
            else chance.choice(string.ascii_uppercase)
            if sign == "@"
            else sign
            for sign in form
        )
        if module.is_valid(text):
            right += 1
            assert set(_found("nationalId", f"No. {text}, paid")) == {text}
    assert right >= 3


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("IBAN DE89 3704 0044 0532 0130 00 BIC X", "iban", ["DE89 3704 0044 0532 0130 00"]),
        ("de89370400440532013000.", "iban", ["de89370400440532013000"]),
        ("DE88 3704 0044 0532 0130 00", "iban", []),
        ("GB29NWBK60161331926819 and NO9386011117947", "iban", ["GB29NWBK60161331926819", "NO9386011117947"]),
        ("write to anna.m+x@mail.example.org.", "email", ["anna.m+x@mail.example.org"]),
        ("jürgen@bücher.example or a@b", "email", ["jürgen@bücher.example"]),
        ("Tel. 0891 / 234567 am 01.02.2026", "phone", ["0891 / 234567"]),
        ("+49 (0) 89 1234567, (212) 555-1234", "phone", ["+49 (0) 89 1234567", "(212) 555-1234"]),
        ("2026-01-02, 1.234,56 EUR, 100 200 300", "phone", []),
        ("card 4111 1111 1111 1111 12/27", "card", ["4111 1111 1111 1111"]),
        ("5 4111-1111-1111-1111", "card", ["4111-1111-1111-1111"]),
        ("4111 1111 1111 1112", "card", []),
        ("378282246310005", "card", ["378282246310005"]),
        ("078-05-1120, 000-05-1120", "nationalId", ["078-05-1120"]),
    ],
)
def test_what_is_found_by_its_form(text: str, kind: str, found: list[str]) -> None:
    assert _found(kind, text) == found


def test_luhn() -> None:
    chance = random.Random(4)
    for _ in range(500):
        digits = _digits(chance, 16)
        assert is_luhn(digits) == luhn.is_valid(digits)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("phone", "01.42.68.53.00"), ("phone", "01.12.05.53.00"), ("phone", "(415)555-2671"), ("phone", "415-555-2671"),
        ("phone", "+49 [0] 30 1234567"), ("card", "4111.1111.1111.1111"), ("iban", "DE89/3704/0044/0532/0130/00"),
        ("iban", "DE89·3704·0044·0532·0130·00"), ("iban", "DE89_3704_0044_0532_0130_00"),
    ],
)  # fmt: skip
def test_numbers_are_found_as_people_part_them(kind: str, text: str) -> None:
    assert _found(kind, f"of {text}, and") == [text]


def test_days_are_no_telephone_numbers_and_a_label_may_touch_its_number() -> None:
    assert _found("phone", "01.02.2023 and 01.02.23 12345, 2023-01-02") == []
    assert _found("iban", "IBANDE89370400440532013000") == ["DE89370400440532013000"]
