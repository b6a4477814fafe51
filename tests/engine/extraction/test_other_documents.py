"""Documents that are no business documents, or lists of them: what they show is not told as if it were a letter's."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from tests.engine.extraction.pages import page


def _found(*rows: list[str], small: str = "") -> Findings:
    """What rows say; small: words that are set in smaller type."""
    made = page(rows)
    words = [replace(word, size=7.0) if word.text in small.split() else word for word in made.words]
    return findings([replace(made, words=tuple(words))])


_LIST = [["Customer", "Invoice no.", "Date", "Amount"]]
_LIST += [
    [name, number, "12 March 2026", "10.00"] for name, number in (("Globex Ltd", "4711"), ("Initech Ltd", "4712"))
]


def test_the_first_row_of_a_list_is_not_the_document() -> None:
    found = _found(["Open items"], [""], *_LIST)
    told = [found.number.value, found.date.value, found.sender.value, found.recipient.value]
    assert told == [None] * 4


def test_labels_over_one_row_of_values_are_read() -> None:
    labels, values = ["Invoice no.", "Customer no.", "Invoice date"], ["4711", "815", "12 March 2026"]
    found = _found(["Invoice"], labels, values, [""], ["Thank you very much"])
    assert (found.number.value, found.date.value) == ("4711", date(2026, 3, 12))


def test_addresses_side_by_side_are_no_list() -> None:
    found = _found(
        ["Acme Tools Ltd"],
        ["Invoice"],
        ["Bill to", "Ship to", "Invoice no."],
        ["Globex Ltd", "Initech Ltd", "4711"],
        ["1 High St", "2 High St", "Date"],
        ["London EC1A 1BB", "London EC1A 1BB", "12 March 2026"],
    )
    assert (found.recipient.value, found.number.value) == ("Globex Ltd", "4711")


def test_the_number_of_one_of_two_titles_is_not_told() -> None:
    found = _found(["Reminder"], ["Invoice 4711", "100.00 EUR"], ["Fee", "5.00 EUR"], ["Total", "105.00 EUR"])
    assert (found.kind.value, found.number.value) == (None, None)
    assert [one.value for one in found.number.candidates] == ["4711"]


def test_a_report_that_names_a_contract_is_none() -> None:
    found = _found(["Contract number: REM 01"], ["Final report"], ["The deviations are small in general."])
    assert (found.kind.value, found.number.value) == (None, None)


@pytest.mark.parametrize(
    "rows",
    [
        [["Boarding pass"], ["From:", "Berlin"], ["To:", "London"], ["Seat:", "12A"]],
        [["From: Berlin", "To: London"], ["Seat: 12A"]],
        [["Ticket"], ["Von: Leipzig Hbf"], ["An: Dresden Neustadt"]],
        [["Statement"], ["From:", "1 March 2026"], ["To:", "31 March 2026"], ["We wish you a good summer."]],
    ],
)
def test_places_and_periods_are_nobody(rows: list[list[str]]) -> None:
    found = _found(*rows)
    assert (found.sender.value, found.recipient.value) == (None, None)


def test_a_label_that_nobody_knows_is_no_name() -> None:
    rows = [
        ["Acme Tools Ltd"],
        ["Receipt"],
        *([[""]] * 6),
        ["Payable by"],
        ["Ann Miller"],
        ["1 High Street"],
        ["London EC1A 1BB"],
    ]
    assert _found(*rows, small="Payable by").recipient.value != "Payable by"


@pytest.mark.parametrize(
    "rows",
    [
        [["Ann Miller"], ["Acme Ltd"], ["Joined on 12 March 2019"]],
        [["Garden chairs"], ["Our prices are good until the summer"], ["until 31 March 2026"]],
        [["The garden"], ["Effective as at 9 April 2019"]],
        [["Born:", "12 March 1990"], ["Ann Miller"]],
        [["Invoice 4711"], ["Date: 1 March 2026 - 31 March 2026"]],
        [["20.04.22, 09:24", "Colours"], ["Some text"], ["https://example.org/colours", "1/1"]],
    ],
)
def test_a_day_of_something_else_is_not_the_documents(rows: list[list[str]]) -> None:
    found = _found(*rows)
    assert (found.date.value, found.sender.value) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "12 March 2026",
        "Leeds, 12 March 2026",
        "Frankfurt am Main, den 12. März 2026",
        "Berlin, Donnerstag, 12. März 2026",
        "Paris, le 12 mars 2026",
        "Fait à Paris le 12 mars 2026",
        "Madrid, a 12 de marzo de 2026",
        "vom 12.03.2026",
        "12.03.2026 14:32",
    ],
)
def test_the_day_of_a_letter_is_told_with_its_place(text: str) -> None:
    assert _found(["Acme Tools Ltd"], [text], ["Dear Ms Miller,"]).date.value == date(2026, 3, 12)


def test_a_due_day_is_not_the_first_of_a_period() -> None:
    assert _found(["Invoice 4711"], ["Due between 1 April 2026 and 5 April 2026"]).due.value is None


def test_a_head_of_a_table_has_no_due_day_in_another_cell() -> None:
    assert _found(["Towns"], [""], ["Due date", "Act of 20/01/2023", "31/12/2023"]).due.value is None
    assert _found(["Invoice 4711"], ["Due date", "on 20/01/2023"]).due.value == date(2023, 1, 20)


def test_a_bill_in_a_letter_is_not_surely_a_letter() -> None:
    letter = [["Dear Ms Miller,"], ["we have done this for you:"], ["Our no. 3139"]]
    sums = [["Document no. 3139"], ["Total", "CHF 949.75"]]
    assert _found(*letter, ["Yours sincerely,"]).kind.value == "letter"
    found = _found(*letter, *sums, ["Yours sincerely,"])
    assert (found.kind.value, found.number.value) == (None, "3139")


@pytest.mark.parametrize(
    "number", ["Invoice 1 of 2", "Rechnung 1 von 3", "Invoice no. 4711 / 12", "Invoice no. 320 , 260"]
)
def test_a_part_of_a_number_is_not_told(number: str) -> None:
    assert _found([number]).number.value is None
    assert _found(["Invoice no. 4711, 12 March 2026"]).number.value == "4711"


@pytest.mark.parametrize("name", ["— even doors", "We look forward to seeing you."])
def test_no_name_begins_with_a_dash_or_ends_as_a_sentence(name: str) -> None:
    rows = [["Invoice 4711"], ["Bill to:"], [name], ["1 High Street"], ["London EC1A 1BB"]]
    assert _found(*rows).recipient.value != name


def test_a_receipt_that_a_later_page_comes_to_speak_of_is_not_the_kind() -> None:
    first = page([["Expenses"], ["Travel", "10.00 USD"], ["Total", "10.00 USD"]])
    later = page([["Conference"], ["Receipt #: QCS-2024-1234"]], 2)
    found = findings([first, later])
    assert (found.kind.value, found.number.value) == (None, None)


def test_numbers_beside_names_are_no_lines_of_a_delivery() -> None:
    table = [["Name", "Number", "Town"], ["Delta Air", "79145", "Tulsa"], ["Sky West", "505981", "Tulsa"]]
    assert _found(["Active licences"], [""], *table).items.value is None
    delivery = [["Description", "Quantity"], ["Desk lamp", "2"], ["Oak table", "1"]]
    items = _found(["Delivery note"], [""], *delivery).items.value
    assert items is not None
    assert [item.quantity for item in items] == [Decimal(2), Decimal(1)]
