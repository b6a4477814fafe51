"""Careless and misleading documents: what they do not surely say is not told as if they did."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pikepdf
import pytest

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from tests.engine.extraction.invoice_files import PAGE, data, document, invoice
from tests.engine.extraction.pages import page
from tests.engine.reading.sheets import Said, written

_SUMS = [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "119.00 EUR"]]
_IBAN = "DE89 3704 0044 0532 0130 00"
_OTHER_IBAN = "GB29 NWBK 6016 1331 9268 19"


def _found(*pages: list[list[str]]) -> Findings:
    return findings([page(rows, number) for number, rows in enumerate(pages, 1)])


def _invoice(*rows: list[str], title: str = "Invoice 4711") -> list[list[str]]:
    return [["Acme Tools Ltd"], ["1 High Street"], ["London EC1A 1BB"], [""], [title], *rows]


def test_several_names_in_cells_are_nobodys() -> None:
    found = _found(
        _invoice(
            ["Name:", "Ann Miller"], ["Name:", "Bob Baker"], ["Customer:"], ["Name:", "Cid Cook"], ["Name:", "Dora Day"]
        )
    )
    assert found.recipient.value in (None, "Cid Cook")
    assert found.sender.value in (None, "Acme Tools Ltd")


@pytest.mark.parametrize(
    ("terms", "due"),
    [
        (["À payer avant le 15/03/2026 avec 2 % d'escompte, sinon avant le 14/04/2026"], 14),
        (["Payable le 15/03/2026 avec un escompte de 2 %"], None),
        (["Vencimiento: 15/03/2026 con 2 % de descuento, hasta 14/04/2026 sin descuento"], 14),
        (["Pay by 15 March 2026 and take 2 % discount"], None),
        (["Due date: 14 April 2026", "2 % if paid by 15 March 2026"], 14),
        (["Te betalen voor 15-03-2026 met 2 % korting"], None),
        (["Scadenza: 15/03/2026 con sconto del 2 %"], None),
        (["Termin płatności: 15.03.2026 (2 % skonto)"], None),
        (["Pagar até 15/03/2026 com desconto de 2 %"], None),
    ],
)
def test_the_day_of_a_discount_is_not_the_day_to_pay(terms: list[str], due: int | None) -> None:
    found = _found([["Datum: 28.02.2026"], terms])
    assert found.due.value in (None, due and date(2026, 4, due))


@pytest.mark.parametrize(
    "rows",
    [
        [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "191.00 EUR"]],
        [["Total net", "100.00 EUR"], ["VAT", "9.00 EUR"], ["Amount due", "119.00 EUR"]],
        [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "119.00 EUR"], ["Amount due", "191.00 EUR"]],
        [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Shipping", "5.00 EUR"], ["Total", "129.00 EUR"]],
        [["Subtotal", "100.00 EUR"], ["Total", "119.00 EUR"], ["Total", "121.00 EUR"]],
        [["Total", "119.00 EUR"], ["VAT 19 % included", "91.00 EUR"]],
    ],
)
def test_sums_that_do_not_add_up_are_not_told(rows: list[list[str]]) -> None:
    found = _found(_invoice(*rows))
    assert found.total.value is None
    assert found.total.candidates


@pytest.mark.parametrize("minus", ["-119.00 EUR", "119.00- EUR", "(119.00) EUR", "EUR -119.00"])
def test_a_credit_notes_total_has_the_sign_that_is_printed(minus: str) -> None:
    found = _found(_invoice(["Total", minus], title="Credit note 17"))
    assert (found.kind.value, found.total.value) in (("credit_note", Decimal("-119.00")), ("credit_note", None))


def test_two_invoices_in_one_file_are_not_told_as_one() -> None:
    first = _invoice(["Invoice date: 12 March 2026"], ["Bill to:"], ["Globex Ltd"], [""], *_SUMS, ["IBAN", _IBAN])
    second = [["Initech Ltd"], ["9 Low Street"], ["Leeds LS1 4AP"], [""], ["Invoice 4712"]]
    second += [["Invoice date: 15 March 2026"], ["Bill to:"], ["Globex Ltd"], [""]]
    second += [["Net", "10.00 EUR"], ["VAT 19 %", "1.90 EUR"], ["Total", "11.90 EUR"], ["IBAN", _OTHER_IBAN]]
    found = _found(first, second)
    told = [
        found.number.value,
        found.date.value,
        found.sender.value,
        found.net.value,
        found.tax.value,
        found.total.value,
        found.iban.value,
        found.items.value,
        found.due.value,
    ]
    assert told == [None] * 9
    assert found.number.candidates


def test_an_invoice_of_two_pages_that_repeats_its_title_is_one() -> None:
    head = ["Invoice date: 12 March 2026"]
    found = _found(_invoice(head), _invoice(head, *_SUMS))
    assert (found.number.value, found.total.value, found.sender.value) == ("4711", Decimal("119.00"), "Acme Tools Ltd")


def test_terms_on_another_page_change_nothing() -> None:
    terms = [
        ["Terms and conditions"],
        ["1. Late payment costs EUR 40.00 and interest of 9 %."],
        ["Total liability", "EUR 10,000.00"],
        ["Minimum order total", "EUR 250.00"],
        ["Deposits go to our trust account IBAN " + _OTHER_IBAN],
        ["Effective date: 1 January 2020"],
    ]
    found = _found(_invoice(["Invoice date: 12 March 2026"], *_SUMS, ["IBAN", _IBAN]), terms)
    assert found.total.value in (None, Decimal("119.00"))
    assert found.iban.value in (None, "DE89370400440532013000")
    assert found.date.value in (None, date(2026, 3, 12))


def test_terms_with_another_iban_alone_give_none_as_sure() -> None:
    terms = [["Terms and conditions"], ["Deposits go to the account of the court, IBAN " + _OTHER_IBAN]]
    assert _found(_invoice(*_SUMS, ["IBAN", "DE88 3704 0044 0532 0130 00"]), terms).iban.value is None


@pytest.mark.parametrize(
    "text", ["DE88 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 0", "DE89 3704 O044 0532 0130 00"]
)
def test_a_wrong_iban_is_not_told(text: str) -> None:
    found = _found(_invoice(["IBAN", text])).iban
    assert found.value is None


def test_a_wrong_iban_beside_a_right_one_makes_it_unsure() -> None:
    found = _found(_invoice(["IBAN", "DE88 3704 0044 0532 0130 00"], ["Lieferant IBAN", _OTHER_IBAN])).iban
    assert found.value is None


@pytest.mark.parametrize(
    "lines",
    [
        ["Der Betrag wird von Ihrem Konto IBAN {} abgebucht."],
        ["Wir ziehen den Betrag per SEPA-Lastschrift von", "IBAN {} ein."],
        ["Ihre IBAN: {}"],
        ["Mandatsreferenz: 17", "IBAN: {}"],
        ["We will refund the amount to your account IBAN {}"],
        ["Le montant sera prélevé sur votre compte", "IBAN {}"],
        ["Su cuenta: {}"],
        ["Addebito diretto sul vostro conto {}"],
        ["Automatische incasso van uw rekening {}"],
    ],
)
def test_the_account_that_a_debit_or_refund_names_is_the_readers(lines: list[str]) -> None:
    found = _found(_invoice(*_SUMS, *([line.format(_IBAN)] for line in lines))).iban
    assert (found.value, [one.value for one in found.candidates]) == (None, [_IBAN.replace(" ", "")])


def test_two_accounts_in_one_row_are_not_told_as_one() -> None:
    assert _found(_invoice(*_SUMS, [f"{_IBAN} {_OTHER_IBAN}"])).iban.value is None
    assert _found(_invoice(*_SUMS, [f"NR 12 3456 7890 {_IBAN}"])).iban.value == _IBAN.replace(" ", "")


def test_the_next_label_of_a_column_is_nobody() -> None:
    facts = [["Customer", "Ann Miller"], ["Page", "One"], ["Seller", "Bob Baker"], ["Terms", "Net"]]
    found = _found(_invoice(*facts, *_SUMS))
    assert found.recipient.value == "Ann Miller"
    assert found.sender.value is None
    assert {one.value for one in found.sender.candidates} == {"Bob Baker", "Acme Tools Ltd"}


def test_an_account_far_from_words_of_a_debit_is_the_senders() -> None:
    rows = [*_SUMS, ["No direct debit, please."], [""], [""], ["Bank", f"IBAN {_IBAN}"]]
    assert _found(_invoice(*rows)).iban.value == _IBAN.replace(" ", "")


def test_a_date_in_two_readings_is_open_without_a_proof() -> None:
    found = _found([["Invoice 4711"], ["Date: 03/04/2026"], *_SUMS]).date
    assert found.value is None
    assert {candidate.value for candidate in found.candidates} == {date(2026, 4, 3), date(2026, 3, 4)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1.234", {None, Decimal("1234")}),
        ("1,234", {None, Decimal("1234")}),
        ("1'234.50", {None, Decimal("1234.50")}),
        ("1 234,50", {None, Decimal("1234.50")}),
        ("1.234,5", {None, Decimal("1234.5")}),
        ("12.345.678", {None, Decimal("12345678")}),
        ("1,23,456.00", {None, Decimal("123456.00")}),
        ("1.234.56", {None}),
    ],
)
@pytest.mark.parametrize("sign", ["EUR {}", "{} €", "{}"])
def test_an_amount_is_told_as_it_is_meant(text: str, meant: set[Decimal | None], sign: str) -> None:
    assert _found(_invoice(["Total", sign.format(text)])).total.value in meant


def test_several_currencies_are_not_told_as_one() -> None:
    found = _found(_invoice(["Total", "119.00 EUR"], ["Total", "128.00 USD"]))
    assert (found.currency.value, found.total.value) == (None, None)


def test_a_total_in_another_currency_is_not_the_total() -> None:
    found = _found(_invoice(["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "119.00 USD"]))
    assert found.currency.value is None
    assert found.total.value is None


_QUOTED = [["Invoice 4711 of 12 March 2026", "119.00 EUR"], ["Invoice 4712 of 14 March 2026", "50.00 EUR"]]


def test_a_reminder_tells_its_own_sum_and_no_invoices() -> None:
    rows = _invoice(
        ["Date: 20 May 2026"],
        *_QUOTED,
        ["Reminder fee", "5.00 EUR"],
        ["Total outstanding", "174.00 EUR"],
        title="Second reminder",
    )
    found = _found(rows)
    assert found.kind.value == "reminder"
    assert found.number.value is None
    assert found.date.value == date(2026, 5, 20)
    assert found.total.value in (None, Decimal("174.00"))


def test_a_reminder_without_a_sum_tells_none() -> None:
    rows = _invoice(
        ["Date: 20 May 2026"],
        ["Total of invoice 4711", "119.00 EUR"],
        ["Total of invoice 4712", "50.00 EUR"],
        title="Reminder",
    )
    assert _found(rows).total.value is None


def test_a_reminder_that_quotes_one_invoice_has_not_its_number() -> None:
    rows = _invoice(
        ["Date: 20 May 2026"],
        ["Invoice number:", "4711"],
        ["Invoice date:", "12 March 2026"],
        ["Amount due", "119.00 EUR"],
        title="Reminder",
    )
    found = _found(rows)
    assert found.number.value is None
    assert found.date.value in (None, date(2026, 5, 20))


@pytest.mark.parametrize("title", ["Invoice", "Invoice {}"])
def test_two_invoices_on_one_page_are_not_told_as_one(title: str, tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [[*_titled(title, "4711", 0), *_titled(title, "4712", 400)]])
    found = document(path, tmp_path / "out")
    assert [found[name]["value"] for name in ("number", "total", "net", "tax")] == [None] * 4
    assert found["currency"]["value"] == "EUR"


def _titled(title: str, number: str, down: float) -> list[Said]:
    total = "119.00" if number == "4711" else "191.00"
    lines = [(one.text.replace("4711", number).replace("119.00", total), one) for one in PAGE]
    lines = [
        (
            title.format(number)
            if text == "Invoice"
            else text.replace("100.00", "172.00" if number == "4712" else "100.00"),
            one,
        )
        for text, one in lines
    ]
    return [Said(text, one.x, one.y + down, one.size, one.font) for text, one in lines]


def test_data_of_one_invoice_do_not_settle_a_file_of_two(tmp_path: Path) -> None:
    other = [
        Said(one.text.replace("4711", "4712").replace("19.00", "91.00"), one.x, one.y, one.size, one.font)
        for one in PAGE
    ]
    path = invoice(tmp_path / "a.pdf", data(), PAGE)
    with (
        pikepdf.open(path, allow_overwriting_input=True) as pdf,
        pikepdf.open(written(tmp_path / "b.pdf", [other])) as more,
    ):
        pdf.pages.extend(more.pages)
        pdf.save(path)
    found = document(path, tmp_path / "out")
    assert [found[name]["value"] for name in ("number", "total")] == [None, None]
    assert found["sender"]["value"] == "Acme Tools Ltd"


def test_a_stated_currency_that_its_sums_are_not_in_is_not_told() -> None:
    assert _found(_invoice(["Currency: USD"], *_SUMS)).currency.value is None


def test_a_rate_that_does_not_make_the_tax_is_not_told() -> None:
    found = _found(_invoice(["Net", "262.90 EUR"], ["VAT 15 %", "16.94 EUR"], ["Total", "279.84 EUR"]))
    assert (found.tax.value, found.tax_rate.value) == (Decimal("16.94"), None)


@pytest.mark.parametrize("label", ["Quotation date", "Date of previous invoice"])
def test_the_day_of_another_document_alone_is_not_told(label: str) -> None:
    assert _found(_invoice([f"{label}: 1 March 2026"], *_SUMS)).date.value is None


def test_a_total_of_something_else_alone_is_not_told() -> None:
    assert _found(_invoice(["Original total", "119.00 EUR"], title="Credit note 5")).total.value is None


def test_a_date_with_a_word_that_also_names_parties_is_read() -> None:
    found = _found([["Factura 17"], ["Fecha: 17 de marzo de 2026"], ["Su pedido: 55"]])
    assert found.date.value == date(2026, 3, 17)


def _boxes(labels: list[str], values: list[str]) -> Findings:
    """An invoice with a row of labels in small type over their values."""
    made = page(_invoice(labels, values, ["Desk lamp", "sold as seen"], *_SUMS))
    small = {word for label in labels for word in label.split()}
    words = [replace(word, size=7.0) if word.text in small and word.box.top < 140 else word for word in made.words]
    return findings([replace(made, words=tuple(words))])


@pytest.mark.parametrize("label", ["Delivery date", "Due date", "Joined on"])
def test_the_date_under_another_label_is_not_the_documents(label: str) -> None:
    assert _boxes([label, "Contact"], ["12 March 2026", "Ann Miller"]).date.value is None
    assert _boxes(["Invoice date", label], ["4 March 2026", "12 March 2026"]).date.value == date(2026, 3, 4)


def test_the_next_label_in_small_type_is_no_ones_name() -> None:
    labels, values = ["From", "Seat", "Passenger"], ["Reference genomes", "R10392", "Tomas Neill"]
    assert _boxes(labels, values).sender.value != "Seat"
    assert _boxes(["Customer", "Contact"], ["Ann Miller", "Bob Baker"]).recipient.value == "Ann Miller"
