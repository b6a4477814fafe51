"""What papers of offices say: payslips, insurers' letters, contracts, statements, receipts, labels of two."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from paperchute.engine.extraction.days import Order, days_in, order
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from paperchute.engine.extraction.printed import Piece, sheet_of
from tests.engine.extraction.pages import page

_TODAY = date(2026, 11, 29)
_LETTER = [["Sehr geehrte Damen und Herren,"], ["anbei erhalten Sie die Unterlagen."], ["Mit freundlichen Grüßen"]]
_ADDRESS = [["Erika Muster"], ["Amselweg 7"], ["20099 Hamburg"]]


def _found(*rows: list[str]) -> Findings:
    return findings([page(rows)])


def _strip(*rows: list[str]) -> Findings:
    """A page as narrow as a receipt."""
    made = page([["  ".join(row)] for row in rows])
    return findings([replace(made, width=230.0, height=600.0)])


@pytest.mark.parametrize(
    "label",
    ["Nummer/Datum", "Nummer/Datum:", "Rechnungsnr./Datum", "Rechnung/Datum", "Invoice No./Date", "Numéro/Date"],
)
@pytest.mark.parametrize("value", ["95896800/23.01.2025", "R-4711 / 23.01.2025"])
def test_a_label_of_two_gives_the_number_and_the_day(label: str, value: str) -> None:
    found = _found(["Rechnung"], [label, value])
    assert (found.number.value, found.date.value) == (value.split("/")[0].strip(), date(2025, 1, 23))


@pytest.mark.parametrize(
    "label", ["Bestellnummer/Datum", "Lieferschein-Nr./Datum", "Kundennummer/Datum", "Seite/Datum"]
)
def test_the_number_and_day_of_something_else_are_not_the_documents(label: str) -> None:
    found = _found(["Rechnung"], [label, "95896800/23.01.2025"])
    assert (found.number.value, found.date.value) == (None, None)


def _days(*texts: str) -> list[date | None]:
    sheet = sheet_of(page([[text] for text in texts]))
    days = [day for row in sheet.rows for day in days_in(row.whole)]
    return [day.value(order(days, "", (), _TODAY)) for day in days]


def test_other_dates_of_the_document_tell_where_a_short_year_stands() -> None:
    assert _days("17-10-25", "02.09.2025") == [date(2025, 10, 17), date(2025, 9, 2)]
    assert _days("19-04-25", "02-05-25") == [date(2025, 4, 19), None]  # which of 2 and 5 is the month?
    assert _days("19-04-25", "23-05-25") == [date(2025, 4, 19), date(2025, 5, 23)]
    assert _days("26-03-12", "26-04-28") == [date(2026, 3, 12), date(2026, 4, 28)]
    assert _days("17-10-25") == [None]
    assert _days("17-10-25", "01.01.2002") == [None, date(2002, 1, 1)]


def _only(text: str, language: str, today: date = _TODAY) -> date | None:
    (piece,) = (piece for row in sheet_of(page([[text]])).rows for piece in row.pieces)
    (day,) = days_in(piece)
    return day.value(order([day], language, (), today))


def test_a_countrys_own_way_of_short_dates_tells_but_for_a_year_that_may_stand_first() -> None:
    assert _only("27-04-25", "nl") == date(2025, 4, 27)  # 2027 is to come
    assert _only("27-04-25", "nl", date(2028, 1, 1)) is None
    assert _only("17-10-25", "nl") == date(2025, 10, 17)
    assert _only("29/07/26", "fr") == date(2026, 7, 29)
    assert _only("26-03-12", "nl") is None
    assert _only("27-04-25", "de") is None


def test_the_person_in_the_address_is_no_greeting() -> None:
    address = [["Monsieur Lucas Perrin"], ["12 rue des Lilas"], ["35000 Rennes"]]
    found = _found(*address, ["Toulouse, le 18 septembre 2026"], ["Madame, Monsieur,"], ["Cordialement,"])
    assert found.date.value == date(2026, 9, 18)


def test_a_greeting_is_no_customer() -> None:
    found = _found(["Invoice 4711"], ["Customer:", "80106"], ["Dear Mr Hargreaves"])
    assert found.recipient.value is None


_PAYSLIPS = [
    ("Verdienstabrechnung", ["Zahltag", "30.08.2025"], "Gesamtbrutto", "Auszahlungsbetrag"),
    ("Payslip", ["Pay date", "30 August 2025"], "Gross pay", "Net pay"),
    ("Bulletin de paie", ["Payé le", "30 août 2025"], "Salaire brut", "Net à payer"),
    ("Nómina", ["Fecha de pago", "30 de agosto de 2025"], "Total devengado", "Líquido a percibir"),
    ("Busta paga", ["Data di pagamento", "30 agosto 2025"], "Retribuzione lorda", "Netto in busta"),
    ("Loonstrook", ["Betaaldatum", "30 augustus 2025"], "Brutoloon", "Netto loon"),
]


@pytest.mark.parametrize(("title", "paid", "gross", "net"), _PAYSLIPS)
def test_a_payslip_is_one_and_comes_to_what_it_pays_out(title: str, paid: list[str], gross: str, net: str) -> None:
    found = _found([title], paid, [gross, "4.275,80"], [net, "3.609,22"])
    assert (found.kind.value, found.date.value) == ("payslip", date(2025, 8, 30))
    assert found.total.value == Decimal("3609.22")
    assert (found.net.value, found.tax.value) == (None, None)


@pytest.mark.parametrize("behind", [["25.200,00"], ["pro Monat"], ["S"]])
def test_what_has_more_beside_it_is_not_surely_paid_out(behind: list[str]) -> None:
    found = _found(["Verdienstabrechnung"], ["Auszahlungsbetrag", "2.100,00", *behind])
    assert found.total.value is None
    assert Decimal("2100.00") in {one.value for one in found.total.candidates}


def test_a_statement_comes_to_its_last_balance() -> None:
    rows = [["Alter Kontostand", "1.470,50"], ["Miete", "-650,00"], ["Neuer Kontostand", "820,50 EUR"]]
    assert _found(["Kontoauszug"], *rows).total.value == Decimal("820.50")
    assert _found(["Kontoauszug"], *rows, ["Neuer Kontostand", "20,50 EUR"]).total.value is None
    french = [["Solde au 31.03.2026", "1 857,63 €"]]
    assert _found(["Relevé de compte"], *french).total.value == Decimal("1857.63")


def test_an_insurers_letter_with_a_policy_is_no_mere_letter() -> None:
    head = [["Rheinische Versicherung AG"], *_ADDRESS, ["Versicherungsnummer:", "HR7738201"]]
    assert _found(*head, *_LETTER).kind.value == "insurance"
    assert _found(["Versicherungsschein"], *_ADDRESS).kind.value == "insurance"
    assert _found(["Autohaus Zöllner GmbH"], *head[1:], *_LETTER).kind.value == "letter"
    assert _found(*head[:-1], *_LETTER).kind.value == "letter"


_CONTRACT = [
    *(["Wartungsvertrag"], ["zwischen"], ["Malerbetrieb Krause, Mühlweg 7, 50667 Köln"], ["und"]),
    *(["Erika Muster, Amselweg 7, 20099 Hamburg"], ["§ 1 Gegenstand des Vertrages"], [""], [""]),
]


def test_a_contract_has_the_day_on_which_it_is_signed() -> None:
    text = [["Die Parteien vereinbaren folgendes."]] * 40
    for line in ("Köln, den 12.03.2026", "Ort, Datum: Köln, 12.03.2026"):
        assert _found(*_CONTRACT, *text, [line]).date.value == date(2026, 3, 12)
    both = [["Köln, den 12.03.2026"], ["Hamburg, den 14.03.2026"]]
    assert _found(*_CONTRACT, *text, *both).date.value is None
    assert _found(*_CONTRACT, *text, ["Der Vertrag beginnt am 12.03.2026"]).date.value is None


def test_the_party_of_a_contract_whose_letterhead_it_has_is_the_sender() -> None:
    head = [["Malerbetrieb Krause"], ["Mühlweg 7"], ["50667 Köln"], [""], [""]]
    assert _found(*head, *_CONTRACT).sender.value == "Malerbetrieb Krause"
    found = _found(*_CONTRACT)
    assert found.sender.value is None
    assert {"Malerbetrieb Krause", "Erika Muster"} <= {one.value for one in found.sender.candidates}


def test_a_strip_that_says_how_its_total_was_paid_is_a_receipt() -> None:
    rows = [["Baumarkt Hölzl GmbH"], ["24103 Kiel"], ["Brezel", "24,03"], ["Summe EUR", "24,03"], ["Girocard", "24,03"]]
    assert _strip(*rows, ["24.11.2025 13:22"]).kind.value == "receipt"
    assert _found(*rows).kind.value is None
    assert _strip(*rows[:-1], ["Girocard", "10,00"]).kind.value is None


def test_the_till_behind_a_receipts_date_says_nothing_of_it() -> None:
    assert _found(["Receipt"], ["21 May 2025 19:49 Till 2"]).date.value == date(2025, 5, 21)
    assert _found(["Receipt"], ["Your order 21 May 2025"]).date.value is None


def test_an_order_of_nothing_reads_no_date() -> None:
    (piece,) = (piece for row in sheet_of(page([["03/04/2026"]])).rows for piece in row.pieces)
    assert isinstance(piece, Piece)
    assert next(days_in(piece)).value(Order()) is None


@pytest.mark.parametrize("line", ["9 High Street – Springfield, IL 62704", "Corso Italia, 104 – 20121 Milano"])
def test_the_street_below_a_letterhead_is_no_sender(line: str) -> None:
    address = [["Ms Olivia Bennett"], ["14 Station Road"], ["Leeds LS1 4DY"]]
    found = _found(["Whitfield & Crane LLP"], [line], [""], [""], *address, ["Invoice 4711"])
    assert found.sender.value == "Whitfield & Crane LLP"


_SALE = [["SAM SDN BHD"], ["81100 JOHOR"], ["Milk", "33.92"]]


def test_the_one_day_of_a_strip_is_its_date_wherever_it_stands() -> None:
    foot = [["thank you for the goods and come again"]] * 20
    assert _strip(*_SALE, *foot, ["25/12/2018 1:22:56PM"]).date.value == date(2018, 12, 25)
    assert _strip(*_SALE, *foot, ["25/12/2018 1:22PM"], ["26/12/2018 return"]).date.value is None
    assert _strip(*_SALE, *foot, ["Valid until 25/12/2018"]).date.value is None


def test_a_strip_on_a_glass_plate_is_one_by_its_words() -> None:
    def day(foot: list[list[str]]) -> date | None:
        return _found(*_SALE[:2], ["Milk 33.92"], *foot, ["25/12/2018 1:22:56PM"]).date.value

    assert day([["thank you for the goods and come again"]] * 40) == date(2018, 12, 25)
    assert day([["thank you for the goods and come again to our shop in the middle of the old town"]] * 40) is None


def test_a_malaysian_shop_writes_the_day_first() -> None:
    words = [["thank you for the goods and for your visit to our shop with your receipt"]]
    assert _strip(*_SALE, *words, ["05/03/2018 12:10"]).date.value == date(2018, 3, 5)
    assert _strip(["SAM LTD"], *words, ["05/03/2018 12:10"]).date.value is None


def test_cash_and_change_tell_which_total_is_meant() -> None:
    sums = [["TOTAL", "33.92"], ["TOTAL ROUNDED", "33.90"]]
    paid = [["CASH", "50.00"], ["CHANGE", "16.10"]]
    assert _strip(*_SALE, *sums).total.value is None
    assert _strip(*_SALE, *sums, *paid).total.value == Decimal("33.90")
    assert _strip(*_SALE, *sums, ["CASH", "50.00"], ["CHANGE", "15.10"]).total.value is None
    rounded = _strip(*_SALE, sums[0], *paid).total
    assert (rounded.value, {one.value for one in rounded.candidates}) == (None, {Decimal("33.92"), Decimal("33.90")})


@pytest.mark.parametrize("by", ["0.02", ".02"])
def test_a_total_that_was_rounded_to_coins_is_the_rounded_one(by: str) -> None:
    sums = [["TOTAL SALES", "33.92"], ["ROUNDING ADJ", by]]
    assert _strip(*_SALE, *sums, ["ROUNDING RM", "33.90"]).total.value == Decimal("33.90")
    assert _strip(*_SALE, *sums).total.value is None
    assert _strip(*_SALE, *sums, ["CASH", "33.90"]).total.value is None  # what the books have, nobody says
    assert _strip(*_SALE, ["TOTAL SALES", "33.92"], ["DISCOUNT", "5.00"], ["PAID", "33.90"]).total.value != Decimal(
        "33.90"
    )


def test_the_total_of_one_rate_is_not_that_of_all() -> None:
    rows = [["TOTAL EXCL GST", "28.32"], ["GST", "1.69"], ["TOTAL INCL GST", "30.01"], ["TOTAL", "-7.43"]]
    assert _strip(*_SALE[:2], *rows).total.value == Decimal("30.01")
    assert _strip(*_SALE[:2], *rows, ["TOTAL PAYABLE", "22.58"]).total.value is None


@pytest.mark.parametrize("title", ["Vertrag", "Rechnung", "Bestätigung"])
def test_what_an_insurer_sends_about_a_policy_is_not_surely_what_its_title_says(title: str) -> None:
    head = [["Nordstern Versicherung AG"], ["Am Markt 4"], ["20095 Hamburg"], [""]]
    kind = _found(*head, [title], ["Versicherungsnummer:", "VS-4711-22"], *_LETTER).kind
    wanted = {"Vertrag": "contract", "Rechnung": "invoice"}.get(title)
    if wanted is None:
        assert kind.value == "insurance"
    else:
        assert (kind.value, {one.value for one in kind.candidates}) == (None, {wanted, "insurance"})
