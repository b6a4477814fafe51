"""Broken invoices are told apart by the rule that they break, in both syntaxes; sound ones break none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.e_invoice.conformance import MOST_FINDINGS, cautions, findings, profile_of
from paperchute.engine.e_invoice.invoice import Invoice, invoice_of
from paperchute.engine.e_invoice.markup import parsed
from paperchute.engine.e_invoice.rule import Finding
from tests.engine.e_invoice.samples import CII, SOUND, UBL


def _invoice(xml: str) -> Invoice:
    invoice = invoice_of(parsed(xml.encode()))
    assert invoice is not None
    return invoice


def _found(xml: str) -> list[Finding]:
    return findings(_invoice(xml))


def _rules(xml: str) -> set[str]:
    return {one.rule for one in _found(xml)}


def _changed(xml: str, old: str, new: str) -> str:
    changed = re.sub(old, new, xml, count=1, flags=re.DOTALL)
    assert changed != xml
    return changed


@pytest.mark.parametrize("xml", SOUND.values(), ids=SOUND)
def test_sound_invoices_break_no_rule(xml: str) -> None:
    assert _found(xml) == []


BROKEN = {
    "BR-01": ("<ram:ID>urn:[^<]*", "<ram:ID>", ">urn:cen.eu:en16931:2017<", "><"),
    "BR-02": ("<ram:ID>4711</ram:ID>", "", "<cbc:ID>4711</cbc:ID>", ""),
    "BR-03": ("<ram:IssueDateTime>.*?</ram:IssueDateTime>", "", "<cbc:IssueDate>.*?</cbc:IssueDate>", ""),
    "BR-04": ("<ram:TypeCode>380</ram:TypeCode>", "", "<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>", ""),
    "BR-06": ("Acme Tools Ltd", "", "Acme Tools Ltd", " "),
    "BR-08": ("<ram:PostalTradeAddress>.*?</ram:PostalTradeAddress>", "",
                 "<cac:PostalAddress>.*?</cac:PostalAddress>", ""),
    "BR-11": (">FR<", "><", ">FR<", "><"),
    "BR-14": ("<ram:GrandTotalAmount>[^<]*", "<ram:GrandTotalAmount>", ">177.85<", "><"),
    "BR-16": ("<ram:IncludedSupply.*</ram:IncludedSupply[^>]*>", "", "<cac:InvoiceLine>.*</cac:InvoiceLine>", ""),
    "BR-21": ("<ram:LineID>2</ram:LineID>", "", "<cbc:ID>2</cbc:ID>", ""),
    "BR-23": (' unitCode="H87"', "", ' unitCode="H87"', ""),
    "BR-25": ("Handbook", "", "Handbook", ""),
    "BR-27": (">50.00<", ">-50.00<", ">50.00<", ">-50.00<"),
    "BR-33": ("<ram:Reason>Loyalty</ram:Reason>", "", "Loyalty", ""),
    "BR-38": ("<ram:Reason>Freight</ram:Reason>", "", "Freight", ""),
    "BR-48": ("<ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>\n<ram:App",
              "</ram:ApplicableTradeTax>\n<ram:App", "<cbc:Percent>19</cbc:Percent>", ""),
    "BR-49": ("<ram:TypeCode>58</ram:TypeCode>", "", "<cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>", ""),
    "BR-61": ("<ram:IBANID>.*?</ram:IBANID>", "", "<cac:PayeeFinancialAccount>.*?</cac:PayeeFinancialAccount>", ""),
    "BR-CO-04": ("<ram:CategoryCode>S</ram:CategoryCode>", "", "(Drill.*?)<cbc:ID>S</cbc:ID>", r"\1"),
    "BR-CO-09": ("DE123456789", "123456789", "DE123456789", "123456789"),
    "BR-CO-10": (">160.00<", ">161.00<", ">160.00<", ">161.00<"),
    "BR-CO-11": ("AllowanceTotalAmount>10.00", "AllowanceTotalAmount>9.99",
                 r'(AllowanceTotalAmount currencyID="EUR">)10.00', r"\g<1>9.99"),
    "BR-CO-12": ("ChargeTotalAmount>5.00", "ChargeTotalAmount>6.00", r'(ChargeTotalAmount currencyID="EUR">)5.00',
                 r"\g<1>6.00"),
    "BR-CO-13": (">155.00<", ">155.01<", ">155.00<", ">155.01<"),
    "BR-CO-14": (">22.85<", ">22.86<", ">22.85<", ">22.86<"),
    "BR-CO-15": (">177.85<", ">187.85<", ">177.85<", ">187.85<"),
    "BR-CO-16": ("DuePayableAmount>100.00", "DuePayableAmount>101.00", r'(PayableAmount currencyID="EUR">)100.00',
                 r"\g<1>101.00"),
    "BR-CO-17": (">19.00<", ">29.00<", ">19.00<", ">29.00<"),
    "BR-CO-25": ("<ram:SpecifiedTradePaymentTerms>.*?</ram:SpecifiedTradePaymentTerms>", "",
                 "<cbc:DueDate>.*?</cbc:DueDate>", ""),
    "BR-CO-26": ("<ram:SpecifiedTaxRegistration>.*?</ram:SpecifiedTaxRegistration>", "",
                 "<cac:PartyTaxScheme>.*?</cac:PartyTaxScheme>", ""),
    "BR-S-02": ("<ram:SpecifiedTaxRegistration>.*?</ram:SpecifiedTaxRegistration>", "",
                 "<cac:PartyTaxScheme>.*?</cac:PartyTaxScheme>", ""),
    "BR-S-05": ("Percent>19<", "Percent>0<", "(Drill.*?Percent>)19<", r"\g<1>0<"),
    "BR-S-08": (">55.00<", ">75.00<", ">55.00<", ">75.00<"),
    "BR-CL-01": (">380<", ">999<", ">380<", ">999<"),
    "BR-CL-04": ("Code>EUR<", "Code>EUX<", "Code>EUR<", "Code>EUX<"),
    "BR-CL-14": (">FR<", ">ZY<", ">FR<", ">ZY<"),
    "BR-CL-18": ("<ram:CategoryCode>S<", "<ram:CategoryCode>X<", "(Drill.*?<cbc:ID>)S<", r"\g<1>X<"),
    "BR-DEC-14": (">177.85<", ">177.8500001<", ">177.85<", ">177.8500001<"),
    "DATATYPE": (">155.00<", ">155,00<", ">155.00<", ">155,00<"),
}  # fmt: skip
"""What is changed in the sound invoice of each syntax, by the rule that it breaks."""


@pytest.mark.parametrize("rule", BROKEN)
def test_broken_invoices_are_told_apart(rule: str) -> None:
    cii_old, cii_new, ubl_old, ubl_new = BROKEN[rule]
    found = [_found(_changed(CII, cii_old, cii_new)), _found(_changed(UBL, ubl_old, ubl_new))]
    told = [{one.rule for one in each} for each in found]
    assert rule in told[0], told
    assert told[0] == told[1], "both syntaxes say the same"
    assert len(told[0]) <= 6, "one slip does not break everything"
    assert all("{" not in one.says for each in found for one in each)


@pytest.mark.parametrize("xml", [CII, UBL])
def test_an_account_that_is_none_breaks_no_rule_and_is_cautioned_of(xml: str) -> None:
    invoice = _invoice(_changed(xml, "DE89370400440532013000", "DE88370400440532013000"))
    assert findings(invoice) == []
    assert [one.rule for one in cautions(invoice)] == ["IBAN"]
    assert cautions(_invoice(xml)) == []


def test_what_is_said_has_the_amounts() -> None:
    (found,) = _found(_changed(CII, ">160.00<", ">161.00<"))[:1]
    assert (found.rule, found.says) == ("BR-CO-10", "sum of the lines (BT-106) is 161.00; ΣBT-131 comes to 160.00")
    found = next(one for one in _found(_changed(UBL, "Handbook", "")) if one.rule == "BR-25")
    assert (found.says, found.line) == ("name of the item (BT-153) is missing", "2")


def _of_category(code: str, rate: str = "0", more: str = "") -> str:
    """The CII invoice with one line, of a category without tax."""
    xml = _changed(
        CII, "<ram:IncludedSupplyChainTradeLineItem><ram:Ass[^>]*><ram:LineID>2.*?</ram:IncludedSupply[^>]*>", ""
    )
    xml = _changed(xml, "(<ram:ApplicableTradeTax><ram:CalculatedAmount>3.85.*?</ram:ApplicableTradeTax>)", "")
    xml = re.sub("<ram:SpecifiedTradeAllowanceCharge>.*?</ram:SpecifiedTradeAllowanceCharge>", "", xml, flags=re.DOTALL)
    for old, new in (("160.00", "100.00"), ("155.00", "100.00"), ("22.85", "0.00"), ("177.85", "100.00"),
                     ("77.85", "0.00"), (">19.00<", ">0.00<"), (">5.00<", ">0.00<"), (">10.00<", ">0.00<"),
                     ("CategoryCode>S<", f"CategoryCode>{code}<"), ("Percent>19<", f"Percent>{rate}<")):  # fmt: skip
        xml = xml.replace(old, new)
    return xml.replace("<ram:BasisAmount>", f"{more}<ram:BasisAmount>")


WHY = "<ram:ExemptionReason>Because</ram:ExemptionReason>"


def test_categories_without_tax() -> None:
    assert _rules(_of_category("E", more=WHY)) == set()
    assert _rules(_of_category("E")) == {"BR-E-10"}
    assert _rules(_of_category("Z")) == set()
    assert _rules(_of_category("Z", more=WHY)) == {"BR-Z-10"}
    assert _rules(_of_category("E", "19", WHY)) >= {"BR-E-05"}
    assert _rules(_of_category("AE", more=WHY)) == {"BR-AE-02"}
    assert _rules(_of_category("K", more=WHY)) == {"BR-IC-02", "BR-IC-11", "BR-IC-12"}
    assert _rules(_of_category("O", more=WHY)) == {"BR-O-02", "BR-O-05"}
    assert _rules(_of_category("G", more=WHY).replace(">0.00</ram:Calc", ">5.00</ram:Calc")) >= {"BR-G-09"}


def test_a_category_without_a_breakdown_of_its_own() -> None:
    xml = _changed(CII, "CategoryCode>S<", "CategoryCode>E<")
    assert "BR-E-01" in _rules(xml)


def _line(number: str, amount: str, kind: str, parent: str = "") -> str:
    (line,) = re.findall("<ram:IncludedSupply.*?</ram:IncludedSupply[^>]*>", CII, flags=re.DOTALL)[:1]
    above = f"<ram:ParentLineID>{parent}</ram:ParentLineID>" if parent else ""
    kinds = f"<ram:LineStatusReasonCode>{kind}</ram:LineStatusReasonCode>"
    line = line.replace("<ram:LineID>1</ram:LineID>", f"<ram:LineID>{number}</ram:LineID>{above}{kinds}")
    return line.replace("100.00", amount)


def _grouped(group: str = "100.00", *more: str) -> str:
    lines = [_line("1", group, "GROUP"), _line("1.1", "60.00", "DETAIL", "1"), _line("1.2", "40.00", "DETAIL", "1")]
    lines += [_line("1.3", "7.00", "INFORMATION", "1"), *more]
    xml = _changed(CII, "<ram:IncludedSupply.*?</ram:IncludedSupply[^>]*>", "".join(lines))
    return xml.replace("urn:cen.eu:en16931:2017", "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended")


def test_groups_of_lines_are_summed_once() -> None:
    """ZUGFeRD 2.4: a group's line has the sum of those below it, another one only informs; the total has neither."""
    assert _found(_grouped()) == []
    (found,) = _found(_grouped("90.00"))
    assert (found.rule, found.line) == ("LINE-GROUP", "1")
    assert found.says == "amount of the line (BT-131) is 90.00; the lines of its group come to 100.00"
    assert "BR-CO-10" in _rules(_grouped("100.00", _line("3", "1.00", "DETAIL")))


def test_a_group_in_a_group_has_its_sum() -> None:
    inner = [_line("1.4", "9.00", "GROUP", "1"), _line("1.4.1", "9.00", "DETAIL", "1.4")]
    xml = _grouped("109.00", *inner)
    assert _rules(xml) == _rules(_grouped("100.00", _line("3", "9.00", "DETAIL"))), "nine more are sold"
    assert "LINE-GROUP" in _rules(_grouped("100.00", *inner))


@pytest.mark.parametrize(
    ("identifier", "profile"),
    [
        ("urn:factur-x.eu:1p0:minimum", "MINIMUM"),
        ("urn:factur-x.eu:1p0:basicwl", "BASIC WL"),
        ("urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "BASIC"),
        ("urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", "EXTENDED"),
        ("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", "XRECHNUNG"),
        ("urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", "PEPPOL BIS"),
        ("urn:example", ""),
    ],
)
def test_profiles_are_told_by_their_identifier(identifier: str, profile: str) -> None:
    xml = CII.replace("urn:cen.eu:en16931:2017", identifier)
    assert profile_of(_invoice(xml)) == profile
    bare = re.sub("<ram:IncludedSupply.*</ram:IncludedSupply[^>]*>", "", xml, flags=re.DOTALL)
    assert ("BR-16" in _rules(bare)) is (profile not in ("MINIMUM", "BASIC WL")), "these have no lines"
    assert ("BR-DE-15" in _rules(xml)) is (profile == "XRECHNUNG"), "which needs a buyer reference"


def test_findings_of_a_hostile_file_have_an_end() -> None:
    lines = "<ram:IncludedSupplyChainTradeLineItem/>" * 5_000
    assert len(_found(_changed(CII, "<ram:IncludedSupply.*</ram:IncludedSupply[^>]*>", lines))) == MOST_FINDINGS


@pytest.mark.parametrize("amount", ["9" * 18 + ".99", "-" + "9" * 18, "9" * 40, "1e9", "NaN", "0." + "0" * 12, ".5"])
def test_extreme_amounts_come_to_an_end(amount: str) -> None:
    for old in (">19.00<", "Percent>19<", ">100.00<", ">160.00<", ">177.85<"):
        assert _found(CII.replace(old, re.sub(r">.*<", f">{amount}<", old)))


@given(st.sampled_from(list(SOUND)), st.lists(st.tuples(st.integers(0, 7_000), st.binary(max_size=6)), max_size=6))
def test_whatever_is_changed_the_check_comes_to_an_end(syntax: str, changes: list[tuple[int, bytes]]) -> None:
    content = SOUND[syntax].encode()
    for place, new in changes:
        content = content[:place] + new + content[place + len(new) :]
    root = parsed(content)
    invoice = invoice_of(root) if root is not None else None
    if invoice is not None:
        assert len(findings(invoice)) <= MOST_FINDINGS
