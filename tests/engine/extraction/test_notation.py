"""Amounts and days as people write them: each notation is read as what was written, whatever it is."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.extraction.amounts import amounts_in, decimal_mark
from paperchute.engine.extraction.days import days_in, order
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.printed import Piece, sheet_of
from paperchute.engine.extraction.vocabulary import languages
from tests.engine.extraction.pages import page

_AMOUNTS = st.decimals("0.01", "9999999.99", places=2)
_NOTATIONS = st.sampled_from([(",", "."), (".", ","), ("\u202f", ","), ("\u2019", "."), ("", "."), ("", ",")])
_DAYS = st.dates(date(1970, 1, 1), date(2099, 12, 31))


def _piece(text: str) -> Piece:
    return sheet_of(page([[text]])).rows[0].whole


def _written(value: Decimal, notation: tuple[str, str]) -> str:
    groups, mark = notation
    whole, cents = f"{value:,.2f}".split(".")
    return whole.replace(",", groups) + mark + cents


@given(_AMOUNTS, _NOTATIONS, st.sampled_from(["{} EUR", "€{}", "EUR {}", "{}"]))
def test_an_amount_is_read_as_what_was_written(value: Decimal, notation: tuple[str, str], way: str) -> None:
    (amount,) = amounts_in(_piece(way.format(_written(value, notation))))
    assert (amount.value(notation[1]), amount.is_money) == (value, True)
    assert not amount.is_doubtful


@given(st.lists(_AMOUNTS, min_size=1, max_size=4), _NOTATIONS)
def test_amounts_of_one_notation_prove_its_mark(values: list[Decimal], notation: tuple[str, str]) -> None:
    found = [amount for value in values for amount in amounts_in(_piece(_written(value, notation)))]
    assert decimal_mark(found) == notation[1]


@given(st.decimals("1.00", "99999.99", places=2), st.integers(1, 30), _NOTATIONS)
def test_sums_that_agree_are_told_and_others_never(net: Decimal, rate: int, notation: tuple[str, str]) -> None:
    tax = (net * rate / 100).quantize(Decimal("0.01"))
    for more, is_told in ((Decimal(), True), (Decimal("1.00"), False)):
        sums = [("Net", net), (f"VAT {rate} %", tax), ("Total", net + tax + more)]
        rows = [["Invoice 4711"], [""], *([label, _written(value, notation) + " EUR"] for label, value in sums)]
        found = findings([page(rows)])
        told = found.net.value, found.tax.value, found.total.value
        assert told == ((net, tax, net + tax) if is_told and tax else told)
        assert is_told or not tax or told == (None, None, None)


@pytest.mark.parametrize("language", languages())
@given(day=_DAYS)
def test_a_day_in_words_is_read_in_each_language(language: str, day: date) -> None:
    (found,) = days_in(_piece(format_date(day, "long", locale=language)))
    assert found.readings == (day,)


@given(_DAYS, st.sampled_from(["%d.%m.%Y", "%Y-%m-%d", "%Y/%m/%d"]))
def test_a_day_in_figures_is_read_as_what_was_written(day: date, way: str) -> None:
    (found,) = days_in(_piece(day.strftime(way)))
    assert found.readings == (day,)


@given(_DAYS, st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"]))
def test_a_day_that_can_be_read_in_two_ways_is_never_told_as_another(day: date, way: str) -> None:
    (found,) = days_in(_piece(day.strftime(way)))
    told = found.value(order([found], "", ()))
    assert day in found.readings
    assert told in (None, day)
    assert (told is None) == (day.day <= 12 and day.day != day.month)
