"""What the operations that lay HTML out ask of their parameters."""

from __future__ import annotations

from paperchute.contract.built_in import unopened
from paperchute.engine.html.fetch import check_allowed
from paperchute.engine.outside import FetchRefused
from paperchute.engine.work import Refused, Work
from paperchute.language import _

_HTML = ("html", "htmlUrl", "htmlFile")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile")
_LEAST_POINTS, _MOST_POINTS = 10.0, 14_400.0  # ISO 32000-1 annex C.2


def check_no_password(work: Work) -> None:
    """Raises Refused 03000 for a password: nothing locked is read, and whoever sends one may want the result to be."""
    if work.text("password"):
        raise Refused(
            "03000",
            _(
                "password is for opening locked PDFs, and {operation} reads none. To lock the result, use pdf-encrypt.",
                operation=work.operation,
            ),
        )


def check_print(work: Work) -> None:
    """Raises Refused 03000 for a password, with which no office file is opened here."""
    if work.text("password"):
        raise Refused("03000", unopened(work.operation))


def check_generate(work: Work) -> None:
    """Exactly one source of HTML; or exactly one template and at most one of data. No password, which nothing needs."""
    check_no_password(work)
    if is_template(work):
        _exactly_one(work, _TEMPLATE)
        if len(_given(work, _DATA)) > 1:
            raise Refused("03000", _("send either data or dataFile, not both"))
        stray = _given(work, _HTML)
        if work.text("eInvoice") and not _given(work, _DATA):
            raise Refused("03000", _("eInvoice makes the invoice of data or dataFile, and there is none"))
    else:
        if work.text("eInvoice"):
            raise Refused("03000", _("eInvoice goes with a template and its data"))
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


def is_template(work: Work) -> bool:
    """Decide whether a template is to be filled, and no HTML laid out as it came."""
    return _kind(work) == "template"


def _kind(work: Work) -> str:
    """Return what is asked for; where nothing is, a template where any part of one is given."""
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
