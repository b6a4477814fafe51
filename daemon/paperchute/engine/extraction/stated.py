"""What an invoice's data say (EN 16931 as CII and UBL, ZUGFeRD 1; Order-X), as findings.

Whoever sent the file wrote it, so it is read within bounds, without document types, entities or network.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

from paperchute.engine.e_invoice.codes import UNITS
from paperchute.engine.e_invoice.markup import parsed
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.findings import (
    Attached,
    Candidate,
    Findings,
    Found,
    LineItem,
    opened,
    sure,
    unsure,
)
from paperchute.engine.extraction.measures import BOUNDS, ROUNDING
from paperchute.language import N_
from paperchute.notation.check_digits import is_iban, is_vat_id, vat_id
from paperchute.notation.currencies import MEANINGS
from paperchute.notation.document_kinds import DocumentKind

T = TypeVar("T")

_KINDS: dict[str, DocumentKind] = {
    "380": "invoice", "326": "invoice", "751": "invoice", "381": "credit_note", "220": "order",
    "231": "order_confirmation",
}  # fmt: skip
"""UNTDID 1001, of the codes that the findings have one word for: a corrected invoice (384) and one that the buyer
writes (389) go by the name of either."""
_NOT_COUNTED = frozenset({"GROUP", "INFORMATION"})
_AMOUNT = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,10})?")
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[TZ+-].*)?")
_CODES = frozenset(code for codes in MEANINGS.values() for code in codes)
_CODE = re.compile(r"[A-Z]{3}")
_HEAD = "ExchangedDocument|HeaderExchangedDocument"
_DEAL = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction"
_AGREEMENT = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement"
_SETTLEMENT = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement"
_SUMS = "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
_LINE_SUMS = "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
_LINE = "SpecifiedLineTrade{}|SpecifiedSupplyChainTrade{}"
_AGREED, _PAID = (_DEAL, _AGREEMENT), (_DEAL, _SETTLEMENT)
_SUPPLIER, _CUSTOMER = ("AccountingSupplierParty", "Party"), ("AccountingCustomerParty", "Party")
_LEGAL_NAME = "PartyLegalEntity", "RegistrationName"

_Paths = Mapping[str, Sequence[tuple[str, ...]]]
"""By field, where it stands; of several places the first that has any text."""

_CII: _Paths = {
    "kind": [(_HEAD, "TypeCode")],
    "date": [(_HEAD, "IssueDateTime", "DateTimeString")],
    "number": [(_HEAD, "ID")],
    "specification": [
        (
            "ExchangedDocumentContext|SpecifiedExchangedDocumentContext",
            "GuidelineSpecifiedDocumentContextParameter",
            "ID",
        )
    ],
    "sender": [(*_AGREED, "SellerTradeParty", "Name")],
    "recipient": [(*_AGREED, "BuyerTradeParty", "Name")],
    "vat": [(*_AGREED, "SellerTradeParty", "SpecifiedTaxRegistration", "ID")],
    "mail": [
        (*_AGREED, "SellerTradeParty", "DefinedTradeContact", "EmailURIUniversalCommunication", "URIID"),
        (*_AGREED, "SellerTradeParty", "URIUniversalCommunication", "URIID"),
    ],
    "currency": [(*_PAID, "InvoiceCurrencyCode"), (*_PAID, "OrderCurrencyCode")],
    "net": [(*_PAID, _SUMS, "TaxBasisTotalAmount")],
    "tax": [(*_PAID, _SUMS, "TaxTotalAmount")],
    "tax_rate": [(*_PAID, "ApplicableTradeTax", "RateApplicablePercent|ApplicablePercent")],
    "total": [(*_PAID, _SUMS, "GrandTotalAmount")],
    "lines": [(*_PAID, _SUMS, "LineTotalAmount")],
    "iban": [(*_PAID, "SpecifiedTradeSettlementPaymentMeans", "PayeePartyCreditorFinancialAccount", "IBANID")],
    "due": [(*_PAID, "SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString")],
}
_UBL: _Paths = {
    "kind": [("InvoiceTypeCode|CreditNoteTypeCode",)],
    "date": [("IssueDate",)],
    "number": [("ID",)],
    "specification": [("CustomizationID",)],
    "sender": [(*_SUPPLIER, *_LEGAL_NAME), (*_SUPPLIER, "PartyName", "Name")],
    "recipient": [(*_CUSTOMER, *_LEGAL_NAME), (*_CUSTOMER, "PartyName", "Name")],
    "vat": [(*_SUPPLIER, "PartyTaxScheme", "CompanyID")],
    "mail": [(*_SUPPLIER, "Contact", "ElectronicMail")],
    "currency": [("DocumentCurrencyCode",)],
    "net": [("LegalMonetaryTotal", "TaxExclusiveAmount")],
    "tax": [("TaxTotal", "TaxAmount")],
    "tax_rate": [("TaxTotal", "TaxSubtotal", "TaxCategory", "Percent")],
    "total": [("LegalMonetaryTotal", "TaxInclusiveAmount")],
    "lines": [("LegalMonetaryTotal", "LineExtensionAmount")],
    "iban": [("PaymentMeans", "PayeeFinancialAccount", "ID")],
    "due": [("DueDate",), ("PaymentMeans", "PaymentDueDate")],
}
_UBL_NAMESPACE = "urn:oasis:names:specification:ubl:schema:xsd:"
_SYNTAXES: Mapping[str, tuple[str, _Paths]] = {
    "CrossIndustryInvoice": ("CII", _CII),
    "CrossIndustryDocument": ("ZUGFeRD 1", _CII),
    "SCRDMCCBDACIOMessageStructure": ("", _CII),
    "Invoice": ("UBL", _UBL),
    "CreditNote": ("UBL", _UBL),
}
"""By the name of the root: what the syntax of an invoice is called, empty for an order, and where its fields stand."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the data in one file say.

    syntax: of an invoice; empty for an order. specification: the identifier of its profile (BT-24). identifiers: what
    names its seller beyond doubt, as document-extract answers it.
    """

    findings: Findings
    syntax: str
    specification: str
    identifiers: tuple[dict[str, str], ...]


def read_data(content: bytes, name: str) -> Stated | None:
    """Return what an invoice's XML says; None for what is none. name: of its file, for the evidence."""
    root = parsed(content)
    namespace, _brace, tag = str(root.tag).rpartition("}") if root is not None else ("", "", "")
    if tag not in _SYNTAXES or (_SYNTAXES[tag][1] is _UBL) != namespace.startswith("{" + _UBL_NAMESPACE):
        return None
    syntax, paths = _SYNTAXES[tag]
    invoice = _Invoice(root, name, paths)
    return Stated(invoice.findings(), syntax, _first_of(invoice.texts("specification")), tuple(invoice.identifiers()))


def stated(content: bytes, name: str) -> Findings | None:
    """Return what `read_data` finds in it."""
    read = read_data(content, name)
    return read.findings if read is not None else None


@dataclass(frozen=True, slots=True)
class _Invoice:
    """The tree of one invoice; name: of its file; paths: of its syntax."""

    root: Any
    name: str
    paths: _Paths

    def texts(self, field: str) -> list[str]:
        """The texts of a field."""
        return [text for one in self._elements(field) if (text := _text(one))]

    def identifiers(self) -> Iterator[dict[str, str]]:
        """What names the seller: its VAT id and IBAN, where the check digits are right, and the domain of its mail."""
        found = self.findings()
        proofs = [("vat", text) for text in map(vat_id, self.texts("vat")) if is_vat_id(text)]
        proofs += [("iban", found.iban.value or "")]
        proofs += [("domain", text.rpartition("@")[2].lower()) for text in self.texts("mail") if "@" in text]
        for kind, value in dict.fromkeys(proofs):
            if value:
                yield {"kind": kind, "value": value}

    def findings(self) -> Findings:
        """All that stands there alone, or several times as the same."""
        currency = self.texts("currency")
        own = [one for one in self._elements("tax") if one.get("currencyID") in (None, *currency)]
        found = Findings(
            kind=self._field("kind", _KINDS.get),
            date=self._field("date", _day),
            number=self._field("number", str),
            sender=self._field("sender", _name),
            recipient=self._field("recipient", _name),
            currency=self._found(currency, lambda code: code if code in _CODES or _CODE.fullmatch(code) else None),
            net=self._field("net", _amount),
            tax=self._found([text for one in own if (text := _text(one))], _amount),
            tax_rate=self._field("tax_rate", _amount),
            total=self._field("total", _amount),
            iban=self._iban(),
            due=self._field("due", _day),
            items=self._items(),
        )
        if found.kind.value == "invoice" and found.total.value is not None and found.total.value < 0:
            found = replace(found, kind=Found())  # which gives money back, whatever its code
        return _added(found)

    def _elements(self, field: str) -> list[Any]:
        for path in self.paths[field]:
            elements = [one for one in _at(self.root, path) if _text(one)]
            if elements:
                return elements
        return []

    def _candidate(self, value: T, text: str) -> Candidate[T]:
        return Candidate(value, CONFIDENCE.alone, (Attached(self.name, text),))

    def _field(self, field: str, read: Callable[[str], T | None]) -> Found[T]:
        return self._found(self.texts(field), read)

    def _found(self, texts: Sequence[str], read: Callable[[str], T | None]) -> Found[T]:
        """The one value that some texts mean; of several none is sure."""
        values: dict[T, Candidate[T]] = {}
        for text in texts:
            value = read(text)
            if value is not None:
                values.setdefault(value, self._candidate(value, text))
        if len(values) > 1:
            return unsure(list(values.values()), N_("there are several in the invoice's data"))
        return sure(*values.values()) if values else Found()

    def _iban(self) -> Found[str]:
        found = self._field("iban", _account)
        if found.value is not None and not is_iban(found.value):
            return unsure([self._candidate(found.value, found.value)], N_("its checksum is wrong"))
        return found

    def _items(self) -> Found[tuple[LineItem, ...]]:
        lines = [self._ubl_item(line) for line in _all(self.root, "InvoiceLine|CreditNoteLine")[: BOUNDS.lines]]
        if self.paths is _CII:
            every = _at(self.root, (_DEAL, "IncludedSupplyChainTradeLineItem"))[: BOUNDS.lines]
            lines = [self._cii_item(line) for line in every if not _is_counted_elsewhere(line)]
        if not lines:
            return Found()
        found = Candidate(tuple(lines), CONFIDENCE.alone, (Attached(self.name, ""),))
        amounts = [line.amount for line in lines if line.amount is not None]
        wanted = [_amount(text) for text in self.texts("lines")]
        if len(amounts) == len(lines) and [sum(amounts, Decimal())] == wanted:
            return sure(found)
        return unsure([found], N_("its lines do not add up"))

    def _cii_item(self, line: Any) -> LineItem:
        deal, delivery, account = (
            _inner(line, _LINE.format(*[p] * 2)) for p in ("Agreement", "Delivery", "Settlement")
        )
        price = _inner(deal, "NetPriceProductTradePrice")
        return self._item(
            _texts(_inner(line, "SpecifiedTradeProduct"), "Name"),
            _all(delivery, "BilledQuantity|RequestedQuantity"),
            (_texts(price, "ChargeAmount"), _texts(price, "BasisQuantity")),
            _texts(account, "ApplicableTradeTax", "RateApplicablePercent|ApplicablePercent"),
            _texts(_inner(account, _LINE_SUMS), "LineTotalAmount"),
        )

    def _ubl_item(self, line: Any) -> LineItem:
        item, price = _inner(line, "Item"), _inner(line, "Price")
        return self._item(
            _texts(item, "Name"),
            _all(line, "InvoicedQuantity|CreditedQuantity"),
            (_texts(price, "PriceAmount"), _texts(price, "BaseQuantity")),
            _texts(item, "ClassifiedTaxCategory", "Percent"),
            _texts(line, "LineExtensionAmount"),
        )

    def _item(
        self,
        names: Sequence[str],
        quantities: Sequence[Any],
        price: tuple[Sequence[str], Sequence[str]],
        rates: Sequence[str],
        amounts: Sequence[str],
    ) -> LineItem:
        """One line. price: the amount, and the quantity that it is for."""
        quantity = next(iter(quantities), None)
        code = quantity.get("unitCode", "") if quantity is not None else ""
        return LineItem(
            description=" ".join(_first_of(names).split()),
            quantity=_amount(_text(quantity)) if quantity is not None else None,
            unit=UNITS.get(code, code[:3]),
            price=_first(price[0]) if _first(price[1]) in (None, Decimal(1)) else None,
            rate=_first(rates),
            amount=_first(amounts),
            evidence=(Attached(self.name, ""),),
        )


def _is_counted_elsewhere(line: Any) -> bool:
    """Tell whether a line sums the lines below it, or only informs (EXTENDED, BT-X-8): the total has it not."""
    kinds = _texts(line, "AssociatedDocumentLineDocument", "LineStatusReasonCode")
    return any(kind.strip().upper() in _NOT_COUNTED for kind in kinds)


def _added(found: Findings) -> Findings:
    """The findings; where net and tax do not come to the total, none of the three is sure."""
    net, tax, total = found.net, found.tax, found.total
    if net.value is None or total.value is None:
        return found
    if abs(net.value + (tax.value or 0) - total.value) <= ROUNDING.cent:
        return found
    reason = N_("net and tax do not add up to the total")
    return replace(found, net=opened(net, reason), tax=opened(tax, reason), total=opened(total, reason))


def _all(element: Any, names: str) -> list[Any]:
    """The children that have one of some names, parted by |, in any namespace: each version has its own."""
    if element is None:
        return []
    return [child for name in names.split("|") for child in element.findall(f"{{*}}{name}")]


def _inner(element: Any, names: str) -> Any:
    return next(iter(_all(element, names)), None)


def _texts(element: Any, *path: str) -> list[str]:
    """The texts at the end of a path, of every element on it."""
    return [text for one in _at(element, path) if (text := _text(one))]


def _at(element: Any, path: Sequence[str]) -> list[Any]:
    """The elements at the end of a path."""
    elements = [element]
    for names in path:
        elements = [child for one in elements for child in _all(one, names)]
    return elements


def _text(element: Any) -> str:
    return (element.text or "").strip()[: BOUNDS.lines]


def _first(texts: Sequence[str]) -> Decimal | None:
    return next(_numbers(texts), None)


def _numbers(texts: Sequence[str]) -> Iterator[Decimal]:
    for text in texts:
        if (value := _amount(text)) is not None:
            yield value


def _amount(text: str) -> Decimal | None:
    """An amount with the decimals that are needed, and two at least."""
    if not _AMOUNT.fullmatch(text):
        return None
    value = Decimal(text)
    cents = value.quantize(ROUNDING.cent)
    return cents if cents == value else value.normalize()


def _day(text: str) -> datetime.date | None:
    match = _DAY.fullmatch(text)
    try:
        return datetime.date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def _name(text: str) -> str | None:
    """A name in one line, without the form of address that some write into its first."""
    return " ".join(re.sub(r"^(?:Herrn?|Frau|Firma)\s*\n", "", text).split()) or None


def _account(text: str) -> str | None:
    """An IBAN without its spaces; None for an account that goes by another number."""
    plain = "".join(text.split()).upper()
    return plain if plain[:2].isalpha() and plain[2:4].isdecimal() else None


def _first_of(texts: Sequence[str]) -> str:
    return next(iter(texts), "")
