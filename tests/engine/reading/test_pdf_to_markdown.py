"""What each parameter of pdf-to-markdown does."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest

from paperchute.contract.tesseract import DATA_VARIABLE
from paperchute.engine.work import Refused
from tests.engine.reading.printing import LOREM, convert, markdown, picture, printed

THREE_PAGES = "".join(f"<h1>Part {n}</h1><p>{LOREM}</p><div style='break-after:page'></div>" for n in (1, 2, 3))


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return printed(tmp_path / "three.pdf", THREE_PAGES)


def with_note(path: Path, text: str) -> Path:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[50, 700, 70, 720], Contents=text, T="Ada",
        )  # fmt: skip
        pdf.pages[0].Annots = pdf.make_indirect(pikepdf.Array([note]))
        pdf.save(path)
    return path


def test_one_file_named_after_the_source(three: Path, tmp_path: Path) -> None:
    outputs = convert(three, tmp_path / "out", name="Bericht März.PDF")
    assert [p.name for p in outputs] == ["Bericht März.md"]
    text = outputs[0].read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Part 1", "# Part 2", "# Part 3"]
    assert LOREM.strip() in text


def test_page_ranges_choose_pages_and_their_order(three: Path, tmp_path: Path) -> None:
    text = markdown(three, tmp_path / "out", pageRanges="3,1")
    assert text.index("# Part 3") < text.index("# Part 1")
    assert "Part 2" not in text


def test_pages_outside_the_document_are_refused(three: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        convert(three, tmp_path / "out", pageRanges="9,4-5")
    assert refused.value.code == "110001"
    assert "page 4" in refused.value.reason


def test_one_file_a_page(three: Path, tmp_path: Path) -> None:
    outputs = convert(three, tmp_path / "out", isOutputDocumentPerPage=1, pageRanges="2-3")
    assert [p.name for p in outputs] == ["three-2.md", "three-3.md"]
    assert "Part 3" in outputs[1].read_text("utf-8")
    assert "Part 2" not in outputs[1].read_text("utf-8")


def test_the_password_opens_a_locked_file(three: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(three) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="o", user="secret", R=6))
    assert "Part 1" in markdown(locked, tmp_path / "out", password="secret")
    with pytest.raises(Refused) as refused:
        convert(locked, tmp_path / "out2")
    assert refused.value.code == "02201"


@pytest.mark.parametrize(("password", "code"), [("", "02201"), ("other", "120002")])
def test_a_locked_file_that_pdfium_takes_for_a_damaged_one_is_locked(
    password: str, code: str, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some are: with keys of 40 bits and no copy of the metadata locked. They cannot be made with today's tools."""

    def fails(path: Path, password: str) -> NoReturn:
        raise pdfium.PdfiumError("no PDF", err_code=pdfium_c.FPDF_ERR_FORMAT)

    path = tmp_path / "locked.pdf"
    with pikepdf.open(three) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(owner="o", user="secret", R=6))
    monkeypatch.setattr("paperchute.engine.reading.pdf.document._document", fails)
    with pytest.raises(Refused) as refused:
        convert(path, tmp_path / "out", password=password)
    assert refused.value.code == code


def test_images_lie_next_to_the_text_and_are_linked(tmp_path: Path) -> None:
    path = printed(tmp_path / "my file (1).pdf", f"<p>{LOREM}</p><img src='{picture()}' width=200><p>{LOREM}</p>")
    text, image = convert(path, tmp_path / "out")
    assert image.parent == tmp_path / "out" / "images"
    assert image.read_bytes().startswith(b"\x89PNG")
    assert f"images/{image.name.replace(' ', '%20')}" in text.read_text("utf-8")


def test_without_images_no_reference_is_left(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><img src='{picture()}' width=200>")
    outputs = convert(path, tmp_path / "out", isContainImg=0)
    assert len(outputs) == 1
    assert "![" not in outputs[0].read_text("utf-8")
    assert not (tmp_path / "out" / "images").exists()


def test_the_page_background_is_kept_or_dropped(tmp_path: Path) -> None:
    css = (
        "@page{margin:0} img{position:absolute;left:0;top:0;width:210mm;height:296mm} p{position:relative;margin:80pt}"
    )
    path = printed(tmp_path / "a.pdf", f"<img src='{picture(210, 297)}'><p>{LOREM}</p>", css)
    assert len(convert(path, tmp_path / "with")) == 2
    without = convert(path, tmp_path / "without", containPageBackgroundImage=0)
    assert len(without) == 1
    assert LOREM.strip() in without[0].read_text("utf-8")


def test_a_page_that_is_only_a_picture_is_not_silently_empty(tmp_path: Path) -> None:
    css = "@page{margin:0} img{width:210mm;height:296mm;display:block}"
    path = printed(tmp_path / "scan.pdf", f"<img src='{picture(210, 297)}'>", css)
    text, image = convert(path, tmp_path / "out", containPageBackgroundImage=0)
    assert image.name in text.read_text("utf-8")


def test_annotations_become_quotes_or_stay_out(tmp_path: Path) -> None:
    path = with_note(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>"), "Check *this*\nand that")
    assert "> **Note** Ada: Check \\*this\\*\n> and that" in markdown(path, tmp_path / "with")
    assert "Ada" not in markdown(path, tmp_path / "without", isContainAnnot=0)


def test_without_layout_analysis_columns_are_read_straight_across(tmp_path: Path) -> None:
    left, right = [f"a{n}" for n in range(300)], [f"b{n}" for n in range(300)]
    html = f"<div class=c><p>{' '.join(left)}</p><p>{' '.join(right)}</p></div>"
    path = printed(
        tmp_path / "a.pdf",
        html,
        ".c{column-count:2;column-gap:24pt;column-fill:balance} p{margin:0;break-inside:avoid}",
    )
    assert markdown(path, tmp_path / "with").split() == left + right
    across = markdown(path, tmp_path / "without", enableAiLayout=0).split()
    assert sorted(across) == sorted(left + right)
    assert across.index("b0") < across.index("a299")


def test_box_mode_keeps_printed_lines_and_page_furniture(tmp_path: Path) -> None:
    css = "@page{size:300pt 300pt;margin:50pt; @bottom-center{content:'Page ' counter(page)}} p{hyphens:manual}"
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM * 4}</p>", css)
    flow = markdown(path, tmp_path / "flow")
    boxes = markdown(path, tmp_path / "box", pageLayoutMode="e_Box")
    assert "Page 1" not in flow
    assert "Page 1" in boxes
    assert flow.count("  \n") == 0
    assert boxes.count("  \n") > 10


def test_formulas_become_pictures_only_when_asked(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><p style='margin-left:80pt'>∑ α + β = ∫ γ ≤ ∞</p><p>{LOREM}</p>")
    assert "α + β" in markdown(path, tmp_path / "text")
    outputs = convert(path, tmp_path / "picture", formulaToImage=1)
    assert len(outputs) == 2
    (formula,) = [line for line in outputs[0].read_text("utf-8").splitlines() if "α" in line]
    assert formula.startswith("![∑ α")


def test_a_language_that_is_not_installed_is_refused_with_how_to_add_it(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))  # whatever this machine's Tesseract can read
    with pytest.raises(Refused) as refused:
        convert(three, tmp_path / "out", enableOcr=1, ocrRecognitionLang="THAI")
    assert refused.value.code == "03000"
    assert "th_PP-OCRv5_rec_mobile.onnx" in refused.value.reason


def test_a_table_over_two_pages_is_one_table_with_one_head(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>port {n}</td><td>{n * 3}</td></tr>" for n in range(80))
    html = f"<table><thead><tr><th>Port</th><th>Ships</th></tr></thead><tbody>{rows}</tbody></table>"
    path = printed(tmp_path / "a.pdf", html, "table{border-collapse:collapse} td,th{border:1px solid #000;padding:3px}")
    text = markdown(path, tmp_path / "out")
    assert text.count("| Port | Ships |") == 1
    assert text.count("| --- |") == 1
    assert text.count("| port ") == 80
