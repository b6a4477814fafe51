"""What an invoice's data are called on a page: codes, places of what the rules have no terms for, amounts and days."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from functools import cache
from html import escape
from typing import Any

from paperchute.language import N_, _

DOCUMENTS = {
    "380": N_("Invoice"),
    "381": N_("Credit note"),
    "384": N_("Corrected invoice"),
    "389": N_("Self-billed invoice"),
    "326": N_("Partial invoice"),
    "386": N_("Prepayment invoice"),
    "875": N_("Partial construction invoice"),
    "876": N_("Partial final construction invoice"),
    "877": N_("Final construction invoice"),
}
"""UNTDID 1001, the codes that EN 16931 sees most."""
CATEGORIES = {
    "Z": N_("zero rate"),
    "E": N_("exempt from tax"),
    "AE": N_("reverse charge"),
    "K": N_("supply inside the European Union"),
    "G": N_("export"),
    "O": N_("not subject to VAT"),
    "L": N_("tax of the Canary Islands"),
    "M": N_("tax of Ceuta and Melilla"),
}
"""UNTDID 5305, but for S, of which the rate says enough."""
MEANS = {
    "10": N_("cash"),
    "20": N_("cheque"),
    "30": N_("credit transfer"),
    "48": N_("card"),
    "49": N_("direct debit"),
    "57": N_("standing agreement"),
    "58": N_("SEPA credit transfer"),
    "59": N_("SEPA direct debit"),
}
"""UNTDID 4461, the usual ones."""
_AGREED = "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement"
_PAID = "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement"
_MEANS = f"{_PAID}/ram:SpecifiedTradeSettlementPaymentMeans"
PARTIES = (
    (N_("Seller"), f"{_AGREED}/ram:SellerTradeParty", "cac:AccountingSupplierParty"),
    (N_("Buyer"), f"{_AGREED}/ram:BuyerTradeParty", "cac:AccountingCustomerParty"),
    (N_("Payee"), f"{_PAID}/ram:PayeeTradeParty", "cac:PayeeParty"),
    (N_("Tax representative"), f"{_AGREED}/ram:SellerTaxRepresentativeTradeParty", "cac:TaxRepresentativeParty"),
    (
        N_("Delivered to"),
        "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeDelivery/ram:ShipToTradeParty",
        "cac:Delivery/*[self::cac:DeliveryLocation or self::cac:DeliveryParty]",
    ),
)
"""The parties of an invoice, and where CII and UBL have them."""
REFERENCES = (
    (N_("Order"), f"{_AGREED}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID", "cac:OrderReference/cbc:ID"),
    (N_("Order of the seller"), f"{_AGREED}/ram:SellerOrderReferencedDocument/ram:IssuerAssignedID", "cac:none"),
    (
        N_("Contract"),
        f"{_AGREED}/ram:ContractReferencedDocument/ram:IssuerAssignedID",
        "cac:ContractDocumentReference/cbc:ID",
    ),
    (N_("Project"), f"{_AGREED}/ram:SpecifiedProcuringProject/ram:*", "cac:ProjectReference/cbc:ID"),
    (
        N_("Earlier invoice"),
        f"{_PAID}/ram:InvoiceReferencedDocument/ram:IssuerAssignedID",
        "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID",
    ),
)
ACCOUNTS = (
    (
        N_("Account holder"),
        f"{_MEANS}/ram:PayeePartyCreditorFinancialAccount/ram:AccountName",
        "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:Name",
    ),
    (
        N_("BIC"),
        f"{_MEANS}/ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID",
        "cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID",
    ),
    (N_("Payment reference"), f"{_PAID}/ram:PaymentReference", "cac:PaymentMeans/cbc:PaymentID"),
    (
        N_("Mandate"),
        f"{_PAID}/ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID",
        "cac:PaymentMeans/cac:PaymentMandate/cbc:ID",
    ),
    (N_("Creditor identifier"), f"{_PAID}/ram:CreditorReferenceID", "cac:none"),
    (
        N_("Account to be debited"),
        f"{_MEANS}/ram:PayerPartyDebtorFinancialAccount/ram:IBANID",
        "cac:PaymentMeans/cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID",
    ),
)
NOTES = "rsm:ExchangedDocument/ram:IncludedNote/ram:Content", "cbc:Note"
OF_PARTIES = {
    "SpecifiedLegalOrganization/ID": N_("Registration number"),
    "PartyLegalEntity/CompanyID": N_("Registration number"),
    "PersonName": N_("Contact"),
    "Contact/Name": N_("Contact"),
    "DepartmentName": N_("Department"),
    "CompleteNumber": N_("Telephone"),
    "Telephone": N_("Telephone"),
    "ElectronicMail": N_("E-mail"),
    "EmailURIUniversalCommunication/URIID": N_("E-mail"),
    "URIUniversalCommunication/URIID": N_("Electronic address"),
    "EndpointID": N_("Electronic address"),
    "ID": N_("Identifier"),
    "GlobalID": N_("Identifier"),
    "VA": N_("VAT number"),
    "FC": N_("Tax number"),
}
"""By the last names of its path, or by the scheme of a tax registration: what a fact about a party is called."""
_LONGEST_WORD = 24
"""Letters after which a word may be parted where a column is too narrow for it."""
_LONG_WORDS = re.compile(rf"(\S{{{_LONGEST_WORD + 1},}})")
_PIECES = re.compile(rf"\S{{1,{_LONGEST_WORD}}}")


def word(table: dict[str, str], code: str, alone: str = "{code}") -> str:
    """A code's word in the page's language; of one that is not known, `alone` with the code in it."""
    return _(table[code]) if code in table else alone.replace("{code}", code)


def plain_name(path: list[str]) -> str:
    """Return what stands for names that nobody has words for: `TradeTax` and `ID` are "Trade Tax ID"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", " ".join(path))


def amount(value: Decimal, language: str) -> str:
    """A number as people of a language write it, with the decimals that it has, and two at least."""
    return _number(value, "#,##0.00##########", language)


def quantity(value: Decimal, language: str) -> str:
    """The same of a count or rate, whose decimals may all be left out."""
    return _number(value, "#,##0.############", language)


def _number(value: Decimal, form: str, language: str) -> str:
    from babel.numbers import format_decimal

    return format_decimal(value, form, locale=language)


def day(value: datetime.date, language: str) -> str:
    """A day as people of a language write it, with the month's name, so that nobody takes it for another."""
    from babel.dates import format_date

    return format_date(value, "long", locale=language)


@cache
def _territories(language: str) -> Any:
    from babel import Locale

    return Locale.parse(language).territories


def country(code: str, language: str) -> str:
    """The name of a country in a language; its code where it has none."""
    return str(_territories(language).get(code.upper(), code))


def shown(text: str) -> str:
    """A text as HTML, whose long words may be parted."""
    parts = enumerate(_LONG_WORDS.split(text))
    return "".join(
        "<wbr>".join(map(escape, _PIECES.findall(part))) if index % 2 else escape(part) for index, part in parts
    )
