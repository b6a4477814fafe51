"""Very small type, and scans that keep fine ink apart from coarse paper."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFilter
import pytest
from pikepdf import Name

from paperchute.engine.reading.ocr.detection import Found, find_lines
from paperchute.engine.reading.ocr.recognised import Pixels
from tests.engine.reading.ocr.scanning import noisy, read, scan_pdf, scanned, text_of

_LINES = [
    f"{number}. The turnips of field {number * 7} were drilled with sixteen bushels to the acre."
    for number in range(1, 31)
]


def _page(folder: Path, points: float, leading: float = 1.0) -> PIL.Image.Image:
    """Lines of small type, `leading` times its size apart, at 300 pixels per inch."""
    html = "".join(f"<div style='font:{points}pt/{points * leading}pt serif'>{line} {line}</div>" for line in _LINES)
    picture = scanned(folder, html, dpi=300)
    left, top, right, bottom = PIL.Image.eval(picture.convert("L"), lambda level: 255 - level).getbbox() or (0, 0, 0, 0)
    return picture.crop((left - 40, top - 40, right + 40, bottom + 40))


def _found(path: Path, folder: Path) -> int:
    """How many of the lines are read, but for a letter here and there."""
    (one,) = read(path, folder, ocrOption="SCAN_PAGE")
    text = text_of(one.blocks)
    return sum(f"field {number * 7} were" in text for number in range(1, 31))


@pytest.mark.parametrize("points", [4.5, 5.0])
def test_no_line_of_very_small_type_is_overlooked(points: float, tmp_path: Path) -> None:
    page = noisy(_page(tmp_path, points).filter(PIL.ImageFilter.GaussianBlur(0.8)))
    assert _found(scan_pdf(tmp_path / "small.pdf", page, dpi=300), tmp_path / "out") >= 28


def test_type_too_small_to_be_found_is_told(tmp_path: Path) -> None:
    page = noisy(_page(tmp_path, 3.0, 1.1), 10)
    (one,) = read(scan_pdf(tmp_path / "minute.pdf", page, dpi=300), tmp_path / "out", ocrOption="SCAN_PAGE")
    assert one.unsure > 0.5, text_of(one.blocks)


def test_the_fine_layer_of_a_scan_tells_how_finely_it_is_drawn(tmp_path: Path) -> None:
    page = PIL.Image.new("RGB", (2480, 3508), "white")  # A4
    page.paste(_page(tmp_path, 4.5), (300, 300))
    paper = PIL.Image.new("RGB", (page.width // 6, page.height // 6), (244, 240, 228))
    path = scan_pdf(tmp_path / "layers.pdf", paper, dpi=50)
    ink = page.convert("L").point(lambda level: 255 if level > 150 else 0).convert("1")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        mask = pdf.make_stream(ink.tobytes())
        mask.Type, mask.Subtype, mask.Width, mask.Height = Name.XObject, Name.Image, ink.width, ink.height
        mask.ImageMask, mask.BitsPerComponent = True, 1
        name = pdf.pages[0].add_resource(mask, Name.XObject)
        width, height = (float(pdf.pages[0].MediaBox[place]) for place in (2, 3))
        pdf.pages[0].contents_add(f"\nq 0.1 0.1 0.2 rg {width} 0 0 {height} 0 0 cm {name} Do Q\n".encode())
        pdf.save(path)
    assert _found(path, tmp_path / "out") >= 28


def _photograph(kind: str, size: tuple[int, int]) -> PIL.Image.Image:
    """Shapes and shades of all sizes; small ones are leaves or gravel."""
    chance = np.random.default_rng(7)
    fineness = {"sky": 0.35, "leaves": 0.6}.get(kind, 0.5)
    shades = np.zeros((*size, 3))
    for step in range(1, 9):
        grid = chance.random((2**step + 1, 2**step + 1, 3)) * fineness**step
        shades += cv2.resize(grid, size[::-1], interpolation=cv2.INTER_CUBIC)
    shades = 255 * (shades - shades.min()) / np.ptp(shades)
    picture = PIL.Image.fromarray(shades.astype(np.uint8))
    if kind == "things":
        draw = PIL.ImageDraw.Draw(picture)
        for _ in range(20):
            x, y, width, height = (int(number) for number in chance.integers(5, 120, 4))
            draw.ellipse(
                (2 * x, 2 * y, 2 * x + width, 2 * y + height), tuple(int(n) for n in chance.integers(0, 255, 3))
            )
    return picture


@pytest.mark.parametrize("kind", ["sky", "leaves", "things"])
def test_a_photograph_alone_on_its_page_is_looked_at_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closer look takes several times as long, and is for print that is too small."""
    looks: list[int] = []

    def counted(picture: Pixels, scale: float) -> Found:
        looks.append(round(scale * max(picture.shape)))
        return find_lines(picture, scale)

    monkeypatch.setattr("paperchute.engine.reading.ocr.page.find_lines", counted)
    page = PIL.Image.new("RGB", (1240, 1754), "white")
    page.paste(_photograph(kind, (430, 420)), (100, 100))
    read(scan_pdf(tmp_path / "photo.pdf", page, dpi=150), tmp_path / "out", ocrOption="SCAN_PAGE")
    assert len(looks) == 1
