"""What document-extract finds without being told: values with their evidence, and what it leaves open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.engine import report
from tests.engine.reading.printing import printed
from tests.engine.writing.sample import outputs

_CSS = "td,th{padding:3pt 6pt} .n{text-align:right}"


def found(folder: Path, html: str, schema: Any = None, **parameters: Any) -> dict[str, Any]:
    path = printed(folder / "invoice.pdf", html, _CSS)
    asked = json.dumps(schema or {})
    (result,) = outputs("document-extract", path, folder / "out", extractFields=asked, **parameters)
    told: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return told if schema else told["Document"]


def invoice(number: str = "RE-2026-0815", net: str = "1.200,00", tax: str = "228,00", total: str = "1.428,00") -> str:
    return f"""
    <p style='font-size:16pt'>Holzwerk Brandt GmbH</p><p>Am Markt 4<br>50667 Köln<br>Tel. 0221 445566</p>
    <div style='height:50pt'></div>
    <p style='font-size:7pt;margin:0'>Holzwerk Brandt GmbH · Am Markt 4 · 50667 Köln</p>
    <p style='margin:0'>Erika Mustermann<br>Lindenweg 27a<br>10115 Berlin</p>
    <h1>Rechnung</h1>
    <table><tr><td>Rechnungsnummer:</td><td>{number}</td></tr><tr><td>Kundennummer:</td><td>4711</td></tr>
    <tr><td>Rechnungsdatum:</td><td>3. März 2026</td></tr><tr><td>Zahlbar bis:</td><td>17.03.2026</td></tr></table>
    <table><tr><th>Bezeichnung</th><th>Menge</th><th>Einzelpreis</th><th>Gesamtpreis</th></tr>
    <tr><td>Esstisch Eiche, 180 cm</td><td class=n>1</td><td class=n>900,00 €</td><td class=n>900,00 €</td></tr>
    <tr><td>Stuhl</td><td class=n>3</td><td class=n>100,00 €</td><td class=n>300,00 €</td></tr></table>
    <table align=right><tr><td>Summe netto</td><td class=n>{net} €</td></tr>
    <tr><td>zzgl. 19 % MwSt.</td><td class=n>{tax} €</td></tr>
    <tr><td>Gesamtbetrag</td><td class=n>{total} €</td></tr></table>
    <p style='clear:both'>IBAN: DE89 3704 0044 0532 0130 00, Kontoinhaber: Holzwerk Brandt GmbH</p>"""


def values(told: dict[str, Any]) -> dict[str, Any]:
    return {
        name: one["value"]
        for name, one in told.items()
        if isinstance(one, dict) and name not in ("items", "identifiers")
    }


def test_an_invoice_tells_all_of_itself(tmp_path: Path) -> None:
    told = found(tmp_path, invoice())
    assert values(told) == {
        "kind": "invoice", "date": "2026-03-03", "number": "RE-2026-0815", "sender": "Holzwerk Brandt GmbH",
        "recipient": "Erika Mustermann", "currency": "EUR", "net": "1200.00", "tax": "228.00", "tax_rate": "19",
        "total": "1428.00", "iban": "DE89370400440532013000", "due": "2026-03-17",
    }  # fmt: skip
    lines = [[item[name] for name in ("description", "quantity", "price", "amount")] for item in told["items"]["value"]]
    assert lines == [["Esstisch Eiche, 180 cm", "1", "900.00", "900.00"], ["Stuhl", "3", "100.00", "300.00"]]
    assert told["language"] == "de"


def test_every_value_comes_with_its_words_page_and_box(tmp_path: Path) -> None:
    told = found(tmp_path, invoice())
    assert told["total"]["evidence"][0]["words"] == "1.428,00 €"
    assert told["date"]["evidence"][0]["words"] == "3. März 2026"
    for name, one in told.items():
        if name in ("language", "eInvoice"):
            continue
        assert 0 < one["confidence"] <= 1
        for place in one["evidence"]:
            assert place["page"] == 1
            (box,) = place["bboxes"]
            assert len(box) == 8
            assert 0 <= box[0] < box[2] <= 1191
    upper, lower = told["number"]["evidence"][0], told["total"]["evidence"][0]
    assert upper["bboxes"][0][5] < lower["bboxes"][0][1]


def test_amounts_that_contradict_each_other_are_not_told(tmp_path: Path) -> None:
    with report.collected() as kept:
        told = found(tmp_path, invoice(total="1.482,00"))
    assert [told[name]["value"] for name in ("net", "tax", "total")] == [None, None, None]
    assert [one["value"] for one in told["total"]["candidates"]] == ["1482.00"]
    assert told["total"]["reason"] == "net and tax do not add up to the total"
    assert any("total" in warning for warning in kept)


def test_a_named_field_is_printed_from_what_is_found_and_never_guessed(tmp_path: Path) -> None:
    schema = {"keys": ["Invoice number", "Gesamtbetrag", "Empfänger", "Kundennummer"]}
    told = found(tmp_path, invoice(), schema)["Page-1"]
    assert told == {
        "Invoice number": "RE-2026-0815", "Gesamtbetrag": "1.428,00 €", "Empfänger": "Erika Mustermann",
        "Kundennummer": "4711",
    }  # fmt: skip
    (tmp_path / "wrong").mkdir()
    told = found(tmp_path / "wrong", invoice(total="1.482,00"), schema, mode="layout")["Page-1"]
    assert told["Gesamtbetrag"] == ""
    assert told["Invoice number"]["value"] == "RE-2026-0815"


@pytest.mark.parametrize(
    ("more", "value"),
    [("", None), ("<p>Delivered on 25/02/2026</p>", "2026-04-03"), ("<p>Order of 02/25/2026</p>", "2026-03-04")],
)
def test_day_and_month_are_told_only_where_the_document_proves_their_order(
    tmp_path: Path, more: str, value: str | None
) -> None:
    told = found(tmp_path, f"<h1>Invoice</h1><p>Invoice date: 03/04/2026</p>{more}<p>Total: USD 12.00</p>")
    assert told["date"]["value"] == value
    if value is None:
        assert {one["value"] for one in told["date"]["candidates"]} == {"2026-04-03", "2026-03-04"}


def test_a_wrong_checksum_is_not_told(tmp_path: Path) -> None:
    told = found(tmp_path, "<h1>Rechnung</h1><p>IBAN: DE88 3704 0044 0532 0130 00</p><p>Gesamtbetrag: 5,00 €</p>")
    assert told["iban"]["value"] is None
    assert told["iban"]["reason"] == "its checksum is wrong"


def test_evidence_goes_with_grounding(tmp_path: Path) -> None:
    told = found(tmp_path, invoice(), mode="layout", enableGrounding=False)
    assert set(told["total"]) == {"value", "confidence"}


def test_a_company_that_is_written_to_is_not_the_sender(tmp_path: Path) -> None:
    told = found(
        tmp_path,
        "<div style='height:70pt'></div><p>Versicherung AG<br>Postfach 1234<br>20095 Hamburg</p><p>2. Juni 2026</p>"
        "<p>Sehr geehrte Damen und Herren,</p><p>Ihre Rechnung vom 3. Mai 2026 über 120,00 EUR habe ich bezahlt.</p>"
        "<p>Mit freundlichen Grüßen</p><p>Anna Beispiel</p>",
    )
    assert told["kind"]["value"] == "letter"
    assert told["date"]["value"] == "2026-06-02"
    assert told["sender"]["value"] is None
    assert told["total"]["value"] is None
    assert told["number"]["value"] is None


def test_a_report_is_from_nobody(tmp_path: Path) -> None:
    told = found(tmp_path, "<h1>Annual report of the harbours</h1><p>The quays were rebuilt in 2024 and 2025.</p>")
    assert {name for name, value in values(told).items() if value is not None} == set()


def test_what_proves_the_parties_is_listed(tmp_path: Path) -> None:
    foot = "<p>USt-IdNr. DE 136695976 · DE136695977 · Post@Brandt.example, max@mail.example.</p>"
    told = found(tmp_path, invoice() + foot)
    assert [tuple(one.values()) for one in told["identifiers"]["value"]] == [
        ("vat", "DE136695976"),
        ("iban", "DE89370400440532013000"),
        ("domain", "brandt.example"),
        ("domain", "mail.example"),
    ]
