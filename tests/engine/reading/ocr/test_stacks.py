"""Columns of lone characters in tight rows: each is read on its row, and none as part of a word that runs down."""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import pytest

from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognised import Corners
from paperchute.engine.reading.ocr.stacks import unstacked
from tests.engine.reading.ocr.scanning import scanned

_SIGNS = list(string.ascii_uppercase + string.ascii_lowercase + string.digits + "+–-✓✗×*#%€")
_SIGNS += ["No", "OK", "ja", "m²", "h", "kg", "il", "Il", "ok", "II", "5%", "1x", "x1"]
_PLAIN = set("ABDEFGHKLMNQSTU23456789")
"""Those that look like no other when they stand alone."""


@pytest.mark.parametrize(("face", "dpi"), [("serif", 150), ("sans-serif", 100)])
def test_lone_characters_in_tight_rows_stand_on_their_rows(tmp_path: Path, face: str, dpi: int) -> None:
    rows = "".join(f"<tr><td>Harbour dues and wages</td><td>{sign}</td><td>12.50</td></tr>" for sign in _SIGNS)
    css = "td{padding:0.5pt 16pt;border:0.5pt solid}@page{margin:5mm;size:210mm 470mm}"
    table = f"<table style='font:10pt {face};border-collapse:collapse'>{rows}</table>"
    words = see(np.asarray(scanned(tmp_path, table, css=css, dpi=dpi)), AUTO, float(dpi)).words
    assert _PLAIN - {word.text for word in words} == set()
    assert not any(word.angle for word in words)


def _line(left: float, top: float, right: float, bottom: float) -> Corners:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _page(*inked: tuple[int, int]) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.uint8]], list[Corners]]:
    """Four rows of text 30 pixels apart, and a line that runs down beside them, with ink in these rows of pixels."""
    picture = np.full((200, 300, 3), 255, np.uint8)
    lines = [_line(20, 20 + 30 * n, 120, 46 + 30 * n) for n in range(4)]
    for top, bottom in inked:
        picture[top:bottom, 155:165] = 0
    return picture, [*lines, _line(150, 16, 170, 140)]


def test_a_stack_is_a_line_for_each_row() -> None:
    found = unstacked(*_page((26, 41), (56, 71), (116, 131)))
    assert len(found) == 7
    assert [float(line[0, 1]) for line in found if line[0, 0] == 150] == [20, 50, 110]


@pytest.mark.parametrize(
    "inked",
    [
        [(20, 32), (36, 48), (52, 64), (68, 80)],  # letters of a word that runs down
        [(26, 41), (66, 81)],  # one stands between the rows
        [(26, 120)],
        [],
    ],
)
def test_text_that_runs_down_stays_one_line(inked: list[tuple[int, int]]) -> None:
    picture, lines = _page(*inked)
    assert [line.tolist() for line in unstacked(picture, lines)] == [line.tolist() for line in lines]


def test_a_character_that_was_found_by_itself_too_is_there_once() -> None:
    picture, lines = _page((26, 41), (56, 71), (116, 131))
    assert len(unstacked(picture, [*lines, _line(152, 52, 168, 74)])) == 7
