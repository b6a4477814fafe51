"""Marks that a document says are watermarks go, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import Image

from paperchute.engine import report
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, paper, words, work

needs_printer = pytest.mark.usefixtures("_printer")


@pytest.fixture
def _printer() -> None:
    pytest.importorskip("plutoprint", reason="nothing lays text out here")


def _looks(path: Path) -> list[bytes]:
    with pdfium.PdfDocument(path) as document:
        return [page.render(scale=1).to_numpy().tobytes() for page in document]


def _marked(folder: Path, source: Path, **parameters: Any) -> Path:
    (folder / "marking").mkdir(exist_ok=True)
    made = done("pdf-add-watermark", folder / "marking", source, type="text", text="DRAFT", opacity=0.5, **parameters)
    return made.rename(folder / f"marked-{source.name}")


@needs_printer
@pytest.mark.parametrize("parameters", [{}, {"layer": "under"}, {"fullScreen": 1, "fontSize": 12}, {"rotation": 45}])
def test_our_own_marks_go_and_the_pages_are_as_before(tmp_path: Path, parameters: dict[str, object]) -> None:
    source = paper(tmp_path / "in.pdf", "one", "two", "three", outline=True)
    marked = _marked(tmp_path, source, pages="1,3", **parameters)
    assert "DRAFT" in " ".join(words(marked))
    with report.noted() as notes, report.collected() as warnings:
        output = done("pdf-del-watermark", tmp_path, marked, mode="tagged")
    assert (_looks(output), words(output)) == (_looks(source), words(source))
    assert (["pages 1, 3" in note for note in notes], warnings) == ([True], [])
    with pikepdf.open(output) as made:
        assert "/OCProperties" not in made.Root
        assert not any("/XObject" in page.Resources and len(page.Resources.XObject) for page in made.pages)
        assert b"DRAFT" not in b"".join(o.read_bytes() for o in made.objects if isinstance(o, pikepdf.Stream))
    with pytest.raises(Refused) as error:
        done("pdf-del-watermark", tmp_path, output, mode="tagged")
    assert error.value.code == "130102"


@needs_printer
def test_a_picture_goes_and_a_line_at_the_foot_stays(tmp_path: Path) -> None:
    from dataclasses import replace

    from paperchute.engine.operations import implementation
    from paperchute.engine.work import Source

    source = done("pdf-number", tmp_path, paper(tmp_path / "in.pdf", "one")).rename(tmp_path / "numbered.pdf")
    Image.new("RGBA", (60, 40), "red").save(tmp_path / "a.png")
    asked = work("pdf-add-watermark", tmp_path, source, type="text", text="x", opacity=1.0)
    asked = replace(asked, parameters={"type": "image", "opacity": 1.0})
    asked = replace(asked, sources=(*asked.sources, Source("imageFile", tmp_path / "a.png", "a.png", "png")))
    (marked,) = implementation("pdf-add-watermark").run(asked)
    marked = marked.rename(tmp_path / "marked.pdf")
    assert _looks(marked) != _looks(source)
    assert _looks(done("pdf-del-watermark", tmp_path, marked, mode="tagged")) == _looks(source)


@needs_printer
def test_pages_and_marks_may_be_named(tmp_path: Path) -> None:
    once = _marked(tmp_path, paper(tmp_path / "in.pdf", "one", "two"))
    twice = _marked(tmp_path, once, rotation=90, fontSize=9)
    output = done("pdf-del-watermark", tmp_path, once, mode="tagged", pages="2")
    assert ["DRAFT" in text for text in words(output)] == [True, False]
    with pikepdf.open(output) as made:
        assert len(made.Root.OCProperties.OCGs) == 1
    output = done("pdf-del-watermark", tmp_path, twice, mode="tagged", indices=["2"])
    assert _looks(output) == _looks(once)
    with pytest.raises(Refused) as error:
        done("pdf-del-watermark", tmp_path, twice, mode="tagged", indices=["3"])
    assert error.value.code == "130102"


def _draw(pdf: Pdf, content: bytes) -> None:
    pdf.pages[0].contents_add(content)


def _in_properties(pdf: Pdf) -> None:
    pdf.pages[0].Resources.Properties = Dictionary(MC0=Dictionary(Type=Name.Pagination, Subtype=Name.Watermark))
    _draw(pdf, b"/Artifact /MC0 BDC q BT /F1 9 Tf 5 5 Td (DRAFT) Tj ET Q EMC 0 0 3 3 re f")


def _open_state(pdf: Pdf) -> None:
    _draw(
        pdf, b"/Artifact <</Subtype /Watermark>> BDC 1 0 0 rg 0 0 9 9 re f /Span BMC 9 9 3 3 re f EMC EMC 20 0 9 9 re f"
    )


def _without_end(pdf: Pdf) -> None:
    _draw(pdf, b"0 0 3 3 re f /Artifact <</Subtype /Watermark>> BDC q 0 0 9 9 re f Q")


def _without_end_and_text(pdf: Pdf) -> None:
    _draw(pdf, b"/Artifact <</Subtype /Watermark>> BDC q 0 0 9 9 re f Q 20 0 9 9 re f")


def _annotation(pdf: Pdf) -> None:
    form = pdf.make_stream(b"0 0 9 9 re f", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 9, 9]))
    note = Dictionary(Type=Name.Annot, Subtype=Name.Watermark, Rect=Array([0, 0, 9, 9]), F=4, AP=Dictionary(N=form))
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]))
    pdf.pages[0].Annots = Array([pdf.make_indirect(note), pdf.make_indirect(link)])


def _layer(pdf: Pdf) -> None:
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Watermark")))
    other = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Roads")))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer, other]), D=Dictionary(Order=Array([layer, other])))
    pdf.pages[0].Resources.Properties = Dictionary(L=layer, M=other)
    _draw(pdf, b"/OC /L BDC q 0 0 9 9 re f Q EMC /OC /M BDC q 9 9 9 9 re f Q EMC")


@pytest.mark.parametrize(
    ("mark", "rest"),
    [
        (_in_properties, b"0 0 3 3 re f"),
        (_open_state, b"1 0 0 rg 20 0 9 9 re f"),
        (_without_end, b"0 0 3 3 re f"),
        (_without_end_and_text, b"20 0 9 9 re f"),
        (_annotation, b""),
        (_layer, b"q 9 9 9 9 re f Q"),
    ],
)
def test_other_programs_marks_go_and_what_comes_after_them_stays(tmp_path: Path, mark: object, rest: bytes) -> None:
    plain = paper(tmp_path / "plain.pdf", "one")
    with pikepdf.open(plain) as pdf:
        pdf.pages[0].contents_add(rest)
        pdf.save(tmp_path / "wanted.pdf")
    with pikepdf.open(plain) as pdf:
        mark(pdf)  # type: ignore[operator]
        pdf.save(tmp_path / "in.pdf")
    output = done("pdf-del-watermark", tmp_path, tmp_path / "in.pdf", mode="tagged")
    assert _looks(tmp_path / "in.pdf") != _looks(tmp_path / "wanted.pdf") == _looks(output)
    with pikepdf.open(output) as made:
        assert [str(note.Subtype) for note in made.pages[0].get("/Annots", [])] == (
            ["/Link"] if mark is _annotation else []
        )
        if mark is _layer:
            assert [str(layer.Name) for layer in made.Root.OCProperties.D.Order] == ["Roads"]


@pytest.mark.parametrize(
    ("parameters", "code", "word"),
    [
        ({"mode": "tagged"}, "130102", "in.pdf"),
        ({"mode": "untagged"}, "03000", "tagged"),
        ({"mode": "tagged", "indices": ["0"]}, "03000", "indices"),
        ({"mode": "tagged", "indices": ["first"]}, "03000", "indices"),
    ],
)
def test_what_cannot_be_told_from_content_is_not_touched(
    tmp_path: Path, parameters: dict[str, Any], code: str, word: str
) -> None:
    with pytest.raises(Refused) as error:
        done("pdf-del-watermark", tmp_path, paper(tmp_path / "in.pdf", "one"), **parameters)
    assert (error.value.code, word in error.value.reason) == (code, True)
