"""An invoice that comes as data alone, CII or UBL, is told as its data say; and whatever else comes as XML is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.extraction.stated import read_data
from paperchute.engine.operations import implementation
from tests.engine.e_invoice.samples import CII, SOUND
from tests.engine.extraction.invoice_files import PAGE, data, invoice
from tests.engine.operations.papers import work
from tests.engine.writing.sample import outputs

VALUES = {
    "kind": "invoice", "number": "4711", "date": "2026-03-12", "due": "2026-04-11", "sender": "Acme Tools Ltd",
    "recipient": "Globex Ltd", "currency": "EUR", "net": "155.00", "tax": "22.85", "tax_rate": None, "total": "177.85",
    "iban": "DE89370400440532013000",
}  # fmt: skip
LINES = [("Drill", "2", "50.00", "19.00", "100.00"), ("Handbook", "3", "20.00", "7.00", "60.00")]


def _read(folder: Path, xml: str | bytes, name: str = "in.xml", **parameters: Any) -> tuple[Any, list[str]]:
    path = folder / name
    path.write_bytes(xml if isinstance(xml, bytes) else xml.encode())
    asked = {"extractFields": "{}", **parameters}
    order = work("document-extract", folder, path, **asked)
    with report.collected() as warnings:
        (result,) = implementation("document-extract").run(order)
    return json.loads(result.read_text("utf-8")), list(warnings)


@pytest.mark.parametrize("syntax", SOUND)
def test_the_data_are_told_exactly(syntax: str, tmp_path: Path) -> None:
    told, _warnings = _read(tmp_path, SOUND[syntax])
    found = told["Document"]
    assert {field: found[field]["value"] for field in VALUES} == VALUES
    names = ("description", "quantity", "price", "rate", "amount")
    lines = [tuple(item[name] for name in names) for item in found["items"]["value"]]
    assert [(*one[:1], *one[2:3], *one[4:]) for one in lines] == [(*one[:1], *one[2:3], *one[4:]) for one in LINES]
    assert found["total"]["evidence"] == [{"attachment": "in.xml", "words": "177.85"}]
    assert found["eInvoice"] == {"file": "in.xml", "syntax": syntax, "specification": "urn:cen.eu:en16931:2017"}
    assert {"kind": "iban", "value": VALUES["iban"]} in found["identifiers"]["value"]


@pytest.mark.parametrize("syntax", SOUND)
def test_what_stands_there_twice_with_two_values_is_not_sure(syntax: str, tmp_path: Path) -> None:
    """Two due dates: neither is taken."""
    one = '<udt:DateTimeString format="102">20260411</udt:DateTimeString>'
    xml = SOUND[syntax].replace(one, one + one.replace("0411", "0412"))
    xml = xml.replace("<cbc:DueDate>2026-04-11</cbc:DueDate>", "<cbc:DueDate>2026-04-11</cbc:DueDate>" * 2)
    xml = xml.replace("</cbc:DueDate><cbc:DueDate>2026-04-11", "</cbc:DueDate><cbc:DueDate>2026-04-12")
    told, warnings = _read(tmp_path, xml)
    assert told["Document"]["due"]["value"] is None
    assert {one["value"] for one in told["Document"]["due"]["candidates"]} == {"2026-04-11", "2026-04-12"}
    assert any("due" in one for one in warnings)


@pytest.mark.parametrize("syntax", SOUND)
def test_sums_that_do_not_add_up_are_not_sure(syntax: str, tmp_path: Path) -> None:
    told, _warnings = _read(tmp_path, SOUND[syntax].replace(">177.85<", ">187.85<"))
    assert [told["Document"][name]["value"] for name in ("net", "tax", "total")] == [None, None, None]


@pytest.mark.parametrize("syntax", SOUND)
def test_fields_by_name_come_from_the_data(syntax: str, tmp_path: Path) -> None:
    schema = json.dumps({"keys": ["Invoice number", "Gesamtbetrag", "Colour"], "tableHeaders": {"t": ["Item"]}})
    told, warnings = _read(tmp_path, SOUND[syntax], extractFields=schema)
    assert told == {"Page-1": {"Invoice number": "4711", "Gesamtbetrag": "177.85", "Colour": ""}}
    assert warnings == ["Tables are looked for on pages, of which in.xml has none."]
    told, _warnings = _read(tmp_path, SOUND[syntax], extractFields='{"keys": ["Total"]}', mode="layout")
    assert told == {"Page-1": {"Total": {"value": "177.85", "attachment": "in.xml"}}}


def test_what_is_asked_of_pages_is_told_to_have_no_effect(tmp_path: Path) -> None:
    _told, warnings = _read(tmp_path, CII, pageRanges="1", isOutputDocumentPerPage=1)
    assert [one for one in warnings if "has no effect" in one] == [
        "in.xml has no pages: pageRanges has no effect.",
        "in.xml has no pages: isOutputDocumentPerPage has no effect.",
    ]


@pytest.mark.parametrize(
    "xml",
    [
        "<order/>",
        "<Invoice><ID>1</ID></Invoice>",
        "<not xml",
        CII.replace("?>", '?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', 1).replace(">4711<", ">&a;<"),
        b"\x00" * 20,
    ],
)
def test_what_is_no_invoice_says_nothing_and_is_told(xml: str | bytes, tmp_path: Path) -> None:
    told, warnings = _read(tmp_path, xml)
    assert all(not one or one.get("value") is None for one in told["Document"].values())
    assert warnings == ["in.xml is no e-invoice that can be read, so nothing is told of it."]


def test_a_pdf_tells_that_an_invoice_lies_in_it(tmp_path: Path) -> None:
    (result,) = outputs("document-extract", invoice(tmp_path / "a.pdf", data()), tmp_path / "out", extractFields="{}")
    found = json.loads(result.read_text("utf-8"))["Document"]
    assert found["eInvoice"] == {"file": "factur-x.xml", "syntax": "CII", "specification": None}
    (result,) = outputs(
        "document-extract", invoice(tmp_path / "b.pdf", b"<no/>"), tmp_path / "other", extractFields="{}"
    )
    assert json.loads(result.read_text("utf-8"))["Document"]["eInvoice"] is None


def test_what_page_and_data_dispute_is_marked(tmp_path: Path) -> None:
    path = invoice(tmp_path / "a.pdf", data(date="2026-03-21"), PAGE)
    (result,) = outputs("document-extract", path, tmp_path / "out", extractFields="{}")
    found = json.loads(result.read_text("utf-8"))["Document"]
    assert found["date"]["disputed"] == {"page": "2026-03-12", "data": "2026-03-21"}
    assert "disputed" not in found["total"]


@given(st.sampled_from(sorted(SOUND)), st.integers(0, 8000), st.text(max_size=8))
def test_whatever_stands_in_the_data_is_read_without_a_fault(syntax: str, at: int, text: str) -> None:
    xml = SOUND[syntax]
    read_data((xml[:at] + text + xml[at:]).encode("utf-8", "surrogatepass"), "in.xml")
