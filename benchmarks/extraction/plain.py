"""What simple ways find, to compare with: a page of rules over the text, and labels with what stands beside them."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2

from paperchute.engine.extraction.fields import best, pairs
from paperchute.engine.extraction.schema import Wanted
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf

_AMOUNT = re.compile(r"\d{1,3}(?:[., ]\d{3})*[.,]\d{2}(?!\d)")
_DATE = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})|(\d{4})-(\d{2})-(\d{2})")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?")
_NUMBER = re.compile(r"(?:No\.?|Nr\.?|n°|Nº|number|nummer|#)\s*:?\s*([A-Z0-9][\w/-]*\d[\w/-]*)", re.IGNORECASE)
_KINDS = {
    "credit_note": "credit|gutschrift|rechnungskorrektur|avoir|abono|rectificativa", "reminder": "reminder|mahnung|erinnerung|rappel|relance|recordatorio",
    "receipt": "receipt|quittung|kassenbon|reçu|ticket|recibo", "delivery_note": "delivery note|packing|lieferschein|livraison|albarán",
    "statement": "statement|kontoauszug|relevé|extracto", "contract": "contract|agreement|vertrag|contrat",
    "invoice": "invoice|rechnung|facture|factura",
}  # fmt: skip
_LABELS = {
    "date": ("Date", "Datum", "Fecha", "Invoice date", "Rechnungsdatum"), "due": ("Due date", "Fällig am", "Échéance", "Vencimiento"),
    "number": ("Invoice number", "Rechnungsnummer", "Facture n°", "Factura Nº"), "net": ("Subtotal", "Nettobetrag", "Total HT", "Base imponible"),
    "total": ("Total", "Gesamtbetrag", "Total TTC", "Importe total"), "recipient": ("Bill to", "Rechnung an", "Facturé à", "Facturar a"),
    "iban": ("IBAN",), "tax": ("VAT", "MwSt.", "TVA", "IVA"),
}  # fmt: skip


def by_plain_rules(path: Path) -> dict[str, Any]:
    """The first date, the largest amount, the first IBAN, what stands behind `No.`, the first word for a kind."""
    with pypdfium2.PdfDocument(path) as document:
        text = "\n".join(page.get_textpage().get_text_bounded() for page in document)
    lowered = text.lower()
    kinds = [(match.start(), kind) for kind, words in _KINDS.items() if (match := re.search(words, lowered))]
    found: dict[str, Any] = {"kind": min(kinds)[1] if kinds else "letter"}
    amounts = [amount for match in _AMOUNT.finditer(text) if (amount := _amount(match[0])) is not None]
    if amounts:
        found["total"] = max(amounts)
    found |= {"date": _date(text), "currency": "GBP" if "£" in text or "GBP" in text else "EUR"}
    if match := _IBAN.search(text):
        found["iban"] = match[0]
    if match := _NUMBER.search(text):
        found["number"] = match[1]
    return {name: {"value": value} for name, value in found.items() if value}


def by_labels(path: Path) -> dict[str, Any]:
    """The values beside common labels of the four languages, with a colon or in a cell."""
    found: dict[str, Any] = {}
    with opened(path, path.name, "") as pdf:
        for page in read_pdf(pdf, range(len(pdf)), Options(images=False, notes=False)).pages:
            known = pairs(page.blocks)
            for name, labels in _LABELS.items():
                hits = [hit for label in labels if (hit := best(Wanted(label), known, page.blocks)) is not None]
                if hits and name not in found:
                    found[name] = max(hits, key=lambda hit: hit[0])[1].value
    values: dict[str, Any] = {}
    for name, text in found.items():
        amount = _AMOUNT.search(text) if name in ("net", "tax", "total") else None
        day = _date(text) if name in ("date", "due") else ""
        values[name] = _amount(amount[0]) if amount else day or text
    return {name: {"value": value} for name, value in values.items() if _is_value(name, value)}


def _is_value(name: str, value: Any) -> bool:
    return isinstance(value, Decimal) if name in ("net", "tax", "total") else bool(value)


def _amount(text: str) -> Decimal | None:
    digits = re.sub(r"\D", "", text)
    return Decimal(digits) / 100 if len(digits) < 15 else None


def _date(text: str) -> str:
    match = _DATE.search(text)
    if match is None:
        return ""
    year, month, day = (match[3], match[2], match[1]) if match[3] else (match[4], match[5], match[6])
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
