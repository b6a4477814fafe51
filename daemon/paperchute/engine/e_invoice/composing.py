"""An invoice as data, made of what fills a template: CII in the profile EN 16931 (docs/templates.md#e-invoices).

Amounts are worked out from quantities, prices and rates. What is missing or cannot be read is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from paperchute.engine.e_invoice.codes import UNITS, vat_categories
from paperchute.engine.e_invoice.rule import CENT, HUNDRED
from paperchute.engine.html.data import DataError, read_data
from paperchute.engine.html.filters import decimal_of, moment_of
from paperchute.engine.work import Refused
from paperchute.language import _

MOST_LINES = 1_000
"""Lines of one invoice: as many as are read of one."""
_TYPES = {"invoice": "380", "credit_note": "381"}
_UNIT = re.compile(r"[A-Z0-9]{2,3}")
_CODES = {word: code for code, word in UNITS.items() if word}
_RAM = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
_RSM = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
_UDT = "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"
_EN_16931 = "urn:cen.eu:en16931:2017"
_TRANSFER = "58"
"""UNTDID 4461: a credit transfer of SEPA."""
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBERED = re.compile(r"[1-9]\d{0,3}")


@dataclass(frozen=True, slots=True)
class _Line:
    item: str
    quantity: Decimal
    unit: str
    price: Decimal
    rate: Decimal | None
    category: str
    reason: str

    @property
    def amount(self) -> Decimal:
        return _cents(self.quantity * self.price)


def composed(text: str) -> bytes:
    """The XML of the invoice that a template's data say. Raises Refused 01006 for what makes none."""
    values, _listed = read_data(text)
    data = _Data(_nested(values), "")
    try:
        return _xml(data)
    except DataError as error:
        raise Refused("01006", _("eInvoice: {reason}", reason=error)) from None


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values whose names have points as tables within tables: `seller.name` of a list is `name` of `seller`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        *outer, last = name.split(".")
        table = found
        for part in outer:
            inner = table.setdefault(part, {})
            table = inner if isinstance(inner, dict) else {}
        table.setdefault(last, value)
    return found


@dataclass(frozen=True, slots=True)
class _Data:
    """A table of the data. place: its name, empty for the whole."""

    values: Mapping[str, Any]
    place: str

    def name_of(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def table(self, name: str) -> _Data:
        value = self.values.get(name)
        return _Data(value if isinstance(value, dict) else {}, self.name_of(name))

    def lines(self) -> list[_Data]:
        """The lines: a list, tables that are numbered, or the data themselves, which then are of one line."""
        value = self.values.get("lines")
        if isinstance(value, dict):
            numbered = sorted(value.items(), key=lambda item: item[0].zfill(4))
            value = [one for name, one in numbered if _NUMBERED.fullmatch(name)]
        if value is None and "item" in self.values:
            return [self]
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            raise DataError(_("{name} is missing, or no list of objects", name="lines"))
        if len(value) > MOST_LINES:
            raise DataError(_("there are more than {most} lines", most=MOST_LINES))
        listed = enumerate(value, 1)
        return [_Data(one, f"lines.{number}") for number, one in listed if any(map(_is_said, one.values()))]

    def text(self, name: str, *, needed: bool = False) -> str:
        value = self.values.get(name)
        is_text = isinstance(value, str | int) and not isinstance(value, bool)
        said = " ".join(_NOT_IN_XML.sub(" ", str(value)).split()) if is_text else ""
        if needed and not said:
            raise DataError(_("{name} is missing", name=self.name_of(name)))
        return said

    def number(self, name: str, *, needed: bool = False) -> Decimal | None:
        value = self.values.get(name)
        if not _is_said(value):
            if needed:
                raise DataError(_("{name} is missing", name=self.name_of(name)))
            return None
        return decimal_of(value, [])

    def day(self, name: str, *, needed: bool = False) -> date | None:
        if not self.text(name, needed=needed):
            return None
        return moment_of(self.values[name], []).date()


def _is_said(value: Any) -> bool:
    return value is not None and str(value).strip() != ""


def _cents(value: Decimal) -> Decimal:
    return value.quantize(CENT, ROUND_HALF_UP)


def _line(data: _Data) -> _Line:
    unit = data.text("unit")
    code = _CODES.get(unit, unit) or "C62"
    if not _UNIT.fullmatch(code):
        place, known = data.name_of("unit"), ", ".join(_CODES)
        raise DataError(
            _(
                "{name} is {value}, and takes a code such as C62, or one of {known}",
                name=place,
                value=repr(unit),
                known=known,
            )
        )
    rate = data.number("rate")
    category = data.text("category") or ("S" if rate else "")
    if category not in vat_categories():
        raise DataError(
            _(
                "{name} is missing: where no VAT is added, it says why (Z, E, AE, K, G, O)",
                name=data.name_of("category"),
            )
        )
    if category != "O" and rate is None:
        raise DataError(_("{name} is missing", name=data.name_of("rate")))
    quantity, price = data.number("quantity", needed=True), data.number("price", needed=True)
    assert quantity is not None
    assert price is not None
    return _Line(data.text("item", needed=True), quantity, code, price, rate, category, data.text("reason"))


def _xml(data: _Data) -> bytes:
    from lxml import etree  # a worker that reads no such data never loads it

    return bytes(etree.tostring(_document(data), encoding="UTF-8", xml_declaration=True))


def _ram(name: str, *inner: Any, **marks: str) -> Any:
    """An element with others in it, or with a text; what is None is left out."""
    return _element(_RAM, name, *inner, **marks)


def _rsm(name: str, *inner: Any) -> Any:
    return _element(_RSM, name, *inner)


def _element(space: str, name: str, *inner: Any, **marks: str) -> Any:
    from lxml import etree  # a worker that reads no such data never loads it

    made = etree.Element(f"{{{space}}}{name}", marks, nsmap={"rsm": _RSM, "ram": _RAM, "udt": _UDT})
    for one in inner:
        if isinstance(one, str):
            made.text = one
        elif one is not None:
            made.append(one)
    return made


def _told(name: str, text: str, *outer: str) -> Any:
    """An element with a text, within others; None without one."""
    found = _ram(name, text) if text else None
    for one in reversed(outer):
        found = _ram(one, found) if found is not None else None
    return found


def _day(name: str, day: date | None) -> Any:
    return _ram(name, _element(_UDT, "DateTimeString", f"{day:%Y%m%d}", format="102")) if day is not None else None


def _group(name: str, *inner: Any) -> Any:
    """An element with others in it; None without any."""
    return _ram(name, *inner) if any(one is not None for one in inner) else None


def _party(name: str, said: _Data) -> Any:
    taxes = [("VA", said.text("vat").replace(" ", "")), ("FC", said.text("tax_number"))]
    return _ram(
        name,
        _told("Name", said.text("name")),
        _group(
            "DefinedTradeContact",
            _told("PersonName", said.text("contact")),
            _told("CompleteNumber", said.text("phone"), "TelephoneUniversalCommunication"),
            _told("URIID", said.text("mail"), "EmailURIUniversalCommunication"),
        ),
        _group(
            "PostalTradeAddress",
            _told("PostcodeCode", said.text("postcode")),
            _told("LineOne", said.text("street")),
            _told("CityName", said.text("city")),
            _told("CountryID", said.text("country").upper()),
        ),
        *(_ram("SpecifiedTaxRegistration", _ram("ID", number, schemeID=scheme)) for scheme, number in taxes if number),
    )


def _vat(category: str, rate: Decimal | None, tax: Any = None, base: Any = None, reason: str = "") -> Any:
    return _ram(
        "ApplicableTradeTax",
        tax,
        _ram("TypeCode", "VAT"),
        _told("ExemptionReason", reason),
        base,
        _ram("CategoryCode", category),
        _told("RateApplicablePercent", f"{rate:f}" if rate is not None else ""),
    )


def _item(number: int, line: _Line) -> Any:
    return _ram(
        "IncludedSupplyChainTradeLineItem",
        _told("LineID", str(number), "AssociatedDocumentLineDocument"),
        _told("Name", line.item, "SpecifiedTradeProduct"),
        _told("ChargeAmount", f"{line.price:f}", "SpecifiedLineTradeAgreement", "NetPriceProductTradePrice"),
        _ram("SpecifiedLineTradeDelivery", _ram("BilledQuantity", f"{line.quantity:f}", unitCode=line.unit)),
        _ram(
            "SpecifiedLineTradeSettlement",
            _vat(line.category, line.rate),
            _told("LineTotalAmount", f"{line.amount:f}", "SpecifiedTradeSettlementLineMonetarySummation"),
        ),
    )


def _document(data: _Data) -> Any:
    lines = [_line(one) for one in data.lines()]
    kind = data.text("kind") or "invoice"
    if kind not in _TYPES:
        raise DataError(_("{name} is {value}, and takes invoice or credit_note", name="kind", value=repr(kind)))
    agreement = _ram(
        "ApplicableHeaderTradeAgreement",
        _told("BuyerReference", data.text("buyer_reference")),
        _party("SellerTradeParty", data.table("seller")),
        _party("BuyerTradeParty", data.table("buyer")),
        _told("IssuerAssignedID", data.text("order"), "BuyerOrderReferencedDocument"),
    )
    delivery = _group("ActualDeliverySupplyChainEvent", _day("OccurrenceDateTime", data.day("delivery")))
    return _rsm(
        "CrossIndustryInvoice",
        _rsm("ExchangedDocumentContext", _told("ID", _EN_16931, "GuidelineSpecifiedDocumentContextParameter")),
        _rsm(
            "ExchangedDocument",
            _ram("ID", data.text("number", needed=True)),
            _ram("TypeCode", _TYPES[kind]),
            _day("IssueDateTime", data.day("date", needed=True)),
            _told("Content", data.text("note"), "IncludedNote"),
        ),
        _rsm(
            "SupplyChainTradeTransaction",
            *(_item(number, line) for number, line in enumerate(lines, 1)),
            agreement,
            _ram("ApplicableHeaderTradeDelivery", delivery),
            _settlement(data, lines),
        ),
    )


def _settlement(data: _Data, lines: list[_Line]) -> Any:
    groups: dict[tuple[str, Decimal | None], list[_Line]] = {}
    for line in lines:
        groups.setdefault((line.category, line.rate), []).append(line)
    bases = {group: sum((line.amount for line in of), Decimal()) for group, of in groups.items()}
    taxes = {group: _cents(base * (group[1] or Decimal()) / HUNDRED) for group, base in bases.items()}
    net, tax = sum(bases.values(), Decimal()), sum(taxes.values(), Decimal())
    paid = _cents(data.number("paid") or Decimal())
    currency, iban = data.text("currency", needed=True).upper(), "".join(data.text("iban").split()).upper()
    account = _ram(
        "PayeePartyCreditorFinancialAccount", _ram("IBANID", iban), _told("AccountName", data.text("account"))
    )
    bank = _told("BICID", data.text("bic"), "PayeeSpecifiedCreditorFinancialInstitution")
    return _ram(
        "ApplicableHeaderTradeSettlement",
        _ram("InvoiceCurrencyCode", currency),
        _ram("SpecifiedTradeSettlementPaymentMeans", _ram("TypeCode", _TRANSFER), account, bank) if iban else None,
        *(
            _vat(
                *group,
                _ram("CalculatedAmount", f"{taxes[group]:f}"),
                _ram("BasisAmount", f"{bases[group]:f}"),
                next((line.reason for line in of if line.reason), ""),
            )
            for group, of in groups.items()
        ),
        _group(
            "SpecifiedTradePaymentTerms",
            _told("Description", data.text("terms")),
            _day("DueDateDateTime", data.day("due")),
        ),
        _ram(
            "SpecifiedTradeSettlementHeaderMonetarySummation",
            _ram("LineTotalAmount", f"{net:f}"),
            _ram("TaxBasisTotalAmount", f"{net:f}"),
            _ram("TaxTotalAmount", f"{tax:f}", currencyID=currency),
            _ram("GrandTotalAmount", f"{net + tax:f}"),
            _told("TotalPrepaidAmount", f"{paid:f}" if paid else ""),
            _ram("DuePayableAmount", f"{net + tax - paid:f}"),
        ),
    )
