"""Documents made to keep a reader busy come to an end, and say nothing that they do not show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.vocabulary import phrases
from tests.engine.extraction.pages import page

_MANY = 3_000


@pytest.mark.parametrize(
    "rows",
    [
        [["Total", f"{n},00 €"] for n in range(_MANY)],
        [["Net", "1.00"], ["VAT 5 %", "0.05"], ["Total", "1.05"]] * (_MANY // 3),
        [["Invoice number"] * 20] * (_MANY // 20),
        [["Invoice date 03/04/2026 " * _MANY]],
        [["1 234 " * _MANY]],
        [["9" * 5_000], ["Total " + "1" * 5_000 + ",00 €"]],
        [["IBAN " + "DE89 3704 0044 0532 0130 00 " * (_MANY // 6)]],
        [["Description", "Quantity", "Price", "Amount"], *([["a", "1", "1.00", "1.00"]] * _MANY)],
        [["x" for _ in range(_MANY)]],
        [["Bill to:"], *([["Muster GmbH"]] * _MANY)],
        [[" ".join(["2 x Tea"] * _MANY) + " 1.00"], ["Total", "1.00"]],
    ],
    ids=["totals", "sums", "labels", "dates", "groups", "digits", "ibans", "items", "pieces", "names", "receipt"],
)
def test_there_is_an_end(rows: list[list[str]]) -> None:
    found = findings([page(rows)])
    assert found.total.value is None or len(str(found.total.value)) < 20


_WORDS = st.sampled_from(
    [*sorted(phrases())[::7], "Total:", "03/04/2026", "1.234,50", "€", "12,00", "IBAN", "GmbH", "Rechnung", "Nr."]
)


@given(st.lists(st.lists(st.lists(_WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4), max_size=15))
def test_any_words_give_values_that_stand_there(rows: list[list[str]]) -> None:
    found = findings([page(rows)])
    shown = " ".join(" ".join(row) for row in rows)
    for one in (found.date, found.number, found.total, found.net, found.tax, found.sender, found.recipient):
        assert 0 <= one.confidence <= 1
        for evidence in one.evidence:
            assert all(word in shown for word in evidence.words.split())
