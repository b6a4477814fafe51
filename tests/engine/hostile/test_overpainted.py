"""Pictures painted over each other: what is seen stays, and honest pages lose none."""

from __future__ import annotations

import zlib
from contextlib import closing
from pathlib import Path

import pytest

from paperchute.engine import report
from paperchute.engine.reading.pdf.document import OpenPdf
from tests.engine.hostile.bad_pdfs import one_page, stream

_PIXELS = 100
_IMAGE = b"/Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceRGB/Width %d/Height %d"
_FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</B 5 0 R>>>>"


def _paper(path: Path, below: bytes, above: bytes = b"", **sizes: int) -> Path:
    """A page of A4's size whose pictures B, in blue, lie under A, in red; F is a form that draws B twice."""
    pictures = {}
    for number, colour in ((5, b"\0\0\xff"), (6, b"\xff\0\0")):
        side = sizes.get("side", _PIXELS)
        pictures[number] = stream(colour * _PIXELS * _PIXELS, _IMAGE % (side, side))
    form = stream(b"600 0 0 700 0 0 cm /B Do /B Do", _FORM)
    page = b"/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</B 5 0 R/A 6 0 R/F 7 0 R>>>>"
    path.write_bytes(one_page(b"", page, {4: stream(below + above), **pictures, 7: form}))
    return path


def _shown(path: Path) -> tuple[tuple[int, ...], list[str]]:
    """The colour in the middle of the page, and what is said."""
    with report.collected() as said, closing(OpenPdf(path)) as document:
        pixel = document[0].render().to_pil().getpixel((300, 400))
    assert isinstance(pixel, tuple)
    return pixel[:3], list(said)


@pytest.mark.parametrize("below", [b"q 600 0 0 700 0 0 cm /B Do Q\n", b"/F Do\n"])
def test_what_lies_on_top_is_what_is_drawn(tmp_path: Path, below: bytes) -> None:
    pixel, said = _shown(_paper(tmp_path / "a.pdf", below * 500, b"q 600 0 0 700 0 0 cm /A Do Q"))
    assert pixel == (255, 0, 0)
    (sentence,) = said
    assert "Page 1" in sentence


def test_one_picture_beyond_all_sizes_is_left_out(tmp_path: Path) -> None:
    pixel, said = _shown(_paper(tmp_path / "a.pdf", b"q 600 0 0 700 0 0 cm /B Do Q", side=60_000))
    assert pixel == (255, 255, 255)
    assert len(said) == 1


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(b"q 20 0 0 20 %d 50 cm /B Do Q\n", id="a thousand signs"),
        pytest.param(b"q 600 0 0 .7 0 %d cm /B Do Q\n", id="strips of a scan"),
    ],
)
def test_an_honest_page_keeps_all(tmp_path: Path, drawn: bytes) -> None:
    path = _paper(tmp_path / "a.pdf", b"".join(drawn % place for place in range(792)))
    _pixel, said = _shown(path)
    assert said == []


def test_a_large_drawing_keeps_its_one_picture(tmp_path: Path) -> None:
    side = 20_000  # more pixels than all pictures of a page may have, in one
    data = b"\0" * (side // 8 * side)
    picture = stream(
        zlib.compress(data, 1),
        b"/Type/XObject/Subtype/Image/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode"
        b"/Width %d/Height %d" % (side, side),
    )
    page = b"/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</B 5 0 R>>>>"
    path = tmp_path / "a.pdf"
    path.write_bytes(one_page(b"", page, {4: stream(b"q 600 0 0 700 0 0 cm /B Do Q"), 5: picture}))
    assert _shown(path) == ((0, 0, 0), [])
