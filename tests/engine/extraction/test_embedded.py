"""An invoice that lies in a PDF as data is compared with what the page says: nothing that they dispute is sure."""

from __future__ import annotations

import zlib
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.extraction.embedded import NAMES, embedded
from paperchute.engine.extraction.stated import stated
from tests.engine.extraction.invoice_files import PAGE, VALUES, data, document, invoice
from tests.engine.pdf_parts import attach
from tests.engine.reading.sheets import Said


@pytest.mark.parametrize("name", [*sorted(NAMES), "ZUGFeRD-invoice.xml"])
def test_what_page_and_data_say_is_sure(name: str, tmp_path: Path) -> None:
    with report.collected() as warnings, report.noted() as notes:
        found = document(invoice(tmp_path / "a.pdf", data(), name=name), tmp_path / "out")
    assert {field: found[field]["value"] for field in VALUES} == VALUES
    assert all(found[field]["confidence"] >= 0.99 for field in VALUES)
    page, attachment = found["total"]["evidence"]
    assert (page["page"], page["words"]) == (1, "119.00 EUR")
    assert attachment == {"attachment": name, "words": "119.00"}
    assert (warnings, notes) == ([], [])


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("total", "191.00"),
        ("date", "2026-03-21"),
        ("due", "2026-04-01"),
        ("number", "4717"),
        ("iban", "GB29NWBK60161331926819"),
        ("sender", "Acme Fools Ltd"),
        ("recipient", "Initech GmbH"),
        ("currency", "USD"),
    ],
)
def test_what_they_dispute_is_told_and_not_sure(field: str, other: str, tmp_path: Path) -> None:
    sums = {"net": "160.50", "tax": "30.50"} if field == "total" else {}
    with report.collected() as warnings:
        found = document(invoice(tmp_path / "a.pdf", data(**sums, **{field: other})), tmp_path / "out")
    assert found[field]["value"] is None
    says = f"the page says {VALUES[field]}, the invoice's embedded data says {other}"
    assert found[field]["reason"] == says
    assert {candidate["value"] for candidate in found[field]["candidates"]} == {VALUES[field], other}
    assert f"{field}: the page says {VALUES[field]}, the invoice data in the file says {other}." in warnings


def test_amounts_of_which_one_is_disputed_are_all_open(tmp_path: Path) -> None:
    found = document(invoice(tmp_path / "a.pdf", data(tax="91.00", total="191.00")), tmp_path / "out")
    assert [found[name]["value"] for name in ("net", "tax", "total")] == [None, None, None]


def test_data_whose_sums_do_not_add_up_prove_nothing(tmp_path: Path) -> None:
    found = document(invoice(tmp_path / "a.pdf", data(total="191.00")), tmp_path / "out")
    assert found["total"]["value"] is None


def test_a_date_in_two_readings_is_told_by_the_data(tmp_path: Path) -> None:
    lines = [Said("Fecha: 03/04/2026", 60, 176) if "date:" in one.text else one for one in PAGE]
    found = document(invoice(tmp_path / "a.pdf", data(date="2026-04-03"), lines), tmp_path / "out")
    assert found["date"]["value"] == "2026-04-03"
    found = document(invoice(tmp_path / "b.pdf", data(date="2026-05-03"), lines), tmp_path / "other")
    assert found["date"]["value"] is None


def test_what_only_the_data_say_is_not_sure_where_each_page_shows_it(tmp_path: Path) -> None:
    lines = [one for one in PAGE if not one.text.startswith(("Net", "VAT", "Total"))] + [Said("Yht. 191.00", 60, 368)]
    found = document(invoice(tmp_path / "a.pdf", data(), lines), tmp_path / "out")
    assert (found["total"]["value"], found["total"]["candidates"][0]["value"]) == (None, "119.00")
    assert found["total"]["reason"] == "only the invoice's embedded data has it, and the page does not show it"


def test_a_name_of_two_lines_is_told_whole(tmp_path: Path) -> None:
    lines = [*PAGE, Said("Manufacturing and Trade", 60, 254)]
    lines = [one for one in lines if one.text != "2 Low Street"]
    found = document(
        invoice(tmp_path / "a.pdf", data(recipient="Globex Ltd Manufacturing and Trade"), lines), tmp_path / "out"
    )
    assert found["recipient"]["value"] == "Globex Ltd Manufacturing and Trade"


@pytest.mark.parametrize(("sign", "kind"), [("", "381"), ("-", "380")])
def test_a_credit_note_has_the_sign_of_its_page(sign: str, kind: str, tmp_path: Path) -> None:
    lines = [Said("Credit note", 60, 130, 18, "B") if one.text == "Invoice" else one for one in PAGE]
    sums = {name: sign + VALUES[name] for name in ("net", "tax", "total")}
    found = document(invoice(tmp_path / "a.pdf", data(type=kind, **sums), lines), tmp_path / "out")
    assert (found["kind"]["value"], found["total"]["value"]) == ("credit_note", "119.00")


def line(name: str, amount: str, quantity: str = "2", price: str = "50.00", status: str = "") -> str:
    """One line of the data; status: of which kind it says it is."""
    kind = f"<LineStatusReasonCode>{status}</LineStatusReasonCode>" if status else ""
    return f"""<IncludedSupplyChainTradeLineItem>
    <AssociatedDocumentLineDocument><LineID>1</LineID>{kind}</AssociatedDocumentLineDocument>
    <SpecifiedTradeProduct><Name>{name}</Name></SpecifiedTradeProduct>
    <SpecifiedLineTradeAgreement><NetPriceProductTradePrice><ChargeAmount>{price}</ChargeAmount>
    </NetPriceProductTradePrice></SpecifiedLineTradeAgreement>
    <SpecifiedLineTradeDelivery><BilledQuantity unitCode="H87">{quantity}</BilledQuantity></SpecifiedLineTradeDelivery>
    <SpecifiedLineTradeSettlement><SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>{amount}
    </LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement>
    </IncludedSupplyChainTradeLineItem>"""


@pytest.mark.parametrize("sums", [["GROUP"], ["INFORMATION"], ["GROUP", "INFORMATION"], []])
def test_lines_that_sum_or_inform_are_not_counted(sums: list[str], tmp_path: Path) -> None:
    """As the profile EXTENDED has them: a group's line has the sum of those below it, another one only informs."""
    lines = [line("Set", "100.00", status=status) for status in sums]
    lines += [line("Box", "60.00", "10", "6.00", status="DETAIL"), line("Lid", "40.00", "20", "2.00")]
    with report.collected() as warnings:
        found = document(invoice(tmp_path / "a.pdf", data(lines="".join(lines))), tmp_path / "out")
    assert [item["description"] for item in found["items"]["value"]] == ["Box", "Lid"]
    assert warnings == []


def test_lines_that_do_not_add_up_stay_unsure(tmp_path: Path) -> None:
    found = document(
        invoice(tmp_path / "a.pdf", data(lines=line("Set", "100.00", status="DETAIL") + line("Box", "60.00"))),
        tmp_path / "out",
    )
    assert found["items"]["value"] is None


def test_lines_of_the_data_are_told_where_the_page_has_none(tmp_path: Path) -> None:
    found = document(invoice(tmp_path / "a.pdf", data(lines=line("Drill", "100.00"))), tmp_path / "out")
    (item,) = found["items"]["value"]
    assert (item["description"], item["quantity"], item["price"], item["amount"]) == (
        "Drill",
        "2.00",
        "50.00",
        "100.00",
    )


def test_a_schemas_field_that_is_disputed_stays_empty(tmp_path: Path) -> None:
    schema = '{"keys": ["IBAN", "Invoice date"]}'
    path = invoice(tmp_path / "a.pdf", data(iban="GB29NWBK60161331926819"))
    with report.collected() as warnings:
        found = document(path, tmp_path / "out", extractFields=schema, mode="layout")["Page-1"]
    assert (found["IBAN"], found["Invoice date"]["value"]) == ("", "12 March 2026")
    assert [warning for warning in warnings if warning.startswith("iban: ")]


_BOMB = b"<!DOCTYPE a [<!ENTITY b '119.00'>]>"


@pytest.mark.parametrize(
    "xml",
    [
        data().replace(b"?>", b"?>" + _BOMB, 1).replace(b"119.00", b"&b;"),
        data().replace(b"?>", b"?><!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'>", 1),
        data()[:400],
        b"",
        b"<Invoice/>",
        b"<a>" * 5_000,
        data(lines="<Note>" + "x" * (9 << 20) + "</Note>"),
    ],
    ids=["entities", "outside", "cut off", "empty", "other", "deep", "large"],
)
def test_data_that_cannot_be_read_are_told_and_the_page_is_read(xml: bytes, tmp_path: Path) -> None:
    with report.collected() as warnings:
        found = document(invoice(tmp_path / "a.pdf", xml), tmp_path / "out")
    assert found["total"]["value"] == "119.00"
    assert warnings == ["The invoice's data in factur-x.xml could not be read."]


def test_what_unpacks_to_very_much_is_not_unpacked(tmp_path: Path) -> None:
    path = invoice(tmp_path / "a.pdf", data())
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        spec = pdf.Root.Names.EmbeddedFiles.Names[1]
        packing = zlib.compressobj(9)
        packed = b"".join([*(packing.compress(b" " * (1 << 20)) for _ in range(300)), packing.flush()])
        spec.EF.F.write(packed, filter=pikepdf.Name.FlateDecode)
        pdf.save(path)
    assert embedded(path, "")[0].findings is None


def test_data_of_a_locked_file_are_read(tmp_path: Path) -> None:
    path = invoice(tmp_path / "a.pdf", data())
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(owner="o", user="u"))
    (one,) = embedded(path, "u")
    assert one.findings is not None
    assert str(one.findings.total.value) == "119.00"
    assert embedded(path, "wrong") == []


def test_two_files_of_data_that_differ_are_both_compared(tmp_path: Path) -> None:
    path = invoice(tmp_path / "a.pdf", data())
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        attach(pdf, "xrechnung.xml", data(iban="GB29NWBK60161331926819"))
        pdf.save(path)
    found = document(path, tmp_path / "out")
    assert (found["iban"]["value"], found["total"]["value"]) == (None, "119.00")


def test_a_page_in_a_file_of_its_own_is_read_for_itself(tmp_path: Path) -> None:
    path = invoice(tmp_path / "a.pdf", data(number="4717"))
    assert document(path, tmp_path / "out", isOutputDocumentPerPage=1)["number"]["value"] == "4711"


@pytest.mark.parametrize("value", ["1e5", "119,00", "NaN", "Infinity", "1" * 40, "119.00 EUR", ""])
def test_what_is_no_amount_is_none(value: str) -> None:
    found = stated(data(total=value), "factur-x.xml")
    assert found is not None
    assert found.total.value is None


@pytest.mark.parametrize("value", ["20261332", "2026", "yesterday", "99999999"])
def test_what_is_no_day_is_none(value: str) -> None:
    found = stated(data(date=value), "factur-x.xml")
    assert found is not None
    assert found.date.value is None


@given(st.lists(st.tuples(st.integers(0, 2_500), st.binary(max_size=6)), max_size=8))
def test_whatever_is_changed_in_the_data_reading_comes_to_an_end(changes: list[tuple[int, bytes]]) -> None:
    content = data()
    for place, new in changes:
        content = content[:place] + new + content[place + len(new) :]
    found = stated(content, "factur-x.xml")
    if found is not None and found.total.value is not None:
        assert f"{found.total.value:f}".rstrip("0").rstrip(".").encode() in content
