"""magic-color: formats, depths, metadata, PDFs, parameters, bad input."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageChops, ImageCms, TiffImagePlugin

from paperchute.contract import Value, kind_of
from paperchute.engine.checks.text_layers import check_magic_color
from paperchute.engine.operations import magic_color
from paperchute.engine.work import Refused, Source, Work
from tests.engine.imaging.pages import clean_page, photographed
from tests.engine.reading.ocr import scanning
from tests.engine.reading.printing import LOREM, printed

SEEN = Image.fromarray(photographed(clean_page(310, 440), soft=10))
GREY = SEEN.convert("L")


def run(path: Path, folder: Path, name: str = "", **parameters: Value) -> list[Path]:
    folder.mkdir()
    work = Work("magic-color", (Source("file", path, name or path.name, kind_of(path)),), parameters, folder)
    check_magic_color(work)
    return magic_color.run(work)


def one(path: Path, folder: Path, **parameters: Value) -> Image.Image:
    (output,) = run(path, folder, "", **parameters)
    result = Image.open(output)
    result.load()
    return result


def paper(picture: Image.Image) -> float:
    return float(np.percentile(np.asarray(picture.convert("L")), 60))


@pytest.mark.parametrize("suffix", ["jpg", "jpeg", "png", "tiff", "tif", "bmp"])
@pytest.mark.parametrize("picture", [SEEN, GREY], ids=["colour", "grey"])
def test_the_format_size_and_resolution_stay(tmp_path: Path, suffix: str, picture: Image.Image) -> None:
    path = tmp_path / f"page.{suffix}"
    picture.save(path, dpi=(200, 200))
    assert paper(picture) < 230
    (output,) = run(path, tmp_path / "out")
    assert output.name == f"page.{suffix}"
    assert kind_of(output) == kind_of(path)
    result = Image.open(output)
    assert (result.size, result.mode) == (picture.size, picture.mode)
    assert tuple(round(float(value)) for value in result.info["dpi"]) == (200, 200)
    assert paper(result) > 245


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_exif_stays_and_nothing_is_turned_twice(tmp_path: Path, suffix: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Maker"
    path = tmp_path / f"a.{suffix}"
    SEEN.save(path, exif=exif)
    result = one(path, tmp_path / "out")
    assert result.size == SEEN.size
    assert result.getexif().get(0x0112) == orientation
    assert result.getexif().get(0x010F) == "Maker"
    before, after = (np.asarray(p.convert("L")).astype(float).ravel() for p in (SEEN, result))
    assert np.corrcoef(before, after)[0, 1] > 0.3


def test_a_lying_tiff_comes_out_as_it_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.tiff"
    SEEN.save(path, tiffinfo={0x0112: 6}, dpi=(100, 200))
    result = one(path, tmp_path / "out")
    assert result.size == (SEEN.height, SEEN.width)
    assert result.getexif().get(0x0112, 1) == 1
    assert tuple(round(float(value)) for value in result.info["dpi"]) == (200, 100)


def test_the_colour_profile_stays(tmp_path: Path) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    SEEN.save(tmp_path / "a.jpg", icc_profile=profile)
    assert one(tmp_path / "a.jpg", tmp_path / "out").info["icc_profile"] == profile


def test_transparency_stays(tmp_path: Path) -> None:
    clear = SEEN.convert("RGBA")
    alpha = Image.new("L", SEEN.size, 255)
    alpha.paste(0, (0, 0, 50, 50))
    clear.putalpha(alpha)
    clear.save(tmp_path / "a.png")
    result = one(tmp_path / "a.png", tmp_path / "out")
    assert result.mode == "RGBA"
    assert np.array_equal(np.asarray(result.getchannel("A")), np.asarray(alpha))


@pytest.mark.parametrize(
    ("mode", "suffix"), [("P", "png"), ("CMYK", "jpg"), ("CMYK", "tiff"), ("LA", "png"), ("YCbCr", "jpg")]
)
def test_other_modes_stay_what_they_are(tmp_path: Path, mode: str, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    (GREY if mode == "LA" else SEEN).convert(mode).save(path)
    stored = Image.open(path).mode
    result = one(path, tmp_path / "out")
    assert result.mode == stored
    assert paper(result) > 240


@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_sixteen_bits_stay_sixteen(tmp_path: Path, suffix: str) -> None:
    Image.fromarray(np.asarray(GREY).astype(np.uint16) * 257).save(tmp_path / f"a.{suffix}")
    result = one(tmp_path / f"a.{suffix}", tmp_path / "out")
    assert result.mode == "I;16"
    values = np.asarray(result)
    assert np.percentile(values, 60) > 64_000
    assert len(np.unique(values)) > 256


def test_black_and_white_stays_as_it_is(tmp_path: Path) -> None:
    fax = GREY.convert("1")
    fax.save(tmp_path / "a.tiff", compression="group4", dpi=(204, 196))
    result = one(tmp_path / "a.tiff", tmp_path / "out")
    assert (result.mode, result.info["compression"]) == ("1", "group4")
    assert np.array_equal(np.asarray(result), np.asarray(fax))


def tiff(path: Path, count: int = 3) -> Path:
    pages = [SEEN.resize((200 + 10 * n, 280)) for n in range(count)]
    pages[0].save(path, save_all=True, append_images=pages[1:], compression="tiff_lzw", dpi=(150, 150))
    return path


def sizes(path: Path) -> list[int]:
    with Image.open(path) as picture:
        assert isinstance(picture, TiffImagePlugin.TiffImageFile)
        return [(picture.seek(n), picture.load(), picture.width)[2] for n in range(picture.n_frames)]


def test_all_pages_of_a_tiff_come_out(tmp_path: Path) -> None:
    (output,) = run(tiff(tmp_path / "a.tiff"), tmp_path / "out")
    assert sizes(output) == [200, 210, 220]
    with Image.open(output) as picture:
        picture.seek(2)
        assert paper(picture) > 240
        assert picture.info["compression"] == "tiff_lzw"


def test_pages_of_a_tiff_are_chosen_and_parted(tmp_path: Path) -> None:
    path = tiff(tmp_path / "a.tif")
    assert sizes(run(path, tmp_path / "two", pageRanges="3,1")[0]) == [220, 200]
    parts = run(path, tmp_path / "parts", pageRanges="2-3", isOutputDocumentPerPage=1)
    assert [(part.name, sizes(part)) for part in parts] == [("a-2.tif", [210]), ("a-3.tif", [220])]
    for ranges, source in (("4", path), ("2", tmp_path / "b.png")):
        SEEN.save(tmp_path / "b.png")
        with pytest.raises(Refused) as refused:
            run(source, tmp_path / f"none{ranges}", pageRanges=ranges)
        assert refused.value.code == "110001"


def scanned(path: Path, quality: int | None = 80) -> Path:
    """A PDF: a scan with text laid under it, a page born digital, a scan whose picture is not JPEG."""
    end = "<div style='break-after:page'></div>"
    printed(path, f"<p>{LOREM * 4}</p>{end}<p>Second</p>{end}<p>Third</p>")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for number in (0, 2):
            page = pdf.pages[number]
            data = io.BytesIO()
            SEEN.save(data, "jpeg", quality=quality or 80)
            picture = pdf.make_stream(data.getvalue() if number == 0 else SEEN.tobytes())
            picture.Type, picture.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
            picture.Width, picture.Height, picture.BitsPerComponent = *SEEN.size, 8
            picture.ColorSpace = pikepdf.Name.DeviceRGB
            if number == 0:
                picture.Filter = pikepdf.Name.DCTDecode
            page.Resources.XObject = pikepdf.Dictionary(Scan=picture)
            left, bottom, right, top = (float(edge) for edge in page.mediabox)
            page.contents_add(f"q {right - left} 0 0 {top - bottom} 0 0 cm /Scan Do Q".encode())
        pdf.save(path)
    return path


def pictures(path: Path, password: str = "") -> list[Image.Image | None]:
    with pikepdf.open(path, password=password) as pdf:
        found: list[Image.Image | None] = []
        for page in pdf.pages:
            stream = page.obj.Resources.get("/XObject", pikepdf.Dictionary()).get("/Scan")
            assert stream is None or isinstance(stream, pikepdf.Stream)
            found.append(pikepdf.PdfImage(stream).as_pil_image() if stream is not None else None)
        return found


def texts(path: Path) -> list[str]:
    with pdfium.PdfDocument(path) as pdf:
        return [page.get_textpage().get_text_range() for page in pdf]


def test_scanned_pages_of_a_pdf_are_cleaned_in_place(tmp_path: Path) -> None:
    path = scanned(tmp_path / "a.pdf")
    (output,) = run(path, tmp_path / "out")
    assert output.name == "a.pdf"
    first, second, third = pictures(output)
    assert second is None
    for picture in (first, third):
        assert picture is not None
        assert picture.size == SEEN.size
        assert paper(picture) > 245
    assert texts(output) == texts(path)
    with pikepdf.open(output) as pdf:
        assert pdf.pages[0].Resources.XObject.Scan.Filter == pikepdf.Name.DCTDecode
        assert not pdf.check_pdf_syntax()


def test_pages_of_a_pdf_are_chosen_and_parted(tmp_path: Path) -> None:
    path = scanned(tmp_path / "a.pdf")
    (output,) = run(path, tmp_path / "some", pageRanges="3,2")
    first, second = pictures(output)
    assert first is not None
    assert second is None
    assert paper(first) > 245
    parts = run(path, tmp_path / "parts", isOutputDocumentPerPage=1, pageRanges="2-3")
    assert [part.name for part in parts] == ["a-2.pdf", "a-3.pdf"]
    with pytest.raises(Refused) as refused:
        run(path, tmp_path / "none", pageRanges="4")
    assert refused.value.code == "110001"


def test_the_password_opens_a_locked_pdf(tmp_path: Path) -> None:
    path = scanned(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(owner="o", user="secret", R=6))
    with pytest.raises(Refused, match="02201"):
        run(path, tmp_path / "no")
    with pytest.raises(Refused, match="120002"):
        run(path, tmp_path / "wrong", password="other")
    (cleaned,) = run(path, tmp_path / "out", password="secret")
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(cleaned)
    picture = pictures(cleaned, "secret")[0]
    assert picture is not None
    assert paper(picture) > 245


def test_a_text_layer_for_a_picture_is_refused_before_the_work(tmp_path: Path) -> None:
    SEEN.save(tmp_path / "a.png")
    with pytest.raises(Refused, match=r"a\.png is a picture, and only a PDF can hold a text layer") as refused:
        run(tmp_path / "a.png", tmp_path / "out", enableOcr=1)
    assert refused.value.code == "03000"


def test_a_cleaned_scan_gets_a_text_layer_where_it_is_asked_for(tmp_path: Path) -> None:
    letter = scanning.scanned(tmp_path, scanning.LETTER, dpi=120)
    path = scanning.scan_pdf(tmp_path / "a.pdf", letter, dpi=120)
    given: dict[str, Any] = {"enableOcr": 1, "ocrRecognitionLang": "ENGLISH"}
    (plain,), (seen,) = run(path, tmp_path / "plain"), run(path, tmp_path / "seen", **given)
    assert "Harbour" not in texts(plain)[0]
    assert "Harbour" in texts(seen)[0]
    shots = []
    for output in (plain, seen):
        with pdfium.PdfDocument(output) as pdf:
            shots.append(pdf[0].render().to_pil())
    assert ImageChops.difference(*shots).getbbox() is None, "the text shows"


def test_which_pages_get_a_text_layer_is_for_ocr_option_to_say(tmp_path: Path) -> None:
    letter = scanning.scanned(tmp_path, scanning.LETTER, dpi=120)
    path = scanning.scan_pdf(tmp_path / "a.pdf", letter, dpi=120)
    given: dict[str, Any] = {"enableOcr": 1, "ocrRecognitionLang": "ENGLISH"}
    (garbled,) = run(path, tmp_path / "garbled", **given, ocrOption="INVALID_CHARACTER")
    (scans,) = run(path, tmp_path / "scans", **given, ocrOption="SCAN_PAGE", isOutputDocumentPerPage=1)
    assert "Harbour" not in texts(garbled)[0]
    assert "Harbour" in texts(scans)[0]


def test_a_language_without_a_model_is_refused_before_the_work(tmp_path: Path) -> None:
    path = scanned(tmp_path / "a.pdf")
    with pytest.raises(Refused, match="03000"):
        run(path, tmp_path / "out", enableOcr=1, ocrRecognitionLang="TAMIL")


def test_broken_and_huge_pictures_are_refused(tmp_path: Path) -> None:
    SEEN.save(tmp_path / "a.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "a.jpg").read_bytes()[:3000])
    with pytest.raises(Refused, match="190010"):
        run(tmp_path / "cut.jpg", tmp_path / "out")
    path = scanned(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[2].Resources.XObject.Scan.Width = 60_000
        pdf.pages[2].Resources.XObject.Scan.Height = 60_000
        pdf.save(path)
    with pytest.raises(Refused, match="page 3") as refused:
        run(path, tmp_path / "huge")
    assert refused.value.code == "02209"
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        scan = pdf.pages[2].Resources.XObject.Scan
        scan.Width, scan.Height = SEEN.size
        scan.write(b"nonsense", filter=pikepdf.Name.DCTDecode)
        pdf.save(path)
    with pytest.raises(Refused, match="page 3") as refused:
        run(path, tmp_path / "broken")
    assert refused.value.code == "190010"


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (3000, 2)])
def test_pictures_of_odd_sizes_come_back(tmp_path: Path, size: tuple[int, int]) -> None:
    Image.new("RGB", size, (200, 190, 170)).save(tmp_path / "a.png")
    assert one(tmp_path / "a.png", tmp_path / "out").size == size


def test_a_picture_in_inks_of_its_own_is_refused(tmp_path: Path) -> None:
    path = scanned(tmp_path / "a.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        tint = pikepdf.Stream(pdf, b"{ dup dup }", FunctionType=4, Domain=[0, 1], Range=[0, 1, 0, 1, 0, 1])
        gold = [pikepdf.Name.Separation, pikepdf.Name.Gold, pikepdf.Name.DeviceRGB, tint]
        scan = pdf.pages[2].Resources.XObject.Scan
        scan.ColorSpace = pikepdf.Array(gold)
        scan.write(bytes(SEEN.width * SEEN.height))
        scan.Width, scan.Height = SEEN.size
        pdf.save(path)
    with pytest.raises(Refused, match="page 3") as refused:
        run(path, tmp_path / "out")
    assert refused.value.code == "190010"
