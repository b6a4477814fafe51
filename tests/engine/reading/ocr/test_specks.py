"""Pages full of specks: what is read on them is said to be unsure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.omissions import OMISSIONS
from tests.engine.reading.ocr.scanning import noisy, scanned

_LINES = [
    "The quay was rebuilt in brick",
    "Repair the eastern pier . . . . . . . . . . . . . . . . . . . . . 1,250.00",
    "Count all mooring posts: 3.5 % are gone, i.e. few",
] * 6


def _sheet(folder: Path) -> PIL.Image.Image:
    lines = "".join(f"<p>{line}</p>" for line in _LINES)
    return scanned(folder, f"<div style='font:11pt/1.4 serif'>{lines}</div>", dpi=150)


def _specked(picture: PIL.Image.Image, count: int, widest: int) -> PIL.Image.Image:
    """With dark specks of 1 to `widest` pixels each way."""
    random = np.random.default_rng(3)
    sheet = np.asarray(picture.convert("RGB")).copy()
    height, width = sheet.shape[:2]
    for row, column in zip(random.integers(0, height, count), random.integers(0, width, count), strict=True):
        down, across = random.integers(1, widest + 1, 2)
        sheet[row : row + down, column : column + across] = random.integers(0, 90)
    return PIL.Image.fromarray(sheet)


def _unsure(picture: PIL.Image.Image) -> float:
    return see(np.asarray(picture.convert("RGB")), AUTO, 150.0).unsure


@pytest.mark.parametrize(("count", "least"), [(200, OMISSIONS.partly), (2000, TYPOGRAPHY.half)])
def test_a_page_full_of_specks_is_unsure_however_sure_its_letters_look(
    count: int, least: float, tmp_path: Path
) -> None:
    assert _unsure(_specked(_sheet(tmp_path), count, 3)) > least


def test_full_stops_leaders_grain_and_a_few_specks_leave_it_sure(tmp_path: Path) -> None:
    assert _unsure(_sheet(tmp_path)) == 0
    assert _unsure(noisy(_sheet(tmp_path))) < OMISSIONS.partly
    assert _unsure(_specked(_sheet(tmp_path), 12, 3)) < OMISSIONS.partly


def test_the_dots_of_a_printed_photograph_are_no_specks(tmp_path: Path) -> None:
    sheet = np.asarray(_sheet(tmp_path).convert("RGB")).copy()
    bottom, right = sheet.shape[0] - 100, sheet.shape[1] - 100
    for row in range(bottom - 420, bottom, 6):
        for column in range(right - 500, right, 6):
            sheet[row : row + 2, column : column + 2] = 20
    assert _unsure(PIL.Image.fromarray(sheet)) < OMISSIONS.partly
