"""html-to-pdf: an HTML or MHTML file as pages. Fetches nothing but what the engine's settings allow."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.work import Work, output_name


def run(work: Work) -> list[Path]:
    """A4 unless the document's own @page says otherwise."""
    output = work.folder / output_name(work, "pdf")
    render(page_from(work.sources[0].path.read_bytes()), output, work.fetch)
    return [output]
