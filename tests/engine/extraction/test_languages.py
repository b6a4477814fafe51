"""Invoices of all languages say the same: what each calls things stands in `labels/`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from babel.dates import get_month_names

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.vocabulary import languages
from tests.engine.extraction.pages import page

_WORDS = {
    "de": "Rechnung, Rechnungsnummer, Rechnungsdatum, 12. März 2026, Fällig am, Rechnung an, Netto, MwSt.",
    "en": "Invoice, Invoice number, Invoice date, 12 March 2026, Due date, Bill to, Net, VAT",
    "es": "Factura, Número de factura, Fecha, 12 de marzo de 2026, Vencimiento, Cliente, Base imponible, IVA",
    "fr": "Facture, N° de facture, Date, 12 mars 2026, Échéance, Facturé à, Total HT, TVA",
    "it": "Fattura, Fattura n., Data, 12 marzo 2026, Scadenza, Spett.le, Imponibile, IVA",
    "nl": "Factuur, Factuurnummer, Factuurdatum, 12 maart 2026, Vervaldatum, Factuur aan, Subtotaal, Btw",
    "pl": "Faktura VAT, Faktura nr, Data wystawienia, 12 marca 2026, Termin płatności, Nabywca, Razem netto, VAT",
    "pt": "Fatura, Fatura n.º, Data de emissão, 12 de março de 2026, Vencimento, Cliente, Total sem IVA, IVA",
}
_TOTALS = {
    "de": "Gesamtbetrag", "en": "Total", "es": "Total factura", "fr": "Total TTC", "it": "Totale fattura",
    "nl": "Te betalen", "pl": "Do zapłaty", "pt": "Total a pagar",
}  # fmt: skip


def test_each_language_has_an_invoice_here() -> None:
    assert sorted([*_WORDS, "zh"]) == sorted(languages()), "a Chinese one is read below: it has other marks and sums"


def test_a_chinese_invoice_is_read() -> None:
    rows = [
        ["发票"],
        ["发票号码：4711"],
        ["开票日期：2026年3月12日"],
        ["购买方：环球贸易有限公司"],
        [""],
        ["不含税金额", "100.00 元"],
        ["税额", "13.00 元"],
        ["价税合计", "113.00 元"],
    ]
    found = findings([page(rows)])
    assert (found.kind.value, found.number.value, found.date.value) == ("invoice", "4711", date(2026, 3, 12))
    assert found.recipient.value == "环球贸易有限公司"
    sums = (found.net.value, found.tax.value, found.total.value, found.currency.value)
    assert sums == (Decimal("100.00"), Decimal("13.00"), Decimal("113.00"), "CNY")


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("language", sorted(_WORDS))
def test_short_names_of_months_are_known(language: str, month: int) -> None:
    name = get_month_names("abbreviated", locale=language)[month].rstrip(".")
    assert findings([page([[f"Data: 12 {name} 2026"]])]).date.value == date(2026, month, 12)


@pytest.mark.parametrize("language", sorted(_WORDS))
def test_an_invoice_is_read_in_its_language(language: str) -> None:
    title, number, day, written, due, to, net, tax = _WORDS[language].split(", ")
    rows = [
        [title],
        [f"{number}: 4711"],
        [f"{day}: {written}"],
        [f"{due}: {written.replace('12', '28', 1)}"],
        [""],
        [f"{to}:"],
        ["Globex S.A."],
        [""],
        [net, "100,00 €"],
        [f"{tax} 21 %", "21,00 €"],
        [_TOTALS[language], "121,00 €"],
    ]
    found = findings([page(rows)])
    assert (found.kind.value, found.number.value, found.recipient.value) == ("invoice", "4711", "Globex S.A.")
    assert (found.date.value, found.due.value) == (date(2026, 3, 12), date(2026, 3, 28))
    sums = (found.net.value, found.tax.value, found.total.value)
    assert sums == (Decimal("100.00"), Decimal("21.00"), Decimal("121.00"))


@pytest.mark.parametrize(
    "title", ["Creditnota", "Creditfactuur", "Nota di credito", "Faktura korygująca", "Nota de crédito"]
)
def test_a_credit_note_is_no_invoice(title: str) -> None:
    assert findings([page([[f"{title} 17"], [""], ["Total", "121,00 €"]])]).kind.value == "credit_note"


@pytest.mark.parametrize("text", ["3 października 2026", "3 ottobre 2026", "3 oktober 2026", "3 de outubro de 2026"])
def test_months_have_their_names(text: str) -> None:
    assert findings([page([["Data: " + text]])]).date.value == date(2026, 10, 3)


@pytest.mark.parametrize(
    "tax", ["incl. IVA 21 %", "plus VAT 21 %", "IVA compresa 21 %", "zawiera VAT 21 %", "TVA incluse 21 %"]
)
def test_what_says_whether_tax_is_in_it_names_the_tax_too(tax: str) -> None:
    found = findings([page([["Invoice 7"], [""], ["Net", "100.00 €"], [tax, "21.00 €"], ["Total", "121.00 €"]])])
    assert (found.net.value, found.tax.value) == (Decimal("100.00"), Decimal("21.00"))
