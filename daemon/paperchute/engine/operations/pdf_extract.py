"""pdf-extract: pages of a PDF as a PDF of their own, in the order named (docs/contract.md#page-operations)."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.pdf.pages import take_pages
from paperchute.engine.work import Work, chosen_pages, output_name


def run(work: Work) -> list[Path]:
    """The pages that `pages` lists; all where it is empty. Raises Refused 02201, 120002, 02207, 110001."""
    source = work.sources[0]
    name = output_name(work, "pdf", source.name)
    return take_pages(work, lambda pdf: [(name, chosen_pages(work.text("pages"), len(pdf.pages), source.name))])
