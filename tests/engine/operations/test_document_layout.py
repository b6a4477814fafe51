"""document-layout: text and boxes say the same, and the boxes lie on what they are about however a page lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from pikepdf import Array

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.papers import work
from tests.engine.reading.explained import survey


def layout(path: Path, folder: Path, **parameters: Any) -> tuple[str, Path]:
    """The text, and the PDF with boxes."""
    folder.mkdir()
    text, drawn = implementation("document-layout").run(work("document-layout", folder, path, **parameters))
    assert (text.name, drawn.name) == (f"{path.stem}.why.txt", f"{path.stem}.why.pdf")
    return text.read_text("utf-8"), drawn


def lines(text: str, page: int) -> list[str]:
    return text.split(f"\nPage {page}, ")[1].split("\n\n")[0].splitlines()[1:]


def test_each_block_and_each_rejection_has_a_line_with_box_stage_and_beginning(tmp_path: Path) -> None:
    text, _ = layout(survey(tmp_path / "a.pdf"), tmp_path / "out")
    told = [" ".join(line.split()) for line in lines(text, 1)]
    assert told[0] == "1 72 24 149 32 take furniture header Harbours of the North"
    assert told[1].endswith("order flow paragraph_title (level 1) Quays of stone")
    assert "order flow table (4 by 3, by figures) Quays 1 10.51 20.75" in told[4]
    assert told[6].endswith("order flow footnote 1 See the report of the board for stone of that year.")
    assert told[8] == "R1 72 77 188 93 rejected furniture no other page proves it"
    assert told[9] == "R2 72 725 228 732 rejected furniture no other page proves it"
    assert told[10].startswith("R3 72 331 ")
    assert told[10].endswith("rejected table by alignment cells of sentences: TYPOGRAPHY.phrase 12, limit 8")
    assert len(told) == 11


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_box_lies_on_its_block_however_the_page_lies(tmp_path: Path, turn: int) -> None:
    path = survey(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        page.MediaBox, page.CropBox, page.Rotate = Array([-30, -10, 595, 842]), Array([20, 10, 590, 842]), turn
        pdf.save(path)
    _, drawn = layout(path, tmp_path / "out")
    document = pdfium.PdfDocument(drawn)
    try:
        picture = document[0].render(scale=1, rotation=-turn % 360).to_pil().convert("RGB")
    finally:
        document.close()
    # The heading stands 72 points from the left and at 89 from the top; 20 points are cut off at the left.
    inside, outside = picture.getpixel((72 - 20 + 2, 80)), picture.getpixel((72 - 20 - 6, 80))
    assert inside != outside == (255, 255, 255)
    assert isinstance(inside, tuple)
    assert inside[0] > inside[1] == inside[2], "the colour of headings"


def test_what_was_drawn_on_pages_stays(tmp_path: Path) -> None:
    path = survey(tmp_path / "a.pdf")
    _, drawn = layout(path, tmp_path / "out", pageRanges="2-4")
    with pdfium.PdfDocument(drawn) as document:
        texts = [page.get_textpage().get_text_bounded() for page in document]
    assert "1 header" not in texts[0], "it was not asked for"
    assert "1 header" in texts[1]
    assert "R3 alignment: cells of sentences" in texts[1]
    assert "Quays of brick" in texts[1]


def test_furniture_is_text_where_it_is_to_stay(tmp_path: Path) -> None:
    text, _ = layout(survey(tmp_path / "a.pdf"), tmp_path / "out", isContainHeaderFooter=1)
    assert "take furniture" not in text
    assert "Harbours of the North" in lines(text, 1)[0]


def test_a_page_of_which_nothing_is_laid_out_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with pdfium.PdfDocument(survey(tmp_path / "a.pdf")) as document:
        document[0].render(scale=0.5).to_pil().save(path)
    text, drawn = layout(path, tmp_path / "out", enableOcr=0)
    assert lines(text, 1) == ["  nothing was laid out"]
    with pikepdf.open(drawn) as pdf:
        assert len(pdf.pages) == 1


def test_a_name_and_words_that_would_steer_a_terminal_do_not(tmp_path: Path) -> None:
    path = survey(tmp_path / "a\x1b[31m.pdf")
    (tmp_path / "out").mkdir()
    found = implementation("document-layout").run(work("document-layout", tmp_path / "out", path))
    assert "\x1b" not in found[0].read_text("utf-8")
    assert [one.name for one in found] == ["a_[31m.why.txt", "a_[31m.why.pdf"]


def test_of_a_file_that_only_reading_can_repair_the_text_comes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> list[Path]:
        raise Refused("02207", "a.pdf is damaged")

    monkeypatch.setattr("paperchute.engine.operations.document_layout.rewrite", refused)
    path = survey(tmp_path / "a.pdf")
    (tmp_path / "out").mkdir()
    with report.collected() as warnings:
        (text,) = implementation("document-layout").run(work("document-layout", tmp_path / "out", path))
    assert text.suffix == ".txt"
    assert warnings == ["a.pdf is damaged"]
