"""Smaller PDFs: never larger, never other words, and pictures that look the same where that is promised."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFilter
import PIL.ImageFont
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from paperchute.engine.imaging.recoding import LOSSLESS, recode
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, opens, paper, with_field, with_link, words, work
from tests.engine.operations.pictures import letter, photo, scan

_SOFT = PIL.ImageFilter.GaussianBlur(1)


def _shown(path: Path, dpi: float = 150) -> list[Any]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.render(scale=dpi / 72).to_numpy()[..., :3].astype(np.int16) for page in document]
    finally:
        document.close()


def _pictures(path: Path) -> list[Any]:
    with pikepdf.open(path) as pdf:
        return [
            (str(image.Filter), int(image.Width), int(image.BitsPerComponent), str(image.ColorSpace))
            for page in pdf.pages
            for image in page.Resources.XObject.as_dict().values()
        ]


def test_a_photograph_becomes_far_smaller_and_looks_the_same_at_150_dpi(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", photo(), jpeg=97, dpi=300)
    output = done("pdf-compress", tmp_path, source)
    assert output.stat().st_size < 0.35 * source.stat().st_size
    (before,), (after,) = _shown(source), _shown(output)
    assert np.abs(before - after).mean() < 4


def test_grey_pages_are_grey_and_ink_is_group_4_bit_for_bit(tmp_path: Path) -> None:
    ink = letter()
    source = scan(tmp_path / "in.pdf", ink.convert("RGB").filter(_SOFT), ink, ink.convert("1"))
    output = done("pdf-compress", tmp_path, source)
    found = _pictures(output)
    assert [one[3] for one in found] == ["/DeviceGray"] * 3
    assert [one[0] for one in found[1:]] == ["/CCITTFaxDecode"] * 2
    for before, after in list(zip(_shown(source), _shown(output), strict=True))[1:]:
        assert (before == after).all()


def test_a_stamp_of_colour_keeps_its_colour(tmp_path: Path) -> None:
    page = letter().convert("RGB").filter(_SOFT)
    PIL.ImageDraw.Draw(page).ellipse((1200, 1800, 1260, 1860), outline=(200, 30, 30), width=6)
    output = done("pdf-compress", tmp_path, scan(tmp_path / "in.pdf", page))
    assert _pictures(output)[0][3] == "/DeviceRGB"


@given(st.integers(1, 70), st.integers(1, 40), st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_bits_come_back_as_they_were(width: int, height: int, chance: random.Random, mask: bool, turned: bool) -> None:
    """Whatever the bits mean, by /Decode or as a mask, they are the same ones."""
    rows = [bytes(chance.choice((0, 255, chance.randrange(256))) for _ in range(-(-width // 8))) for _ in range(height)]
    data = b"".join(rows)
    pdf = pikepdf.new()
    stream = pdf.make_stream(data, Width=width, Height=height, BitsPerComponent=1, ColorSpace=Name.DeviceGray)
    stream.Type, stream.Subtype = Name.XObject, Name.Image
    if mask:
        del stream.ColorSpace
        stream.ImageMask = True
    if turned:
        stream.Decode = Array([1, 0])
    before = PIL.Image.frombytes("1", (width, height), data)
    recode(pdf, stream, 300, LOSSLESS)
    if stream.get(Name.Filter) != Name.CCITTFaxDecode:
        return  # it was not smaller
    assert np.array_equal(np.asarray(before), np.asarray(_decoded(stream)))


def _decoded(stream: pikepdf.Stream) -> PIL.Image.Image:
    """The bits that a reader gets, before /Decode."""
    plain = pikepdf.PdfImage(stream).as_pil_image(apply_decode_array=False, apply_mask=False)
    return plain.convert("1", dither=PIL.Image.Dither.NONE)


def test_lossless_changes_no_pixel(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", photo((400, 300)), letter((600, 800)))
    output = done("pdf-compress", tmp_path, source, level="lossless")
    assert output.stat().st_size < source.stat().st_size
    assert all((a == b).all() for a, b in zip(_shown(source), _shown(output), strict=True))


def test_equal_pictures_and_fonts_are_there_once(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", *[photo((300, 300))] * 5)
    assert done("pdf-compress", tmp_path, source, level="lossless").stat().st_size < source.stat().st_size / 3


def test_a_size_is_reached_with_as_little_as_it_takes_or_refused_with_the_best(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", photo(), jpeg=97, dpi=300)
    fits = done("pdf-compress", tmp_path, source, maxSize=str(source.stat().st_size))
    assert _pictures(fits)[0][1] == 1600, "nothing had to be done to the picture"
    small = done("pdf-compress", tmp_path, source, maxSize="40 kB")
    assert small.stat().st_size <= 40_000
    with pytest.raises(Refused, match=r"does not become smaller than \d.* kB .* 1 kB") as caught:
        done("pdf-compress", tmp_path, source, maxSize="1 kB")
    assert caught.value.code == "130001"


def test_what_is_packed_already_stays_as_it_is_and_that_is_said(tmp_path: Path) -> None:
    packed = done("pdf-compress", tmp_path, paper(tmp_path / "in.pdf", "a", "b"))
    again = shutil.copy(packed, tmp_path / "again.pdf")
    output = done("pdf-compress", tmp_path, Path(again))
    assert output.stat().st_size <= Path(again).stat().st_size


def test_words_links_fields_and_bookmarks_stay(tmp_path: Path) -> None:
    source = with_link(with_field(paper(tmp_path / "in.pdf", *"abc", outline=True), "name"), on=1, to=2)
    output = done("pdf-compress", tmp_path, source)
    assert words(output) == ["a", "b", "c"]
    with pikepdf.open(output) as pdf, pdf.open_outline() as tree:
        assert len(pdf.Root.AcroForm.Fields) == 1
        assert pdf.pages[1].Annots[0].Dest[0].objgen == pdf.pages[2].objgen
        assert [item.title for item in tree.root] == ["To a", "To b", "To c"]


def test_a_locked_document_stays_locked(tmp_path: Path) -> None:
    source = locked(scan(tmp_path / "in.pdf", photo((300, 200))), user="u")
    assert not opens(done("pdf-compress", tmp_path, source, password="u"))


@pytest.mark.parametrize(
    ("flag", "gone"),
    [("RMBK", "/Outlines"), ("RMLABEL", "/PageLabels"), ("RMMEDTADATA", "/Metadata"), ("RMFORM", "/AcroForm")],
)
def test_what_is_not_wanted_is_left_out(tmp_path: Path, flag: str, gone: str) -> None:
    source = with_field(paper(tmp_path / "in.pdf", "a", "b", outline=True), "name")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.r)]))
        with pdf.open_metadata() as metadata:
            metadata["dc:title"] = "Timber"
        pdf.save(source)
    with pikepdf.open(done("pdf-compress", tmp_path, source, optimizeFlags=[flag])) as pdf:
        assert gone not in pdf.Root
        assert len(pdf.pages) == 2


def test_linearised_on_wish(tmp_path: Path) -> None:
    output = done(
        "pdf-compress", tmp_path, paper(tmp_path / "in.pdf", *"abc"), optimizeFlags=["OPTIMIZEPDFFASTWEBVIEW"]
    )
    with pikepdf.open(output) as pdf:
        assert pdf.is_linearized


@pytest.mark.parametrize("wrong", [{"optimizeFlags": ["SMALLER"]}, {"maxSize": "much"}, {"imageQuality": 101}])
def test_what_cannot_be_done_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="03000"):
        work("pdf-compress", tmp_path, paper(tmp_path / "in.pdf", "a"), **wrong)


def test_a_broken_picture_stays_as_it_is(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", photo((300, 200)), jpeg=90)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        image = pdf.pages[0].Resources.XObject.Im
        image.write(image.read_raw_bytes()[:200], filter=Name.DCTDecode)
        pdf.save(source)
    (output,) = implementation("pdf-compress").run(work("pdf-compress", tmp_path, source))
    assert _pictures(output)[0][0] == "/DCTDecode"


def _noisy(ink: PIL.Image.Image, seed: int, noise_of: float = 5) -> PIL.Image.Image:
    """As a scanner gives a page: soft edges, and paper that is never of one tone."""
    values = np.asarray(ink.convert("RGB").filter(_SOFT), np.float32) * 0.92 + 8
    noise = np.random.default_rng(seed).normal(0, noise_of, values.shape[:2])
    return PIL.Image.fromarray(np.clip(values + noise[:, :, None], 0, 255).astype(np.uint8))


def test_a_page_of_a_noisy_scanner_becomes_smaller_too(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", _noisy(letter(), 3, 12), jpeg=90, dpi=300)
    output = done("pdf-compress", tmp_path, source)
    assert output.stat().st_size < 0.5 * source.stat().st_size
    (before,), (after,) = _shown(source), _shown(output)
    assert np.abs(before - after).mean() < 6


def _layers(path: Path) -> list[list[str]]:
    """Of each picture's place the colours of its stencils, as its form sets them; none where it is a picture."""
    with pikepdf.open(path) as pdf:
        return [
            [line for line in drawn.read_bytes().decode().split("\n") if "/Ink" in line]
            for page in pdf.pages
            for drawn in page.Resources.XObject.as_dict().values()
            if drawn.Subtype == Name.Form
        ]


def test_a_page_of_text_becomes_sharp_ink_above_paper(tmp_path: Path) -> None:
    page = letter().convert("RGB")
    draw = PIL.ImageDraw.Draw(page)
    draw.text((200, 90), "Reminder", (190, 20, 30), PIL.ImageFont.load_default(64))
    source = scan(tmp_path / "in.pdf", _noisy(page, 1), jpeg=90, dpi=200)
    output = done("pdf-compress", tmp_path, source, level="small")
    assert output.stat().st_size < source.stat().st_size / 8
    (inks,) = _layers(output)
    colours = [[float(value) for value in line.split()[1:4]] for line in inks]
    assert any(max(colour) < 0.4 and np.ptp(colour) < 0.05 for colour in colours)
    assert any(red > 0.6 and max(others) < 0.3 for red, *others in colours)
    (before,), (after,) = _shown(source, 60), _shown(output, 60)  # where the paper's noise is no more
    assert np.percentile(np.abs(before - after), 99.5) < 40
    assert not _layers(done("pdf-compress", tmp_path, source))  # `same` keeps the paper's noise


def test_a_page_that_is_its_own_thumbnail_stays_a_picture(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", _noisy(letter(), 3, 12), jpeg=90, dpi=200)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        (pdf.pages[0].obj.Thumb,) = pdf.pages[0].Resources.XObject.as_dict().values()
        pdf.save(source)
    with pikepdf.open(done("pdf-compress", tmp_path, source, level="small")) as made:
        assert made.pages[0].obj.Thumb.Subtype == Name.Image


def test_a_photograph_and_a_picture_with_a_mask_are_no_ink(tmp_path: Path) -> None:
    source = scan(tmp_path / "in.pdf", photo(), _noisy(letter(), 2), jpeg=95, dpi=200)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        (picture,) = pdf.pages[1].Resources.XObject.as_dict().values()
        mask = pdf.make_stream(bytes([255]) * 100, Type=Name.XObject, Subtype=Name.Image, Width=10, Height=10)
        mask.ColorSpace, mask.BitsPerComponent = Name.DeviceGray, 8
        picture.SMask = mask
        pdf.save(source)
    assert not _layers(done("pdf-compress", tmp_path, source, level="small"))
