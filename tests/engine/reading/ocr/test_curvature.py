"""Sheets that do not lie flat are laid flat before they are read, and nothing else is touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import PIL.Image
import pypdfium2
import pytest

from paperchute.engine.reading.ocr.curvature import CURVATURE, bentness
from paperchute.engine.reading.ocr.detection import find_lines
from paperchute.engine.reading.ocr.models import Network
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognition import READER
from tests.engine.operations.papers import done
from tests.engine.reading.ocr.scanning import noisy, scan_pdf, scanned, skewed

_LINES = [
    f"{line[:36].rpartition(' ')[0]} Berth{number} {line[36:].partition(' ')[2]}"
    for number, line in enumerate(
        [
            "The quay was rebuilt in brick while the newer ones were made of timber again",
            "Repair the eastern pier and count the mooring posts before the end of March",
            "Each berth is let for 1,250.00 a year and none of them for less than half of it",
            "What the harbour office wrote of 34 vessels in 1907 is kept in the county archive",
        ]
        * 5,
        10,
    )
]
_WORDS = " ".join(_LINES).split()


@pytest.fixture(name="sheet", scope="module")
def _sheet(tmp_path_factory: pytest.TempPathFactory) -> PIL.Image.Image:
    lines = "".join(f"<p style='margin:8pt 0'>{line}</p>" for line in _LINES)
    return scanned(tmp_path_factory.mktemp("sheet"), f"<div style='font:12pt/1.3 serif'>{lines}</div>", dpi=150)


def bent(picture: PIL.Image.Image, by: float) -> PIL.Image.Image:
    """The picture of a sheet whose middle rises by this share of its height."""
    sheet = np.asarray(picture)
    height, width = sheet.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    rise = (by * height * np.sin(np.pi * x / width)).astype(np.float32)
    return PIL.Image.fromarray(
        cv2.remap(sheet, x, y + rise, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(90, 80, 70))
    )


def missed(picture: PIL.Image.Image) -> int:
    """How many of the sheet's words are not read."""
    words = Counter(word.text for word in see(np.asarray(picture), AUTO, 150.0).words)
    return sum((Counter(_WORDS) - words).values())


@pytest.mark.parametrize("by", [0.012, -0.03, 0.06])
def test_a_bent_sheet_loses_no_word_and_no_part_of_it_is_looked_over_twice(
    sheet: PIL.Image.Image, by: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    run = Network.run

    def counted(network: Network, values: Any) -> Any:
        if values.shape[2] != READER.height:
            looked.append(hash(values.tobytes()))
        return run(network, values)

    monkeypatch.setattr(Network, "run", counted)
    assert missed(bent(sheet, by)) <= len(_WORDS) // 100
    assert len(looked) == len(set(looked)) > 0


@pytest.mark.parametrize("degrees", [6.0, 90.0, 174.0])
def test_a_bent_sheet_may_lie_askew(sheet: PIL.Image.Image, degrees: float) -> None:
    turned = bent(sheet, 0.03).rotate(degrees, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=(90, 80, 70))
    assert missed(turned) <= len(_WORDS) // 100


def test_a_bent_strip_may_be_longer_than_opencv_moves(tmp_path: Path) -> None:
    html = "".join(f"<p style='margin:8pt 0'>{line[:44]}</p>" for line in _LINES)
    part = scanned(tmp_path, f"<div style='font:12pt/1.3 serif'>{html}</div>", dpi=150).crop((60, 0, 760, 1200))
    strip = PIL.Image.new("RGB", (700, 33_500), "white")
    strip.paste(bent(part, 0.03), (0, 0))
    seen = see(np.asarray(strip), AUTO, 150.0)
    assert seen.bend is not None
    assert sum(word.text in ("quay", "eastern", "let", "harbour") for word in seen.words) == len(_LINES)


@pytest.mark.parametrize("spoilt", [lambda sheet: sheet, lambda sheet: skewed(sheet, 3.0), noisy])
def test_a_flat_sheet_is_not_bent(sheet: PIL.Image.Image, spoilt: Callable[[PIL.Image.Image], PIL.Image.Image]) -> None:
    page = np.asarray(spoilt(sheet))
    assert bentness(find_lines(page, 100 / 150).middles, page.shape[1]) < CURVATURE.bent
    assert see(page, AUTO, 150.0).bend is None


def test_the_text_over_a_bent_sheet_lies_on_its_ink(sheet: PIL.Image.Image, tmp_path: Path) -> None:
    by = 0.03
    flat, lifted = (
        places(done("pdf-to-editable", tmp_path, scan_pdf(tmp_path / f"{number}.pdf", picture)))
        for number, picture in enumerate((sheet, bent(sheet, by)))
    )
    width, height = (side * 72 / 150 for side in sheet.size)
    assert len(flat) == len(lifted) == len(_LINES)
    for name, (x, y) in flat.items():
        at_x, at_y = lifted[name]
        assert abs(at_x - x) < 3
        assert abs(at_y - (y + by * height * np.sin(np.pi * x / width))) < 3  # points up


def places(path: Path) -> dict[str, tuple[float, float]]:
    """Where each line's own name stands, in points from the lower left corner."""
    document = pypdfium2.PdfDocument(path)
    try:
        text = document[0].get_textpage()
        found = {}
        for number in range(len(_LINES)):
            name = f"Berth{number + 10}"
            place = text.search(name).get_next()
            if place is not None:
                left, bottom, right, _ = text.get_charbox(place[0])
                found[name] = ((left + right) / 2, bottom)
        return found
    finally:
        document.close()
