"""What of a PDF the daemon takes for unread: whole pages, and pictures of text among a page's own."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name

from paperchute.app.unread import look_for_unread
from paperchute.contract.recognition import Unread
from tests.engine.reading.ocr.scanning import TABLE, scanned
from tests.engine.reading.sheets import Said, written

_LINES = [Said(f"{n}. By the harbour stood a quay of brick and of old timber.", 72, 60 + 14 * n) for n in range(12)]
_PLACE = (72, 200, 300, 160)  # left, bottom, width and height in points


def _with_picture(path: Path, picture: PIL.Image.Image, words: int = 0, turn: int = 0) -> Path:
    """A page of text with a picture below. words: of the page's own that stand on the picture."""
    data = io.BytesIO()
    picture.convert("L").save(data, "jpeg", quality=90)
    x, y, width, height = _PLACE
    own = [Said("brick " * words, x, 842 - y - 40)] if words else []
    with pikepdf.open(written(path, [[*_LINES, *own]]), allow_overwriting_input=True) as pdf:
        image = pdf.make_stream(data.getvalue())
        image.update(
            Dictionary(
                Type=Name.XObject,
                Subtype=Name.Image,
                Width=picture.width,
                Height=picture.height,
                ColorSpace=Name.DeviceGray,
                BitsPerComponent=8,
                Filter=Name.DCTDecode,
            )
        )
        page = pdf.pages[0]
        page.obj.Resources.XObject = Dictionary(I=image)
        page.contents_add(b"q %d 0 0 %d %d %d cm /I Do Q" % (width, height, x, y))
        page.obj.Rotate = turn
        page.obj.CropBox = Array([20, 30, 595, 842])
        pdf.save(path)
    return path


def _unread(path: Path) -> Unread:
    document = pypdfium2.PdfDocument(path)
    try:
        return look_for_unread(document)
    finally:
        document.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    return scanned(tmp_path_factory.mktemp("table"), TABLE, dpi=110).crop((60, 60, 480, 280))


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("aside", [False, True], ids=["upright", "on its side"])
def test_a_picture_of_text_among_text_is_found(table: PIL.Image.Image, aside: bool, turn: int, tmp_path: Path) -> None:
    picture = table.rotate(90, expand=True) if aside else table
    assert _unread(_with_picture(tmp_path / "a.pdf", picture, turn=turn)) == Unread(pictures=(1,))


def test_a_logo_is_no_text(tmp_path: Path) -> None:
    logo = PIL.Image.new("L", (420, 220), 255)
    draw = PIL.ImageDraw.Draw(logo)
    draw.text((10, 20), "HARBOUR & QUAY", fill=0, font_size=46)
    draw.text((10, 120), "shipping since 1923", fill=0, font_size=40)
    assert _unread(_with_picture(tmp_path / "a.pdf", logo)) == Unread()


def test_photographs_plain_areas_and_grounds_are_no_text(table: PIL.Image.Image, tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (220, 420), dtype=np.uint8)
    for number, picture in enumerate([PIL.Image.fromarray(noise), PIL.Image.new("L", (420, 220), 200)]):
        assert _unread(_with_picture(tmp_path / f"{number}.pdf", picture)) == Unread()
    assert _unread(_with_picture(tmp_path / "b.pdf", table, words=9)) == Unread()
