"""What is said of pages that lack something, or that nobody can be sure of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paperchute.engine import report
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Line, Page, Span, Table
from paperchute.engine.reading.omissions import OMISSIONS, watched
from paperchute.engine.work import Source, Work

QUAD = Quad.of(Box(0, 0, 9, 9))
_BELOW = OMISSIONS.doubtful - 0.01


def _page(number: int, confidence: float, unseen: int = 0) -> Page:
    line = Line(QUAD, (Span("brick"),))
    table = Table(1, 1, (Cell(0, 0, QUAD, (line,)),), bordered=False)
    return Page(number, 9, 9, blocks=(Block("table", QUAD, table=table, confidence=confidence),), unseen=unseen)


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ([_page(1, 1.0), _page(2, OMISSIONS.doubtful)], []),
        ([_page(1, _BELOW), _page(2, 1.0)], ["The rows and columns of a table on page 1 are not sure."]),
        (
            [_page(n, _BELOW if n != 4 else 1.0) for n in range(2, 7)],
            ["The rows and columns of a table on pages 2-3, 5-6 are not sure."],
        ),
        (
            [_page(3, 1.0, unseen=2)],
            ["There are words on page 3 that nobody can see. They were left out of what was searched."],
        ),
        (
            [_page(1, 1.0), replace(_page(2, 1.0), unreadable=True)],
            [
                "Characters on page 2 cannot be read: the file does not say which they are. With enableOcr = 1 and "
                "ocrOption = ALL they are recognised."
            ],
        ),
    ],
)
def test_pages_that_are_not_sure_are_named(pages: list[Page], said: list[str], tmp_path: Path) -> None:
    work = Work("pdf-to-markdown", (Source("file", tmp_path / "a.pdf", "a.pdf", "pdf"),), {}, tmp_path)
    with report.collected() as warnings:
        assert list(watched(iter(pages), work)) == pages
    assert warnings == said
