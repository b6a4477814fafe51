"""e-invoice-to-pdf: an invoice's data as pages for people, with the data in the PDF; ours beyond the interface.

All that the data say is on the pages (`e_invoice.printout`); the PDF is PDF/A-3b, and Factur-X where the data are CII.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.e_invoice.carrier import carried, write_carrier
from paperchute.engine.e_invoice.invoice import invoice_of
from paperchute.engine.e_invoice.markup import content_of, parsed, why_unread
from paperchute.engine.e_invoice.printout import LANGUAGES, page_of
from paperchute.engine.html.fetch import Page
from paperchute.engine.html.render import render
from paperchute.engine.work import FetchPolicy, Refused, Work, output_name
from paperchute.language import _, current, speaking


def run(work: Work) -> list[Path]:
    """The PDF. Raises Refused 02207 for what is no invoice as data, and 130001 where it would not be PDF/A-3b."""
    source = work.sources[0]
    content = content_of(source.path)
    root = parsed(content) if content else None
    if content is None or root is None:
        raise Refused("02207", _("{name} cannot be read: {why}.", name=source.name, why=why_unread(content)))
    invoice = invoice_of(root)
    if invoice is None:
        raise Refused(
            "02207", _("{name} is no invoice in a syntax of EN 16931, which are CII and UBL.", name=source.name)
        )
    language = work.text("pageLanguage") or _spoken()
    output = work.folder / output_name(work, "pdf")
    pages = output.with_name(output.name + ".pages")
    with speaking(language):
        html, described = page_of(invoice, language), _("The invoice as data")
    render(Page(html), pages, FetchPolicy())
    write_carrier(pages, carried(invoice, content, source.name), output, source.name, described)
    pages.unlink()
    return [output]


def _spoken() -> str:
    """The language in which the task is spoken of, English where pages are not made in it."""
    spoken = current().partition("-")[0].partition("_")[0]
    return spoken if spoken in LANGUAGES else "en"
