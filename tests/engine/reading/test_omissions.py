"""What is said of pages that lack something, or that nobody can be sure of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import report
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Line, Page, Span, Table
from paperchute.engine.operations import implementation
from paperchute.engine.reading.omissions import OMISSIONS, watched
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work
from tests.engine.reading.sheets import Said, written

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
        (
            [_page(1, _BELOW), _page(2, 1.0)],
            ["The rows and columns of a table on page 1 are uncertain, so check them."],
        ),
        (
            [_page(n, _BELOW if n != 4 else 1.0) for n in range(2, 7)],
            ["The rows and columns of a table on pages 2-3, 5-6 are uncertain, so check them."],
        ),
        (
            [_page(3, 1.0, unseen=2)],
            ["There are invisible words on page 3. They were left out of the search."],
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


def test_no_office_file_is_blamed_for_characters_that_no_font_here_has(tmp_path: Path) -> None:
    work = Work("document-parsing", (Source("file", tmp_path / "a.docx", "a.docx", "docx"),), {}, tmp_path)
    with report.collected() as warnings:
        list(watched(iter([replace(_page(1, 1.0), unreadable=True)]), work))
    assert warnings == [
        "No font of this machine has some characters on page 1, such as emoji, so they cannot be read. Install one "
        "that has them."
    ]


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


def _with_annotation(path: Path, kind: Name, **more: object) -> Path:
    with pikepdf.open(written(path, [[Said("secret quay", 72, 100)]]), allow_overwriting_input=True) as pdf:
        annotation = Dictionary({"/Type": Name.Annot, "/Subtype": kind, "/F": 4, "/Rect": Array([60, 730, 200, 760])})
        for key, value in more.items():
            annotation[f"/{key}"] = value
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(annotation)])
        pdf.save(path)
    return path


def _told(path: Path) -> tuple[list[str], list[str]]:
    """The warnings and notes of a document's reading."""
    work = Work("pdf-to-markdown", (Source("file", path, "a.pdf", "pdf"),), {"enableOcr": 0}, path.parent)
    with report.collected() as warnings, report.noted() as notes, document_of(work) as document:
        list(document.pages)
    return warnings, notes


def test_redactions_that_were_not_applied_are_told(tmp_path: Path) -> None:
    warnings, _ = _told(_with_annotation(tmp_path / "a.pdf", Name.Redact))
    assert warnings == ["Words on page 1 were marked for redaction and are still there: they may be in the result."]


def test_files_attached_on_a_page_are_told(tmp_path: Path) -> None:
    _, notes = _told(_with_annotation(tmp_path / "a.pdf", Name.FileAttachment))
    assert notes == ["Files are attached on page 1. They were not read."]


def test_of_a_portfolio_its_files_are_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [[Said("For the best experience", 72, 100)]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.attachments["a.txt"] = b"brick"
        pdf.Root.Collection = Dictionary(View=Name.D)
        pdf.save(path)
    assert _told(path) == (["1 file is attached to a.pdf. It was not read."], [])


@pytest.mark.parametrize("fill", [b"0 g", None], ids=["black", "an edge alone"])
def test_words_under_a_shape_that_was_laid_over_the_page_are_told(fill: bytes | None, tmp_path: Path) -> None:
    path = _with_annotation(tmp_path / "a.pdf", Name.Square)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        look = pdf.make_stream(b"0 0 140 30 re S" if fill is None else fill + b" 0 0 140 30 re f")
        look.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 140, 30])))
        pdf.pages[0].obj.Annots[0].AP = Dictionary(N=look)
        pdf.save(path)
    warnings, _ = _told(path)
    assert ["invisible words" in said for said in warnings] == ([True] if fill else [])


def test_a_box_of_text_may_say_its_words_with_their_looks_alone(tmp_path: Path) -> None:
    words = String("<body><p>by the <b>harbour</b> &amp; quay</p></body>")
    with opened(_with_annotation(tmp_path / "a.pdf", Name.FreeText, RC=words), "a.pdf", "") as pdf:
        (page,) = read_pdf(pdf, [0], Options()).pages
    assert [note.text for note in page.notes] == ["by the  harbour  & quay"]


@pytest.mark.parametrize("operation", ["pdf-to-docx", "pdf-to-html", "pdf-to-xlsx", "pdf-to-rtf", "pdf-to-markdown"])
def test_a_title_may_hold_any_character(operation: str, tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [[Said("brick", 72, 100)]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.docinfo["/Title"] = String("one\x00two\x01\x0bthree\ufffe")
        pdf.save(path)
    work = Work(operation, (Source("file", path, "a.pdf", "pdf"),), {"enableOcr": 0}, tmp_path)
    assert implementation(operation).run(work)


@pytest.mark.parametrize("over", [True, False], ids=["over the words", "under the words"])
@pytest.mark.parametrize("in_form", [True, False], ids=["in a form", "on the page"])
def test_words_under_a_photograph_are_told(over: bool, in_form: bool, tmp_path: Path) -> None:
    """A photograph has contrasts of its own, wherever a word may stand."""
    path = written(tmp_path / "a.pdf", [[Said("brick and timber " * 3, 72, 60 + 14 * n) for n in range(9)]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        noise = pdf.make_stream(bytes(np.random.default_rng(4).integers(0, 256, 60 * 60, dtype=np.uint8)))
        noise.update(
            Dictionary(
                Type=Name.XObject,
                Subtype=Name.Image,
                Width=60,
                Height=60,
                ColorSpace=Name.DeviceGray,
                BitsPerComponent=8,
            )
        )
        photo, word = b"q 200 0 0 90 60 380 cm /I Do Q ", b"BT /R 14 Tf 90 420 Td (harbour) Tj ET "
        content = word + photo if over else b"BT /R 14 Tf 90 400 Td (quay) Tj ET " + photo + word
        page.obj.Resources.XObject = Dictionary(I=noise)
        if in_form:
            form = pdf.make_stream(content)
            form.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 595, 842])))
            form.Resources = Dictionary(Font=page.obj.Resources.Font, XObject=Dictionary(I=noise))
            page.obj.Resources.XObject.F = form
            content = b"/F Do"
        page.contents_add(content)
        pdf.save(path)
    with opened(path, "a.pdf", "") as document:
        (read,) = read_pdf(document, [0], Options()).pages
    assert read.hidden == 1  # the word under it: the one, or the other
    assert len(_told(path)[0]) == 1
