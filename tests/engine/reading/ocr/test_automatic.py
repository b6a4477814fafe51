"""Recognition that nobody asked for: of the pages that need it, and of no others."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import PIL.Image
import pytest

from paperchute.contract import contract, kind_of
from paperchute.contract.recognition import AUTOMATIC, defaults
from paperchute.contract.tesseract import DATA_VARIABLE
from paperchute.engine import report
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Line, Page, Span
from paperchute.engine.operations import implemented
from paperchute.engine.reading.omissions import watched
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work
from tests.engine.reading.ocr.scanning import LETTER, noisy, scan_pdf, scanned, skewed, text_of, upper
from tests.engine.reading.printing import printed

WORDS = "The quick survey of the northern harbours showed that most of the older quays had been rebuilt in brick. " * 3


def _font() -> pikepdf.Dictionary:
    return pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return upper(scanned(tmp_path_factory.mktemp("letter"), LETTER))


def _read(path: Path, folder: Path, operation: str = "pdf-to-markdown", **given: int | str) -> tuple[list[Page], str]:
    """The pages as the engine reads them of a call with these parameters, and its notes."""
    folder.mkdir(exist_ok=True)
    source = Source("file", path, path.name, kind_of(path))
    work = Work(operation, (source,), {**defaults(contract().known(operation)), **given}, folder)
    with report.noted() as notes, document_of(work) as document:
        pages = list(document.pages)
    return pages, " ".join(notes)


def _mixed(path: Path, letter: PIL.Image.Image) -> Path:
    """A printed page, then a scanned one."""
    printed(path, f"<p>{WORDS}</p>")
    scan = scan_pdf(path.with_name("scan.pdf"), letter)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf, pikepdf.open(scan) as more:
        pdf.pages.extend(more.pages)
        pdf.save(path)
    return path


def _under(path: Path, letter: PIL.Image.Image, layer: str, mode: int = 3) -> Path:
    """A scan with words laid unseen under it. mode: of their letters; with ink they are painted over."""
    words = layer.split()
    rows = [" ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    shown = "".join(f"1 0 0 1 60 {300 - 12 * n} Tm ({row}) Tj " for n, row in enumerate(rows))
    return _typed(scan_pdf(path, letter), f"{mode} Tr /F1 10 Tf {shown}", under=mode == 0)


def _typed(path: Path, operators: str, *, under: bool = False) -> Path:
    """Text, in a font F1, on the first page or under its picture."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        page.Resources.Font = pikepdf.Dictionary(F1=pdf.make_indirect(_font()))
        page.contents_add(f"BT {operators} ET".encode("latin-1"), prepend=under)
        pdf.save(path)
    return path


def test_only_the_scan_is_recognised_and_the_job_says_which_page(letter: PIL.Image.Image, tmp_path: Path) -> None:
    pages, notes = _read(_mixed(tmp_path / "a.pdf", letter), tmp_path / "out")
    assert [page.recognised for page in pages] == [False, True]
    assert "northern harbours showed that most of the older quays" in text_of(pages[1].blocks).replace("\n", " ")
    assert notes == "Text was recognised on page 2. Judging by its words, the language is en."


def test_a_zero_is_no_silence(letter: PIL.Image.Image, tmp_path: Path) -> None:
    pages, notes = _read(scan_pdf(tmp_path / "a.pdf", letter), tmp_path / "out", enableOcr=0)
    assert not pages[0].recognised
    assert text_of(pages[0].blocks) == notes == ""


def test_a_picture_gives_text_too(letter: PIL.Image.Image, tmp_path: Path) -> None:
    letter.save(tmp_path / "a.png")
    pages, _ = _read(tmp_path / "a.png", tmp_path / "out", "img-to-docx")
    assert "Harbour survey" in text_of(pages[0].blocks)


@pytest.mark.parametrize("mode", [0, 3])
def test_a_layer_that_reads_well_is_read_and_a_bad_one_is_recognised_anew(
    mode: int, letter: PIL.Image.Image, tmp_path: Path
) -> None:
    pages, notes = _read(_under(tmp_path / "good.pdf", letter, WORDS, mode), tmp_path / "out")
    assert " ".join(text_of(pages[0].blocks).split()) == WORDS.strip()
    assert notes == ""
    bad = (
        "T~e qu1ck s;urv3y 0f tl;e n0r7hern h@rb0urs sh<>wed th^t m0st 0f t|he 0ld3r qu^ys h@d b33n r&bu1lt ~n br.;ck "
    )
    pages, notes = _read(_under(tmp_path / "bad.pdf", letter, bad * 3, mode), tmp_path / "out")
    assert "Repair the eastern pier" in text_of(pages[0].blocks)
    assert "qu1ck" not in text_of(pages[0].blocks)
    assert notes == "Text was recognised on page 1. Judging by its words, the language is en."


@pytest.mark.parametrize("degrees", [0.0, 2.0])
def test_what_was_typed_onto_a_scan_is_taken_as_it_was_typed(
    degrees: float, letter: PIL.Image.Image, tmp_path: Path
) -> None:
    path = scan_pdf(tmp_path / "a.pdf", skewed(letter, degrees) if degrees else letter)
    _typed(path, "/F1 7 Tf 1 0 0 1 330 40 Tm (Il1O0-O0I1l) Tj")
    pages, _ = _read(path, tmp_path / "out")
    text = text_of(pages[0].blocks)
    assert "Repair the eastern pier" in text
    assert text.count("Il1O0-O0I1l") == 1
    assert text.count("O0") == 2


def test_letters_in_the_papers_colour_over_print_say_nothing(letter: PIL.Image.Image, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "a.pdf", letter)
    (page, *_), _ = _read(path, tmp_path / "out")
    line = page.blocks[1].lines[0].quad.box
    _typed(path, f"1 g /F1 4 Tf 1 0 0 1 {line.left + 60} {page.height - line.bottom + 3} Tm (9,999.00) Tj")
    pages, _ = _read(path, tmp_path / "again")
    assert "9,999.00" not in text_of(pages[0].blocks)


def test_a_field_that_was_filled_in_on_a_scanned_form_keeps_its_value(letter: PIL.Image.Image, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "a.pdf", letter)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        fonts = pikepdf.Dictionary(Helv=_font())
        look = pdf.make_stream(b"/Tx BMC q BT /Helv 7 Tf 2 4 Td (Il1O0-O0I1l) Tj ET Q EMC")
        look.Subtype, look.BBox = pikepdf.Name.Form, [0, 0, 120, 14]
        look.Resources = pikepdf.Dictionary(Font=fonts)
        field = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx, T="No.", V="Il1O0-O0I1l", F=4,
                Rect=[320, 40, 440, 54], DA="/Helv 7 Tf", AP=pikepdf.Dictionary(N=look),
            )
        )  # fmt: skip
        pdf.pages[0].Annots = pikepdf.Array([field])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[field], DR=pikepdf.Dictionary(Font=fonts))
        pdf.save(path)
    pages, _ = _read(path, tmp_path / "out")
    text = text_of(pages[0].blocks)
    assert "Repair the eastern pier" in text
    assert text.count("Il1O0-O0I1l") == 1
    assert text.count("O0") == 2


def test_a_slide_over_a_photograph_keeps_its_own_words(tmp_path: Path) -> None:
    out = io.BytesIO()
    PIL.Image.effect_noise((300, 220), 60).convert("RGB").save(out, "jpeg")
    photo = scan_pdf(tmp_path / "a.pdf", PIL.Image.open(out), dpi=40)
    _typed(photo, "1 1 1 rg /F1 30 Tf 40 200 Td (Results of the year) Tj")
    pages, notes = _read(photo, tmp_path / "out")
    assert text_of(pages[0].blocks) == "Results of the year"
    assert notes == ""


def test_every_operation_that_gives_text_does_so_by_itself() -> None:
    with_switch = {id_ for id_ in implemented() if contract().known(id_).parameter("enableOcr") is not None}
    assert with_switch - AUTOMATIC == {"img-to-pdf", "magic-color", "pdf-to-editable", "pdf-to-img"}
    for id_ in AUTOMATIC:
        assert "enableOcr" not in defaults(contract().known(id_))


def test_a_script_that_was_not_learnt_is_not_guessed_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    russian = "Быстрый осмотр северных гаваней показал, что большинство старых причалов перестроено из кирпича. " * 2
    page = scanned(tmp_path, f"<p>{russian}</p>")
    (tmp_path / "out").mkdir()
    path = scan_pdf(tmp_path / "a.pdf", page.crop((0, 0, page.width, page.height // 4)))
    with report.collected() as warnings:
        _read(path, tmp_path / "out")
    assert any(("page 1" in warning and "recognised" in warning) or "with certainty" in warning for warning in warnings)


def test_a_page_that_reads_well_is_not_doubted(letter: PIL.Image.Image, tmp_path: Path) -> None:
    with report.collected() as warnings:
        (page,), _ = _read(scan_pdf(tmp_path / "a.pdf", noisy(letter)), tmp_path / "out")
    assert page.unsure == 0.0
    assert warnings == []


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ([0.0, 0.05], []),
        ([0.3, 0.0], ["Some lines on page 1 could"]),
        ([0.2, 0.9], ["The text on page 2 could", "Some lines on page 1 could"]),
    ],
)
def test_pages_with_lines_by_hand_are_named(shares: list[float], told: list[str], tmp_path: Path) -> None:
    quad = Quad.of(Box(0, 0, 90, 12))
    block = Block("text", quad, (Line(quad, (Span("Dear Mrs Harper"),)),))
    pages = (Page(n, 100, 100, blocks=(block,), recognised=True, unsure=share) for n, share in enumerate(shares, 1))
    work = Work("pdf-to-markdown", (Source("file", tmp_path / "a.pdf", "a.pdf", "pdf"),), {}, tmp_path)
    with report.collected() as warnings:
        list(watched(pages, work))
    assert [warning[: len(start)] for warning, start in zip(warnings, told, strict=True)] == told
