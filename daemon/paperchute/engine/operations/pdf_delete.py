"""pdf-delete: a PDF without some of its pages (docs/contract.md#page-operations)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.engine.checks.pages import all_deleted
from paperchute.engine.pdf.pages import take_pages
from paperchute.engine.work import Work, chosen_pages, output_name


def run(work: Work) -> list[Path]:
    """What is left of the document. Raises Refused 02201, 120002, 02207, 110001, and 110002 where nothing is left."""
    name = output_name(work, "pdf", work.sources[0].name)
    return take_pages(work, lambda pdf: [(name, _kept(work, len(pdf.pages)))])


def _kept(work: Work, count: int) -> Sequence[int]:
    source = work.sources[0].name
    gone = set(chosen_pages(work.text("pages"), count, source))
    kept = [index for index in range(count) if index not in gone]
    if not kept:
        raise all_deleted(source)
    return kept
