"""Streaks of dust on a scanner's glass: letters under them are read, and rules stay."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from paperchute.engine import report
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.streaks import without_streaks
from paperchute.engine.reading.omissions import OMISSIONS
from tests.engine.reading.ocr.scanning import PARAGRAPHS, noisy, scanned

_DPI = 200
_PLACES = (0.22, 0.34, 0.47, 0.61)
"""Of the sheet's width, where streaks are drawn."""


@pytest.fixture
def sheet(tmp_path: Path) -> PIL.Image.Image:
    lines = "".join(f"<p>{line}</p>" for line in PARAGRAPHS)
    return noisy(scanned(tmp_path, f"<div style='font:11pt/1.4 sans-serif'>{lines}</div>", dpi=_DPI), 6)


def _streaked(sheet: PIL.Image.Image, inches: float, light: tuple[float, float, float], *, rows: float = 1.0) -> Pixels:
    """With upright streaks that let through so much of the red, green and blue light, on the upper part of the rows."""
    picture = np.asarray(sheet).copy()
    height, width = picture.shape[:2]
    for place in _PLACES:
        covered = np.clip(inches * _DPI / 2 + 0.5 - np.abs(np.arange(width) - place * width), 0, 1)[:, None]
        upper = picture[: round(rows * height)]
        upper[:] = upper * (1 - covered * (1 - np.array(light)))
    return picture


def _missing(picture: Pixels) -> list[str]:
    seen = see(picture, AUTO, float(_DPI))
    return sorted((Counter(" ".join(PARAGRAPHS).split()) - Counter(word.text for word in seen.words)).elements())


@pytest.mark.parametrize(
    ("inches", "light"),
    [(0.005, (0, 0, 0)), (0.013, (0.2, 0.2, 0.2)), (0.02, (0.5, 0.5, 0.5)), (0.02, (0.9, 0.4, 0.9))],
    ids=["hair", "dark", "pale", "magenta"],
)
def test_letters_under_a_streak_are_read(
    sheet: PIL.Image.Image, inches: float, light: tuple[float, float, float]
) -> None:
    assert _missing(_streaked(sheet, inches, light)) == []


def test_a_streak_that_ends_on_the_way_and_one_of_a_sheet_fed_sideways_are_taken_out(sheet: PIL.Image.Image) -> None:
    picture = _streaked(sheet, 0.013, (0.25, 0.25, 0.25), rows=0.3)
    assert _missing(picture) == []
    assert _missing(np.ascontiguousarray(np.rot90(picture))) == []


def test_two_streaks_side_by_side_are_taken_out(sheet: PIL.Image.Image) -> None:
    picture = _streaked(sheet, 0.005, (0.4, 0.4, 0.4))
    for place in _PLACES:
        column = round(place * picture.shape[1]) + 4
        picture[:, column] = picture[:, column] * 0.4
    assert _missing(picture) == []


@pytest.mark.parametrize("inches", [0.013, 0.03])
def test_what_an_opaque_streak_hid_is_unsure_and_it_is_told_of(sheet: PIL.Image.Image, inches: float) -> None:
    with report.noted() as notes:
        seen = see(_streaked(sheet, inches, (0.02, 0.02, 0.02)), AUTO, float(_DPI))
    assert seen.unsure > OMISSIONS.partly
    assert [note for note in notes if "scanner's glass" in note]


def test_what_is_no_streak_stays_as_it_is(sheet: PIL.Image.Image, tmp_path: Path) -> None:
    clean = np.asarray(sheet)
    margin = clean.copy()
    margin[:, 150:153] = (200, 60, 60)  # the rule beside the text of a notebook
    shadow = clean.copy()
    shadow[:, 6:9] = shadow[7:10] = 90  # the sheet's edges on the lid
    part = np.asarray(scanned(tmp_path, _table(), dpi=_DPI))
    rows, columns = (np.flatnonzero((part.min(axis=2) < 200).any(axis=axis)) for axis in (1, 0))
    part = np.ascontiguousarray(part[rows[0] + 4 : rows[-1] - 3, columns[0] + 4 : columns[-1] - 3])
    for picture in (clean, margin, shadow, part):
        for turned in (picture, np.ascontiguousarray(np.rot90(picture))):
            assert without_streaks(turned, _DPI)[0] is turned


def _table() -> str:
    """Narrow cells, cut off where their texts meet the rules."""
    row = "<tr>" + "".join(f"<td>{words}</td>" for words in PARAGRAPHS[:4]) + "</tr>"
    css = "td{border:1px solid #333;padding:0;max-width:70pt;overflow:hidden;white-space:nowrap}"
    return f"<style>table{{border-collapse:collapse;font:10pt sans-serif}}{css}</style><table>{row * 24}</table>"


def test_a_black_bar_in_the_way_stays_black(sheet: PIL.Image.Image) -> None:
    clean = np.asarray(sheet).copy()
    height, width = clean.shape[:2]
    top = height * 3 // 4
    clean[top : top + 120, width // 8 : -width // 8] = 30
    picture = _streaked(PIL.Image.fromarray(clean), 0.013, (0.2, 0.2, 0.2))
    bar = slice(top + 5, top + 115), slice(width // 8 + 5, -width // 8 - 5)
    taken_out = without_streaks(picture, _DPI)[0]
    assert taken_out is not picture
    assert int(taken_out[bar].max()) <= 40


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (40, 40), (1, 5000), (5000, 1), (2000, 3), (30_000, 40)])
def test_pictures_too_small_for_a_streak_stay_as_they_are(size: tuple[int, int]) -> None:
    striped = np.full((*size, 3), 255, np.uint8)
    striped[:, ::7] = 0
    for dpi in (0.0, 0.5, 72.0, 150.0, 1e9):
        assert without_streaks(striped, dpi)[0] is striped
