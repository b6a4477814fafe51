"""Invoices that carry their own truth: PDFs with the same invoice as XML in them (Factur-X, ZUGFeRD: EN 16931 as CII).

Only what the pages show too is asked for; an amount, a date or a name that stands in the XML alone costs nobody marks.
What is measured is the reading of pages, so the files are read without their XML.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
from lxml import etree

from benchmarks.extraction.scores import plain

Truth = dict[str, Any]

_KINDS = {"380": "invoice", "381": "credit_note"}
"""UNTDID 1001, of the codes that the findings have a word for."""
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)


def invoices(folder: Path, unseen: bool, scratch: Path) -> Iterator[tuple[Path, Truth]]:
    """The PDFs below a folder whose pages differ, of one half by a hash of their bytes, with their truth.

    They lie in `scratch`, without what was attached to them.
    """
    known: set[str] = set()
    for path in sorted(folder.rglob("*.pdf")):
        if hashlib.sha256(path.read_bytes()).digest()[0] % 2 != unseen:
            continue
        try:
            invoice, text = _embedded(path), _text(path)
        except (pikepdf.PdfError, pypdfium2.PdfiumError, etree.XMLSyntaxError):
            continue
        if invoice is not None and plain(text) and plain(text) not in known:
            known.add(plain(text))
            yield _bare(path, scratch), {name: _shown(name, value, text) for name, value in _stated(invoice).items()}


def _bare(path: Path, scratch: Path) -> Path:
    bare = scratch / path.name
    with pikepdf.open(path) as pdf:
        for name in list(pdf.attachments):
            del pdf.attachments[name]
        if "/AF" in pdf.Root:
            del pdf.Root.AF
        pdf.save(bare)
    return bare


def _embedded(path: Path) -> Any:
    with pikepdf.open(path) as pdf:
        found = [
            file.get_file().read_bytes() for name, file in pdf.attachments.items() if name.lower().endswith(".xml")
        ]
    roots = [etree.fromstring(one, _PARSER) for one in found]
    return next((root for root in roots if etree.QName(root).localname.startswith("CrossIndustry")), None)


def _text(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as pdf:
        return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def _stated(invoice: Any) -> Truth:
    """What the XML says of the fields that `scores` compares."""
    sums = "SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation"
    head = "ExchangedDocument", "HeaderExchangedDocument"
    ibans = {plain(one).upper() for one in _all(invoice, "IBANID")}
    return {
        "kind": _KINDS.get(_first(invoice, head, "TypeCode") or "", "any"),
        "number": _first(invoice, head, "ID"),
        "date": _day(_first(invoice, head, "DateTimeString")),
        "sender": _name(_first(invoice, ("SellerTradeParty",), "Name")),
        "recipient": _name(_first(invoice, ("BuyerTradeParty",), "Name")),
        "currency": next(_all(invoice, "InvoiceCurrencyCode"), None),
        "net": _sum(_first(invoice, sums, "TaxBasisTotalAmount")),
        "tax": _sum(_first(invoice, sums, "TaxTotalAmount")),
        "tax_rate": "any",
        "total": _sum(_first(invoice, sums, "GrandTotalAmount")),
        "iban": ibans.pop() if len(ibans) == 1 else "any",
        "due": _day(_first(invoice, ("DueDateDateTime",), "DateTimeString")),
        "items": "any",
    }


def _all(element: Any, name: str) -> Iterator[str]:
    for one in element.iter(f"{{*}}{name}"):
        if one.text and one.text.strip():
            yield one.text.strip()


def _first(element: Any, within: tuple[str, ...], name: str) -> str | None:
    """The first text of a name in the first element of one of some names."""
    for outer in within:
        for one in element.iter(f"{{*}}{outer}"):
            if (text := next(_all(one, name), None)) is not None:
                return text
    return None


def _name(text: str | None) -> str | None:
    """A name without the form of address that some put into its first line."""
    return re.sub(r"^(?:Herrn?|Frau|Firma)\s*\n\s*", "", text) if text else None


def _day(text: str | None) -> str | None:
    match = re.match(r"(\d{4})-?(\d\d)-?(\d\d)", text or "")
    return "-".join(match.groups()) if match else None


def _sum(text: str | None) -> str | None:
    try:
        return str(Decimal(text).quantize(Decimal("0.01"))) if text else None
    except InvalidOperation:
        return None


def _shown(name: str, value: str | None, text: str) -> str:
    """A value, or `any` where the pages do not show it."""
    if value in (None, "any"):
        return "any"
    assert value is not None
    if name in ("net", "tax", "total"):
        grouped = f"{Decimal(value):,.2f}"
        written = {grouped, grouped.translate(str.maketrans(",.", ".,")), value, value.replace(".", ",")}
        return value if any(one in text for one in written) else "any"
    if name in ("date", "due"):
        year, month, day = value.split("-")
        written = {f"{day}.{month}.{year}", f"{int(day)}.{int(month)}.{year}", f"{day}/{month}/{year}", value}
        return value if any(one in text for one in written) else "any"
    if name in ("sender", "recipient", "number", "iban"):
        return value if plain(value) in plain(text) else "any"
    return value
