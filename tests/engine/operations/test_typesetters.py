"""Office files laid out by the libraries of the extra: what they print is whole, or another printer has the file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import openpyxl
import pypdfium2
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt

from paperchute.contract import libreoffice
from paperchute.contract.typesetters import TYPESETTERS, typesetter
from paperchute.engine import report
from paperchute.engine.printing import typesetters
from paperchute.engine.printing.printers import print_source
from paperchute.engine.work import Work
from tests.engine.operations.papers import paper, words, work
from tests.engine.operations.test_printing import document, picture

needs = {
    kind: pytest.mark.skipif(not typesetter(kind), reason=f"{name} is not installed")
    for kind, name in TYPESETTERS.items()
}
"""They are an extra, and have no build for some machines."""


@pytest.fixture(name="heard", autouse=True)
def _heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a worker that has no LibreOffice: somebody hears of it should a library end the process."""
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, "auto")
    report.listen(None, lambda name: None)
    yield
    report.listen(None)


def printed(
    source: Path, folder: Path, changed: Callable[[Work], Work] = lambda task: task
) -> tuple[str, list[str], list[str]]:
    """The words of a print, its notes and its warnings."""
    task = changed(work(f"{source.suffix[1:]}-to-pdf", folder, source))
    with report.noted() as notes, report.collected() as warnings:
        print_source(task.sources[0], task, folder / "a.pdf")
    return " ".join(words(folder / "a.pdf")), notes, warnings


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=mark) for kind, mark in needs.items()])
def test_each_kind_is_printed_and_the_record_says_by_whom(kind: str, tmp_path: Path) -> None:
    text, notes, warnings = printed(document(tmp_path / f"port.{kind}", "Leith"), tmp_path)
    assert notes == [f"port.{kind} was printed by {TYPESETTERS[kind]}."]
    assert warnings == []
    assert "Leith" in text


@needs["docx"]
def test_a_page_break_of_a_document_ends_the_page(tmp_path: Path) -> None:
    written = docx.Document()
    written.add_paragraph("Leith")
    written.add_page_break()
    written.add_paragraph("Portobello")
    written.save(str(tmp_path / "a.docx"))
    printed(tmp_path / "a.docx", tmp_path)
    with pypdfium2.PdfDocument(tmp_path / "a.pdf") as pdf:
        assert [page.get_textpage().get_text_bounded().strip() for page in pdf] == ["Leith", "Portobello"]


@needs["xlsx"]
def test_a_print_without_a_figure_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["Quay", 120.5])
    book.save(tmp_path / "a.xlsx")
    paper(tmp_path / "less.pdf", "Quay")
    monkeypatch.setattr(typesetters, "_printed", lambda kind, content: (tmp_path / "less.pdf").read_bytes())
    text, notes, warnings = printed(tmp_path / "a.xlsx", tmp_path)
    assert notes == ["office2pdf does not print a.xlsx: words of the file are missing from its print, such as 120."]
    assert "120.5" in text
    assert any("laid out by the engine" in one for one in warnings)


@needs["docx"]
def test_a_print_without_a_picture_is_none(tmp_path: Path) -> None:
    written = docx.Document()
    run = written.add_paragraph("Leith").add_run()
    run.add_picture(io.BytesIO(picture()), width=Pt(50))
    (drawing,) = run._r.xpath("w:drawing")
    (embedded,) = drawing.xpath(".//a:blip/@r:embed")
    shape = '<v:shape style="width:50pt;height:50pt">{}</v:shape>'
    old = f'<w:pict {{}} xmlns:v="urn:schemas-microsoft-com:vml">{shape}</w:pict>'
    run._r.replace(drawing, parse_xml(old.format(nsdecls("w", "r"), f'<v:imagedata r:id="{embedded}"/>')))
    written.save(str(tmp_path / "port.docx"))
    text, notes, warnings = printed(tmp_path / "port.docx", tmp_path)
    assert notes == [
        "dxpdf does not print port.docx: pictures of the file are missing from its print: 0 of 1 are there."
    ]
    assert "Leith" in text
    assert any("laid out by the engine" in one for one in warnings)


@needs["docx"]
def test_what_the_engine_does_not_read_is_to_be_looked_at_in_the_print(tmp_path: Path) -> None:
    whole = document(tmp_path / "whole.docx", "Leith")
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(tmp_path / "port.docx", "w") as written:
        for entry in read.infolist():
            content = read.read(entry).replace(
                b'Default Extension="png" ContentType="image/png"', b'Default Extension="png" ContentType="image/x-wmf"'
            )
            written.writestr(entry, content)
    _text, notes, (warning,) = printed(tmp_path / "port.docx", tmp_path)
    assert notes == ["port.docx was printed by dxpdf."]
    assert warning.startswith("Look at the print of port.docx: ")


@needs["docx"]
def test_what_is_no_pdf_is_no_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typesetters, "_printed", lambda kind, content: b"no PDF")
    text, (note,), warnings = printed(document(tmp_path / "port.docx", "Leith"), tmp_path)
    assert note.startswith("dxpdf does not print port.docx: ")
    assert any("laid out by the engine" in one for one in warnings)
    assert "Leith" in text


class Panic(BaseException):
    """As Rust's is."""


@needs["docx"]
@pytest.mark.parametrize("error", [Panic("index out of bounds"), ValueError("no document")], ids=["panic", "error"])
def test_what_breaks_it_is_printed_by_the_engine(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(kind: str, content: bytes) -> bytes:
        raise error

    monkeypatch.setattr(typesetters, "_printed", broken)
    text, notes, warnings = printed(document(tmp_path / "port.docx", "Leith"), tmp_path)
    assert notes == [f"dxpdf does not print port.docx: {error}."]
    assert any("laid out by the engine" in one for one in warnings)
    assert "Leith" in text


@needs["docx"]
def test_what_ended_a_worker_is_not_tried_again(tmp_path: Path) -> None:
    source = document(tmp_path / "port.docx", "Leith")
    _text, notes, warnings = printed(source, tmp_path, lambda task: replace(task, broken="dxpdf"))
    assert notes == ["dxpdf does not print port.docx: it broke on the file."]
    assert any("laid out by the engine" in one for one in warnings)


@needs["docx"]
def test_the_engine_alone_prints_where_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, "built-in")
    _text, notes, warnings = printed(document(tmp_path / "port.docx", "Leith"), tmp_path)
    assert notes == []
    assert any("laid out by the engine" in one for one in warnings)


def test_without_the_extra_a_warning_says_what_keeps_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.contract.typesetters.find_spec", lambda name: None)
    _text, notes, warnings = printed(document(tmp_path / "port.docx", "Leith"), tmp_path)
    assert notes == []
    assert any('pip install "paperchute[office]"' in one for one in warnings)
