"""html-to-pdf: an HTML or MHTML file as pages. Fetches nothing but what the engine's settings allow."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _


def check(work: Work) -> None:
    """No password, which nothing needs."""
    check_password(work)


def check_password(work: Work) -> None:
    """Raises Refused 03000 for a password: what is printed is not locked, and whoever sends one wants it to be."""
    if work.text("password"):
        raise Refused(
            "03000",
            _(
                "password is for opening locked PDFs, and {operation} reads none. To lock the result, use pdf-encrypt.",
                operation=work.operation,
            ),
        )


def run(work: Work) -> list[Path]:
    """A4 unless the document's own @page says otherwise."""
    output = work.folder / output_name(work, "pdf")
    render(page_from(work.sources[0].path.read_bytes()), output, work.fetch)
    return [output]
