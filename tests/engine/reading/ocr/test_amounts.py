"""Amounts that cannot be read surely: their points, commas and signs are a few pixels, and much hangs on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paperchute.engine.reading.ocr.ink import ink_line
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognition import Reading
from paperchute.engine.reading.omissions import OMISSIONS
from tests.engine.reading.ocr.scanning import scanned

_AMOUNTS = ["66,177.95", "8.657,23", "1,250.00", "-385.52", "97,62"]


@pytest.mark.parametrize(("dpi", "is_sure"), [(150, True), (75, False)])
def test_amounts_in_coarse_type_are_unsure(tmp_path: Path, dpi: int, is_sure: bool) -> None:
    rows = "".join(f"<tr><td>Harbour dues and wages</td><td>{amount}</td></tr>" for amount in _AMOUNTS)
    page = scanned(tmp_path, f"<table style='font:9pt sans-serif'>{rows}</table>", dpi=dpi)
    seen = see(np.asarray(page.crop((0, 0, page.width, page.height // 4))), AUTO, float(dpi))
    assert (seen.unsure <= OMISSIONS.partly) is is_sure
    assert not is_sure or {word.text for word in seen.words} >= set(_AMOUNTS)


def test_whole_numbers_in_coarse_type_are_read(tmp_path: Path) -> None:
    page = scanned(tmp_path, "<p style='font:9pt sans-serif'>Repairs of piers 12 to 1250 in the year 2019</p>", dpi=75)
    assert see(np.asarray(page.crop((0, 0, page.width, page.height // 4))), AUTO, 75.0).unsure == 0


@pytest.mark.parametrize(("figure", "sure"), [("12,5", 0.4), ("..12", 1.0), ("１２３４", 0.85)])
def test_a_figure_is_as_sure_as_its_least_sure_character(figure: str, sure: float) -> None:
    picture = np.full((40, 300, 3), 255, np.uint8)
    picture[10:30, 20:120:8] = picture[10:30, 180:280:8] = 0
    text = f"dues {figure}"
    scores = np.array([1, 1, 0.4, 1, 1, 1, 0.4, 1, 1], np.float32)
    line = ink_line(picture, Reading(text, np.linspace(0.1, 0.9, len(text)).astype(np.float32), scores))
    assert line is not None
    assert [(word.text, round(word.confidence, 2)) for word in line.words] == [("dues", 0.85), (figure, sure)]
