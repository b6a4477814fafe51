"""pdf-generate: a PDF from HTML, or from a template and data (docs/contract.md#pdf-generate)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paperchute.engine.checks.printing import is_template
from paperchute.engine.html.encoding import charset_of, decode
from paperchute.engine.html.fetch import FetchForbidden, FetchRefused, Page, follow, page_from
from paperchute.engine.html.render import A4, Paper, render
from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """One PDF."""
    output = work.folder / output_name(work, "pdf", _default_name(work))
    page = _page(work)
    render(replace(page, base=work.text("baseUri") or page.base), output, work.fetch, _paper(work))
    return [output]


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
