"""Marks on pages: where readers show them, what they are to programs, and that all else of the document stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import pypdfium2
import pytest
from pikepdf import Array, Name

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import FetchPolicy, Refused, Source, Work
from tests.engine.operations.papers import done, paper, with_field, with_link, words, work

pytest.importorskip("plutoprint", reason="nothing lays text out here")


def _bare(path: Path, **settings: Any) -> Path:
    """A page of 400 by 300 points that shows nothing, with these entries."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(400, 300))
    for key, value in settings.items():
        page.obj[f"/{key}"] = value
    pdf.save(path)
    return path


def _ink(path: Path) -> tuple[float, float, float, float]:
    """Where a page shows something, as parts of its width and height: left, top, right, bottom."""
    document = pypdfium2.PdfDocument(path)
    try:
        shown = document[0].render(grayscale=True).to_numpy().squeeze() < 250
    finally:
        document.close()
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    height, width = shown.shape
    return columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("cut", [False, True])
def test_a_corner_is_the_corner_that_readers_show(tmp_path: Path, turn: int, cut: bool) -> None:
    crop = {"CropBox": Array([300, 250, 60, 40])} if cut else {}
    source = _bare(tmp_path / "in.pdf", Rotate=turn, **crop)
    corner: dict[str, Any] = {"horizalign": "left", "vertalign": "top", "fontSize": 20}
    left, top, right, bottom = _ink(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith", **corner))
    assert left < 0.05
    assert top < 0.1
    assert right - left > bottom - top  # it stands upright
    moved = _ink(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith", horizOffset=30, **corner))
    assert moved[0] > left
    assert moved[1] == top


def test_without_a_size_it_is_as_large_as_the_page_takes_however_it_is_turned(tmp_path: Path) -> None:
    for angle in (0, 45, 90):
        left, top, right, bottom = _ink(
            done("pdf-add-watermark", tmp_path, _bare(tmp_path / "in.pdf"), type="text", text="L" * 60, rotation=angle)
        )
        assert 0.8 < max(right - left, bottom - top) < 1


def test_it_is_an_artifact_on_a_layer_and_all_else_stays(tmp_path: Path) -> None:
    source = with_link(with_field(paper(tmp_path / "in.pdf", *"abc", outline=True), "name"), on=1, to=2)
    output = done("pdf-add-watermark", tmp_path, source, type="text", text="已付款 ä", opacity=0.5, pages="1,3")
    assert [("已付款" in page, letter in page) for page, letter in zip(words(output), "abc", strict=True)] == [
        (True, True),
        (False, True),
        (True, True),
    ]
    with pikepdf.open(output) as pdf:
        (layer,) = pdf.Root.OCProperties.OCGs
        assert str(layer.Name) == "Watermark"
        for page, marks in zip(pdf.pages, (1, 0, 1), strict=True):
            artifacts = [
                one
                for one in pikepdf.parse_content_stream(page, "BDC")
                if one.operands[1].get(Name.Subtype) == Name.Watermark
            ]
            assert len(artifacts) == marks
        assert len(pdf.Root.AcroForm.Fields) == 1
        assert pdf.pages[1].Annots[0].Dest[0].objgen == pdf.pages[2].objgen
        with pdf.open_outline() as tree:
            assert [item.title for item in tree.root] == ["To a", "To b", "To c"]


def test_a_claim_to_meet_a_standard_goes_and_no_metadata_come(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a")
    with pikepdf.open(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith")) as pdf:
        assert Name.Metadata not in pdf.Root
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        with pdf.open_metadata() as described:
            described["pdfaid:part"], described["dc:title"] = "2", "Tides"
        pdf.save(source)
    with pikepdf.open(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith")) as pdf:
        described = pdf.open_metadata()
        assert ("pdfaid:part" in described, described["dc:title"]) == (False, "Tides")


@pytest.mark.parametrize("content", ["q q 5 0 0 5 900 900 cm", "Q Q 5 0 0 5 900 900 cm", "q 0 0 1 1 re W n"])
def test_a_page_that_leaves_its_state_behind_does_not_move_the_mark(tmp_path: Path, content: str) -> None:
    source = _bare(tmp_path / "in.pdf")
    expected = _ink(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith"))
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Contents = pdf.make_stream(content.encode())
        pdf.save(source)
    assert _ink(done("pdf-add-watermark", tmp_path, source, type="text", text="Leith")) == expected


def test_what_is_cut_off_hidden_or_without_effect_is_told(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a", "b")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[1].contents_add(b"1 g 0 0 200 100 re f 0 g ", prepend=True)
        pdf.save(source)
    with report.collected() as said:
        done("pdf-add-watermark", tmp_path, source, type="text", text="Leith", layer="under", verticalSpacing=3)
        done("pdf-add-watermark", tmp_path, source, type="text", text="Leith", fontSize=90)
    assert [next(word for word in ("no effect", "hides", "cut off") if word in one) for one in said] == [
        "no effect",
        "hides",
        "cut off",
    ]
    assert "page 2" in said[1]


def test_a_picture_keeps_what_is_clear_and_fills_the_page_with_copies(tmp_path: Path) -> None:
    picture = PIL.Image.new("RGBA", (50, 50), (0, 0, 0, 0))
    picture.paste((200, 0, 0, 255), (0, 0, 25, 50))
    picture.save(tmp_path / "mark.png", dpi=(72, 72))
    source = _bare(tmp_path / "in.pdf")
    sources = Source("file", source, "in.pdf", "pdf"), Source("imageFile", tmp_path / "mark.png", "mark.png", "png")
    folder = tmp_path / "work"
    folder.mkdir()
    asked = Work("pdf-add-watermark", sources, {"type": "image", "fullScreen": True}, folder, FetchPolicy())
    implementation("pdf-add-watermark").check(asked)
    (output,) = implementation("pdf-add-watermark").run(asked)
    document = pypdfium2.PdfDocument(output)
    try:
        shown = document[0].render().to_numpy()
    finally:
        document.close()
    assert 0.45 < (shown.min(axis=2) < 128).mean() < 0.55


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "text"},
        {"type": "image"},
        {"type": "text", "text": "a", "opacity": 0},
        {"type": "text", "text": "a", "fontColor": "red;}"},
        {"type": "text", "text": "a", "fontSize": 0},
        {"type": "text", "text": "a", "horizontalSpacing": -1, "fullScreen": True},
    ],
)
def test_what_cannot_be_seen_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="03000"):
        work("pdf-add-watermark", tmp_path, paper(tmp_path / "in.pdf", "a"), **wrong)


def test_markup_is_text_and_copies_without_number_are_refused(tmp_path: Path) -> None:
    source = _bare(tmp_path / "in.pdf")
    output = done("pdf-add-watermark", tmp_path, source, type="text", text="<b>&amp;</b>")
    assert words(output) == ["<b>&amp;</b>"]
    with pytest.raises(Refused, match="03000"):
        done("pdf-add-watermark", tmp_path, source, type="text", text=".", fontSize=0.1, fullScreen=True)
