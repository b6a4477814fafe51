"""pdf-generate: a PDF from HTML, or from a template and data (docs/contract.md#pdf-generate)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paperchute.engine.checks.printing import is_template
from paperchute.engine.e_invoice.carrier import carried, write_carrier
from paperchute.engine.e_invoice.composing import composed
from paperchute.engine.e_invoice.conformance import cautions, findings
from paperchute.engine.e_invoice.invoice import Invoice, invoice_of
from paperchute.engine.e_invoice.markup import parsed
from paperchute.engine.extraction.comparison import disputed_fields
from paperchute.engine.html.encoding import charset_of, decode
from paperchute.engine.html.fetch import FetchForbidden, FetchRefused, Page, follow, page_from
from paperchute.engine.html.render import A4, Paper, render
from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused, Source, Work, output_name
from paperchute.language import _

_MOST_TOLD = 3
"""Broken rules that a refusal tells; a person reads no more."""


def run(work: Work) -> list[Path]:
    """One PDF."""
    output = work.folder / output_name(work, "pdf", _default_name(work))
    xml = _composed(work) if work.text("eInvoice") else b""
    page = _page(work)
    pages = output.with_name(output.name + ".pages") if xml else output
    render(replace(page, base=work.text("baseUri") or page.base), pages, work.fetch, _paper(work))
    if xml:
        _carry(work, xml, pages, output)
    return [output]


def _composed(work: Work) -> bytes:
    """The invoice that the data say, once our own check finds nothing wrong with it. Raises Refused 01006."""
    xml = composed(_text(work, "data", "dataFile"))
    invoice = _invoice(xml)
    if found := [*findings(invoice), *cautions(invoice)]:  # what is made goes out, with an account that gets no money
        told = "; ".join(f"{one.rule}: {one.says}" for one in found[:_MOST_TOLD])
        raise Refused("01006", _("eInvoice: the data make no valid invoice. {findings}", findings=told))
    return xml


def _carry(work: Work, xml: bytes, pages: Path, output: Path) -> None:
    """Put an invoice's data into its pages, which must say the same. Raises Refused 01006, 130001."""
    data = carried(_invoice(xml), xml, "factur-x.xml")
    source = Source("file", pages, output.name, "pdf")
    for field, (page, said) in disputed_fields(replace(work, sources=(source,)), data.name, xml).items():
        sentence = _("eInvoice: {field}: the page says {page}, the data say {data}.", field=field, page=page, data=said)
        raise Refused("01006", sentence)
    write_carrier(pages, data, output, output.name, _("The invoice as data"))
    pages.unlink()


def _invoice(xml: bytes) -> Invoice:
    invoice = invoice_of(parsed(xml))
    assert invoice is not None
    return invoice


def _page(work: Work) -> Page:
    if is_template(work):
        return Page(fill(_text(work, "template", "templateFile"), _text(work, "data", "dataFile")))
    if work.text("htmlUrl"):
        try:
            content, content_type, address = follow(work.text("htmlUrl"), work.fetch)
        except FetchRefused as error:
            code = "03000" if isinstance(error, FetchForbidden) else "01004"
            raise Refused(code, _("htmlUrl: {reason}", reason=error)) from None
        return Page(decode(content, charset_of(content_type)), address)
    for source in work.sources:
        if source.part == "htmlFile":
            return page_from(source.path.read_bytes())
    return Page(work.text("html"))


def _text(work: Work, parameter: str, part: str) -> str:
    for source in work.sources:
        if source.part == part:
            return decode(source.path.read_bytes())
    return work.text(parameter)


def _paper(work: Work) -> Paper:
    width, height = work.parameters.get("pageWidth", A4[0]), work.parameters.get("pageHeight", A4[1])
    return Paper(float(str(width)), float(str(height)))


def _default_name(work: Work) -> str:
    """Named after what was dropped: the HTML, or the data that fills a template."""
    for part in ("htmlFile", "dataFile", "templateFile"):
        for source in work.sources:
            if source.part == part:
                return Path(source.name).stem + ".pdf"
    return "generated.pdf"
