"""The files of one bundle, each as a PDF: pictures become pages, office files and texts are printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from paperchute.contract import PICTURES
from paperchute.contract.kinds import canonical
from paperchute.engine.pdf.picture_pages import as_pdf
from paperchute.engine.work import Source, Work


def with_pdfs(work: Work) -> Work:
    """Put a PDF in the place of each source that is none.

    Raises Refused as `as_pdf` does of a picture, and as `print_source` does of others.
    """
    return replace(work, sources=tuple(_pdf_of(source, work, n) for n, source in enumerate(work.sources)))


def _pdf_of(source: Source, work: Work, number: int) -> Source:
    if source.kind in PICTURES:
        return as_pdf(source, work.folder, number)
    is_called_so = canonical(PurePosixPath(source.name).suffix) == "pdf"
    if is_called_so or source.kind in ("pdf", "unknown", "empty"):  # what is damaged is told by whoever opens it
        return source
    # Office files need large libraries, which a worker that only moves pages never loads.
    from paperchute.engine.printing.printers import print_source

    printed = work.folder / f"printed-{number}.tmp"
    print_source(source, replace(work, sources=(source,)), printed)
    return replace(source, path=printed, kind="pdf")
