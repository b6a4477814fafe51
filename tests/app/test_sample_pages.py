"""Pages of a sample are drawn as they are read: boxes lie on the words that they are of."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pikepdf
import PIL.Image
import PIL.ImageDraw

from paperchute.app.thumbnails import answer_thumbnail
from tests.engine.reading.sheets import Said, written
from tests.engine.writing.sample import outputs

_INK = 128
_SIDE = 1400


def test_a_page_that_lies_on_its_side_is_turned_as_it_was_to_be_read(tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("Invoice number: R-17", 60, 120), Said("and more words of it", 60, 150)]])
    with pikepdf.open(tmp_path / "a.pdf") as pdf:
        page = pdf.pages[0]
        page.contents_add(b"q 0 1 -1 0 842 0 cm", prepend=True)
        page.contents_add(b"Q")
        page.MediaBox = pikepdf.Array([0, 0, 842, 595])
        pdf.save(tmp_path / "lying.pdf")
    (result,) = outputs("document-extract", tmp_path / "lying.pdf", tmp_path / "out", extractFields="{}", words=True)
    (sheet,) = json.loads(result.read_text("utf-8"))["Document"]["pages"]
    request = {"path": str(tmp_path / "lying.pdf"), "side": _SIDE, "turn": sheet["angle"]}
    said, drawn = answer_thumbnail(request, b"")
    assert sheet["angle"] == 90
    assert abs(said["width"] - sheet["width"]) <= 2
    assert abs(said["height"] - sheet["height"]) <= 2
    picture = PIL.Image.open(io.BytesIO(drawn)).convert("L").point(lambda value: 255 * (value < _INK))
    words = [word["box"] for row in sheet["rows"] for piece in row for word in piece]
    scale = picture.width / sheet["width"]
    left, top = (min(box[side] for box in words) * scale for side in (0, 1))
    right, bottom = (max(box[side] for box in words) * scale for side in (2, 3))
    ink = picture.getbbox()
    assert ink is not None
    assert ink[0] >= left - 3
    assert ink[1] >= top - 3
    assert ink[2] <= right + 3
    assert ink[3] <= bottom + 3


def test_a_photo_is_shown_as_its_camera_was_held(tmp_path: Path) -> None:
    photo = PIL.Image.new("L", (400, 200), "white")
    PIL.ImageDraw.Draw(photo).rectangle(
        (0, 150, 50, 200), "black"
    )  # the lower left corner, the upper left when upright
    turned = PIL.Image.Exif()
    turned[0x0112] = 6  # orientation: its right is down
    photo.save(tmp_path / "a.jpg", exif=turned)
    said, drawn = answer_thumbnail({"path": str(tmp_path / "a.jpg"), "side": _SIDE}, b"")
    picture = PIL.Image.open(io.BytesIO(drawn)).convert("L").point(lambda value: 255 * (value < _INK))
    assert (said["width"], said["height"]) == picture.size == (200, 400)
    ink = picture.getbbox()
    assert ink is not None
    assert ink[:2] == (0, 0)
