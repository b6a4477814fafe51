"""Amounts that cannot be read surely: their points, commas and signs are a few pixels, and much hangs on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from paperchute.engine.reading.ocr.amounts import Mark, is_amount, may_be_swung
from paperchute.engine.reading.ocr.ink import InkWord, ink_line
from paperchute.engine.reading.ocr.models import built_in_reader
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import is_doubtful, see
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.recognition import Reading, read_lines
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


@pytest.mark.parametrize(("figure", "sure"), [("12a5", 0.4), ("..12", 1.0), ("１２３４", 0.85)])
def test_a_figure_is_as_sure_as_its_least_sure_character(figure: str, sure: float) -> None:
    picture = np.full((40, 300, 3), 255, np.uint8)
    picture[10:30, 20:120:8] = 0
    for dot in range(figure.count(".")):
        picture[27:30, 180 + 8 * dot : 183 + 8 * dot] = 0
    for digit in range(figure.count("."), len(figure)):
        picture[10:30, 180 + 18 * digit : 192 + 18 * digit] = 0
    text = f"dues {figure}"
    scores = np.array([1, 1, 0.4, 1, 1, 1, 0.4, 1, 1], np.float32)
    line = ink_line(picture, Reading(text, np.linspace(0.1, 0.9, len(text)).astype(np.float32), scores))
    assert line is not None
    assert [(word.text, round(word.confidence, 2)) for word in line.words] == [("dues", 0.85), (figure, sure)]


_INK = {
    **dict.fromkeys("0123456789€(", (0, 20, 12)),
    ".": (17, 20, 3),
    ",": (17, 24, 4),
    "-": (11, 13, 8),
    "'": (0, 6, 3),
}
"""Of a character: the rows from the top of digits, and the columns."""


def _printed(text: str, gap: int = 3) -> tuple[Pixels, list[float]]:
    """A line with ink of the shapes of a text, and the middles of its characters."""
    picture = np.full((40, 400, 3), 255, np.uint8)
    x, middles = 20, []
    for character in text:
        top, bottom, width = _INK[character]
        picture[9 + top : 9 + bottom, x : x + width] = 0
        middles.append(x + width / 2)
        x += width + gap
    return picture, middles


def _read(shown: str, said: str, *, gap: int = 3) -> InkWord:
    """What `said` is taken for where the ink is that of `shown`."""
    picture, middles = _printed(shown, gap)
    places = np.interp(np.linspace(0, 1, len(said)), np.linspace(0, 1, len(middles)), middles) / 400
    line = ink_line(picture, Reading(said, places.astype(np.float32), np.ones(len(said), np.float32)))
    assert line is not None
    (word,) = line.words
    return word


@pytest.mark.parametrize("amount", ["1,250.00", "-12.50", "1'250", ".50", "€12,50", "(12", "12-"])
def test_amounts_whose_ink_shows_them_stay_sure(amount: str) -> None:
    assert _read(amount, amount).confidence == 1


@pytest.mark.parametrize("amount", ["1,250.00", "-12.50", "€12,50"])
def test_amounts_whose_characters_touch_stay_sure(amount: str) -> None:
    assert _read(amount, amount, gap=0).confidence == 1


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("-12.50", "12.50"),
        ("(12.50", "12.50"),
        ("1250.00", "125000"),
        ("1'250", "1250"),
        ("9250.00", "250.00"),
        ("2250", "25250"),
        ("12.50", "12,50"),
        ("12,50", "12.50"),
        ("12-", "12."),
        ("...50", ".50"),
        (".12.50", ".12.50"),
    ],
)
def test_amounts_whose_ink_shows_another_are_unsure(shown: str, said: str) -> None:
    assert _read(shown, said).confidence < 0.75


@pytest.mark.parametrize("word", ["-10", "~1,250.00", "(12.50)", "12.5%", "€12", "12.03.2024", "10:30", "1'250.00"])
def test_figures_without_letters_are_looked_at(word: str) -> None:
    assert is_amount(word)


@pytest.mark.parametrize("word", ["H2O", "12th", "COVID-19", "-", "...", "A4", "1" * 800])
def test_other_words_are_not(word: str) -> None:
    assert not is_amount(word)


def _sign(wave: float) -> tuple[NDArray[np.float32], Mark]:
    """A sign of 12 pixels whose ink rises and falls by so many."""
    rows = 10 - wave / 2 * np.sin(np.linspace(0, 2 * np.pi, 12))
    dark = np.zeros((20, 16), np.float32)
    dark[:, 2:14] = 200 * np.clip(1.5 - np.abs(np.arange(20)[:, None] + 0.5 - rows), 0, 1)
    return dark, Mark(2, 7, 14, 13)


@pytest.mark.parametrize(
    ("wave", "size", "likely", "expected"),
    [
        (0.0, 24.0, 0.0001, False),
        (2.0, 24.0, 0.001, True),
        (2.0, 24.0, 0.0, False),  # a rough edge
        (0.0, 24.0, 0.02, True),
        (0.5, 24.0, 0.001, False),
        (0.5, 15.0, 0.001, True),
        (0.5, 13.0, 0.0, True),
        (0.0, 13.0, 0.0, False),
    ],
)
def test_a_minus_that_waves_may_be_a_swung_dash(wave: float, size: float, likely: float, expected: bool) -> None:
    assert may_be_swung(*_sign(wave), size, likely) is expected


def test_the_network_tells_how_likely_a_swung_dash_is(tmp_path: Path) -> None:
    page = np.asarray(scanned(tmp_path, "<body style='margin:0'><p style='font:11pt sans-serif;margin:0'>~10</p>"))
    ink = np.argwhere(page.min(axis=2) < 128)
    (top, left), (bottom, right) = ink.min(0), ink.max(0) + 1
    (reading,) = read_lines(built_in_reader(), [page[top - 6 : bottom + 6, left - 6 : right + 6]])
    assert reading.any.text == "~10"
    assert reading.any.swung is not None
    assert reading.any.swung[0] == reading.any.scores[0]
    assert (reading.any.swung[1:] < 0.01).all()


def test_letters_under_a_shadow_are_measured_as_others() -> None:
    amount = "1250.00"
    picture, middles = _printed(amount * 3)
    light = np.interp(np.arange(400), [0, 100, 160, 400], [1, 0.95, 0.45, 0.42])[None, :, None]
    shadowed = ((80 + picture * (175 / 255)) * light).astype(np.uint8)
    places, sure = (np.array(middles) / 400).astype(np.float32), np.ones(len(middles), np.float32)
    lines = [ink_line(each, Reading(amount * 3, places, sure)) for each in (picture, shadowed)]
    assert [line is not None and round(line.size) for line in lines] == [28, 28]


@pytest.mark.parametrize(("last", "is_sure"), [("00", True), ("01", False)])
def test_ibans_whose_checksum_fails_are_unsure(tmp_path: Path, last: str, is_sure: bool) -> None:
    page = scanned(tmp_path, f"<p>IBAN DE89 3704 0044 0532 0130 {last}, Bank of Aarhus</p>")
    seen = see(np.asarray(page.crop((0, 0, page.width, page.height // 6))), AUTO, 150.0)
    assert (seen.unsure <= OMISSIONS.partly) is is_sure
    doubtful = {word.text for word in seen.words if is_doubtful(word)}
    assert doubtful == (set() if is_sure else {"DE89", "3704", "0044", "0532", "0130", f"{last},"})
