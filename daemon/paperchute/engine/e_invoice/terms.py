"""The business terms of EN 16931-1 that its rules speak of: what each is called, and where CII and UBL have it.

Paths are XPath below the element of the term's group, as CEN/TS 16931-3-2 (UBL) and 16931-3-3 (CII) bind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from paperchute.language import N_

Group = Literal["invoice", "line", "vat", "allowance", "charge", "line allowance", "line charge"]
Syntax = Literal["CII", "UBL"]

NAMESPACES: dict[Syntax, dict[str, str]] = {
    "CII": {
        "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
        "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
    },
    "UBL": {
        "cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
        "cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
    },
}
ROOTS: dict[str, Syntax] = {
    "{urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100}CrossIndustryInvoice": "CII",
    "{urn:oasis:names:specification:ubl:schema:xsd:Invoice-2}Invoice": "UBL",
    "{urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2}CreditNote": "UBL",
}


@dataclass(frozen=True, slots=True)
class Term:
    """One business term: its name for people, its group, and where each syntax has it."""

    name: str
    group: Group
    cii: str
    ubl: str

    def path(self, syntax: Syntax) -> str:
        """The XPath of the term below the element of its group."""
        return self.cii if syntax == "CII" else self.ubl


_DEAL = "rsm:SupplyChainTradeTransaction"
_AGREED = f"{_DEAL}/ram:ApplicableHeaderTradeAgreement"
_SENT = f"{_DEAL}/ram:ApplicableHeaderTradeDelivery"
_PAID = f"{_DEAL}/ram:ApplicableHeaderTradeSettlement"
_SUMS = f"{_PAID}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
_TOTAL = "cac:LegalMonetaryTotal"
_SELLER, _BUYER = f"{_AGREED}/ram:SellerTradeParty", f"{_AGREED}/ram:BuyerTradeParty"
_SUPPLIER, _CUSTOMER = "cac:AccountingSupplierParty/cac:Party", "cac:AccountingCustomerParty/cac:Party"
_AGENT, _AGENCY = f"{_AGREED}/ram:SellerTaxRepresentativeTradeParty", "cac:TaxRepresentativeParty"
_PAYEE = f"{_PAID}/ram:PayeeTradeParty"
_ADDRESS = "ram:PostalTradeAddress"
_VAT_ID = "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']"
_TAX_ID = "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='FC']"
_UBL_VAT = "cac:PartyTaxScheme[cac:TaxScheme/cbc:ID='VAT']/cbc:CompanyID"
_UBL_TAX = "cac:PartyTaxScheme[not(cac:TaxScheme/cbc:ID='VAT')]/cbc:CompanyID"
_PERIOD = "ram:BillingSpecifiedPeriod"
_CONTACT = f"{_SELLER}/ram:DefinedTradeContact"
_ON_LINE = "ram:SpecifiedLineTradeSettlement"

_ALLOWS, _CHARGES = (
    f"[normalize-space(*[local-name()='ChargeIndicator'])='{word}' or "
    f"normalize-space(*[local-name()='ChargeIndicator'])='{digit}']"
    for word, digit in (("false", 0), ("true", 1))
)

GROUPS: dict[Syntax, dict[Group, str]] = {
    "CII": {
        "line": f"{_DEAL}/ram:IncludedSupplyChainTradeLineItem",
        "vat": f"{_PAID}/ram:ApplicableTradeTax",
        "allowance": f"{_PAID}/ram:SpecifiedTradeAllowanceCharge{_ALLOWS}",
        "charge": f"{_PAID}/ram:SpecifiedTradeAllowanceCharge{_CHARGES}"
        f"|{_PAID}/ram:SpecifiedLogisticsServiceCharge",  # of EXTENDED: the sum of the charges has them
        "line allowance": f"{_DEAL}/ram:IncludedSupplyChainTradeLineItem/{_ON_LINE}"
        f"/ram:SpecifiedTradeAllowanceCharge{_ALLOWS}",
        "line charge": f"{_DEAL}/ram:IncludedSupplyChainTradeLineItem/{_ON_LINE}"
        f"/ram:SpecifiedTradeAllowanceCharge{_CHARGES}",
    },
    "UBL": {
        "line": "cac:InvoiceLine|cac:CreditNoteLine",
        "vat": "cac:TaxTotal/cac:TaxSubtotal",
        "allowance": f"cac:AllowanceCharge{_ALLOWS}",
        "charge": f"cac:AllowanceCharge{_CHARGES}",
        "line allowance": f"*[self::cac:InvoiceLine or self::cac:CreditNoteLine]/cac:AllowanceCharge{_ALLOWS}",
        "line charge": f"*[self::cac:InvoiceLine or self::cac:CreditNoteLine]/cac:AllowanceCharge{_CHARGES}",
    },
}
"""Where each group's elements stand below the root."""


def _invoice(name: str, cii: str, ubl: str) -> Term:
    return Term(name, "invoice", cii, ubl)


def _line(name: str, cii: str, ubl: str) -> Term:
    return Term(name, "line", cii, ubl)


_VAT, _UBL_CATEGORY = "ram:CategoryTradeTax", "cac:TaxCategory"
_PRICE, _GROSS = (
    f"ram:SpecifiedLineTradeAgreement/ram:{kind}PriceProductTradePrice/ram:ChargeAmount" for kind in ("Net", "Gross")
)

TERMS: dict[str, Term] = {
    "BT-1": _invoice(N_("invoice number"), "rsm:ExchangedDocument/ram:ID", "cbc:ID"),
    "BT-2": _invoice(N_("invoice date"), "rsm:ExchangedDocument/ram:IssueDateTime/*", "cbc:IssueDate"),
    "BT-3": _invoice(
        N_("type of invoice"), "rsm:ExchangedDocument/ram:TypeCode", "cbc:InvoiceTypeCode|cbc:CreditNoteTypeCode"
    ),
    "BT-5": _invoice(N_("currency"), f"{_PAID}/ram:InvoiceCurrencyCode", "cbc:DocumentCurrencyCode"),
    "BT-6": _invoice(N_("VAT accounting currency"), f"{_PAID}/ram:TaxCurrencyCode", "cbc:TaxCurrencyCode"),
    "BT-9": _invoice(
        N_("due date"),
        f"{_PAID}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/*",
        "cbc:DueDate|cac:PaymentMeans/cbc:PaymentDueDate",
    ),
    "BT-10": _invoice(N_("buyer reference"), f"{_AGREED}/ram:BuyerReference", "cbc:BuyerReference"),
    "BT-20": _invoice(
        N_("payment terms"), f"{_PAID}/ram:SpecifiedTradePaymentTerms/ram:Description", "cac:PaymentTerms/cbc:Note"
    ),
    "BT-24": _invoice(
        N_("specification identifier"),
        "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
        "cbc:CustomizationID",
    ),
    "BT-27": _invoice(
        N_("name of the seller"), f"{_SELLER}/ram:Name", f"{_SUPPLIER}/cac:PartyLegalEntity/cbc:RegistrationName"
    ),
    "BT-29": _invoice(
        N_("identifier of the seller"),
        f"{_SELLER}/ram:ID|{_SELLER}/ram:GlobalID",
        f"{_SUPPLIER}/cac:PartyIdentification/cbc:ID",
    ),
    "BT-30": _invoice(
        N_("registration number of the seller"),
        f"{_SELLER}/ram:SpecifiedLegalOrganization/ram:ID",
        f"{_SUPPLIER}/cac:PartyLegalEntity/cbc:CompanyID",
    ),
    "BT-31": _invoice(N_("VAT number of the seller"), f"{_SELLER}/{_VAT_ID}", f"{_SUPPLIER}/{_UBL_VAT}"),
    "BT-32": _invoice(N_("tax number of the seller"), f"{_SELLER}/{_TAX_ID}", f"{_SUPPLIER}/{_UBL_TAX}"),
    "BG-5": _invoice(N_("address of the seller"), f"{_SELLER}/{_ADDRESS}", f"{_SUPPLIER}/cac:PostalAddress"),
    "BT-37": _invoice(
        N_("city of the seller"), f"{_SELLER}/{_ADDRESS}/ram:CityName", f"{_SUPPLIER}/cac:PostalAddress/cbc:CityName"
    ),
    "BT-38": _invoice(
        N_("post code of the seller"),
        f"{_SELLER}/{_ADDRESS}/ram:PostcodeCode",
        f"{_SUPPLIER}/cac:PostalAddress/cbc:PostalZone",
    ),
    "BT-40": _invoice(
        N_("country of the seller"),
        f"{_SELLER}/{_ADDRESS}/ram:CountryID",
        f"{_SUPPLIER}/cac:PostalAddress/cac:Country/cbc:IdentificationCode",
    ),
    "BG-6": _invoice(N_("contact of the seller"), _CONTACT, f"{_SUPPLIER}/cac:Contact"),
    "BT-41": _invoice(
        N_("contact's name"),
        f"{_CONTACT}/ram:PersonName|{_CONTACT}/ram:DepartmentName",
        f"{_SUPPLIER}/cac:Contact/cbc:Name",
    ),
    "BT-42": _invoice(
        N_("contact's telephone number"),
        f"{_CONTACT}/ram:TelephoneUniversalCommunication/ram:CompleteNumber",
        f"{_SUPPLIER}/cac:Contact/cbc:Telephone",
    ),
    "BT-43": _invoice(
        N_("contact's e-mail address"),
        f"{_CONTACT}/ram:EmailURIUniversalCommunication/ram:URIID",
        f"{_SUPPLIER}/cac:Contact/cbc:ElectronicMail",
    ),
    "BT-44": _invoice(
        N_("name of the buyer"), f"{_BUYER}/ram:Name", f"{_CUSTOMER}/cac:PartyLegalEntity/cbc:RegistrationName"
    ),
    "BT-47": _invoice(
        N_("registration number of the buyer"),
        f"{_BUYER}/ram:SpecifiedLegalOrganization/ram:ID",
        f"{_CUSTOMER}/cac:PartyLegalEntity/cbc:CompanyID",
    ),
    "BT-48": _invoice(N_("VAT number of the buyer"), f"{_BUYER}/{_VAT_ID}", f"{_CUSTOMER}/{_UBL_VAT}"),
    "BG-8": _invoice(N_("address of the buyer"), f"{_BUYER}/{_ADDRESS}", f"{_CUSTOMER}/cac:PostalAddress"),
    "BT-52": _invoice(
        N_("city of the buyer"), f"{_BUYER}/{_ADDRESS}/ram:CityName", f"{_CUSTOMER}/cac:PostalAddress/cbc:CityName"
    ),
    "BT-53": _invoice(
        N_("post code of the buyer"),
        f"{_BUYER}/{_ADDRESS}/ram:PostcodeCode",
        f"{_CUSTOMER}/cac:PostalAddress/cbc:PostalZone",
    ),
    "BT-55": _invoice(
        N_("country of the buyer"),
        f"{_BUYER}/{_ADDRESS}/ram:CountryID",
        f"{_CUSTOMER}/cac:PostalAddress/cac:Country/cbc:IdentificationCode",
    ),
    "BG-10": _invoice(N_("payee"), _PAYEE, "cac:PayeeParty"),
    "BT-59": _invoice(N_("name of the payee"), f"{_PAYEE}/ram:Name", "cac:PayeeParty/cac:PartyName/cbc:Name"),
    "BG-11": _invoice(N_("tax representative"), _AGENT, _AGENCY),
    "BT-62": _invoice(N_("name of the tax representative"), f"{_AGENT}/ram:Name", f"{_AGENCY}/cac:PartyName/cbc:Name"),
    "BT-63": _invoice(N_("VAT number of the tax representative"), f"{_AGENT}/{_VAT_ID}", f"{_AGENCY}/{_UBL_VAT}"),
    "BG-12": _invoice(N_("address of the tax representative"), f"{_AGENT}/{_ADDRESS}", f"{_AGENCY}/cac:PostalAddress"),
    "BT-69": _invoice(
        N_("country of the tax representative"),
        f"{_AGENT}/{_ADDRESS}/ram:CountryID",
        f"{_AGENCY}/cac:PostalAddress/cac:Country/cbc:IdentificationCode",
    ),
    "BT-72": _invoice(
        N_("delivery date"),
        f"{_SENT}/ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/*",
        "cac:Delivery/cbc:ActualDeliveryDate",
    ),
    "BT-73": _invoice(
        N_("start of the invoicing period"), f"{_PAID}/{_PERIOD}/ram:StartDateTime/*", "cac:InvoicePeriod/cbc:StartDate"
    ),
    "BT-74": _invoice(
        N_("end of the invoicing period"), f"{_PAID}/{_PERIOD}/ram:EndDateTime/*", "cac:InvoicePeriod/cbc:EndDate"
    ),
    "BG-15": _invoice(
        N_("delivery address"),
        f"{_SENT}/ram:ShipToTradeParty/{_ADDRESS}",
        "cac:Delivery/cac:DeliveryLocation/cac:Address",
    ),
    "BT-80": _invoice(
        N_("country of delivery"),
        f"{_SENT}/ram:ShipToTradeParty/{_ADDRESS}/ram:CountryID",
        "cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode",
    ),
    "BG-16": _invoice(
        N_("payment instructions"), f"{_PAID}/ram:SpecifiedTradeSettlementPaymentMeans", "cac:PaymentMeans"
    ),
    "BT-81": _invoice(
        N_("payment means"),
        f"{_PAID}/ram:SpecifiedTradeSettlementPaymentMeans/ram:TypeCode",
        "cac:PaymentMeans/cbc:PaymentMeansCode",
    ),
    "BT-84": _invoice(
        N_("account of the payee"),
        f"{_PAID}/ram:SpecifiedTradeSettlementPaymentMeans/ram:PayeePartyCreditorFinancialAccount"
        "/*[self::ram:IBANID or self::ram:ProprietaryID]",
        "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID",
    ),
    "BT-106": _invoice(N_("sum of the lines"), f"{_SUMS}/ram:LineTotalAmount", f"{_TOTAL}/cbc:LineExtensionAmount"),
    "BT-107": _invoice(
        N_("sum of the allowances"), f"{_SUMS}/ram:AllowanceTotalAmount", f"{_TOTAL}/cbc:AllowanceTotalAmount"
    ),
    "BT-108": _invoice(N_("sum of the charges"), f"{_SUMS}/ram:ChargeTotalAmount", f"{_TOTAL}/cbc:ChargeTotalAmount"),
    "BT-109": _invoice(N_("total without VAT"), f"{_SUMS}/ram:TaxBasisTotalAmount", f"{_TOTAL}/cbc:TaxExclusiveAmount"),
    "BT-110": _invoice(
        N_("total VAT"),
        f"{_SUMS}/ram:TaxTotalAmount[not(@currencyID) or @currencyID=//ram:InvoiceCurrencyCode]",
        "cac:TaxTotal/cbc:TaxAmount[not(@currencyID) or @currencyID=/*/cbc:DocumentCurrencyCode]",
    ),
    "BT-111": _invoice(
        N_("total VAT in accounting currency"),
        f"{_SUMS}/ram:TaxTotalAmount[@currencyID=//ram:TaxCurrencyCode]",
        "cac:TaxTotal/cbc:TaxAmount[@currencyID=/*/cbc:TaxCurrencyCode]",
    ),
    "BT-112": _invoice(N_("total with VAT"), f"{_SUMS}/ram:GrandTotalAmount", f"{_TOTAL}/cbc:TaxInclusiveAmount"),
    "BT-113": _invoice(N_("paid amount"), f"{_SUMS}/ram:TotalPrepaidAmount", f"{_TOTAL}/cbc:PrepaidAmount"),
    "BT-114": _invoice(N_("rounding amount"), f"{_SUMS}/ram:RoundingAmount", f"{_TOTAL}/cbc:PayableRoundingAmount"),
    "BT-115": _invoice(N_("amount due"), f"{_SUMS}/ram:DuePayableAmount", f"{_TOTAL}/cbc:PayableAmount"),
    "BT-92": Term(N_("amount of the allowance"), "allowance", "ram:ActualAmount", "cbc:Amount"),
    "BT-95": Term(
        N_("VAT category of the allowance"), "allowance", f"{_VAT}/ram:CategoryCode", f"{_UBL_CATEGORY}/cbc:ID"
    ),
    "BT-96": Term(
        N_("VAT rate of the allowance"),
        "allowance",
        f"{_VAT}/ram:RateApplicablePercent",
        f"{_UBL_CATEGORY}/cbc:Percent",
    ),
    "BT-97": Term(
        N_("reason of the allowance"),
        "allowance",
        "ram:Reason|ram:ReasonCode",
        "cbc:AllowanceChargeReason|cbc:AllowanceChargeReasonCode",
    ),
    "BT-99": Term(N_("amount of the charge"), "charge", "ram:ActualAmount|ram:AppliedAmount", "cbc:Amount"),
    "BT-102": Term(
        N_("VAT category of the charge"),
        "charge",
        f"*[self::{_VAT} or self::ram:AppliedTradeTax]/ram:CategoryCode",
        f"{_UBL_CATEGORY}/cbc:ID",
    ),
    "BT-103": Term(
        N_("VAT rate of the charge"),
        "charge",
        f"*[self::{_VAT} or self::ram:AppliedTradeTax]/ram:RateApplicablePercent",
        f"{_UBL_CATEGORY}/cbc:Percent",
    ),
    "BT-104": Term(
        N_("reason of the charge"),
        "charge",
        "ram:Reason|ram:ReasonCode|ram:Description",
        "cbc:AllowanceChargeReason|cbc:AllowanceChargeReasonCode",
    ),
    "BT-116": Term(N_("VAT base"), "vat", "ram:BasisAmount", "cbc:TaxableAmount"),
    "BT-117": Term(N_("VAT amount"), "vat", "ram:CalculatedAmount", "cbc:TaxAmount"),
    "BT-118": Term(N_("VAT category"), "vat", "ram:CategoryCode", f"{_UBL_CATEGORY}/cbc:ID"),
    "BT-119": Term(N_("VAT rate"), "vat", "ram:RateApplicablePercent", f"{_UBL_CATEGORY}/cbc:Percent"),
    "BT-120": Term(
        N_("reason of the VAT exemption"),
        "vat",
        "ram:ExemptionReason|ram:ExemptionReasonCode",
        f"{_UBL_CATEGORY}/cbc:TaxExemptionReason|{_UBL_CATEGORY}/cbc:TaxExemptionReasonCode",
    ),
    "BT-126": _line(N_("number of the line"), "ram:AssociatedDocumentLineDocument/ram:LineID", "cbc:ID"),
    "BT-129": _line(
        N_("quantity"),
        "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity",
        "cbc:InvoicedQuantity|cbc:CreditedQuantity",
    ),
    "BT-130": _line(
        N_("unit of the quantity"),
        "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity/@unitCode",
        "cbc:InvoicedQuantity/@unitCode|cbc:CreditedQuantity/@unitCode",
    ),
    "BT-131": _line(
        N_("amount of the line"),
        f"{_ON_LINE}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount",
        "cbc:LineExtensionAmount",
    ),
    "BT-134": _line(
        N_("start of the line's period"), f"{_ON_LINE}/{_PERIOD}/ram:StartDateTime/*", "cac:InvoicePeriod/cbc:StartDate"
    ),
    "BT-135": _line(
        N_("end of the line's period"), f"{_ON_LINE}/{_PERIOD}/ram:EndDateTime/*", "cac:InvoicePeriod/cbc:EndDate"
    ),
    "BT-136": Term(N_("amount of the line's allowance"), "line allowance", "ram:ActualAmount", "cbc:Amount"),
    "BT-139": Term(
        N_("reason of the line's allowance"),
        "line allowance",
        "ram:Reason|ram:ReasonCode",
        "cbc:AllowanceChargeReason|cbc:AllowanceChargeReasonCode",
    ),
    "BT-141": Term(N_("amount of the line's charge"), "line charge", "ram:ActualAmount", "cbc:Amount"),
    "BT-144": Term(
        N_("reason of the line's charge"),
        "line charge",
        "ram:Reason|ram:ReasonCode",
        "cbc:AllowanceChargeReason|cbc:AllowanceChargeReasonCode",
    ),
    "BT-146": _line(N_("price of the item"), _PRICE, "cac:Price/cbc:PriceAmount"),
    "BT-148": _line(N_("gross price of the item"), _GROSS, "cac:Price/cac:AllowanceCharge/cbc:BaseAmount"),
    "BT-151": _line(
        N_("VAT category of the line"),
        f"{_ON_LINE}/ram:ApplicableTradeTax/ram:CategoryCode",
        "cac:Item/cac:ClassifiedTaxCategory/cbc:ID",
    ),
    "BT-152": _line(
        N_("VAT rate of the line"),
        f"{_ON_LINE}/ram:ApplicableTradeTax/ram:RateApplicablePercent",
        "cac:Item/cac:ClassifiedTaxCategory/cbc:Percent",
    ),
    "BT-153": _line(N_("name of the item"), "ram:SpecifiedTradeProduct/ram:Name", "cac:Item/cbc:Name"),
    "BT-X-8": _line(N_("kind of the line"), "ram:AssociatedDocumentLineDocument/ram:LineStatusReasonCode", "cbc:none"),
    "BT-X-304": _line(N_("line that it belongs to"), "ram:AssociatedDocumentLineDocument/ram:ParentLineID", "cbc:none"),
}
