"""Numbers and lines on pages: each page its own, upright where readers show it, and nothing else changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from paperchute.notation.page_lines import filled
from tests.engine.operations.papers import done, locked, paper, work

pytest.importorskip("plutoprint", reason="nothing lays text out here")


def _texts(path: Path) -> list[str]:
    with pdfium.PdfDocument(path) as document:
        return [page.get_textpage().get_text_range().strip() for page in document]


def _bare(path: Path, pages: int = 1) -> Path:
    pdf = pikepdf.new()
    for _number in range(pages):
        pdf.add_blank_page(page_size=(300, 400))
    pdf.save(path)
    return path


def _where(path: Path) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the ink on the first page, as a reader shows it, in points."""
    with pdfium.PdfDocument(path) as document:
        ink = document[0].render(scale=2).to_pil().convert("L").point(lambda v: 255 * (v < 128)).getbbox()
    assert ink is not None
    return tuple(v / 2 for v in ink)


def test_each_page_gets_its_own_line(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a", "b", "c", "d")
    output = done(
        "pdf-number", tmp_path, source, text="Bates {number:06}, {page} of {pages} ä 页", start=98, pages="2-4"
    )
    first, *others = _texts(output)
    assert "Bates" not in first
    for page, text in enumerate(others, 2):
        assert f"Bates {96 + page:06}, {page} of 4 ä 页" in text
    with pikepdf.open(output) as pdf:
        pdf.pages[1].contents_coalesce()
        assert b"/Subtype /Footer" in pdf.pages[1].Contents.read_bytes()
        assert len({font.objgen for page in pdf.pages[1:] for font in _fonts(page)}) <= 3, "fonts are there once"


def _fonts(page: pikepdf.Page) -> list[pikepdf.Object]:
    return [font for form in page.Resources.XObject.values() for font in form.Resources.get("/Font", {}).values()]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize(("across", "down"), [("left", "top"), ("right", "bottom"), ("center", "bottom")])
def test_it_stands_where_it_should_however_a_page_is_turned_and_cut(
    tmp_path: Path, turn: int, across: str, down: str
) -> None:
    source = _bare(tmp_path / "in.pdf")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = turn
        pdf.pages[0].CropBox = pikepdf.Array([20, 30, 280, 390])
        pdf.save(source)
    width, height = (260, 360) if turn % 180 == 0 else (360, 260)
    left, top, right, bottom = _where(
        done("pdf-number", tmp_path, source, text="Leith", horizalign=across, vertalign=down, margin=30, fontSize=20)
    )
    wide = right - left
    assert left == pytest.approx({"left": 30, "center": (width - wide) / 2, "right": width - 30 - wide}[across], abs=4)
    assert (top if down == "top" else height - bottom) == pytest.approx(34, abs=8)
    assert wide > 2 * (bottom - top) > 0, "it reads from left to right"


def test_lines_over_text_and_lines_that_do_not_fit_are_told(tmp_path: Path) -> None:
    once = done("pdf-number", tmp_path, _bare(tmp_path / "in.pdf", 2), text="Leith", pages="2")
    source = once.replace(tmp_path / "numbered.pdf")
    with report.collected() as said:
        done("pdf-number", tmp_path, source)
        done("pdf-number", tmp_path, _bare(tmp_path / "narrow.pdf", 2), text="Leith " * 60)
    assert ["over text on page 2" in said[0], "cut off on pages 1-2" in said[1], len(said)] == [True, True, 2], said


@pytest.mark.parametrize(
    "wrong", [{"text": " "}, {"fontSize": 0}, {"fontColor": "red-ish"}, {"margin": -1}, {"start": -1}]
)
def test_what_cannot_be_done_is_refused_before(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        implementation("pdf-number").check(work("pdf-number", tmp_path, paper(tmp_path / "in.pdf", "a"), **wrong))


def test_what_is_damaged_locked_or_odd_gets_its_lines(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a")
    source.write_bytes(b"junk\n" * 300 + source.read_bytes())
    assert "x1y" in _texts(done("pdf-number", tmp_path, source, text="x\0{page}y"))[0]
    source = locked(paper(tmp_path / "locked.pdf", "a"), user="u")
    assert done("pdf-number", tmp_path, source, password="u").exists()


@given(st.text(), st.integers(1, 9999), st.integers(1, 9999))
def test_a_line_says_what_its_template_says(text: str, page: int, number: int) -> None:
    plain = text.replace("{", "(")
    assert filled(f"{plain}{{page}}/{{pages}} {{number:05}}", page, 9999, number) == f"{plain}{page}/9999 {number:05}"
