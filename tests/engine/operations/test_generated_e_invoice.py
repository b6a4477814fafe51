"""pdf-generate with eInvoice: Factur-X of a template's data, checked before it is given, and else refused."""

from __future__ import annotations

import json
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.e_invoice.composing import composed
from paperchute.engine.e_invoice.conformance import findings
from paperchute.engine.e_invoice.invoice import invoice_of
from paperchute.engine.e_invoice.markup import parsed
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from paperchute.notation.columns import KEY, columns_of, told
from tests.engine.operations.papers import work

INVOICE: dict[str, Any] = {
    "number": "2026-17",
    "date": "2026-03-12",
    "due": "2026-04-11",
    "currency": "EUR",
    "iban": "DE89 3704 0044 0532 0130 00",
    "seller": {
        "name": "Acme Tools Ltd",
        "street": "Hof 1",
        "postcode": "10115",
        "city": "Berlin",
        "country": "DE",
        "vat": "DE 123456789",
    },
    "buyer": {"name": "Globex Ltd", "city": "Paris", "country": "FR"},
    "lines": [
        {"item": "Drill", "quantity": 2, "unit": "pc", "price": 50.25, "rate": 19},
        {"item": "Handbook", "quantity": "3", "price": "0.333", "rate": 7},
    ],
}
TEMPLATE = """<h1>Invoice {{ number }}</h1><p>{{ seller.name }}<br>{{ seller.city }}</p>
<p>Bill to:<br>{{ buyer.name }}</p>
<p>Invoice date: 12 March 2026</p><p>Due date: 11 April 2026</p><p>Net: 101.50 EUR</p><p>VAT: 19.17 EUR</p>
<p>Total: {{ total | default("120.67") }} EUR</p><p>IBAN {{ iban }}</p>"""


def _made(folder: Path, data: Any, template: str = TEMPLATE) -> Path:
    order = work("pdf-generate", folder, template=template, data=json.dumps(data), eInvoice="EN16931")
    (output,) = implementation("pdf-generate").run(order)
    return output


def _amounts(data: Any) -> dict[str, str]:
    invoice = invoice_of(parsed(composed(json.dumps(data))))
    assert invoice is not None
    assert findings(invoice) == []
    return {term: invoice.whole.text(term) for term in ("BT-109", "BT-110", "BT-112", "BT-115")}


def test_the_pdf_is_factur_x_that_our_own_check_finds_valid(tmp_path: Path) -> None:
    output = _made(tmp_path, INVOICE)
    place = tmp_path / "check"
    place.mkdir()
    (result,) = implementation("e-invoice-check").run(work("e-invoice-check", place, output))
    checked = json.loads(result.read_text("utf-8"))
    (one,) = checked["invoices"]
    assert (checked["isValid"], one["name"], one["profile"]) == (True, "factur-x.xml", "EN 16931")
    with pikepdf.open(output) as pdf:
        assert b"<fx:ConformanceLevel>EN 16931<" in pdf.Root.Metadata.read_bytes()


def test_amounts_are_worked_out() -> None:
    assert _amounts(INVOICE) == {"BT-109": "101.50", "BT-110": "19.17", "BT-112": "120.67", "BT-115": "120.67"}
    assert _amounts(INVOICE | {"paid": "20.67"})["BT-115"] == "100.00"


def test_a_row_of_a_list_makes_one() -> None:
    flat = {name: one for name, one in INVOICE.items() if isinstance(one, str)}
    flat |= {f"{of}.{name}": one for of in ("seller", "buyer") for name, one in INVOICE[of].items()}
    row = flat | {"item": "Drill", "quantity": "2", "price": "1.050,25", "rate": "19", "date": "12.03.2026"}
    columns = columns_of([("line 2", row), ("line 3", row | {"price": "17,50", "date": "27.03.2026"})])
    listed = {"name": "a.csv", "place": "line 2", "columns": {name: told(one) for name, one in columns.items()}}
    assert _amounts(row | {KEY: listed})["BT-109"] == "2100.50"
    numbered = flat | {"lines.1.item": "A", "lines.1.quantity": 1, "lines.1.price": 10, "lines.1.rate": 19}
    numbered |= {"lines.2.item": "B", "lines.2.quantity": 1, "lines.2.price": 5, "lines.2.rate": 19, "lines.3.item": ""}
    assert _amounts(numbered)["BT-109"] == "15.00"


def _without(name: str) -> Any:
    data = deepcopy(INVOICE)
    outer, _point, inner = name.partition(".")
    if inner:
        del data[outer][inner]
    else:
        del data[outer]
    return data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (_without("number"), "number is missing"),
        (_without("date"), "date is missing"),
        (_without("currency"), "currency is missing"),
        (_without("lines"), "lines is missing"),
        (_without("seller.vat"), "BR-CO-26"),
        (_without("buyer.country"), "BR-11"),
        (INVOICE | {"iban": "DE88 3704 0044 0532 0130 00"}, "IBAN"),
        (INVOICE | {"kind": "letter"}, "takes invoice or credit_note"),
        (INVOICE | {"date": "03/04/2026"}, "03/04/2026"),
        (INVOICE | {"lines": [{"item": "A", "quantity": 1, "price": 5, "rate": 0}]}, "category is missing"),
        (INVOICE | {"lines": [{"item": "A", "quantity": 1, "price": "1,234", "rate": 19}]}, "1,234"),
        (INVOICE | {"lines": [{"item": "A", "quantity": 1, "rate": 19}]}, "lines.1.price is missing"),
        (INVOICE | {"lines": [{"item": "A", "quantity": 1, "price": 5, "rate": 0, "category": "E"}]}, "BR-E-10"),
        (INVOICE | {"lines": [{"item": "A", "quantity": 1, "price": 5, "rate": 19, "unit": "heaps"}]}, "takes a code"),
        (INVOICE | {"total": "191.00"}, "the page says 191.00, the data say 120.67"),
    ],
)
def test_what_makes_no_valid_invoice_is_refused(data: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        _made(tmp_path, data)
    assert refused.value.code == "01006"
    assert said in refused.value.reason


def test_it_goes_with_a_template_and_data(tmp_path: Path) -> None:
    for parameters in ({"html": "<p>x"}, {"template": "x"}):
        with pytest.raises(Refused, match="eInvoice"):
            work("pdf-generate", tmp_path, eInvoice="EN16931", **parameters)


@given(
    st.lists(
        st.tuples(st.decimals(0, 10_000, places=3), st.decimals(0, 10_000, places=4), st.sampled_from([7, 19, 5.5])),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_is_sold_the_sums_keep_the_rules(sold: list[tuple[Decimal, Decimal, float]]) -> None:
    lines = [{"item": "x", "quantity": float(q), "price": float(p), "rate": rate} for q, p, rate in sold]
    _amounts(INVOICE | {"lines": lines})
