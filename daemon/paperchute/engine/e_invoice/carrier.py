"""A PDF with an invoice's data in it: PDF/A-3b, the data as an associated file, and Factur-X's own marks.

Factur-X 1.0 (ZUGFeRD 2) is CII under a name that programs look for, and four properties of the document's XMP, which
PDF/A wants described. pikepdf's validator knows no such descriptions: so all else is checked before they are added,
and of the finished file that nothing but them is unknown to it.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from pikepdf import AttachedFileSpec, Name, Pdf, pdfa
from pikepdf.models.metadata import encode_pdf_date

from paperchute.engine.e_invoice.conformance import profile_of
from paperchute.engine.e_invoice.invoice import Invoice
from paperchute.engine.pdf.archive import Archiving, write_archive
from paperchute.engine.work import Refused
from paperchute.language import _

_LEVELS = {
    "MINIMUM": "MINIMUM",
    "BASIC WL": "BASIC WL",
    "BASIC": "BASIC",
    "EN 16931": "EN 16931",
    "EXTENDED": "EXTENDED",
    "XRECHNUNG": "XRECHNUNG",
}
"""fx:ConformanceLevel by profile."""
_WITHOUT_LINES = frozenset({"MINIMUM", "BASIC WL"})
"""Profiles that do not hold all of an invoice, so that they go with its page and do not stand for it."""
_FX = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
_PROPERTY = (
    "<rdf:li rdf:parseType='Resource'><pdfaProperty:name>{}</pdfaProperty:name>"
    "<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>"
    "<pdfaProperty:description>{}</pdfaProperty:description></rdf:li>"
)
_PROPERTIES = {
    "DocumentFileName": "name of the embedded XML invoice file",
    "DocumentType": "INVOICE",
    "Version": "version of the XML schema",
    "ConformanceLevel": "conformance level of the embedded XML",
}
_MARKS = (
    "<rdf:Description rdf:about='' xmlns:pdfaExtension='http://www.aiim.org/pdfa/ns/extension/'"
    " xmlns:pdfaSchema='http://www.aiim.org/pdfa/ns/schema#' xmlns:pdfaProperty='http://www.aiim.org/pdfa/ns/property#'>"
    "<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType='Resource'>"
    "<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>"
    f"<pdfaSchema:namespaceURI>{_FX}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>"
    "<pdfaSchema:property><rdf:Seq>"
    + "".join(_PROPERTY.format(name, about) for name, about in _PROPERTIES.items())
    + "</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
    f"<rdf:Description rdf:about='' xmlns:fx='{_FX}'><fx:DocumentType>INVOICE</fx:DocumentType>"
    "<fx:DocumentFileName>{name}</fx:DocumentFileName><fx:Version>1.0</fx:Version>"
    "<fx:ConformanceLevel>{level}</fx:ConformanceLevel></rdf:Description>"
)
_END = b"</rdf:RDF>"
_OWN_RULES = ":6.6.2.3.1-1"
"""Of ISO 19005-3: properties of XMP that no schema describes."""


@dataclass(frozen=True)
class Carried:
    """Data that go into a PDF. name: of the file there. level: of Factur-X, empty for data that are none."""

    xml: bytes
    name: str
    level: str

    @property
    def relation(self) -> Name:
        """How the data stand to the pages (ISO 32000-2, 7.11.3)."""
        return Name.Data if self.level in _WITHOUT_LINES else Name.Alternative


def carried(invoice: Invoice, xml: bytes, name: str) -> Carried:
    """Decide what an invoice's data are called in a PDF; UBL has no name there that programs look for."""
    level = _LEVELS.get(profile_of(invoice), "") if invoice.syntax == "CII" else ""
    own = "xrechnung.xml" if level == "XRECHNUNG" else "factur-x.xml"
    return Carried(xml, own if level else name, level)


def write_carrier(pages: Path, data: Carried, output: Path, name: str, described: str) -> None:
    """Write the pages of a PDF with data in it. name: of the document, for messages. described: what the data are.

    Raises Refused 130001 where it would not be PDF/A-3b.
    """
    checked = output.with_name(output.name + ".checked")
    now = encode_pdf_date(datetime.datetime.now(datetime.UTC))
    with Pdf.open(pages) as pdf:
        spec = AttachedFileSpec(
            pdf,
            data.xml,
            filename=data.name,
            mime_type="text/xml",
            description=described,
            creation_date=now,
            mod_date=now,
        )
        spec.relationship = data.relation
        pdf.attachments[data.name] = spec
        write_archive(pdf, Archiving("3b"), checked, name)
    if not data.level:
        checked.replace(output)
        return
    with Pdf.open(checked) as pdf:
        packet = pdf.Root.Metadata.read_bytes()
        marks = _MARKS.format(name=data.name, level=data.level).encode()
        pdf.Root.Metadata = pdf.make_stream(packet.replace(_END, marks + _END, 1), Type=Name.Metadata, Subtype=Name.XML)
        pdf.save(output, **pdfa.resolve_save_kwargs("3b"))
    checked.unlink()
    unknown = [one for one in pdfa.validate_written(output, "3b").findings if not one.rule.endswith(_OWN_RULES)]
    if unknown:
        output.unlink()
        raise Refused("130001", _("{name} cannot become PDF/A-3b: {faults}", name=name, faults=unknown[0].message))
