"""PDF/A is made of what can be, claimed of what was checked, and refused with its reasons otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import Image, ImageCms

from paperchute.contract.engine_libraries import has_validator
from paperchute.engine import report
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, paper, with_field, with_link, words
from tests.engine.operations.test_pdfa import faults, needs_preflight
from tests.engine.pdf_parts import attach

if not has_validator():
    pytest.skip("pikepdf has no validator here", allow_module_level=True)
from pikepdf import pdfa

PARTS = {"PDFTypeA1b": "1b", "PDFTypeA2b": "2b", "PDFTypeA3b": "3b"}


def _changed(path: Path, change: Callable[[Pdf], object]) -> Path:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(path)
    return path


def _looks(path: Path) -> Image.Image:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return document[0].render(scale=2).to_pil().convert("L")


@pytest.mark.parametrize("standard", PARTS)
def test_what_is_claimed_was_checked(standard: str, tmp_path: Path) -> None:
    source = with_link(paper(tmp_path / "in.pdf", "Mull", "two", outline=True), 0, 1)
    with report.noted() as notes, report.collected() as warnings:
        output = done("pdf-convert-type", tmp_path, source, standard=standard)
    assert pdfa.validate_written(output, PARTS[standard]).passed
    assert warnings == []
    assert ["LiberationSans-Regular" in note for note in notes] == [True]
    assert words(output) == words(source)
    with pikepdf.open(output) as made:
        assert made.open_metadata().pdfa_status == PARTS[standard].upper()
        assert made.pages[0].Annots[0].Dest[0] == made.pages[1].obj
        with made.open_outline() as outline:
            assert [item.title for item in outline.root] == ["To Mull", "To two"]


@pytest.mark.parametrize("standard", PARTS)
def test_text_and_names_may_be_objects_of_their_own(standard: str, tmp_path: Path) -> None:
    title = "Häfen Жук"

    def apart(pdf: Pdf) -> None:
        first, link = pdf.Root.Outlines.First, pdf.pages[0].Annots[0]
        first.Title = pdf.make_indirect(String(title))
        pdf.Root.Lang = pdf.make_indirect(String("en"))
        link.Subtype = pdf.make_indirect(Name.Link)

    source = _changed(with_link(paper(tmp_path / "in.pdf", "Mull", "two", outline=True), 0, 1), apart)
    output = done("pdf-convert-type", tmp_path, source, standard=standard)
    assert pdfa.validate_written(output, PARTS[standard]).passed
    with pikepdf.open(output) as made:
        assert (str(made.Root.Outlines.First.Title), str(made.Root.Lang)) == (title, "en")


@needs_preflight
def test_another_validator_finds_it_valid(tmp_path: Path) -> None:
    source = with_link(paper(tmp_path / "in.pdf", "one", "two", outline=True), 0, 1)
    assert faults(done("pdf-convert-type", tmp_path, source, standard="PDFTypeA1b")) == []


@pytest.mark.parametrize("font", ["Helvetica-BoldOblique", "Times-Roman", "Courier", "Arial,Bold", "TimesNewRomanPSMT"])
def test_a_font_that_is_put_in_has_the_width_of_the_one_it_stands_for(font: str, tmp_path: Path) -> None:
    def use(pdf: Pdf) -> None:
        pdf.pages[0].Resources.Font.F1.BaseFont = Name(f"/{font}")
        pdf.pages[0].Resources.Font.F1.Encoding = Dictionary(
            Type=Name.Encoding,
            BaseEncoding=Name.WinAnsiEncoding,
            Differences=Array([65, Name.germandbls, Name.Adieresis]),
        )

    source = _changed(paper(tmp_path / "in.pdf", "ABCiWm"), use)
    output = done("pdf-convert-type", tmp_path, source, standard="PDFTypeA2b")
    assert words(output) == ["ßÄCiWm"]
    (left, _top, right, _bottom), (left2, _top2, right2, _bottom2) = (
        _looks(path).point(lambda v: 255 * (v < 128)).getbbox() or (0, 0, 0, 0) for path in (source, output)
    )
    assert abs(left - left2) <= 3
    assert abs(right - right2) <= 3


def test_calibri_that_a_document_does_not_carry_gets_letters_of_its_widths(tmp_path: Path) -> None:
    def of_office(pdf: Pdf) -> None:
        widths = Array([579, 544, 533])  # Calibri's A, B and C
        changes = {"/Subtype": Name.TrueType, "/FirstChar": 65, "/LastChar": 67, "/Widths": widths}
        pdf.pages[0].Resources.Font.F1.update({**changes, "/BaseFont": Name.Calibri, "/Encoding": Name.WinAnsiEncoding})

    source = _changed(paper(tmp_path / "in.pdf", "ABC"), of_office)
    with pikepdf.open(done("pdf-convert-type", tmp_path, source, standard="PDFTypeA2b")) as made:
        assert str(made.pages[0].Resources.Font.F1.BaseFont).endswith("+Carlito-Regular")


def _symbol(pdf: Pdf) -> None:
    pdf.pages[0].Resources.Font.F1.BaseFont = Name.Symbol


def _odd_widths(pdf: Pdf) -> None:
    pdf.pages[0].Resources.Font.F1.update({"/FirstChar": 111, "/Widths": Array([900])})


def _see_through(pdf: Pdf) -> None:
    pdf.pages[0].Resources.ExtGState = Dictionary(G=Dictionary(Type=Name.ExtGState, ca=0.5))
    pdf.pages[0].contents_add(b"/G gs", prepend=True)


def _of_a_press(pdf: Pdf) -> None:
    pdf.pages[0].contents_add(b"0 1 0 0 k 0 0 9 9 re f")


@pytest.mark.parametrize(
    ("standard", "change", "why"),
    [
        ("PDFTypeA2b", _symbol, "Symbol"),
        ("PDFTypeA2b", _odd_widths, "Helvetica"),
        ("PDFTypeA1b", _see_through, "PDFTypeA2b"),
        ("PDFTypeA2b", _of_a_press, "iccFile"),
        ("PDFTypeA2b", lambda pdf: attach(pdf, "data.csv", b"1;2"), "PDFTypeA3b"),
        ("PDFTypeA1b", lambda pdf: attach(pdf, "data.csv", b"1;2"), "PDFTypeA3b"),
    ],
)
def test_what_cannot_be_one_fails_with_its_reason(
    standard: str, change: Callable[[Pdf], None], why: str, tmp_path: Path
) -> None:
    source = _changed(paper(tmp_path / "in.pdf", "one"), change)
    with pytest.raises(Refused) as error:
        done("pdf-convert-type", tmp_path, source, standard=standard)
    assert error.value.code == "130001"
    assert why in error.value.reason
    assert str(tmp_path) not in error.value.reason
    assert not [path for path in (tmp_path / "work").iterdir() if path.suffix == ".pdf"]


def test_attached_files_stay_in_a_3b(tmp_path: Path) -> None:
    source = _changed(paper(tmp_path / "in.pdf", "one"), lambda pdf: attach(pdf, "data.csv", b"1;2"))
    with pikepdf.open(done("pdf-convert-type", tmp_path, source, standard="PDFTypeA3b")) as made:
        assert made.attachments["data.csv"].get_file().read_bytes() == b"1;2"


def test_transparency_that_changes_nothing_keeps_no_document_out_of_1b(tmp_path: Path) -> None:
    def group(pdf: Pdf) -> None:
        pdf.pages[0].Group = Dictionary(S=Name.Transparency, CS=Name.DeviceRGB)
        pdf.pages[0].Tabs = Name.S

    source = _changed(paper(tmp_path / "in.pdf", "one"), group)
    assert pdfa.validate_written(done("pdf-convert-type", tmp_path, source, standard="PDFTypeA1b"), "1b").passed


def test_what_is_taken_out_is_told(tmp_path: Path) -> None:
    def add(pdf: Pdf) -> None:
        hidden = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([0, 0, 9, 9]), F=2, Contents=String("no"))
        shown = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]), A=Dictionary(S=Name.ResetForm))
        pdf.pages[1].Annots = Array([pdf.make_indirect(hidden), pdf.make_indirect(shown)])
        with pdf.open_metadata() as described:
            described["{http://own.example/}Case"] = "7"

    source = _changed(paper(tmp_path / "in.pdf", "one", "two"), add)
    with report.collected() as warnings:
        done("pdf-convert-type", tmp_path, source, standard="PDFTypeA2b")
    told = " ".join(warnings)
    assert len(warnings) == 3
    assert "page 2" in told
    assert "Case" in told
    assert "1 in all" in told


def test_one_that_is_valid_already_stays_as_it_is(tmp_path: Path) -> None:
    made = done("pdf-convert-type", tmp_path, paper(tmp_path / "in.pdf", "one"), standard="PDFTypeA2b")
    once = made.rename(tmp_path / "once.pdf")
    assert done("pdf-convert-type", tmp_path, once, standard="PDFTypeA2b").read_bytes() == once.read_bytes()


@pytest.mark.parametrize("standard", ["PDFTypeA1b", "PDFTypeA3b"])
def test_the_claim_is_taken_back(standard: str, tmp_path: Path) -> None:
    made = done("pdf-convert-type", tmp_path, paper(tmp_path / "in.pdf", "one"), standard=standard)
    once = made.rename(tmp_path / "once.pdf")
    with pikepdf.open(done("pdf-convert-type", tmp_path, once, standard="PDF")) as plain:
        assert plain.open_metadata().pdfa_status == ""
        assert "pdfaid:part" not in str(plain.open_metadata())


def test_a_locked_one_is_opened_only_where_that_is_asked_for(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "in.pdf", "one"), user="u")
    asked = {"standard": "PDFTypeA2b", "password": "o"}
    with pytest.raises(Refused) as error:
        done("pdf-convert-type", tmp_path, source, **asked)
    assert error.value.code == "130001"
    output = done("pdf-convert-type", tmp_path, source, protection="drop", **asked)
    assert pdfa.validate_written(output, "2b").passed


def test_a_profile_of_ones_own_is_its_output_profile(tmp_path: Path) -> None:
    profile = tmp_path / "own.icc"
    profile.write_bytes(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    source = paper(tmp_path / "in.pdf", "one")
    output = _with_profile(tmp_path, source, profile)
    with pikepdf.open(output) as made:
        assert made.Root.OutputIntents[0].DestOutputProfile.read_bytes() == profile.read_bytes()
    assert pdfa.validate_written(output, "2b").passed
    (tmp_path / "other.icc").write_bytes(b"no profile at all")
    with pytest.raises(Refused) as error:
        _with_profile(tmp_path, source, tmp_path / "other.icc")
    assert (error.value.code, "iccFile" in error.value.reason) == ("03000", True)


def _with_profile(folder: Path, source: Path, profile: Path) -> Path:
    from dataclasses import replace

    from paperchute.engine.operations import implementation
    from paperchute.engine.work import Source
    from tests.engine.operations.papers import work

    asked = work("pdf-convert-type", folder, source, standard="PDFTypeA2b")
    asked = replace(asked, sources=(Source("iccFile", profile, profile.name, "unknown"), *asked.sources))
    (output,) = implementation("pdf-convert-type").run(asked)
    return output


@pytest.mark.parametrize("standard", ["PDFTypeA1a", "PDFTypeA2u", "PDFTypeX4", "PDFTypeUA1"])
def test_what_nothing_here_can_check_is_not_claimed(standard: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as error:
        done("pdf-convert-type", tmp_path, paper(tmp_path / "in.pdf", "one"), standard=standard)
    assert (error.value.code, "standard" in error.value.reason) == ("03000", True)


def test_fields_are_not_known_to_the_check_and_say_so(tmp_path: Path) -> None:
    source = with_field(paper(tmp_path / "in.pdf", "one"), "name")
    with pytest.raises(Refused) as error:
        done("pdf-convert-type", tmp_path, source, standard="PDFTypeA2b")
    assert "AcroForm" in error.value.reason


@pytest.mark.parametrize("standard", ["PDFTypeA1b", "PDFTypeA2b", "PDFTypeA3b"])
def test_attached_files_are_no_reason_where_they_would_stay_and_no_way_out_where_more_is_in_the_way(
    standard: str, tmp_path: Path
) -> None:
    source = _changed(
        with_field(paper(tmp_path / "in.pdf", "one"), "name"), lambda pdf: attach(pdf, "data.csv", b"1;2")
    )
    with pytest.raises(Refused) as error:
        done("pdf-convert-type", tmp_path, source, standard=standard)
    assert "AcroForm" in error.value.reason
    assert ("embedded files" in error.value.reason) == (standard != "PDFTypeA3b")
    assert "PDFTypeA3b keeps" not in error.value.reason  # it does, but not the form


def test_what_is_transparent_and_attached_finds_a_part_that_takes_both(tmp_path: Path) -> None:
    source = _changed(paper(tmp_path / "in.pdf", "one"), _see_through)
    with pytest.raises(Refused, match="PDFTypeA3b keeps attached files"):
        done(
            "pdf-convert-type",
            tmp_path,
            _changed(source, lambda pdf: attach(pdf, "d.csv", b"1")),
            standard="PDFTypeA1b",
        )
