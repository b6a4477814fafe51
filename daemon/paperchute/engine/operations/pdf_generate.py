"""pdf-generate: a PDF from HTML, or from a template and data (docs/contract.md#pdf-generate)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paperchute.engine.html.encoding import charset_of, decode
from paperchute.engine.html.fetch import FetchForbidden, FetchRefused, Page, check_allowed, follow, page_from
from paperchute.engine.html.render import A4, Paper, render
from paperchute.engine.html.templates import fill
from paperchute.engine.operations.html_to_pdf import check_password
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _

_HTML = ("html", "htmlUrl", "htmlFile")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile")
_LEAST_POINTS, _MOST_POINTS = 10.0, 14_400.0  # ISO 32000-1 annex C.2


def check(work: Work) -> None:
    """Exactly one source of HTML; or exactly one template and at most one of data. No password, which nothing needs."""
    check_password(work)
    if _is_template(work):
        _exactly_one(work, _TEMPLATE)
        if len(_given(work, _DATA)) > 1:
            raise Refused("03000", _("send either data or dataFile, not both"))
        stray = _given(work, _HTML)
    else:
        _exactly_one(work, _HTML)
        stray = [*_given(work, _TEMPLATE), *_given(work, _DATA)]
    if stray:
        raise Refused("03000", _("{name} cannot be used with generationType {kind}", name=stray[0], kind=_kind(work)))
    for name in ("pageWidth", "pageHeight"):
        if name in work.parameters and not _LEAST_POINTS <= work.number(name) <= _MOST_POINTS:
            raise Refused(
                "03000",
                _(
                    "{name} must be from {least} to {most} points",
                    name=name,
                    least=f"{_LEAST_POINTS:g}",
                    most=f"{_MOST_POINTS:g}",
                ),
            )
    for name in ("htmlUrl", "baseUri"):
        if work.text(name):
            try:
                check_allowed(work.text(name), work.fetch)
            except FetchRefused as error:
                raise Refused("03000", _("{name}: {reason}", name=name, reason=error)) from None


def run(work: Work) -> list[Path]:
    """One PDF."""
    output = work.folder / output_name(work, "pdf", _default_name(work))
    page = _page(work)
    render(replace(page, base=work.text("baseUri") or page.base), output, work.fetch, _paper(work))
    return [output]


def _page(work: Work) -> Page:
    if _is_template(work):
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


def _is_template(work: Work) -> bool:
    return _kind(work) == "template"


def _kind(work: Work) -> str:
    """What is asked for; where nothing is, a template where any part of one is given."""
    if work.text("generationType"):
        return work.text("generationType")
    return "template" if _given(work, (*_TEMPLATE, *_DATA)) and not _given(work, _HTML) else "html"


def _given(work: Work, names: tuple[str, ...]) -> list[str]:
    parts = {source.part for source in work.sources}
    return [name for name in names if name in parts or work.text(name)]


def _exactly_one(work: Work, names: tuple[str, ...]) -> None:
    given = _given(work, names)
    if len(given) != 1:
        came = ", ".join(given) or _("none")
        raise Refused(
            "03000", _("exactly one of {names} is needed, but {came} came", names=", ".join(names), came=came)
        )
