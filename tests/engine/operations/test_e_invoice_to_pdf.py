"""e-invoice-to-pdf: all that the data say is on the pages, in each language, and the data lie in the PDF."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Name, pdfa

from paperchute.engine import report
from paperchute.engine.e_invoice.invoice import invoice_of
from paperchute.engine.e_invoice.markup import parsed
from paperchute.engine.e_invoice.printout import LANGUAGES, page_of
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from paperchute.language import speaking
from tests.engine.e_invoice.samples import CII, SOUND
from tests.engine.operations.papers import work
from tests.engine.operations.test_pdfa import faults, needs_preflight

MARKS = {
    "CII": ("ReceivingSpecifiedTradeAccountingAccount", "</ram:ApplicableHeaderTradeSettlement>"),
    "UBL": ("AccountingCost", "</Invoice>"),
}
"""What the page has no place of its own for, and before what it can stand."""
_TAG = re.compile(r"<style>.*?</style>|<wbr>|<[^>]*>")
WORDS = ("4711", "Acme Tools Ltd", "Berlin", "DE123456789", "Globex Ltd", "Paris", "Drill", "Handbook", "Loyalty")
AMOUNTS = ("50.00", "20.00", "100.00", "60.00", "19.00", "3.85", "10.00", "5.00", "160.00", "155.00", "177.85", "77.85")
_PLAIN = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"))
TEXTS = st.text(_PLAIN, min_size=1, max_size=80)


def _printed(folder: Path, xml: str, **parameters: Any) -> tuple[Path, list[str]]:
    folder.mkdir(exist_ok=True)
    (folder / "in.xml").write_text(xml, "utf-8")
    with report.collected() as warnings:
        order = work("e-invoice-to-pdf", folder, folder / "in.xml", **parameters)
        (output,) = implementation("e-invoice-to-pdf").run(order)
    return output, list(warnings)


def texts(path: Path) -> list[str]:
    """The text of each page."""
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()


def _page(xml: str, language: str = "en") -> str:
    """The words of the page."""
    root = parsed(xml.encode("utf-8", "surrogatepass"))
    invoice = invoice_of(root) if root is not None else None
    assert invoice is not None
    with speaking(language):
        page = page_of(invoice, language)
    return html.unescape(
        re.sub(r"<style>.*?</style>|<wbr>|<[^>]*>", lambda tag: "" if tag[0] == "<wbr>" else " ", page)
    )


@pytest.mark.parametrize("syntax", SOUND)
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_say_what_the_data_say(syntax: str, language: str, tmp_path: Path) -> None:
    output, warnings = _printed(tmp_path, SOUND[syntax], pageLanguage=language)
    text = " ".join(" ".join(texts(output)).split())
    point = "." if language == "en" else ","
    for one in WORDS:
        assert one in text
    for one in AMOUNTS:
        assert one.replace(".", point) in text
    assert warnings == []
    with pikepdf.open(output) as pdf:
        assert str(pdf.Root.Lang) == language
        (attached,) = pdf.attachments.values()
        assert attached.get_file().read_bytes().decode() == SOUND[syntax]


def test_our_own_check_finds_the_pages_and_the_data_to_be_one_invoice(tmp_path: Path) -> None:
    for language in ("en", "de"):
        output, _warnings = _printed(tmp_path / language, CII, pageLanguage=language)
        place = tmp_path / f"{language}-checked"
        place.mkdir()
        (result,) = implementation("e-invoice-check").run(work("e-invoice-check", place, output))
        checked = json.loads(result.read_text("utf-8"))
        assert (checked["isValid"], checked["invoices"][0]["disputed"]) == (True, [])


def test_cii_becomes_factur_x_and_ubl_goes_along_under_its_own_name(tmp_path: Path) -> None:
    output, _warnings = _printed(tmp_path / "cii", CII)
    with pikepdf.open(output) as pdf:
        assert list(pdf.attachments) == ["factur-x.xml"]
        assert pdf.Root["/AF"][0][Name.AFRelationship] == Name.Alternative
        packet = pdf.Root.Metadata.read_bytes().decode()
    assert "<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>" in packet
    assert "<pdfaid:part>3</pdfaid:part>" in packet
    rules = {one.rule for one in pdfa.validate_written(output, "3b").findings}
    assert rules <= {"ISO_19005_3:6.6.2.3.1-1"}, "what its XMP describes itself, which pikepdf does not know"
    output, _warnings = _printed(tmp_path / "ubl", SOUND["UBL"])
    with pikepdf.open(output) as pdf:
        assert list(pdf.attachments) == ["in.xml"]
    assert pdfa.validate_written(output, "3b").passed


@pytest.mark.parametrize(
    ("language", "told"), [("en", "1,234,567.891"), ("de", "1.234.567,891"), ("es", "1.234.567,891")]
)
def test_amounts_are_written_as_people_of_the_language_do(language: str, told: str) -> None:
    assert told in _page(CII.replace(">50.00<", ">1234567.891<"), language)
    assert "12 March 2026" in _page(CII) or "March 12, 2026" in _page(CII)


def test_what_is_no_number_stands_as_it_is() -> None:
    assert "fifty" in _page(CII.replace(">50.00<", ">fifty<"))


def test_an_amount_in_another_currency_says_so() -> None:
    both = '<ram:TaxTotalAmount currencyID="USD">25.10</ram:TaxTotalAmount>'
    xml = CII.replace("<ram:GrandTotalAmount>", both + "<ram:GrandTotalAmount>")
    assert "25.10 USD" in _page(xml)


@settings(max_examples=60, deadline=None)
@given(
    syntax=st.sampled_from(sorted(SOUND)),
    at=st.integers(0, 10_000),
    text=TEXTS,
)
def test_every_text_of_the_data_is_on_the_page(syntax: str, at: int, text: str) -> None:
    """Whatever stands in any of its elements; the XML's own signs as they are written there."""
    places = [one.start() + 1 for one in re.finditer(r">[^<>\s][^<>]*<", SOUND[syntax])]
    start = places[at % len(places)]
    end = SOUND[syntax].index("<", start)
    marked = f"Q{text}Q"
    xml = SOUND[syntax][:start] + html.escape(marked) + SOUND[syntax][end:]
    invoice = invoice_of(parsed(xml.encode()))
    if invoice is not None and "ChargeIndicator" not in xml[start - 40 : start]:
        assert marked in _page(xml)


@pytest.mark.parametrize("syntax", SOUND)
def test_what_has_no_place_of_its_own_stands_at_the_end(syntax: str) -> None:
    name, end = MARKS[syntax]
    prefix = "ram" if syntax == "CII" else "cbc"
    page = _page(SOUND[syntax].replace(end, f"<{prefix}:{name}>cost centre 12</{prefix}:{name}>{end}"))
    assert "cost centre 12" in page.partition("Further data")[2]


def test_a_file_within_the_data_is_named_and_not_printed() -> None:
    binary = '<ram:AttachmentBinaryObject filename="plan.pdf">QUJD</ram:AttachmentBinaryObject>'
    end = "</ram:ApplicableHeaderTradeAgreement>"
    document = f"<ram:AdditionalReferencedDocument>{binary}</ram:AdditionalReferencedDocument>{end}"
    page = _page(CII.replace(end, document))
    assert "plan.pdf" in page
    assert "QUJD" not in page


def test_long_words_and_many_lines_stay_on_the_sheet(tmp_path: Path) -> None:
    line = CII[CII.index("<ram:IncludedSupply") : CII.index("</ram:IncludedSupply") + 40]
    line = line[: line.index("</ram:IncludedSupplyChainTradeLineItem>")] + "</ram:IncludedSupplyChainTradeLineItem>"
    xml = CII.replace(line, line * 300, 1).replace("Handbook", "W" * 3000)
    output, _warnings = _printed(tmp_path, xml)
    pages = texts(output)
    assert len(pages) > 5
    assert "".join(pages).count("Drill") == 300
    assert "".join("".join(pages).split()).count("W") >= 3000


@pytest.mark.parametrize(
    ("xml", "said"),
    [
        ("<order/>", "no invoice in a syntax"),
        ("<broken", "cannot be read"),
        ("", "cannot be read"),
        (CII.replace("?>", '?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>', 1), "document type"),
        (CII + " " * (9 << 20), "over 8 MiB"),
    ],
)
def test_what_is_no_invoice_as_data_is_refused(xml: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=said) as refused:
        _printed(tmp_path, xml)
    assert refused.value.code == "02207"


@pytest.mark.parametrize(("syntax", "name"), [("CII", "ram:DuePayableAmount"), ("UBL", "cbc:PayableAmount")])
def test_a_sum_in_a_currency_of_its_own_is_not_printed_in_the_document_s(syntax: str, name: str) -> None:
    other = re.sub(rf"<{name}[^>]*>", f'<{name} currencyID="USD">', SOUND[syntax])
    for xml, currency in ((SOUND[syntax], "EUR"), (other, "USD")):
        assert re.findall(r"[Dd]ue\s+100\.00\s+(\w+)", _page(xml)) == [currency]


@pytest.mark.slow
@needs_preflight
def test_a_second_validator_knows_the_described_properties(tmp_path: Path) -> None:
    """Preflight asks PDF/A-1b, so of the metadata it may only say that their part is another."""
    output, _warnings = _printed(tmp_path / "cii", CII)
    assert [one for one in faults(output) if one.startswith("7")] == ["7.11.2 : Error on MetaData, part must be 1"]
    with pikepdf.open(output, allow_overwriting_input=True) as pdf:
        packet = pdf.Root.Metadata.read_bytes()
        undescribed = re.sub(rb"<pdfaExtension:schemas>.*</pdfaExtension:schemas>", b"", packet, flags=re.DOTALL)
        pdf.Root.Metadata = pdf.make_stream(undescribed, Type=Name.Metadata, Subtype=Name.XML)
        pdf.save(output)
    (said,) = (one for one in faults(output) if one.startswith("7"))
    assert "Cannot find a definition for the namespace urn:factur-x" in said
