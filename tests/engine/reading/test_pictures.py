"""Pictures keep their encoding where the page shows them as they are stored, and else the one that suits them."""

from __future__ import annotations

import base64
import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.contract import kind_of
from paperchute.engine.document.model import Image
from paperchute.engine.reading.encoding import ENCODING, encoded
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work


def _photo(width: int = 400, height: int = 300, mode: str = "RGB") -> PIL.Image.Image:
    """Soft colours with grain, as a camera gives."""
    x, y = np.meshgrid(np.linspace(0, 6, width), np.linspace(0, 5, height))
    waves = np.stack([np.sin(x) + np.cos(y), np.sin(x + y), np.cos(x - y)], axis=-1)
    grain = np.random.default_rng(1).normal(0, 6, (height, width, 1))
    return PIL.Image.fromarray(np.clip(waves * 50 + 120 + grain, 0, 255).astype(np.uint8)).convert(mode)


def _jpeg(picture: PIL.Image.Image, **more: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, "jpeg", quality=80, **more)
    return out.getvalue()


def _shown(
    folder: Path,
    data: bytes,
    filters: list[str],
    *,
    size: tuple[int, int] = (400, 300),
    matrix: str = "400 0 0 300 50 50",
    space: str = "DeviceRGB",
    mask: bytes = b"",
    over: bytes = b"",
) -> Image:
    """The picture as it comes out of a page that shows it, with a line of text beside it. over: drawn on top of it."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(500, 500))
    image = pdf.make_stream(b"")
    image.Type, image.Subtype, image.BitsPerComponent = pikepdf.Name.XObject, pikepdf.Name.Image, 8
    image.Width, image.Height = size
    image.ColorSpace = pikepdf.Name("/" + space)
    if mask:
        soft = pdf.make_stream(mask)
        soft.Type, soft.Subtype, soft.BitsPerComponent = pikepdf.Name.XObject, pikepdf.Name.Image, 8
        soft.Width, soft.Height, soft.ColorSpace = *size, pikepdf.Name.DeviceGray
        image.SMask = soft
    image.write(data, filter=pikepdf.Array([pikepdf.Name("/" + name) for name in filters]))
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    page.Resources = pikepdf.Dictionary(
        XObject=pikepdf.Dictionary(Im0=image), Font=pikepdf.Dictionary(F1=pdf.make_indirect(font))
    )
    words = b"BT /F1 12 Tf 50 470 Td (A line of text above the picture that is read) Tj ET"
    page.Contents = pdf.make_stream(f"q {matrix} cm /Im0 Do Q ".encode() + over + words)
    path = folder / "a.pdf"
    pdf.save(path)
    work = Work("pdf-to-markdown", (Source("file", path, "a.pdf", kind_of(path)),), {"enableOcr": 0}, folder)
    with document_of(work) as document:
        (found,) = [block.image for page in document.pages for block in page.blocks if block.image is not None]
    return found


def test_a_jpeg_goes_through_byte_for_byte_however_it_is_packed(tmp_path: Path) -> None:
    data = _jpeg(_photo())
    packed = {
        ("DCTDecode",): data,
        ("ASCII85Decode", "DCTDecode"): base64.a85encode(data) + b"~>",
        ("FlateDecode", "DCTDecode"): zlib.compress(data),
        ("ASCIIHexDecode", "FlateDecode", "DCTDecode"): zlib.compress(data).hex().encode() + b">",
    }
    for filters, content in packed.items():
        found = _shown(tmp_path, content, list(filters))
        assert (found.kind, found.data) == ("jpg", data), filters
    grey = _jpeg(_photo(mode="L"))
    assert _shown(tmp_path, grey, ["DCTDecode"], space="DeviceGray").data == grey


@pytest.mark.parametrize("data", [b"\n" + _jpeg(_photo()), b"no picture" * 9, _jpeg(_photo())[:60]])
def test_one_that_is_no_jpeg_does_not_keep_the_text_back(data: bytes, tmp_path: Path) -> None:
    _shown(tmp_path, data, ["DCTDecode"])


@pytest.mark.parametrize("how", ["masked", "turned", "mirrored", "exif", "cmyk"])
def test_one_that_the_page_shows_otherwise_is_made_anew(tmp_path: Path, how: str) -> None:
    data = _jpeg(_photo())
    more: dict[str, Any] = {}
    if how == "masked":
        more["mask"] = bytes(60_000) + b"\xff" * 60_000
    elif how == "turned":
        more["matrix"] = "0 400 -300 0 400 50"
    elif how == "mirrored":
        more["matrix"] = "-400 0 0 300 450 50"
    elif how == "exif":
        exif = PIL.Image.Exif()
        exif[0x0112] = 6
        data = _jpeg(_photo(), exif=exif)
    else:
        data, more["space"] = _jpeg(_photo(mode="CMYK")), "DeviceCMYK"
    found = _shown(tmp_path, data, ["DCTDecode"], **more)
    assert found.data != data
    with PIL.Image.open(io.BytesIO(found.data)) as picture:
        assert (picture.format, picture.size) == (
            {"jpg": "JPEG", "png": "PNG"}[found.kind],
            (found.width, found.height),
        )
        assert picture.getexif().get(0x0112, 1) == 1
        if how == "masked":
            assert picture.mode == "RGBA"
        elif how == "turned":
            assert picture.height > picture.width


def test_a_scan_that_was_stored_exactly_is_pressed_and_a_drawing_is_not(tmp_path: Path) -> None:
    raw = _photo(1000, 750).tobytes()
    found = _shown(tmp_path, zlib.compress(raw), ["FlateDecode"], size=(1000, 750))
    assert found.kind == "jpg"
    assert len(found.data) < len(raw) / 8
    drawing = PIL.Image.new("RGB", (1000, 750), "white")
    draw = PIL.ImageDraw.Draw(drawing)
    for at in range(0, 1000, 9):
        draw.line((at, 0, 1000 - at, 750), fill=(200, 30, 30))
    found = _shown(tmp_path, zlib.compress(drawing.tobytes()), ["FlateDecode"], size=(1000, 750))
    assert found.kind == "png"
    with PIL.Image.open(io.BytesIO(found.data)) as picture:
        assert np.array_equal(np.asarray(picture.convert("RGB")), np.asarray(drawing))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 60), st.integers(1, 60), st.sampled_from(["RGB", "RGBA", "L"]), st.integers(2, 400), st.integers()
)
def test_what_is_no_photograph_stays_exact(width: int, height: int, mode: str, colours: int, seed: int) -> None:
    chance = np.random.default_rng(abs(seed))
    palette = chance.integers(0, 256, (colours, len(mode)), np.uint8)
    pixels = palette[chance.integers(0, colours, (height, width))]
    picture = PIL.Image.fromarray(pixels[..., 0] if mode == "L" else pixels)
    made = encoded(picture)
    assert (made.width, made.height) == (width, height)
    assert made.kind == "png"
    assert len(made.data) <= ENCODING.small
    with PIL.Image.open(io.BytesIO(made.data)) as again:
        assert np.array_equal(np.asarray(again.convert("RGBA")), np.asarray(picture.convert("RGBA")))


def _shadow(folder: Path, over: bytes) -> tuple[int, ...]:
    """The middle of a black spot with soft edges, as others see it on white."""
    far = np.hypot(*np.meshgrid(np.linspace(-1, 1, 400), np.linspace(-1, 1, 300)))
    mask = np.clip((1 - far) * 600, 0, 255).astype(np.uint8).tobytes()
    found = _shown(folder, zlib.compress(bytes(3 * 400 * 300)), ["FlateDecode"], mask=mask, over=over)
    with PIL.Image.open(io.BytesIO(found.data)) as opened:
        clear = opened.convert("RGBA")
    white = PIL.Image.new("RGBA", clear.size, "white")
    pixel = PIL.Image.alpha_composite(white, clear).getpixel((clear.width // 2, clear.height // 2))
    assert isinstance(pixel, tuple)
    return pixel[:3]


def test_the_shadow_of_a_button_comes_with_the_button(tmp_path: Path) -> None:
    button = b"0 .6 .3 rg 70 60 360 280 re f "
    assert _shadow(tmp_path, button) == (0, 153, 77)
    line = b"BT 0 .6 .3 rg /F1 90 Tf 60 170 Td (shadow) Tj ET "
    assert _shadow(tmp_path, button + line) == (0, 153, 77)  # its words are the text's


def test_a_spot_that_is_seen_stays_what_it_is(tmp_path: Path) -> None:
    assert _shadow(tmp_path, b"0 .6 .3 rg 70 60 360 60 re f ") == (0, 0, 0)


@pytest.mark.parametrize(
    ("colours", "mode", "expected"),
    [
        ([(0, 0, 0, 255), (255, 255, 255, 255)], "RGBA", "L"),
        ([(0, 0, 0), (130, 130, 130)], "RGB", "L"),
        ([(0, 0, 0, 255), (255, 0, 0, 255)], "RGBA", "RGB"),
        ([(0, 0, 0, 255), (9, 9, 9, 0)], "RGBA", "RGBA"),
    ],
)
def test_black_on_white_is_kept_as_grey(colours: list[tuple[int, ...]], mode: str, expected: str) -> None:
    picture = PIL.Image.new(mode, (4, 4), colours[0])
    picture.putpixel((1, 1), colours[1])
    with PIL.Image.open(io.BytesIO(encoded(picture).data)) as kept:
        assert kept.mode == expected
        assert kept.convert(mode).getpixel((1, 1)) == colours[1]
