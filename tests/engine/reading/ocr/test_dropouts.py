"""White lines of dead elements: what they cut is unsure, and gaps that letters leave by themselves are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from paperchute.engine.reading.ocr.dropouts import left_out
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.omissions import OMISSIONS
from tests.engine.reading.ocr.scanning import PARAGRAPHS, noisy, scanned, skewed

_DPI = 200


def _sheet(folder: Path, face: str = "sans-serif", lines: list[str] = PARAGRAPHS) -> PIL.Image.Image:
    text = "".join(f"<p>{line}</p>" for line in lines)
    return scanned(folder, f"<div style='font:11pt/1.4 {face}'>{text}</div>", dpi=_DPI)


def _cut(sheet: PIL.Image.Image, width: int = 3) -> PIL.Image.Image:
    picture = np.asarray(sheet).copy()
    for place in (0.22, 0.34, 0.47):
        start = round(place * picture.shape[1])
        picture[:, start : start + width] = 255
    return PIL.Image.fromarray(picture)


@pytest.mark.parametrize("quarters", [0, 1])
def test_lines_that_a_dead_element_cut_are_unsure(tmp_path: Path, quarters: int) -> None:
    cut = np.asarray(noisy(_cut(_sheet(tmp_path)), 6))
    assert left_out(np.ascontiguousarray(np.rot90(cut, quarters)), _DPI) > OMISSIONS.partly


def test_a_print_of_a_dead_element_is_told_though_the_sheet_lies_askew(tmp_path: Path) -> None:
    picture = np.asarray(skewed(_cut(_sheet(tmp_path)), 1.5))
    assert see(picture, AUTO, float(_DPI)).unsure > OMISSIONS.partly


def test_gaps_that_letters_leave_are_no_dropouts(tmp_path: Path) -> None:
    digits = [f"{n * 7919 % 100_000:05d}.{n % 100:02d}" for n in range(100, 120)]
    for face, lines in (("sans-serif", PARAGRAPHS), ("monospace", PARAGRAPHS), ("serif", digits)):
        picture = np.asarray(noisy(_sheet(tmp_path, face, lines), 6))
        assert left_out(picture, _DPI) == 0
    fine = np.asarray(noisy(_cut(_sheet(tmp_path), 1), 6))
    assert left_out(fine, _DPI) == 0


@pytest.mark.parametrize("size", [(1, 1), (40, 40), (1, 5000), (5000, 1), (200, 200)])
def test_pictures_of_any_size_are_looked_at(size: tuple[int, int]) -> None:
    striped = np.full((*size, 3), 255, np.uint8)
    striped[:, ::7] = 0
    for dpi in (0.0, 0.5, 72.0, 1e9):
        assert 0 <= left_out(striped, dpi) < 1
