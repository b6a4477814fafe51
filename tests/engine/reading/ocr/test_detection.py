"""Lines are found whatever touches them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.reading.ocr import detection
from paperchute.engine.reading.ocr.detection import DETECTION, find_lines
from paperchute.engine.reading.ocr.models import Network
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognised import line_size
from paperchute.engine.reading.ocr.recognition import READER
from tests.engine.reading.ocr.scanning import read, saved, scanned, skewed, text_of
from tests.engine.reading.printing import printed

PARAGRAPH = (
    "<p>The committee has looked closely at what the rebuilding means and at all the implications of it for the "
    "northern harbours, which were found to be much larger than anybody had thought before the winter storms came in "
    "from the western sea this year. A second sentence follows here so that there is something more to read for "
    "the network than a line or two.</p>"
)


def test_a_note_s_icon_on_the_last_letter_takes_no_line_away(tmp_path: Path) -> None:
    css = "body{font-family:serif;font-size:10pt}"
    path = printed(tmp_path / "a.pdf", f"<h1>Report</h1>{PARAGRAPH}{PARAGRAPH}", css)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        x, y = _end_of_line(path, "for the")
        place = [x - 3.05, y - 0.78, x + 14.95, y + 17.22]
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=place, Name=pikepdf.Name.Note, C=[1, 1, 0.4]
        )
        pdf.pages[0].Annots = pdf.make_indirect(pikepdf.Array([note]))
        pdf.save(path)
    document = pypdfium2.PdfDocument(path)
    picture = document[0].render(scale=200 / 72).to_pil().convert("RGB")
    document.close()
    (page,) = read(saved(tmp_path / "a.png", picture, dpi=200), tmp_path / "out")
    text = " ".join(text_of(page.blocks).split())
    assert text.count("The committee has looked closely at what the rebuilding means and at all the") == 2, text


def _end_of_line(path: Path, words: str) -> tuple[float, float]:
    """Where the first occurrence of words ends, at its foot."""
    document = pypdfium2.PdfDocument(path)
    try:
        text = document[0].get_textpage()
        at = text.get_text_range().index(words) + len(words) - 1
        _, bottom, right, _ = text.get_charbox(at)
        return right, bottom
    finally:
        document.close()


class _Finder:
    """Takes what is dark for text: the network's part, played."""

    def run(self, values: Any) -> Any:
        return (values[:, :1].min(axis=1, keepdims=True) < 0).astype(np.float32) * 0.9


@settings(max_examples=60, deadline=None)
@given(st.integers(120, 420), st.integers(7, 14), st.integers(8, 40), st.integers(-36, 36), st.floats(-2, 2), st.data())
def test_a_line_with_a_sign_at_its_end_is_found(
    length: int, height: int, side: int, shift: int, slope: float, data: st.DataObject
) -> None:
    page = np.full((160, 544, 3), 255, np.uint8)
    for x in range(40, 40 + length):
        y = round(80 + (x - 40) * np.tan(np.radians(slope)))
        page[y : y + height, x] = 0
    end_x, end_y = 40 + length, round(80 + length * np.tan(np.radians(slope)))
    left = end_x - data.draw(st.integers(1, 6))
    top = max(end_y + shift, 0)
    page[top : top + side, left : left + side] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detection, "line_finder", _Finder)
        lines = find_lines(page, 1.0).lines
    for x in range(50, 30 + length, 10):
        y = 80 + (x - 40) * np.tan(np.radians(slope)) + height / 2
        assert any(_holds(corners, x, y) for corners in lines), (x, y, lines)


@settings(max_examples=60, deadline=None)
@given(st.integers(8, 12), st.integers(20, 30), st.integers(-12, 0), st.integers(0, 8), st.integers(150, 220))
def test_a_line_under_a_stamp_is_found(height: int, side: int, rise: int, fall: int, start: int) -> None:
    page = np.full((160, 544, 3), 255, np.uint8)
    page[80 : 80 + height, 40:500] = 0
    for number in range(3):
        left, top = start + number * 100, 84 + rise + number * fall - side // 2
        page[top : top + side, left : left + 88] = 0
    page[80 + height : 114, start - 60 : start - 56] = 0  # a word of the next line, joined by the stamp's frame
    page[104:114, start - 100 : start - 20] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detection, "line_finder", _Finder)
        lines = find_lines(page, 1.0).lines
    for x in range(50, 490, 10):
        assert any(_holds(corners, x, 80 + height / 2) for corners in lines), (x, lines)


def _holds(corners: Any, x: float, y: float) -> bool:
    edges = [corners[(n + 1) % 4] - corners[n] for n in range(4)]
    sides = [e[0] * (y - c[1]) - e[1] * (x - c[0]) for e, c in zip(edges, corners, strict=True)]
    return all(side >= -1 for side in sides) or all(side <= 1 for side in sides)


@pytest.mark.parametrize("degrees", [0.0, 1.5])
def test_lines_set_close_over_several_pieces_of_a_page_stay_apart(degrees: float, tmp_path: Path) -> None:
    line = "The turnips of the lower field were drilled with sixteen bushels to the acre. "
    html = "".join(
        f"<div style='font:5.5pt/5.5pt serif;white-space:nowrap'>{line * 2}{line[:45]}</div>" for _ in range(40)
    )
    page = skewed(scanned(tmp_path, html, dpi=200), degrees)
    assert min(page.size) > DETECTION.window
    lines = find_lines(np.asarray(page), 1.0).lines
    assert len(lines) == 40
    assert max(line_size(corners)[1] for corners in lines) < 28  # two lines are 39 high


@pytest.mark.parametrize("colour", [(255, 255, 255), (255, 0, 0), (90, 80, 70)])
def test_where_all_is_of_one_colour_is_no_line(colour: tuple[int, int, int]) -> None:
    assert find_lines(np.full((960, 700, 3), colour, np.uint8), 1.0).lines == []


def test_no_line_is_read_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[int] = []
    run = Network.run

    def counted(network: Network, values: Any) -> Any:
        if values.shape[2] == READER.height:
            asked.append(hash(values.tobytes()))
        return run(network, values)

    monkeypatch.setattr(Network, "run", counted)
    lines = "".join(f"<p>Berth {number} is let to the ferry company again</p>" for number in range(12))
    seen = see(np.asarray(scanned(tmp_path, lines)), AUTO, 150.0)
    assert sum(word.text == "Berth" for word in seen.words) == 12
    assert len(asked) == len(set(asked)) > 0
