"""Signs and codes of currencies: the pattern finds each of them, and nothing that only looks like one."""

from __future__ import annotations

import re

import pytest

from paperchute.notation.currencies import CURRENCY, MEANINGS, currencies_of


@pytest.mark.parametrize("sign", MEANINGS)
def test_every_sign_is_found_whole_behind_a_figure(sign: str) -> None:
    match = re.fullmatch(rf"1\.250,00 (?P<sign>{CURRENCY})", f"1.250,00 {sign}")
    assert match is not None
    assert match["sign"] == sign
    assert currencies_of(sign) == MEANINGS[sign]


def test_an_abbreviation_may_have_its_dot() -> None:
    assert [re.match(CURRENCY, text)[0] for text in ("kr. 12", "Rs.12", "руб.")] == ["kr.", "Rs.", "руб."]  # type: ignore[index]
    assert currencies_of("RS.") == currencies_of("rs") == ("INR", "PKR", "LKR")
    assert currencies_of("Fr") == ()


@pytest.mark.parametrize("text", ["lei 9.610", "ft", "krona", "Rpm"])
def test_a_law_a_foot_and_a_word_are_none(text: str) -> None:
    assert re.match(CURRENCY, text, re.IGNORECASE) is None
