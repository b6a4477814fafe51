"""e-invoice-check: data by the rules, page against data, and whatever comes instead of an invoice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from paperchute.language import speaking
from tests.engine.e_invoice.samples import CII, SOUND
from tests.engine.extraction.invoice_files import PAGE, invoice
from tests.engine.operations.papers import locked, paper, work
from tests.engine.pdf_parts import attach
from tests.engine.reading.sheets import Said

AGREEING = [one for one in PAGE if not one.text.startswith(("Net", "VAT", "Total"))] + [
    Said("Net: 155.00 EUR", 60, 340),
    Said("VAT: 22.85 EUR", 60, 354),
    Said("Total: 177.85 EUR", 60, 368),
]
"""The page of the sound invoice."""


def _checked(folder: Path, source: Path, **parameters: Any) -> tuple[dict[str, Any], list[str]]:
    with report.collected() as warnings:
        (output,) = implementation("e-invoice-check").run(work("e-invoice-check", folder, source, **parameters))
    result: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return result, list(warnings)


def _written(path: Path, xml: str) -> Path:
    path.write_text(xml, "utf-8")
    return path


@pytest.mark.parametrize("syntax", SOUND)
def test_a_sound_file_is_valid(syntax: str, tmp_path: Path) -> None:
    result, warnings = _checked(tmp_path, _written(tmp_path / "in.xml", SOUND[syntax]))
    (one,) = result["invoices"]
    assert result["isValid"] is True
    assert (one["syntax"], one["profile"], one["findings"], warnings) == (syntax, "EN 16931", [], [])


def test_a_file_that_breaks_off_is_told_so(tmp_path: Path) -> None:
    result, warnings = _checked(tmp_path, _written(tmp_path / "in.xml", SOUND["UBL"][:-20]))
    assert result["isValid"] is False
    assert warnings == ["in.xml, XML: it cannot be read: it breaks off: its end is missing."]


@pytest.mark.parametrize("syntax", SOUND)
def test_a_broken_file_is_told_with_the_rule(syntax: str, tmp_path: Path) -> None:
    source = _written(tmp_path / "in.xml", SOUND[syntax].replace(">177.85<", ">187.85<").replace("Handbook", ""))
    result, warnings = _checked(tmp_path, source)
    (one,) = result["invoices"]
    assert result["isValid"] is False
    assert {found["rule"] for found in one["findings"]} == {"BR-25", "BR-CO-15", "BR-CO-16"}
    assert "in.xml, BR-25, line 2: name of the item (BT-153) is missing." in warnings
    assert "in.xml, BR-CO-15: total with VAT (BT-112) is 187.85; BT-109 + BT-110 comes to 177.85." in warnings


def test_an_account_with_wrong_check_digits_is_told_and_leaves_the_file_valid(tmp_path: Path) -> None:
    xml = CII.replace("DE89370400440532013000", "DE88370400440532013000")
    result, warnings = _checked(tmp_path, _written(tmp_path / "in.xml", xml))
    (one,) = result["invoices"]
    assert (result["isValid"], one["findings"]) == (True, [])
    assert [found["rule"] for found in one["cautions"]] == ["IBAN"]
    assert [warning for warning in warnings if "DE88370400440532013000" in warning]


def test_a_file_that_is_too_long_is_told_what_to_do(tmp_path: Path) -> None:
    result, (warning,) = _checked(tmp_path, _written(tmp_path / "in.xml", CII + " " * (9 << 20)))
    assert result["isValid"] is False
    assert "it is over 8 MiB, the most that is read; files attached within it" in warning


def test_what_is_found_is_said_in_the_language_of_the_task(tmp_path: Path) -> None:
    with speaking("de"):
        _result, warnings = _checked(tmp_path, _written(tmp_path / "in.xml", CII.replace("Acme Tools Ltd", "")))
    assert "in.xml, BR-06: Name des Verkäufers (BT-27) fehlt." in warnings


def test_a_page_that_says_the_same_is_valid(tmp_path: Path) -> None:
    result, warnings = _checked(tmp_path, invoice(tmp_path / "in.pdf", CII.encode(), AGREEING))
    assert (result["isValid"], result["invoices"][0]["name"], warnings) == (True, "factur-x.xml", [])


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("total", {"VAT": "VAT: 32.85 EUR", "Total": "Total: 187.85 EUR"}),
        ("number", {"Invoice number": "Invoice number: 4717"}),
        ("date", {"Invoice date": "Invoice date: 21 March 2026"}),
        ("iban", {"IBAN DE89 3704 0044 0532 0130 00": "IBAN GB29 NWBK 6016 1331 9268 19"}),
    ],
)
def test_a_page_that_says_something_else_is_told(field: str, changes: dict[str, str], tmp_path: Path) -> None:
    lines = [replace(one, text=changes.get(one.text.partition(":")[0], one.text)) for one in AGREEING]
    result, warnings = _checked(tmp_path, invoice(tmp_path / "in.pdf", CII.encode(), lines))
    (one,) = result["invoices"]
    assert (result["isValid"], one["findings"]) == (False, [])
    assert field in {told["field"] for told in one["disputed"]}
    assert any(warning.startswith(f"{field}: the page says ") for warning in warnings)


_BOMB = "<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]>"


@pytest.mark.parametrize(
    ("xml", "rule"),
    [
        (CII.replace("?>", "?>" + _BOMB, 1), "XML"),
        (CII.replace("?>", "?><!DOCTYPE a SYSTEM 'file:///etc/hostname'>", 1), "XML"),
        (CII[:900], "XML"),
        ("no markup", "XML"),
        ("<a>" * 5_000, "XML"),
        (CII.replace("Drill", "x" * (9 << 20)), "XML"),
        ("<Invoice/>", "SYNTAX"),
        (CII.replace("CrossIndustryInvoice:100", "CrossIndustryInvoice:1"), "SYNTAX"),
    ],
    ids=["entities", "outside", "cut off", "text", "deep", "large", "other", "other version"],
)
def test_what_is_no_invoice_is_told(xml: str, rule: str, tmp_path: Path) -> None:
    result, warnings = _checked(tmp_path, _written(tmp_path / "in.xml", xml))
    (one,) = result["invoices"]
    assert (result["isValid"], [found["rule"] for found in one["findings"]]) == (False, [rule])
    assert len(warnings) == 1


def test_a_pdf_without_data_is_not_called_valid(tmp_path: Path) -> None:
    result, warnings = _checked(tmp_path, paper(tmp_path / "in.pdf", "a"))
    assert (result["isValid"], result["invoices"]) == (False, [])
    assert warnings == ["No invoice lies in in.pdf as data, so nothing was checked."]


def test_a_locked_file_needs_its_password(tmp_path: Path) -> None:
    source = locked(invoice(tmp_path / "in.pdf", CII.encode(), AGREEING), user="u")
    with pytest.raises(Refused) as refused:
        _checked(tmp_path, source)
    assert refused.value.code == "02201"
    assert _checked(tmp_path, source, password="u")[0]["isValid"] is True


def test_two_invoices_in_one_file_are_both_checked(tmp_path: Path) -> None:
    source = invoice(tmp_path / "in.pdf", CII.encode(), AGREEING)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        attach(pdf, "xrechnung.xml", CII.replace("FR", "ZY").encode())
        pdf.save(source)
    result, _warnings = _checked(tmp_path, source)
    found = {one["name"]: one["isValid"] for one in result["invoices"]}
    assert (found, result["isValid"]) == ({"factur-x.xml": True, "xrechnung.xml": False}, False)


def test_many_findings_are_told_in_few_warnings(tmp_path: Path) -> None:
    behind = "<ram:ApplicableHeaderTradeAgreement>"
    xml = CII.replace(behind, "<ram:IncludedSupplyChainTradeLineItem/>" * 500 + behind)
    source = _written(tmp_path / "in.xml", xml)
    result, warnings = _checked(tmp_path, source)
    assert len(result["invoices"][0]["findings"]) == 200
    assert len(warnings) <= 11
    assert warnings[-1] == "in.xml breaks 190+ more rules, which the result lists."
