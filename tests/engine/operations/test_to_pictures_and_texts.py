"""PDF pages as pictures, as plain text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.papers import paper, work
from tests.engine.reading.printing import printed

_TABLE = """<h1>Ports</h1><p>All of the north.</p><table border=1 style='border-collapse:collapse'>
<tr><th>Port</th><th>Ships</th></tr><tr><td>Leith</td><td>3</td></tr><tr><td>Scrabster</td><td>1,250</td></tr></table>
<ol><li>brick<li>timber</ol><p style='break-before:page'>Second page</p>"""


@pytest.mark.parametrize(
    ("format_", "suffix", "kind"),
    [
        ("JPG", "jpg", "JPEG"),
        ("JPEG", "jpg", "JPEG"),
        ("JPEG2000", "jp2", "JPEG2000"),
        ("PNG", "png", "PNG"),
        ("BMP", "bmp", "BMP"),
        ("TIFF", "tiff", "TIFF"),
        ("TGA", "tga", "TGA"),
        ("GIF", "gif", "GIF"),
        ("WEBP", "webp", "WEBP"),
    ],
)
@pytest.mark.parametrize("mode", ["e_Color", "e_Gray", "e_Binary"])
def test_each_page_is_a_picture_of_the_format_asked_for(
    tmp_path: Path, format_: str, suffix: str, kind: str, mode: str
) -> None:
    asked = work("pdf-to-img", tmp_path, paper(tmp_path / "in.pdf", "a", "b"), imageFormat=format_, imageColorMode=mode)
    outputs = implementation("pdf-to-img").run(asked)
    assert [output.name for output in outputs] == [f"in-1.{suffix}", f"in-2.{suffix}"]
    for output in outputs:
        with PIL.Image.open(output) as picture:
            assert picture.format == kind
            assert picture.size == (200, 100)
            shown = picture.convert("RGB")
        assert shown.getpixel((199, 99)) == (255, 255, 255)
        assert np.asarray(shown.convert("L")).min() < 128, "the letter is not there"


def test_the_scale_is_the_resolution_and_fax_pages_are_group_4(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a")
    options: dict[str, Any] = {"imageFormat": "TIFF", "imageColorMode": "e_Binary", "imageScaling": 300 / 72}
    (output,) = implementation("pdf-to-img").run(work("pdf-to-img", tmp_path, source, **options))
    with PIL.Image.open(output) as picture:
        assert picture.mode == "1"
        assert picture.info["compression"] == "group4"
        assert [round(float(each)) for each in picture.info["dpi"]] == [300, 300]
        assert picture.size == (834, 417)


def test_a_page_that_would_have_too_many_pixels_is_refused(tmp_path: Path) -> None:
    source = paper(tmp_path / "in.pdf", "a")
    with pytest.raises(Refused, match="imageScaling"):
        work("pdf-to-img", tmp_path, source, imageScaling=1000)
    wide = printed(tmp_path / "wide.pdf", "<style>@page{size:6000pt 6000pt}</style><p>x</p>")
    with pytest.raises(Refused, match="million pixels"):
        implementation("pdf-to-img").run(work("pdf-to-img", tmp_path, wide, imageScaling=20))


def test_text_comes_in_reading_order_with_level_columns_and_a_form_feed_between_pages(tmp_path: Path) -> None:
    source = printed(tmp_path / "in.pdf", _TABLE)
    (output,) = implementation("pdf-to-txt").run(work("pdf-to-txt", tmp_path, source))
    assert output.read_text("utf-8") == (
        "Ports\n\nAll of the north.\n\nPort       Ships\nLeith          3\nScrabster  1,250\n\n1. brick\n2. timber\n"
        "\fSecond page\n"
    )
    (output,) = implementation("pdf-to-txt").run(work("pdf-to-txt", tmp_path, source, txtTableFormat=0))
    assert "Port\tShips\nLeith\t3\nScrabster\t1,250" in output.read_text("utf-8")


def test_a_page_each_gives_a_text_each(tmp_path: Path) -> None:
    asked = work("pdf-to-txt", tmp_path, paper(tmp_path / "in.pdf", "a", "b"), isOutputDocumentPerPage=1)
    outputs = implementation("pdf-to-txt").run(asked)
    assert [(output.name, output.read_text("utf-8")) for output in outputs] == [
        ("in-1.txt", "a\n"),
        ("in-2.txt", "b\n"),
    ]


def test_json_has_what_is_asked_for_under_the_source_s_name(tmp_path: Path) -> None:
    source = printed(tmp_path / "in.pdf", _TABLE)
    (output,) = implementation("pdf-to-json").run(work("pdf-to-json", tmp_path, source, resolveType="TABLE"))
    assert output.name == "in.json"
    blocks = [
        block for page in json.loads(output.read_text("utf-8"))["result"]["pages"] for block in page["structured"]
    ]
    assert [block["type"] for block in blocks] == ["table"]
    outputs = implementation("pdf-to-json").run(work("pdf-to-json", tmp_path, source, isOutputDocumentPerPage=1))
    assert [output.name for output in outputs] == ["in-1.json", "in-2.json"]
