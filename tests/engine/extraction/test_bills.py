"""Bills, statements, reminders and letters that speak of other documents, other amounts and other people."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Page, PlacedWord
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from tests.engine.extraction.pages import page

_HEAD = [["Acme Tools Ltd"], ["1 High Street"], ["London EC1A 1BB"], [""]]
_SUMS = [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "119.00 EUR"]]
_IBAN, _OTHER_IBAN = "DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19"


def _found(*rows: list[str]) -> Findings:
    return findings([page(rows)])


def test_words_that_are_printed_letter_by_letter_are_labels() -> None:
    letters = [
        PlacedWord(letter, Box(50 + 6 * n, 50, 56 + 6 * n, 60), 10.0, glued=n > 0)
        for n, letter in enumerate("Rechnungsdatum:")
    ]
    day = PlacedWord("12.03.2026", Box(200, 50, 250, 60), 10.0)
    assert findings([Page(1, 600.0, 842.0, words=(*letters, day))]).date.value == date(2026, 3, 12)


@pytest.mark.parametrize("text", ["26-03-12", "26/03/12", "12-03-26"])
def test_a_short_year_that_may_stand_first_is_not_sure(text: str) -> None:
    found = _found(["Rechnung 4711"], [f"Rechnungsdatum: {text}"], ["Betrag", "die Rechnung ist mit der Post"]).date
    assert found.value is None
    assert date(2026, 3, 12) in {candidate.value for candidate in found.candidates}


@pytest.mark.parametrize("text", ["12.03.26", "12.03.2026", "2026-03-12"])
def test_a_short_year_behind_dots_is_sure(text: str) -> None:
    assert _found(["Rechnung 4711"], [f"Rechnungsdatum: {text}"]).date.value == date(2026, 3, 12)


@pytest.mark.parametrize("label", ["Week ending", "Weekly hours", "Joined"])
def test_a_date_beside_words_that_nobody_knows_is_not_sure(label: str) -> None:
    found = _found(["Weekly Timesheet"], ["Employee", "Emily Watson"], [label, "13 July 1990"]).date
    assert (found.value, [candidate.value for candidate in found.candidates]) == (None, [date(1990, 7, 13)])


def test_a_date_beside_an_address_is_the_letters() -> None:
    rows = [["Emily Watson"], ["5 Mill Lane"], ["Leeds LS1 4AP", "12 March 2026"], [""], ["Dear Ms Watson,"]]
    assert _found(*rows).date.value == date(2026, 3, 12)


def test_what_a_letter_quotes_is_not_surely_its_own() -> None:
    quoted = [["Invoice number: INV-4570"], *_SUMS, ["Due date: 13/12/2026"]]
    letter = [["12 March 2026"], ["Dear Ms Watson,"], ["We have received this from you:"], *quoted]
    found = _found(*_HEAD, *letter, ["We dispute the amount."], ["Yours sincerely,"])
    told = found.kind, found.number, found.net, found.tax, found.tax_rate, found.total, found.due
    assert [one.value for one in told] == [None] * 7
    assert {candidate.value for candidate in found.kind.candidates} == {"letter", "invoice"}
    assert found.date.value == date(2026, 3, 12)


def test_an_invoice_with_a_greeting_below_its_number_is_one() -> None:
    head = [["Invoice number: INV-4570"], ["Dear Ms Watson,"], ["we have done this for you:"]]
    found = _found(*_HEAD, *head, *_SUMS, ["Yours sincerely,"])
    assert (found.kind.value, found.total.value) == ("invoice", Decimal("119.00"))


def test_the_list_of_a_reminder_has_no_date_of_its_own() -> None:
    def reminder(*rows: tuple[str, ...]) -> Findings:
        head = [["2. Mahnung"], ["Hamburg, 18.03.2026"], [""], ["Rechnung", "Datum", "Fällig am", "Betrag"]]
        return _found(*_HEAD, *head, *map(list, rows), [""], ["Bitte zahlen Sie bis spätestens 28.03.2026."])

    found = reminder(("RE-8908", "17.01.2026", "16.02.2026", "571,34 €"))
    assert (found.date.value, found.due.value) == (date(2026, 3, 18), date(2026, 3, 28))


@pytest.mark.parametrize(
    ("rows", "total"),
    [
        ([["Amount paid", "$289.30"], ["Balance due", "$289.30"]], None),
        ([["Total", "$578.60"], ["Amount paid", "$200.00"], ["Balance due", "$378.60"]], "578.60"),
        ([["Deposit", "$200.00"], ["Balance due", "$378.60"]], None),
        ([["Total", "$12.30"], ["Cash", "$20.00"], ["Change", "$7.70"]], "12.30"),
        ([["Total", "$571.34"], ["Late fee", "$5.00"], ["Amount due", "$576.34"]], "576.34"),
        ([["Total", "$571.34"], ["Discount", "$5.00"], ["Amount due", "$566.34"]], None),
        ([["Total", "$571.34"], ["Your share", "$57.13"]], None),
    ],
)
def test_what_is_left_to_pay_is_not_taken_for_the_total(rows: list[list[str]], total: str | None) -> None:
    found = _found(["Invoice 4711"], *rows).total
    assert found.value == (Decimal(total) if total and found.value is not None else None) or total is None
    assert (found.value is None) == (total is None)


def test_gst_in_brackets_says_of_which_sum_it_is() -> None:
    rows = [["Subtotal (ex GST)", "$526.00"], ["GST (10%)", "$52.60"], ["Total (inc GST)", "$578.60"]]
    found = _found(["Tax Invoice"], *rows, ["Amount Paid", "$289.30"], ["Balance Due", "$289.30"])
    assert [one.value for one in (found.net, found.tax, found.total)] == [*map(Decimal, ("526.00", "52.60", "578.60"))]


def test_the_day_of_the_next_instalment_is_not_sure() -> None:
    instalment = ["Ihr neuer Abschlag beträgt 95,00 € monatlich, erstmals fällig am 03.09.2026."]
    assert _found(["Rechnung 4711"], ["Rechnungsbetrag", "919,00 €"], instalment).due.value is None
    own = ["Der Betrag von 919,00 € ist fällig am 03.09.2026."]
    assert _found(["Rechnung 4711"], ["Rechnungsbetrag", "919,00 €"], own).due.value == date(2026, 9, 3)


def test_an_iban_over_two_lines_is_read() -> None:
    first, rest = _IBAN[:14], _IBAN[15:]
    found = _found(["Invoice 4711"], [f"IBAN: {first}"], [rest], ["BIC: COBADEFFXXX"])
    assert found.iban.value == _IBAN.replace(" ", "")
    assert [evidence.words for evidence in found.iban.places] == [first, rest]
    assert _found(["Invoice 4711"], [f"IBAN: {first}"], [rest], [f"IBAN: {_OTHER_IBAN}"]).iban.value is None


def test_the_year_of_an_account_is_no_number() -> None:
    assert _found(["Betriebskostenabrechnung 2025"]).number.value is None
    assert _found(["Rechnung Nr. 2025"]).number.value == "2025"


def test_a_number_of_a_magazine_is_not_sure() -> None:
    assert _found(["24 images"], ["Numéro 189, décembre 2018"]).number.value is None


def test_a_word_in_small_letters_is_no_title() -> None:
    found = _found(["Acompte 30 % à la", "953,05 €"], ["commande"])
    assert found.kind.value is None


def test_the_holder_of_an_account_gets_its_statement() -> None:
    head = [
        ["Northgate Bank plc"],
        [""],
        [""],
        ["Statement"],
        [""],
        [""],
        ["Emily Watson"],
        ["5 Mill Lane"],
        ["Leeds LS1 4AP"],
        [""],
        ["Account name", "Emily Watson"],
        ["Closing balance", "£1,509.64"],
    ]
    found = _found(*head)
    assert (found.sender.value, found.recipient.value) == ("Northgate Bank plc", "Emily Watson")


def test_a_company_that_a_person_writes_to_is_not_surely_the_sender() -> None:
    person = [["Peter Mansfeld"], ["Amselweg 7"], ["20099 Hamburg"]]
    company = [["Kranich Druck AG"], ["Lange Reihe 112"], ["04109 Leipzig"]]
    text = [[""]] * 40 + [["Sehr geehrte Damen und Herren,"], ["Mit freundlichen Grüßen"]]
    found = _found(*person, *company, *text)
    assert found.sender.value != "Kranich Druck AG"


def test_the_code_of_a_currency_may_stand_in_the_label() -> None:
    assert _found(["Invoice 4711"], ["TOTAL GBP", "119.00"]).currency.value == "GBP"
    assert _found(["Invoice 4711"], ["Total EUR", "119.00"], ["Total USD", "128.92"]).currency.value is None


def test_a_receipt_names_its_change() -> None:
    rows = [["Vollmilch", "1,29"], ["SUMME EUR", "1,29"], ["Geg. BAR EUR", "2,00"], ["Rückgeld BAR EUR", "0,71"]]
    rates = [["Steuer %", "Netto", "Steuer", "Brutto"], ["A 19,0%", "1,08", "0,21", "1,29"]]
    found = _found(["Bäckerei Lindner e.K."], *rows, *rates, ["12.03.2026 14:32 Bon-Nr.: 4711"])
    assert (found.kind.value, found.total.value, found.currency.value) == ("receipt", Decimal("1.29"), "EUR")
    assert found.date.value == date(2026, 3, 12)
    assert _found(["Change", "of plans"]).kind.value is None


@pytest.mark.parametrize(
    "rows",
    [
        [["Lohnabrechnung"], ["Brutto", "3.000,00 EUR"], ["Netto", "2.400,00 EUR"]],
        [["Gehaltsabrechnung"], ["Brutto", "3.000,00 EUR"], ["Steuer", "400,00 EUR"], ["Netto", "2.600,00 EUR"]],
        [["Nómina"], ["Total devengado", "3.000,00 €"], ["Total", "3.000,00 €"]],
    ],
)
def test_the_gross_of_a_payslip_is_no_total(rows: list[list[str]]) -> None:
    found = _found(*rows)
    assert [one.value for one in (found.net, found.tax, found.total)] == [None] * 3


def test_a_payslip_comes_to_its_net_pay_and_not_to_its_gross() -> None:
    found = _found(["Payslip"], ["Gross pay", "3,000.00"], ["Total", "3,000.00"], ["Net pay", "£2,400.00"])
    assert [one.value for one in (found.net, found.tax, found.total)] == [None, None, Decimal("2400.00")]


def test_an_invoice_for_payslips_has_its_total() -> None:
    assert _found(["Rechnung 4711"], ["Lohnabrechnung", "12,00 EUR"], *_SUMS).total.value == Decimal("119.00")


@pytest.mark.parametrize("label", ["Customer IBAN:", "Kunde IBAN:", "Client IBAN"])
def test_the_iban_of_a_customer_is_not_sure(label: str) -> None:
    assert _found(["Invoice 4711"], [f"{label} {_IBAN}"]).iban.value is None
