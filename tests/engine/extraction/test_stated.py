"""What documents state in rows of names and values, as prints of electronic invoices do, and what such rows are not."""

from __future__ import annotations

from datetime import date

import pytest

from paperchute.engine.extraction.finder import findings
from tests.engine.extraction.pages import page

_SELLER = [["Verkäufer:"], ["Nummer", ": 549910"], ["GLN 4000001123452"], ["Lieferant GmbH"], ["Hof 20"], ["80333 Ulm"]]
_BUYER = [["Käufer/Leistungsempfänger:"], ["Kunden-Nr. : 4711"], ["Kunden AG Mitte"], ["Weg 15"], ["69876 Bad Ems"]]
_SUMS = [["Summe netto:", "100,00"], ["Gesamtbetrag:", "119,00"]]


def _invoice(*rows: list[str], title: str = "Handelsrechnung Nr. 471102 vom 05.03.2026") -> list[list[str]]:
    return [[title], [""], *rows, [""], *_SELLER, [""], *_BUYER, [""], *_SUMS]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Handelsrechnung Nr. 471102 vom 05.03.2026", "invoice"),
        ("Beitragsrechnung Nr. 471102 vom 05.03.2026", "invoice"),
        ("Rechnung des Versicherers (575) Nr. 471102 vom 05.03.2026", "invoice"),
        ("Wertgutschrift Nr. 471102 vom 05.03.2026", "credit_note"),
        ("Betriebskostenabrechnung Nr. 471102 vom 05.03.2026", "statement"),
    ],
)
def test_a_title_tells_kind_number_and_date(title: str, kind: str) -> None:
    found = findings([page(_invoice(["Bestellung", ": 2018-471331"], title=title))])
    assert (found.kind.value, found.number.value, found.date.value) == (kind, "471102", date(2026, 3, 5))


@pytest.mark.parametrize("title", ["Berechnung 17", "Umrechnung 17", "Kostenrechnung 17", "Zinsberechnung 17"])
def test_a_calculation_is_no_invoice(title: str) -> None:
    assert findings([page([[title], [""], *_SUMS])]).kind.value is None


def test_numbers_between_a_party_and_its_name_are_passed_over() -> None:
    found = findings([page(_invoice())])
    assert (found.sender.value, found.recipient.value) == ("Lieferant GmbH", "Kunden AG Mitte")


def test_a_name_stands_in_its_cell_though_it_takes_two_lines() -> None:
    rows = [
        ["Rechnung 17"],
        [""],
        ["Verkäufer"],
        ["Nummer:", "549910"],
        ["", "Erste Musterhafter"],
        ["Name:", "Versicherungsverein a.G."],
        ["Anschrift:", "Hof 20"],
        ["", "80333 Ulm"],
        [""],
        *_BUYER,
    ]
    assert findings([page(rows)]).sender.value == "Erste Musterhafter Versicherungsverein a.G."


def test_what_follows_a_customer_number_is_no_customer() -> None:
    rows = [
        ["Customer: 2"],
        ["Your order AB321"],
        ["Invoice # RE-17 issued at 2026-06-10"],
        [""],
        ["Amount", "Product"],
    ]
    assert findings([page(rows)]).recipient.value is None


def test_the_day_of_another_document_is_not_its_own() -> None:
    found = findings([page(_invoice(["Lieferschein-Datum : 01.02.2026"]))])
    assert found.date.value == date(2026, 3, 5)


def test_a_number_of_millions_that_begins_like_a_currency_is_a_number() -> None:
    found = findings([page(_invoice(title="Handelsrechnung Nr. KR87654321012 vom 06.10.2026"))])
    assert found.number.value == "KR87654321012"


def test_a_stated_currency_stands_above_what_looks_like_one() -> None:
    found = findings([page(_invoice(["Rechnungswährung", ": EUR"], ["Grenzwert CHF 10,00"]))])
    assert found.currency.value == "EUR"


@pytest.mark.parametrize(
    ("terms", "due"),
    [
        ([["Zahlbar innerhalb 30 Tagen netto bis 04.04.2026, 3% Skonto innerhalb 10 Tagen bis 15.03.2026"]], 4),
        ([["Zahlbar bis 15.03.2026 mit 3 % Skonto,"], ["bis 04.04.2026 ohne Abzug"]], 4),
        ([["Zahlbar bis 04.04.2026, 3%"], ["Skonto bis 15.03.2026"]], 4),
        ([["Zahlbar bis 15.03.2026 mit 3 % Skonto"]], None),
        ([["Zahlbar bis 15.03.2026 mit 3 % Skonto,"], ["geliefert wird am 04.12.2026"]], None),
        ([["Fällig: 04.04.2026", "2 % Skonto bis 15.03.2026"]], 4),
        ([["Zahlbar bis 04.04.2026"], ["19 % USt sind enthalten, gebucht am 09.09.2026"]], 4),
        ([["Bitte überweisen Sie bis zum 04.04.2026:"]], 4),
    ],
)
def test_a_discounts_day_is_not_the_day_to_pay(terms: list[list[str]], due: int | None) -> None:
    found = findings([page(_invoice(*terms))])
    assert found.due.value == (due and date(2026, 4, due))


def test_an_address_on_the_right_is_the_recipients_in_france() -> None:
    head = ["Moulin SARL - 12 chemin du Lac - 84340 Malaucène"]
    block = [["", "", text] for text in ("Hôtel du Lac", "42 rue du stade", "97400 Saint Denis")]
    rows = [
        head,
        *[[""]] * 4,
        ["Facture FA-17"],
        *block,
        [""],
        ["Date de facture", "05/11/2026"],
        ["Votre commande du", "01/11/2026"],
    ]
    found = findings([page(rows)])
    assert (found.sender.value, found.recipient.value) == ("Moulin SARL", "Hôtel du Lac")


def test_letters_set_wide_are_a_word() -> None:
    found = findings(
        [page([["W A R E N R E C H N U N G"], ["Beleg-Nr", ": R4711"], ["Lieferschein-Nr", ": L17"], *_SUMS])]
    )
    assert (found.kind.value, found.number.value) == ("invoice", "R4711")


def test_the_number_of_another_document_is_not_taken_for_its_own() -> None:
    found = findings([page([["Beleg-Nr", ": R4711"], ["Lieferschein-Nr", ": L17"], *_SUMS])])
    assert (found.kind.value, found.number.value) == (None, None)
    assert {candidate.value for candidate in found.number.candidates} == {"R4711", "L17"}
