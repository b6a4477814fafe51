"""pdf-rotate: pages of a PDF turned clockwise, and nothing else of it changed (docs/contract.md#page-operations)."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.work import Work, chosen_pages


def run(work: Work) -> list[Path]:
    """The document, its chosen pages turned by `angle`. Raises Refused 02201, 120002, 02207, 110001."""

    def turn(pdf: pikepdf.Pdf) -> None:
        for index in dict.fromkeys(chosen_pages(work.text("pages"), len(pdf.pages), work.sources[0].name)):
            pdf.pages[index].rotate(work.integer("angle"), relative=True)

    return rewrite(work, turn)
