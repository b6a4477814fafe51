"""Sums beside what is like one: measures, other currencies, columns, what is taken off, what was paid."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from tests.engine.extraction.pages import page


def _found(*rows: list[str], title: str = "Invoice 4711") -> Findings:
    head = [["Acme Tools Ltd"], ["1 High Street"], ["London EC1A 1BB"], [""], [title], [""]]
    return findings([page([*head, *rows])])


@pytest.mark.parametrize(
    "row",
    [
        ["Total", "12.50 kg"],
        ["Total", "12.50", "kg"],
        ["Total hours", "12.50"],
        ["Total", "12.50 h"],
        ["Total km", "12.50"],
        ["Total", "EUR 12.50 Mio."],
        ["Total", "$ 1.5 million"],
        ["Total", "12.50 EUR / month"],
        ["Total from", "12.50 EUR"],
        ["Total up to", "12.50 EUR"],
        ["Total", "100.00 CR"],
        ["Total", "max. 100.00 EUR"],
        ["Total", "ca. 100.00 EUR"],
        ["Total", "~ 100.00 EUR"],
        ["Total", "< 100.00 EUR"],
        ["Total", "100.00 EUR -"],
        ["Total", "100.00", "1,200.00"],
        ["Total - 100.00 EUR"],
        ["Total 3 234.00"],
        ["Amount paid", "120.00"],
        ["Balance due", "0.00"],
    ],
)
def test_what_is_no_sum_of_an_invoice_is_not_told(row: list[str]) -> None:
    assert _found(row).total.value is None


@pytest.mark.parametrize(
    ("row", "total"),
    [
        (["Total in EUR", "100.00"], "100.00"),
        (["Total EUR 100.00 incl. VAT"], "100.00"),
        (["Total", "EUR 100.00 (USD 110.00)"], "100.00"),
        (["Total", "EUR 100.00", "(110.00 USD)"], "100.00"),
        (["Total", "(100.00) EUR"], "-100.00"),
        (["Total", "- 100.00"], "-100.00"),
        (["Total", "100.00", "20.00", "120.00"], "120.00"),
        (["Total", "3", "100.00"], "100.00"),
        (["Total", "Rs. 1,23,456.00"], "123456.00"),
        (["Total", "1,00,000"], None),
        (["Total", "CHF 3`949.75"], "3949.75"),
        (["Total", "CHF 1´003´949.75"], "1003949.75"),
        (["Total", "Rs. 12,34,56,789.50"], "123456789.50"),
    ],
)
def test_a_sum_is_told_with_what_stands_beside_it(row: list[str], total: str | None) -> None:
    assert _found(row).total.value == (Decimal(total) if total else None)


@pytest.mark.parametrize(
    ("amount", "currency"),
    [("1.250,00 lei", "RON"), ("2.400,00 Ft", "HUF"), ("980,00 руб.", "RUB"), ("12,00 ft", None)],
)
def test_a_total_is_in_the_currency_whose_sign_or_word_stands_behind_it(amount: str, currency: str | None) -> None:
    assert _found(["Total", amount]).currency.value == currency


@pytest.mark.parametrize(
    ("rows", "net", "rate"),
    [
        ([["Subtotal", "100.00"], ["Discount", "-10.00"], ["VAT 20 %", "18.00"], ["Total", "108.00"]], None, "20"),
        ([["Subtotal", "100.00"], ["Shipping", "10.00"], ["VAT 20 %", "22.00"], ["Total", "132.00"]], None, "20"),
        ([["Subtotal", "100.00"], ["Shipping", "10.00"], ["VAT", "22.00"], ["Total", "132.00"]], None, None),
        ([["Net", "100.00"], ["VAT 20 %", "20.00"], ["Deposit", "3.00"], ["Total", "123.00"]], None, None),
        ([["Net", "100.00"], ["VAT 20 %", "20.00"], ["Discount", "-6.00"], ["Total", "114.00"]], "100.00", "20"),
    ],
)
def test_the_net_before_a_discount_is_not_told_where_the_tax_is_of_less(
    rows: list[list[str]], net: str | None, rate: str | None
) -> None:
    found = _found(*rows)
    assert found.net.value == (Decimal(net) if net else None)
    assert found.tax_rate.value == (Decimal(rate) if rate else None)


def test_a_rest_to_pay_is_not_the_total_of_the_lines() -> None:
    items = [["Description", "Quantity", "Amount"], ["Oak table", "1", "80.00"], ["Desk lamp", "2", "40.00"]]
    found = _found(*items, ["Deposit", "50.00"], ["Balance due", "70.00"])
    assert found.total.value is None
    assert _found(*items, ["Total", "120.00"]).total.value == Decimal("120.00")


_STATISTICS = [
    ["State", "Name", "Price"],
    ["Delhi", "North", "1.29"],
    ["Kerala", "South", "6.03"],
    ["Total", "", "7.32"],
]


def test_a_table_of_statistics_has_no_total_of_money() -> None:
    found = findings([page([["Coverage until March"], [""], *_STATISTICS])])
    assert (found.total.value, found.items.value) == (None, None)
    assert found.total.candidates
