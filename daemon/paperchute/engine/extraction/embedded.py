"""The invoice as data that lies in a PDF (Factur-X, ZUGFeRD, Order-X: EN 16931 as CII), as findings.

Whoever sent the file wrote it, so it is read within bounds, without document types, entities or network.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from paperchute.engine.extraction.amounts import CURRENCIES
from paperchute.engine.extraction.findings import (
    Attached,
    Candidate,
    DocumentKind,
    Findings,
    Found,
    LineItem,
    sure,
    unsure,
)
from paperchute.engine.pdf.attached import attached
from paperchute.engine.pdf.document import FAULTS, unlocked
from paperchute.language import N_
from paperchute.notation.check_digits import is_iban

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """How much of it is read, and how sure it is."""

    most_bytes: int = 8 << 20
    """Of its XML: some ten thousand lines; a bound on work."""

    most_items: int = 1_000
    """Lines that are told, as of pages."""

    longest: int = 1_000
    """Characters of a text: a bound on what is passed on."""

    stated: float = 0.9
    """How sure a value is that stands there alone: nobody has compared it with anything."""

    cent: Decimal = Decimal("0.01")
    """By which net and tax may miss the total: some round each line."""


EMBEDDED = EmbeddedSettings()

NAMES = frozenset({"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"})
"""What the file is called, in small letters, by ZUGFeRD 1 and 2, Factur-X and Order-X."""

_ROOTS = frozenset({"CrossIndustryInvoice", "CrossIndustryDocument", "SCRDMCCBDACIOMessageStructure"})
_KINDS: dict[str, DocumentKind] = {
    "380": "invoice", "326": "invoice", "751": "invoice", "381": "credit_note", "220": "order",
    "231": "order_confirmation",
}  # fmt: skip
"""UNTDID 1001, of the codes that the findings have one word for: a corrected invoice (384) and one that the buyer
writes (389) go by the name of either."""
_UNITS = {
    "H87": "pc", "C62": "", "HUR": "h", "DAY": "d", "KGM": "kg", "MTR": "m", "LTR": "l", "MTK": "m²", "MTQ": "m³",
}  # fmt: skip
"""UN/ECE recommendation 20, as people write the most usual ones; others stay codes."""
_AMOUNT = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,10})?")
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T.*)?")
_CODES = frozenset(code for codes in CURRENCIES.values() for code in codes)
_CODE = re.compile(r"[A-Z]{3}")
_HEAD = "ExchangedDocument|HeaderExchangedDocument"
_DEAL = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction"
_AGREEMENT = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement"
_SETTLEMENT = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement"
_SUMS = "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
_LINE_SUMS = "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
_LINE = "SpecifiedLineTrade{}|SpecifiedSupplyChainTrade{}"


@dataclass(frozen=True, slots=True)
class Embedded:
    """The data of one attached file. findings: what it says, None where it could not be read as an invoice."""

    name: str
    findings: Findings | None


def embedded(path: Path, password: str) -> list[Embedded]:
    """The invoices that lie in a PDF as data; none where it cannot be opened, which reading its pages tells."""
    try:
        with unlocked(path, password) as pdf:
            files = list(attached(pdf, NAMES, EMBEDDED.most_bytes))
    except (*FAULTS, OSError):
        return []
    distinct = {content: name for name, content in reversed(files)}
    return [Embedded(name, stated(content, name) if content else None) for content, name in reversed(distinct.items())]


def stated(content: bytes, name: str) -> Findings | None:
    """What an invoice's XML says; None for what is none. name: of its file, for the evidence."""
    from lxml import etree  # a worker that reads no such data never loads it

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root.getroottree().docinfo.internalDTD is not None or etree.QName(root).localname not in _ROOTS:
        return None  # a document type may hold entities, and no invoice has one
    return _Invoice(root, name).findings()


@dataclass(frozen=True, slots=True)
class _Invoice:
    """The tree of one invoice; name: of its file."""

    root: Any
    name: str

    def findings(self) -> Findings:
        head, deal = _inner(self.root, _HEAD), _inner(self.root, _DEAL)
        agreement, settlement = _inner(deal, _AGREEMENT), _inner(deal, _SETTLEMENT)
        sums = _inner(settlement, _SUMS)
        currency = _texts(settlement, "InvoiceCurrencyCode") or _texts(settlement, "OrderCurrencyCode")
        own = [one for one in _all(sums, "TaxTotalAmount") if one.get("currencyID") in (None, *currency)]
        found = Findings(
            kind=self._found(_texts(head, "TypeCode"), _KINDS.get),
            date=self._found(_texts(head, "IssueDateTime", "DateTimeString"), _day),
            number=self._found(_texts(head, "ID"), str),
            sender=self._found(_texts(agreement, "SellerTradeParty", "Name"), _name),
            recipient=self._found(_texts(agreement, "BuyerTradeParty", "Name"), _name),
            currency=self._found(currency, lambda code: code if code in _CODES or _CODE.fullmatch(code) else None),
            net=self._found(_texts(sums, "TaxBasisTotalAmount"), _amount),
            tax=self._found([text for one in own if (text := _text(one))], _amount),
            tax_rate=self._found(
                _texts(settlement, "ApplicableTradeTax", "RateApplicablePercent|ApplicablePercent"), _amount
            ),
            total=self._found(_texts(sums, "GrandTotalAmount"), _amount),
            iban=self._iban(settlement),
            due=self._found(
                _texts(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString"), _day
            ),
            items=self._items(deal, _texts(sums, "LineTotalAmount")),
        )
        if found.kind.value == "invoice" and found.total.value is not None and found.total.value < 0:
            found = replace(found, kind=Found())  # which gives money back, whatever its code
        return _added(found)

    def _candidate(self, value: T, text: str) -> Candidate[T]:
        return Candidate(value, EMBEDDED.stated, (Attached(self.name, text),))

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

    def _iban(self, settlement: Any) -> Found[str]:
        path = "SpecifiedTradeSettlementPaymentMeans", "PayeePartyCreditorFinancialAccount", "IBANID"
        found = self._found(_texts(settlement, *path), lambda text: "".join(text.split()).upper())
        if found.value is not None and not is_iban(found.value):
            return unsure([self._candidate(found.value, found.value)], N_("its checksum is wrong"))
        return found

    def _items(self, deal: Any, sums: Sequence[str]) -> Found[tuple[LineItem, ...]]:
        lines = [self._item(line) for line in _all(deal, "IncludedSupplyChainTradeLineItem")[: EMBEDDED.most_items]]
        if not lines:
            return Found()
        found = Candidate(tuple(lines), EMBEDDED.stated, (Attached(self.name, ""),))
        amounts = [line.amount for line in lines if line.amount is not None]
        wanted = [_amount(text) for text in sums]
        if len(amounts) == len(lines) and [sum(amounts, Decimal())] == wanted:
            return sure(found)
        return unsure([found], N_("its lines do not add up"))

    def _item(self, line: Any) -> LineItem:
        deal, delivery, account = (
            _inner(line, _LINE.format(*[p] * 2)) for p in ("Agreement", "Delivery", "Settlement")
        )
        quantity = next(iter(_all(delivery, "BilledQuantity|RequestedQuantity")), None)
        code = quantity.get("unitCode", "") if quantity is not None else ""
        price = _inner(deal, "NetPriceProductTradePrice")
        base = _first(_texts(price, "BasisQuantity"))
        charge = _first(_texts(price, "ChargeAmount"))
        return LineItem(
            description=" ".join((*_texts(_inner(line, "SpecifiedTradeProduct"), "Name"), "")[0].split()),
            quantity=_amount(_text(quantity)) if quantity is not None else None,
            unit=_UNITS.get(code, code[:3]),
            price=charge if base in (None, Decimal(1)) else None,
            rate=_first(_texts(account, "ApplicableTradeTax", "RateApplicablePercent|ApplicablePercent")),
            amount=_first(_texts(_inner(account, _LINE_SUMS), "LineTotalAmount")),
            evidence=(Attached(self.name, ""),),
        )


def _added(found: Findings) -> Findings:
    """The findings; where net and tax do not come to the total, none of the three is sure."""
    net, tax, total = found.net, found.tax, found.total
    if net.value is None or total.value is None:
        return found
    if abs(net.value + (tax.value or 0) - total.value) <= EMBEDDED.cent:
        return found
    reason = N_("net and tax do not add up to the total")

    def open_(one: Found[Decimal]) -> Found[Decimal]:
        return one if one.value is None else unsure([Candidate(one.value, one.confidence, one.evidence)], reason)

    return replace(found, net=open_(net), tax=open_(tax), total=open_(total))


def _all(element: Any, names: str) -> list[Any]:
    """The children that have one of some names, parted by |, in any namespace: each version has its own."""
    if element is None:
        return []
    return [child for name in names.split("|") for child in element.findall(f"{{*}}{name}")]


def _inner(element: Any, names: str) -> Any:
    return next(iter(_all(element, names)), None)


def _texts(element: Any, *path: str) -> list[str]:
    """The texts at the end of a path, of every element on it."""
    elements = [element]
    for names in path:
        elements = [child for one in elements for child in _all(one, names)]
    return [text for one in elements if (text := _text(one))]


def _text(element: Any) -> str:
    return (element.text or "").strip()[: EMBEDDED.longest]


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
    cents = value.quantize(EMBEDDED.cent)
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
