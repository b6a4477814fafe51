"""Pictures become pages: their own data unchanged, as large as they say, turned as they say, wherever a PDF goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageCms
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest

from paperchute.engine.imaging.decoder import open_picture
from paperchute.engine.operations import implementation
from paperchute.engine.pdf import picture_pages
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, paper, words, work
from tests.engine.operations.pictures import letter, photo


def _shown(path: Path, size: tuple[int, int], page: int = 0) -> np.ndarray[Any, Any]:
    """What a reader that we did not write shows of a page, as large as the picture."""
    document = pypdfium2.PdfDocument(path)
    try:
        seen = document[page]
        return seen.render(scale=size[0] / seen.get_width(), rev_byteorder=True).to_numpy()[: size[1], : size[0], :3]
    finally:
        document.close()


def _looks_like(pdf: Path, source: Path, most: float = 4.0) -> None:
    for frame in open_picture(source, source.name):
        wanted = np.asarray(frame.picture.convert("RGB"), np.int16)
        shown = _shown(pdf, frame.picture.size, frame.number - 1).astype(np.int16)
        assert shown.shape == wanted.shape
        assert np.abs(shown - wanted).mean() < most, frame.number


def _image(path: Path) -> tuple[str, bytes, Any]:
    """Of the first page's picture: its filter, its data, and its colours, a profile's data among them."""
    with pikepdf.open(path) as pdf:
        image = pdf.pages[0].Resources.XObject.Im0
        space: Any = image.get("/ColorSpace")
        is_profile = isinstance(space, pikepdf.Array) and space[0] == pikepdf.Name.ICCBased
        return str(image.Filter), image.read_raw_bytes(), space[1].read_bytes() if is_profile else str(space)


def _size(path: Path, page: int = 0) -> tuple[float, float]:
    with pikepdf.open(path) as pdf:
        box = [float(edge) for edge in pdf.pages[page].mediabox]
        return box[2], box[3]


SMALL = (320, 240)

KINDS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    # name: mode, suffix, how it is saved, the filter it must come to
    "colour jpeg": ("RGB", "jpg", {"quality": 90}, "/DCTDecode"),
    "grey jpeg": ("L", "jpg", {"quality": 90}, "/DCTDecode"),
    "progressive jpeg": ("RGB", "jpg", {"progressive": True}, "/DCTDecode"),
    "jpeg of cmyk": ("CMYK", "jpg", {"quality": 90}, "/DCTDecode"),
    "jpeg 2000": ("RGB", "jp2", {}, "/JPXDecode"),
    "png": ("RGB", "png", {}, "/FlateDecode"),
    "png with a palette": ("P", "png", {}, "/FlateDecode"),
    "png of bits": ("1", "png", {}, "/FlateDecode"),
    "png that is clear in part": ("RGBA", "png", {}, "/FlateDecode"),
    "16 bits": ("I;16", "png", {}, "/FlateDecode"),
    "fax": ("1", "tif", {"compression": "group4"}, "/CCITTFaxDecode"),
    "bits": ("1", "bmp", {}, "/CCITTFaxDecode"),
    "tiff of cmyk": ("CMYK", "tif", {}, "/FlateDecode"),
    "bitmap": ("RGB", "bmp", {}, "/FlateDecode"),
    "gif": ("P", "gif", {}, "/FlateDecode"),
    "webp": ("RGB", "webp", {"lossless": True}, "/FlateDecode"),
}


def _made(mode: str) -> PIL.Image.Image:
    picture = photo(SMALL)
    if mode == "P":
        return picture.quantize(30)
    if mode == "1":
        return picture.convert("L").point(lambda grey: 255 * (grey > 127)).convert("1")
    if mode == "RGBA":
        picture.putalpha(PIL.Image.linear_gradient("L").resize(SMALL))
        return picture
    if mode == "I;16":
        return PIL.Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)
    return picture.convert(mode)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_picture_looks_as_it_did(kind: str, tmp_path: Path) -> None:
    mode, suffix, options, packed = KINDS[kind]
    source = tmp_path / f"a picture.{suffix}"
    _made(mode).save(source, dpi=(144, 144), **options)
    output = done("img-to-pdf", tmp_path, source)
    assert output.name == "a picture.pdf"
    _looks_like(output, source, {"CMYK": 25.0, "1": 6.0}.get(mode, 4.0))  # CMYK: of readers' own taste
    filter_, data, _ = _image(output)
    assert filter_ == packed
    if suffix in ("jpg", "jp2"):
        assert data == source.read_bytes()


@pytest.mark.parametrize("suffix", ["jpg", "png", "tif", "webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_lies_as_its_metadata_says(suffix: str, orientation: int, tmp_path: Path) -> None:
    source, exif = tmp_path / f"a.{suffix}", PIL.Image.Exif()
    exif[0x0112] = orientation
    quality: dict[str, Any] = {"quality": 95} if suffix == "jpg" else {}
    photo(SMALL).save(source, exif=exif, dpi=(100, 200), **quality)
    output = done("img-to-pdf", tmp_path, source)
    document = pypdfium2.PdfDocument(output)
    for frame in open_picture(source, source.name):
        width, height = frame.picture.size
        page = document[0]
        if suffix != "webp":  # which says no resolution
            assert page.get_size() == pytest.approx((72 * width / frame.dpi[0], 72 * height / frame.dpi[1]), abs=0.1)
        shown = page.render(scale=4, rev_byteorder=True).to_pil().convert("RGB").resize(frame.picture.size)
        assert np.abs(np.asarray(shown, np.int16) - np.asarray(frame.picture, np.int16)).mean() < 9
    document.close()


@pytest.mark.parametrize(
    ("pixels", "dpi", "wanted"),
    [
        ((2480, 3508), 300, (595.2, 841.9)),
        ((1728, 1078), 204, (609.9, 380.5)),
        ((4032, 3024), 72, (793.7, 595.3)),  # a phone's photo, which says what phones say
        ((4032, 3024), None, (793.7, 595.3)),
        ((300, 400), None, (300, 400)),
        ((1000, 30_000), None, (480, 14_400)),
    ],
)
def test_a_page_is_as_large_as_the_picture_says_and_a_sheet_otherwise(
    pixels: tuple[int, int], dpi: int | None, wanted: tuple[float, float], tmp_path: Path
) -> None:
    source = tmp_path / "a.png"
    resolution: dict[str, Any] = {"dpi": (dpi, dpi)} if dpi else {}
    PIL.Image.new("1", pixels, 1).save(source, **resolution)
    assert _size(done("img-to-pdf", tmp_path, source)) == pytest.approx(wanted, rel=0.005)


def test_all_pages_of_a_tiff_come_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they do not fit into memory together."""
    monkeypatch.setattr(picture_pages, "_MOST_HELD", 10_000)
    source = tmp_path / "stack.tif"
    pages = [letter((400, 500)).convert("1"), photo(SMALL), letter((200, 300)), photo((100, 90)).convert("L")]
    pages[0].save(source, save_all=True, append_images=pages[1:], dpi=(100, 100))
    output = done("img-to-pdf", tmp_path, source)
    with pikepdf.open(output) as pdf:
        for page, wanted in zip(pdf.pages, pages, strict=True):
            found = pikepdf.PdfImage(cast(pikepdf.Stream, page.Resources.XObject.Im0)).as_pil_image()
            assert np.array_equal(np.asarray(found.convert("RGB")), np.asarray(wanted.convert("RGB")))
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["stack.pdf"]


def test_the_colour_profile_stays(tmp_path: Path) -> None:
    profile = PIL.ImageCms.ImageCmsProfile(PIL.ImageCms.createProfile("sRGB")).tobytes()
    for suffix in ("jpg", "png", "tif"):
        source = tmp_path / f"a.{suffix}"
        photo(SMALL).save(source, icc_profile=profile)
        assert _image(done("img-to-pdf", tmp_path, source))[2] == profile
        source = tmp_path / f"grey.{suffix}"
        photo(SMALL).convert("L").save(source, icc_profile=profile)  # of other colours than the picture's
        assert _image(done("img-to-pdf", tmp_path, source))[2] == "/DeviceGray"


def test_a_jpeg_that_no_reader_decodes_is_packed_anew(tmp_path: Path) -> None:
    """The pixels of one with a palette of its own letters, RGB and not YCbCr, come as they are too."""
    source = tmp_path / "a.jpg"
    photo(SMALL).save(source, quality=95, keep_rgb=True)
    output = done("img-to-pdf", tmp_path, source)
    _looks_like(output, source)
    data = bytearray(source.read_bytes())
    at = data.index(b"\xff\xc0")
    data[at + 1] = 0xC9  # arithmetic coding
    assert picture_pages._coding(bytes(data)) == 0xC9
    assert picture_pages._coding(b"\xff\xd8\xff\xe0\x00") == 0


@pytest.mark.parametrize("suffix", ["jpg", "png", "tif", "bmp"])
def test_a_damaged_picture_fails_and_names_itself(suffix: str, tmp_path: Path) -> None:
    source = tmp_path / f"cut.{suffix}"
    photo(SMALL).save(source)
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    with pytest.raises(Refused) as refused:
        implementation("img-to-pdf").run(work("img-to-pdf", tmp_path, source))
    assert (refused.value.code, f"cut.{suffix}" in refused.value.reason) == ("190010", True)


def test_a_password_is_refused_as_no_picture_has_one(tmp_path: Path) -> None:
    source = tmp_path / "a.png"
    photo(SMALL).save(source)
    with pytest.raises(Refused) as refused:
        work("img-to-pdf", tmp_path, source, password="Kestrel-9")
    assert refused.value.code == "03000"


def test_pictures_are_merged_with_pdfs_in_their_order(tmp_path: Path) -> None:
    picture, stack = tmp_path / "b.jpg", tmp_path / "c.tif"
    photo(SMALL).save(picture)
    letter((200, 300)).save(stack, save_all=True, append_images=[letter((200, 300))] * 2, dpi=(72, 72))
    merged = done(
        "pdf-merge", tmp_path, paper(tmp_path / "a.pdf", "one", "two"), picture, stack, paper(tmp_path / "d.pdf", "end")
    )
    assert words(merged) == ["one", "two", "", "", "", "", "end"]
    chosen = done("pdf-merge", tmp_path, picture, stack, filePageRanges=["", "3"])
    assert chosen.name == "merged.pdf"
    assert len(words(chosen)) == 2


def test_pictures_are_inserted_and_take_pages(tmp_path: Path) -> None:
    picture, target = tmp_path / "cover.png", paper(tmp_path / "a.pdf", "one", "two")
    photo(SMALL).save(picture)
    with_cover = done("pdf-insert", tmp_path, target, picture, actionType="FROM_PDF", index=1)
    assert words(with_cover) == ["", "one", "two"]
    taken = done("pdf-insert", tmp_path, picture, target, actionType="FROM_PDF", index=2, sourcePages="2")
    assert taken.name == "cover.pdf"
    assert words(taken) == ["", "two"]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = PIL.Image.new("RGB", (900, 400), "white")
    font = PIL.ImageFont.load_default(60)
    PIL.ImageDraw.Draw(page).multiline_text((50, 60), "Quays of brick\nShips of timber", "black", font, spacing=30)
    path = tmp_path_factory.mktemp("sheet") / "sheet.jpg"
    page.save(path, quality=92, dpi=(150, 150))
    return path


def test_a_photo_becomes_a_searchable_pdf_and_keeps_its_bytes(sheet: Path, tmp_path: Path) -> None:
    for operation in ("img-to-pdf", "pdf-to-editable"):
        output = done(operation, tmp_path, sheet, enableOcr=1)
        assert output.name == "sheet.pdf"
        (text,) = words(output)
        assert "Quays of brick" in text.replace("\r\n", " ")
        assert _image(output)[1] == sheet.read_bytes()
