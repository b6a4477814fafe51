"""Invoices as PDFs that carry the same as data, and what document-extract makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pikepdf

from tests.engine.pdf_parts import attach
from tests.engine.reading.sheets import Said, written
from tests.engine.writing.sample import outputs

PAGE = [
    Said("Acme Tools Ltd", 60, 50, 16, "B"),
    Said("1 High Street", 60, 66),
    Said("London EC1A 1BB", 60, 80),
    Said("Invoice", 60, 130, 18, "B"),
    Said("Invoice number: 4711", 60, 160),
    Said("Invoice date: 12 March 2026", 60, 176),
    Said("Due date: 11 April 2026", 60, 192),
    Said("Bill to:", 60, 224),
    Said("Globex Ltd", 60, 240),
    Said("2 Low Street", 60, 254),
    Said("Leeds LS1 4AP", 60, 268),
    Said("Net: 100.00 EUR", 60, 340),
    Said("VAT 19 %: 19.00 EUR", 60, 354),
    Said("Total: 119.00 EUR", 60, 368),
    Said("IBAN DE89 3704 0044 0532 0130 00", 60, 400),
]
VALUES = {
    "kind": "invoice", "number": "4711", "date": "2026-03-12", "due": "2026-04-11", "sender": "Acme Tools Ltd",
    "recipient": "Globex Ltd", "currency": "EUR", "net": "100.00", "tax": "19.00", "total": "119.00",
    "iban": "DE89370400440532013000",
}  # fmt: skip


def data(**other: str) -> bytes:
    """The invoice's XML (CII), with other values than the page's where they are named; empty leaves one out."""
    said = {**VALUES, "type": "380", **other}
    day = {name: said[name].replace("-", "") for name in ("date", "due")}
    due = f"<DueDateDateTime><DateTimeString format='102'>{day['due']}</DateTimeString></DueDateDateTime>"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
    <rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
     xmlns="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
    <rsm:ExchangedDocument><ID>{said["number"]}</ID><TypeCode>{said["type"]}</TypeCode>
     <IssueDateTime><DateTimeString format="102">{day["date"]}</DateTimeString></IssueDateTime></rsm:ExchangedDocument>
    <rsm:SupplyChainTradeTransaction>
     {said.get("lines", "")}
     <ApplicableHeaderTradeAgreement><SellerTradeParty><Name>{said["sender"]}</Name></SellerTradeParty>
      <BuyerTradeParty><Name>{said["recipient"]}</Name></BuyerTradeParty></ApplicableHeaderTradeAgreement>
     <ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>{said["currency"]}</InvoiceCurrencyCode>
      <SpecifiedTradeSettlementPaymentMeans><PayeePartyCreditorFinancialAccount><IBANID>{said["iban"]}</IBANID>
      </PayeePartyCreditorFinancialAccount></SpecifiedTradeSettlementPaymentMeans>
      <SpecifiedTradePaymentTerms>{due if said["due"] else ""}</SpecifiedTradePaymentTerms>
      <SpecifiedTradeSettlementHeaderMonetarySummation><LineTotalAmount>{said["net"]}</LineTotalAmount>
       <TaxBasisTotalAmount>{said["net"]}</TaxBasisTotalAmount>
       <TaxTotalAmount currencyID="{said["currency"]}">{said["tax"]}</TaxTotalAmount>
       <GrandTotalAmount>{said["total"]}</GrandTotalAmount></SpecifiedTradeSettlementHeaderMonetarySummation>
     </ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>""".encode()


def invoice(path: Path, xml: bytes, lines: Sequence[Said] = PAGE, name: str = "factur-x.xml") -> Path:
    """A PDF of one page with the data attached."""
    written(path, [lines])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        attach(pdf, name, xml)
        pdf.save(path)
    return path


def document(path: Path, folder: Path, **parameters: Any) -> dict[str, Any]:
    """What document-extract says of the document."""
    (result,) = outputs("document-extract", path, folder, **{"extractFields": "{}", **parameters})
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return found.get("Document", found)
