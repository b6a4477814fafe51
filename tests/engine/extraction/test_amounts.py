"""Amounts in every notation of the four languages come out exact or not at all."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.printed import sheet_of
from tests.engine.extraction.pages import page

_NOTATIONS = st.sampled_from(
    [
        *((group, ",") for group in (".", " ", "\u00a0", "\u202f", "'", "")),
        *((group, ".") for group in (",", " ", "'", "\u2019", "")),
    ]
)
_CURRENCIES = st.sampled_from(
    ["{} €", "€ {}", "€{}", "{}€", "EUR {}", "{} EUR", "£{}", "$ {}", "CHF {}", "{}", "-{} €", "{}-"]
)
_LABELS = {
    "en": ("Subtotal", "VAT 20 %", "Total"),
    "de": ("Summe netto", "zzgl. 19 % MwSt.", "Gesamtbetrag"),
    "fr": ("Total HT", "TVA 20 %", "Total TTC"),
    "es": ("Base imponible", "IVA 21 %", "Total a pagar"),
}
amounts = st.decimals("0.01", "99999999.99", places=2)


def written(value: Decimal, group: str, mark: str) -> str:
    whole, cents = f"{value:.2f}".split(".")
    return f"{int(whole):,}".replace(",", group) + mark + cents


@given(amounts, _NOTATIONS, _CURRENCIES, st.sampled_from(sorted(_LABELS)), st.booleans())
def test_a_total_is_exact_or_not_told(
    value: Decimal, notation: tuple[str, str], currency: str, language: str, seen: bool
) -> None:
    text = currency.format(written(value, *notation))
    found = findings([page([[_LABELS[language][2], text]], confidence=0.9 if seen else 1.0)])
    signed = -value if "-" in currency else value
    assert found.total.value in (None, signed)
    if not seen and currency == "{} €":
        assert found.total.value == signed


@given(amounts, st.decimals("0.01", "0.25", places=2), _NOTATIONS, _CURRENCIES, st.sampled_from(sorted(_LABELS)))
def test_sums_are_exact(net: Decimal, share: Decimal, notation: tuple[str, str], currency: str, language: str) -> None:
    tax = (net * share).quantize(Decimal("0.01"))
    values = (net, tax, net + tax)
    rows = [[label, currency.format(written(v, *notation))] for label, v in zip(_LABELS[language], values, strict=True)]
    found = findings([page(rows)])
    signed = [-value if "-" in currency and value else value for value in values]
    told = [found.net.value, found.tax.value, found.total.value]
    assert all(value in (None, true) for value, true in zip(told, signed, strict=True))
    if tax and not notation[0].isspace():
        assert told == signed


@given(amounts, amounts, amounts, _NOTATIONS, st.sampled_from(sorted(_LABELS)))
def test_amounts_that_do_not_add_up_are_not_told(
    net: Decimal, tax: Decimal, total: Decimal, notation: tuple[str, str], language: str
) -> None:
    if total == net or abs(net + tax - total) <= Decimal("0.01"):  # equal ones say that the tax is within both
        total += tax + 1
    values = (net, tax, total)
    rows = [[label, f"{written(v, *notation)} €"] for label, v in zip(_LABELS[language], values, strict=True)]
    found = findings([page(rows)])
    assert found.net.value is found.tax.value is found.total.value is None


@given(st.integers(1000, 999999), st.sampled_from([".", ","]), st.sampled_from(["{} €", "EUR {}"]))
def test_whole_amounts_in_groups_are_never_thousandths(value: int, group: str, currency: str) -> None:
    text = currency.format(f"{value:,}".replace(",", group))
    found = findings([page([["Total", text], ["Shipping", "12.50 €"]])])
    assert found.total.value in (None, Decimal(value))


@given(st.text(alphabet="0123456789.,' -€$%:/", max_size=40))
def test_whatever_is_written_an_amount_has_the_digits_that_stand_there(text: str) -> None:
    sheet = sheet_of(page([[text or "-"]]))
    for piece in sheet.pieces():
        for amount in amounts_in(piece):
            shown = [c for c in piece.text[amount.start : amount.end] if c.isdecimal()]
            for value in amount.readings.values():
                digits = [c for c in f"{value:f}" if c.isdecimal()]
                assert "".join(digits).lstrip("0").rstrip("0") == "".join(shown).lstrip("0").rstrip("0")
