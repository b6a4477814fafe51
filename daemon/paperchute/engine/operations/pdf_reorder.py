"""pdf-reorder: the pages of a PDF in another order; ours beyond the interface (docs/contract.md#page-operations)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.engine.checks.pages import REVERSE
from paperchute.engine.pdf.pages import take_pages
from paperchute.engine.work import Work, chosen_pages, output_name


def run(work: Work) -> list[Path]:
    """The same pages, each once: those of `order` first, the others behind them as they came.

    Raises Refused 02201, 120002, 02207, 110001.
    """
    name = output_name(work, "pdf", work.sources[0].name)
    return take_pages(work, lambda pdf: [(name, _order(work, len(pdf.pages)))])


def _order(work: Work, count: int) -> Sequence[int]:
    if work.text("order") == REVERSE:
        return range(count - 1, -1, -1)
    first = dict.fromkeys(chosen_pages(work.text("order"), count, work.sources[0].name))
    return [*first, *(index for index in range(count) if index not in first)]
