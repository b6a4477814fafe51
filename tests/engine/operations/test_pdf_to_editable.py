"""pdf-to-editable: recognised text over the ink, the page as it was, each parameter with its effect."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import pypdfium2
import pytest
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Name, String

from paperchute.engine import report
from paperchute.engine.operations import pdf_to_editable
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, work
from tests.engine.operations.pictures import photo
from tests.engine.reading.ocr.scanning import LETTER, scan_pdf, scanned, skewed, upper
from tests.engine.reading.printing import printed

needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
WORDS = ("Harbour", "quick", "timber", "mooring")


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return upper(scanned(tmp_path_factory.mktemp("letter"), LETTER, dpi=120))


@pytest.fixture(scope="module")
def scan(letter: PIL.Image.Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scan_pdf(tmp_path_factory.mktemp("scan") / "scan.pdf", letter, dpi=120)


@pytest.fixture(scope="module")
def editable(scan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return done("pdf-to-editable", tmp_path_factory.mktemp("made"), scan, ocrRecognitionLang="ENGLISH")


def _drawn(path: Path, page: int = 0) -> NDArray[np.uint8]:
    document = pypdfium2.PdfDocument(path)
    try:
        return np.asarray(document[page].render(scale=2).to_pil().convert("L"))
    finally:
        document.close()


def _text(path: Path, page: int = 0) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return document[page].get_textpage().get_text_bounded()
    finally:
        document.close()


def _place(path: Path, word: str) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of the first place where a word is found, in points."""
    document = pypdfium2.PdfDocument(path)
    try:
        textpage = document[0].get_textpage()
        found = textpage.search(word).get_next()
        assert found is not None, word
        textpage.count_rects(*found)
        return textpage.get_rect(0)
    finally:
        document.close()


def test_the_page_looks_as_before_and_its_words_are_found(scan: Path, editable: Path) -> None:
    assert np.array_equal(_drawn(scan), _drawn(editable))
    for word in WORDS:
        assert word in _text(editable)


def test_each_word_lies_on_its_ink(letter: PIL.Image.Image, editable: Path) -> None:
    k = 120 / 72
    grey = np.asarray(letter.convert("L"))
    for word in WORDS:
        left, bottom, right, top = _place(editable, word)
        height = letter.height / k
        rows = grey[round((height - top) * k) : round((height - bottom) * k)]
        inked = np.less(rows, 128).any(axis=0)
        inside = np.flatnonzero(inked[round(left * k) - 2 : round(right * k) + 2]) + round(left * k) - 2
        near = 2.5 / k  # points: two pixels, and half a one of the soft edge
        assert abs(inside[0] / k - left) < near, word
        assert abs((inside[-1] + 1) / k - right) < near, word


def test_pictures_are_taken_over_as_they_are_and_the_file_grows_little(scan: Path, editable: Path) -> None:
    def picture(path: Path) -> bytes:
        with pikepdf.open(path) as pdf:
            return next(iter(pdf.pages[0].get_images().values())).read_raw_bytes()

    assert picture(scan) == picture(editable)
    assert editable.stat().st_size < scan.stat().st_size + 20_000


def test_tags_and_language_tell_what_the_text_is(editable: Path) -> None:
    with pikepdf.open(editable) as pdf:
        assert str(pdf.Root.Lang) == "en"
        kinds = [str(element.S) for element in pdf.Root.StructTreeRoot.K[0].K]
        assert kinds == ["/H1", "/P", "/L"]
        assert pdf.Root.MarkInfo.Marked


@needs_poppler
@pytest.mark.parametrize("degrees", [90, 4])
def test_turned_and_skewed_pages_carry_their_text_along(letter: PIL.Image.Image, tmp_path: Path, degrees: int) -> None:
    turned = letter.rotate(90, expand=True) if degrees == 90 else skewed(letter, degrees)
    path = scan_pdf(tmp_path / "scan.pdf", turned, dpi=120)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        _, _, width, height = map(float, pdf.pages[0].mediabox)
        pdf.pages[0].obj.MediaBox = Array([20, 30, width + 20, height + 30])
        pdf.pages[0].contents_add(b"1 0 0 1 20 30 cm\n", prepend=True)
        pdf.pages[0].Rotate = 180
        pdf.save(path)
    made = done("pdf-to-editable", tmp_path, path)
    text = subprocess.run(["pdftotext", "-raw", str(made), "-"], capture_output=True, text=True, check=True).stdout
    assert "quick survey of the northern" in " ".join(text.split())
    assert np.array_equal(_drawn(path), _drawn(made))


@needs_poppler
def test_words_of_a_page_laid_in_slightly_askew_are_found_whole(letter: PIL.Image.Image, tmp_path: Path) -> None:
    made = done("pdf-to-editable", tmp_path, scan_pdf(tmp_path / "scan.pdf", skewed(letter, 1.5), dpi=120))
    text = subprocess.run(["pdftotext", str(made), "-"], capture_output=True, text=True, check=True).stdout
    assert set(_text(made).split()) <= set(text.split())


def test_text_that_a_page_has_stays_and_is_not_doubled(tmp_path: Path) -> None:
    path = printed(tmp_path / "text.pdf", "<p style='font-size:16pt'>Timber stores along the canal</p>")
    made = done("pdf-to-editable", tmp_path, path)
    assert _text(made).split() == ["Timber", "stores", "along", "the", "canal"]
    assert np.array_equal(_drawn(path), _drawn(made))


def test_an_earlier_layer_is_replaced(scan: Path, tmp_path: Path) -> None:
    path = tmp_path / "layered.pdf"
    with pikepdf.open(scan) as pdf:
        pdf.pages[0].add_resource(
            Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica), Name.Font, Name("/F1")
        )
        pdf.pages[0].contents_add(b"\nBT 3 Tr /F1 16 Tf 60 760 Td (Barbour burvey) Tj ET\n")
        pdf.save(path)
    text = _text(done("pdf-to-editable", tmp_path, path))
    assert "Barbour" not in text
    assert text.count("Harbour") == 1


def test_visible_text_takes_the_place_of_the_ink(scan: Path, tmp_path: Path) -> None:
    made = done("pdf-to-editable", tmp_path, scan, transparentText=0)
    before, after = _drawn(scan), _drawn(made)
    assert not np.array_equal(before, after)
    assert abs(float((before < 128).mean()) - float((after < 128).mean())) < 0.01  # about as much ink
    assert "quick survey" in _text(made)


def test_the_scan_can_be_taken_away_from_visible_text_only(scan: Path, tmp_path: Path) -> None:
    made = done("pdf-to-editable", tmp_path, scan, transparentText=0, containPageBackgroundImage=0)
    assert "quick survey" in _text(made)
    assert made.stat().st_size < scan.stat().st_size / 4
    with pytest.raises(Refused) as refused:
        work("pdf-to-editable", tmp_path, scan, containPageBackgroundImage=0)
    assert refused.value.code == "03000"


def test_pages_out_of_the_scope_and_all_pages_without_recognition_stay_bare(scan: Path, tmp_path: Path) -> None:
    for parameters in ({"enableOcr": 0}, {"ocrOption": "INVALID_CHARACTER"}):
        assert _text(done("pdf-to-editable", tmp_path, scan, **parameters)) == ""


def test_page_ranges_and_one_document_a_page(letter: PIL.Image.Image, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "three.pdf", letter, letter, letter, dpi=120)
    task = work("pdf-to-editable", tmp_path, path, pageRanges="1,3", isOutputDocumentPerPage=1)
    outputs = pdf_to_editable.run(task)
    assert [output.name for output in outputs] == ["three-1.pdf", "three-3.pdf"]
    assert all("Harbour" in _text(output) for output in outputs)
    assert {path.name for path in task.folder.iterdir()} == {"three-1.pdf", "three-3.pdf"}


def test_images_and_annotations_can_be_left_out(tmp_path: Path) -> None:
    path = _with_note_and_picture(printed(tmp_path / "text.pdf", "<p>Timber stores</p>"))
    kept = _parts(done("pdf-to-editable", tmp_path, path, enableOcr=0))
    bare = _parts(done("pdf-to-editable", tmp_path, path, enableOcr=0, isContainImg=0, isContainAnnot=0))
    assert kept == (True, ["/Text", "/Link"])
    assert bare == (False, ["/Link"])


def _with_note_and_picture(path: Path) -> Path:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        image = pdf.make_stream(bytes(300))
        image.Type, image.Subtype, image.Width, image.Height = Name.XObject, Name.Image, 10, 10
        image.ColorSpace, image.BitsPerComponent = Name.DeviceRGB, 8
        name = pdf.pages[0].add_resource(image, Name.XObject)
        pdf.pages[0].contents_add(b"\nq 90 0 0 90 90 90 cm " + str(name).encode() + b" Do Q\n")
        note: dict[str, Any] = {"Type": Name.Annot, "Rect": Array([0, 0, 50, 50])}
        pdf.pages[0].obj.Annots = Array(
            [
                pdf.make_indirect(Dictionary(Subtype=Name.Text, Contents=String("look"), **note)),
                pdf.make_indirect(Dictionary(Subtype=Name.Link, A=Dictionary(S=Name.URI, URI="https://e.org"), **note)),
            ]
        )
        pdf.save(path)
    return path


def _parts(path: Path) -> tuple[bool, list[Any]]:
    with pikepdf.open(path) as pdf:
        page = pdf.pages[0]
        drawn = any(str(operator.operator) == "Do" for operator in pikepdf.parse_content_stream(page))
        return drawn, [str(note.Subtype) for note in page.obj.Annots]


def _overlaid(
    path: Path, html: str, picture: PIL.Image.Image | None = None, place: pikepdf.Rectangle | None = None
) -> Path:
    """A digital page, with a picture laid on it."""
    printed(path, html)
    if picture is not None:
        shown = scan_pdf(path.with_name(f"shown-{path.name}"), picture, dpi=120)
        with pikepdf.open(path, allow_overwriting_input=True) as pdf, pikepdf.open(shown) as one:
            pdf.pages[0].add_overlay(one.pages[0], place or pikepdf.Rectangle(60, 300, 500, 600))
            pdf.save(path)
    return path


def _with_icon(path: Path) -> Path:
    printed(path, "<p>One line and a note icon beside it.</p>")
    icon = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([300, 700, 320, 720]), Contents="Check")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Annots = Array([pdf.make_indirect(icon)])
        pdf.save(path)
    return path


_CHART = """<p>Ships a year, and what they carried.</p><svg width="300" height="200"><polyline fill="none" stroke="red"
stroke-width="3" points="0,180 60,120 120,150 180,60 300,10"/><circle cx="80" cy="60" r="40" fill="teal"/></svg>"""
_TABLES = (
    "<p>Prices</p><table border=1><tr><td>Port<td>3<tr><td>Quay<td>120.5</table><p>a<sup>2</sup> = b<sup>2</sup></p>"
)


@pytest.mark.parametrize("kind", ["photo", "icon", "tables", "chart", "stamp"])
def test_what_is_no_text_on_a_digital_page_is_not_doubted(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    match kind:
        case "photo":
            _overlaid(path, "<p>One digital line of text above a photo.</p>", photo((900, 600)))
        case "icon":
            _with_icon(path)
        case "tables":
            printed(path, _TABLES)
        case "chart":
            printed(path, _CHART)
        case "stamp":
            seal = PIL.Image.new("RGB", (300, 300), "white")
            draw = PIL.ImageDraw.Draw(seal)
            for radius in (140, 120, 60):
                draw.ellipse((150 - radius, 150 - radius, 150 + radius, 150 + radius), outline="navy", width=6)
            _overlaid(path, "<p>Signed and sealed on the first day.</p>", seal, pikepdf.Rectangle(300, 500, 420, 620))
    with report.collected() as warnings:
        done("pdf-to-editable", tmp_path, path)
    assert [text for text in warnings if "with certainty" in text] == []


def test_text_on_a_picture_of_a_digital_page_that_cannot_be_read_is_doubted(
    letter: PIL.Image.Image, tmp_path: Path
) -> None:
    coarse = letter.resize((letter.width // 4, letter.height // 4)).resize(letter.size)
    path = _overlaid(tmp_path / "page.pdf", "<p>The letter came as a picture.</p>", coarse)
    with report.collected() as warnings:
        done("pdf-to-editable", tmp_path, path)
    assert [text for text in warnings if "with certainty" in text] != []
