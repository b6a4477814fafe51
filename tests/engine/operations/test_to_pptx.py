"""A presentation has a slide a page, and on it what the page has, where it has it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import pptx
import pytest
from pikepdf import Array, Dictionary, Name, String
from PIL import Image
from pptx.enum.shapes import MSO_SHAPE_TYPE

from paperchute.contract import Value
from paperchute.engine import report
from tests.engine.operations.papers import paper
from tests.engine.operations.test_office import run
from tests.engine.reading.printing import LOREM, picture, printed

_PAGE = f"""<h1>Harbours</h1><p style='margin-left:60pt'>{LOREM}</p><img src='{picture()}' width=120>
<p>Water is H<sub>2</sub>O, <b>bold</b>, <span style='color:#c00000'>red</span>.</p>
<table border=1 style='border-collapse:collapse'><tr><th>Port</th><th>Ships</th></tr>
<tr><td>Leith</td><td>3</td></tr><tr><td colspan=2>none else</td></tr></table><ul><li>brick</li><li>timber</li></ul>"""


def _slides(path: Path) -> Any:
    return pptx.Presentation(str(path))


def _boxes(slide: Any) -> dict[str, Any]:
    return {s.text_frame.text: s for s in slide.shapes if s.has_text_frame and s.text_frame.text}


def _text(slide: Any) -> str:
    cells = [cell.text for s in slide.shapes if s.has_table for row in s.table.rows for cell in row.cells]
    return " ".join(" ".join([*_boxes(slide), *cells]).split())


@pytest.mark.parametrize("mode", ["e_Flow", "e_Box"])
def test_text_and_tables_stand_where_the_page_has_them_over_what_it_draws(tmp_path: Path, mode: Value) -> None:
    source = printed(tmp_path / "in.pdf", _PAGE)
    (made,) = run("pdf-to-pptx", source, tmp_path / "work", pageLayoutMode=mode, isContainImg=1)
    presentation = _slides(made)
    (slide,) = presentation.slides
    assert (round(presentation.slide_width.pt), round(presentation.slide_height.pt)) == (595, 842)
    boxes = _boxes(slide)
    (lorem,) = (box for text, box in boxes.items() if text.startswith("The quick survey"))
    assert lorem.left.pt == pytest.approx(boxes["Harbours"].left.pt + 60, abs=2)
    assert (len(lorem.text_frame.paragraphs) == 1) is (mode == "e_Flow")
    assert lorem.text_frame.word_wrap is (mode == "e_Flow")
    (table,) = (shape.table for shape in slide.shapes if shape.has_table)
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["Port", "Ships"],
        ["Leith", "3"],
        ["none else", ""],
    ]
    assert table.cell(2, 0).span_width == 2
    (drawn,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE)
    colours = Image.open(io.BytesIO(drawn.image.blob)).convert("RGB")
    assert any(red > 200 > 60 > green for red, green, _blue in np.asarray(colours).reshape(-1, 3))
    runs = {r.text.strip(" .,"): r for box in boxes.values() for p in box.text_frame.paragraphs for r in p.runs}
    assert runs["bold"].font.bold
    assert str(runs["red"].font.color.rgb) == "C00000"
    assert int(runs["2"]._r.rPr.get("baseline")) < 0
    assert all(word in _text(slide) for word in ("brick", "timber", *LOREM.split()))


def test_each_page_is_a_slide_or_a_presentation(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "one", "two", "three")
    (made,) = run("pdf-to-pptx", source, tmp_path / "work", pageRanges="3,1")
    assert [_text(slide) for slide in _slides(made).slides] == ["three", "one"]
    parts = run("pdf-to-pptx", source, tmp_path / "parts", isOutputDocumentPerPage=1, pageRanges="2-3")
    assert [(part.name, _text(_slides(part).slides[0])) for part in parts] == [
        ("in-2.pptx", "two"),
        ("in-3.pptx", "three"),
    ]


def test_pages_of_other_sizes_are_made_to_fit_and_told(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "one", "two")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[1].MediaBox = Array([0, 0, 400, 100])
        pdf.save(source)
    with report.collected() as warnings:
        (made,) = run("pdf-to-pptx", source, tmp_path / "work")
    presentation = _slides(made)
    assert (presentation.slide_width.pt, presentation.slide_height.pt) == (200, 100)
    assert ["page 2" in warning for warning in warnings] == [True]
    assert _boxes(presentation.slides[1])["two"].left.pt < 20


def test_annotations_become_notes(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "one")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        note = Dictionary(
            Type=Name.Annot, Subtype=Name.Text, Rect=Array([0, 0, 9, 9]), Contents=String("Ask Ada"), T=String("Bob")
        )
        pdf.pages[0].Annots = Array([pdf.make_indirect(note)])
        pdf.save(source)
    (made,) = run("pdf-to-pptx", source, tmp_path / "work", isContainAnnot=1)
    assert _slides(made).slides[0].notes_slide.notes_text_frame.text == "Bob: Ask Ada"
    (made,) = run("pdf-to-pptx", source, tmp_path / "without", isContainAnnot=0)
    assert not _slides(made).slides[0].has_notes_slide


def test_a_picture_is_a_slide_of_its_size(tmp_path: Path) -> None:
    Image.new("RGB", (400, 300), "green").save(tmp_path / "a.png", dpi=(100, 100))
    presentation = _slides(*run("img-to-pptx", tmp_path / "a.png", tmp_path / "work", enableOcr=0))
    (slide,) = presentation.slides
    assert (round(presentation.slide_width.pt), round(presentation.slide_height.pt)) == (288, 216)
    (shape,) = slide.shapes
    assert (shape.left, shape.top, shape.width, shape.height) == (
        *(0, 0),
        presentation.slide_width,
        presentation.slide_height,
    )


def test_words_divided_at_the_end_of_a_line_have_no_space(tmp_path: Path) -> None:
    known = "<p>What a controller-manager is, and a sig-node.</p>"  # so that reading knows how these words are written
    text = known + "<ul style='width:9em'><li>the controller-manager and sig-node of everybody</li><li>two</li></ul>"
    (output,) = run("pdf-to-pptx", printed(tmp_path / "in.pdf", text), tmp_path / "out")
    slides = pptx.Presentation(str(output)).slides
    said = " ".join(shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame)
    assert "controller-manager and sig-node of everybody" in said
