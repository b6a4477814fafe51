"""Pictures through the same writers as PDFs."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pytest

from paperchute.engine.operations import implementation
from tests.engine.operations.papers import work


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sheet = PIL.Image.new("RGB", (620, 240), "white")
    font = PIL.ImageFont.load_default(54)
    PIL.ImageDraw.Draw(sheet).multiline_text((40, 40), "Quays of brick\nShips of timber", "black", font, spacing=20)
    path = tmp_path_factory.mktemp("picture") / "sheet.png"
    sheet.save(path, dpi=(150, 150))
    return path


def test_a_picture_becomes_html(picture: Path, tmp_path: Path) -> None:
    (path,) = implementation("img-to-html").run(work("img-to-html", tmp_path, picture, enableOcr=1))
    assert path.name == "sheet.html"
    assert "Quays of brick" in path.read_text("utf-8")


def test_without_recognition_the_picture_alone_is_shown(picture: Path, tmp_path: Path) -> None:
    (path,) = implementation("img-to-html").run(work("img-to-html", tmp_path, picture, enableOcr=0))
    text = path.read_text("utf-8")
    assert "data:image/" in text
    assert "Quays" not in text


def test_a_picture_becomes_a_workbook(picture: Path, tmp_path: Path) -> None:
    (path,) = implementation("img-to-xlsx").run(work("img-to-xlsx", tmp_path, picture, enableOcr=1))
    cells = [cell.value for row in openpyxl.load_workbook(path)["Document"].iter_rows() for cell in row]
    assert any("Quays of brick" in str(value) for value in cells)
