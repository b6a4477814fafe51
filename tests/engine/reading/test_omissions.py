"""What is said of pages that lack something, or that nobody can be sure of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary

from paperchute.engine import report
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Line, Page, Span, Table
from paperchute.engine.reading.omissions import OMISSIONS, watched
from paperchute.engine.reading.source import document_of
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


def test_what_a_pdf_holds_beside_its_pages_is_told(tmp_path: Path) -> None:
    """Attached files, and a form that its pages only ask to wait for (ISO 32000-2, 12.7.8)."""
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.attachments["a.txt"] = b"brick"
        packet = pdf.make_stream(b"<xdp/>")
        pdf.Root.AcroForm = Dictionary(Fields=Array([]), XFA=Array([pikepdf.String("datasets"), packet]))
        pdf.Root.NeedsRendering = True
        pdf.save(tmp_path / "a.pdf")
    work = Work("pdf-to-markdown", (Source("file", tmp_path / "a.pdf", "a.pdf", "pdf"),), {"enableOcr": 0}, tmp_path)
    with report.collected() as warnings, report.noted() as notes, document_of(work) as document:
        list(document.pages)
    assert [said for said in warnings if "XFA" in said and said.startswith("a.pdf is a form")] == warnings[:1]
    assert notes == ["1 file is attached to a.pdf. It was not read."]
