"""The parts of recognition by themselves: sizes, languages, corners, crops, the font without shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.contract import contract
from paperchute.contract.built_in import LANGUAGES, MODELS, MODELS_VARIABLE
from paperchute.contract.tesseract import DATA_VARIABLE, install_command
from paperchute.engine.document.geometry import Box
from paperchute.engine.pdf.textlayer.glyphless import Glyphless
from paperchute.engine.reading.ocr.detection import ordered
from paperchute.engine.reading.ocr.ink import ink_line
from paperchute.engine.reading.ocr.options import check_language
from paperchute.engine.reading.ocr.recognised import SeenWord, after, from_line, line_picture, moved
from paperchute.engine.reading.ocr.recognition import Reading
from paperchute.engine.reading.ocr.rows import on_rows
from paperchute.engine.reading.ocr.styles import Sizes, bold_words, by_rows
from paperchute.engine.work import Refused


def test_every_code_of_the_contract_is_known() -> None:
    parameter = next(p for p in contract().operations["pdf-to-editable"].parameters if p.name == "ocrRecognitionLang")
    assert LANGUAGES | set(MODELS) == set(parameter.values)


def test_a_model_in_the_folder_makes_its_language_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))  # the system's Tesseract has nothing
    with pytest.raises(Refused) as refused:
        check_language("CYRILLIC")
    assert refused.value.code == "03000"
    assert MODELS_VARIABLE in refused.value.reason
    assert install_command("CYRILLIC") in refused.value.reason
    (tmp_path / "cyrillic_PP-OCRv4_rec_infer.onnx").write_bytes(b"")  # another version serves as well
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    check_language("CYRILLIC")


def test_measured_sizes_become_the_few_that_were_printed() -> None:
    sizes = Sizes()
    assert sizes.of([(10.1, 60), (9.8, 70), (14.2, 12), (10.4, 50)]) == [10.0, 10.0, 14.0, 10.0]
    assert sizes.of([(10.3, 40), (14.6, 9), (7.0, 80)]) == [10.0, 14.0, 7.0]  # the next page


@given(st.lists(st.tuples(st.floats(1, 400), st.integers(1, 99)), max_size=60))
def test_a_common_size_is_near_the_measured_one(measured: list[tuple[float, int]]) -> None:
    for (size, _), common in zip(measured, Sizes().of(measured), strict=True):
        assert common == pytest.approx(size, rel=0.8, abs=0.5)


def _word(stroke: float, letters: int, text: str = "harbour") -> SeenWord:
    return SeenWord(text, Box(0, 0, 50, 10), 9.0, 24.0, stroke, stroke, letters, 0.9)


def test_thicker_strokes_are_bold_the_surer_the_more_letters() -> None:
    words = [_word(0.07, 40)] * 9 + [_word(0.09, 40), _word(0.09, 3, "x")]
    assert bold_words(words, [10.0] * 11)[-3:] == [False, True, False]


def test_a_short_heading_is_bold_where_its_like_are() -> None:
    words = [_word(0.07, 40)] * 20 + [_word(0.1, 20), _word(0.1, 20), _word(0.1, 4, "News"), _word(0.1, 4, "Note")]
    assert bold_words(words, [10.0] * 20 + [15.0] * 3 + [10.0])[-4:] == [True, True, True, False]


def test_a_blurred_page_whose_strokes_vary_has_no_bold_lines_by_chance() -> None:
    words = [_word(stroke, 40) for stroke in (0.055, 0.06, 0.065, 0.07, 0.075, 0.08, 0.085) * 4]
    assert not any(bold_words(words, [10.0] * len(words)))


def test_short_pieces_have_the_size_of_their_line() -> None:
    def piece(text: str, left: float, baseline: float, size: float) -> SeenWord:
        return SeenWord(text, Box(left, baseline - 12, left + 20, baseline), baseline, size, 0, 0, len(text), 0.9)

    words = [
        piece("Barley", 0, 100, 24.0),
        piece("0.", 90, 101, 17.0),  # an o read as a nought
        piece("a", 150, 99, 26.0),
        piece("1,204.50", 300, 100, 23.5),
        piece("1", 24, 92, 15.0),  # raised
        piece("12", 90, 140, 24.5),  # alone on its line
        piece("B", 150, 100, 60.0),  # an initial
    ]
    assert by_rows(words) == [24.0, 24.0, 24.0, 23.5, 15.0, 24.5, 60.0]


def test_words_whose_accents_hide_their_size_have_that_of_the_text_they_stand_in() -> None:
    def piece(text: str, left: float, baseline: float, size: float, stroke: float, *, sized: bool = True) -> SeenWord:
        box = Box(left, baseline - 0.7 * size, left + 50, baseline)
        return SeenWord(text, box, baseline, size, stroke, stroke, len(text), 0.9, sized=sized)

    words = [
        piece("Bahnhöfe", 0, 40, 27.0, 0.09, sized=False),  # the last word of a bold heading
        piece("Trains", 0, 10, 26.0, 0.09),
        piece("Petersen", 0, 64, 22.0, 0.06),
        piece("ergänzen", 60, 65, 18.0, 0.07, sized=False),  # beside the line before
        piece("Größe", 400, 64, 22.5, 0.06, sized=False),  # too far off: another column
        piece("É", 200, 65, 60.0, 0.06, sized=False),  # an initial
    ]
    assert [word.size for word in on_rows(words)] == [26.0, 26.0, 22.0, 22.0, 22.5, 60.0]


@pytest.mark.parametrize(
    ("text", "sized"),
    [("Hafen", True), ("rose", True), ("Größe", False), ("Élodie", False), ("1990).", False), ("Jahr", False)],
)
def test_accents_brackets_and_j_do_not_tell_a_size_by_themselves(text: str, sized: bool) -> None:
    picture = np.full((30, 150, 3), 255, np.uint8)
    picture[8:22, 10:140:4] = 0
    scores = np.full(len(text), 0.9, np.float32)
    line = ink_line(picture, Reading(text, np.linspace(0.1, 0.9, len(text), dtype=np.float32), scores))
    assert line is not None
    assert line.sized is sized
    assert 12 < line.size < 32


@given(st.floats(-40, 40), st.floats(60, 900), st.floats(8, 50), st.permutations(range(4)))
def test_corners_come_in_reading_order(angle: float, width: float, height: float, order: list[int]) -> None:
    turn = np.radians(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ rotation.T
    assert np.allclose(ordered(corners[order].astype(np.float32)), corners, atol=0.01)


@settings(max_examples=30)
@given(st.floats(-30, 30))
def test_a_line_is_cut_out_level(angle: float) -> None:
    picture = np.full((400, 400, 3), 255, np.uint8)
    turn = np.radians(angle)
    across, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    start = np.array([120.0, 180.0])
    corners = np.array([start, start + 160 * across, start + 160 * across + 20 * down, start + 20 * down], np.float32)
    x, y = (start + 80 * across + 10 * down).astype(int)
    picture[y - 2 : y + 3, x - 2 : x + 3] = 0
    line = line_picture(picture, corners)
    rows, columns = np.nonzero(line[..., 0] < 128)
    assert abs(rows.mean() - 10) < 1.5
    assert abs(columns.mean() - 80) < 1.5
    back = moved(from_line(corners), np.array([columns.mean(), rows.mean()]))
    assert np.allclose(back, (x, y), atol=1.5)


@pytest.mark.parametrize("scale", [1, 12])
def test_a_word_is_measured_at_its_ink_however_large(scale: int) -> None:
    picture = np.full((60 * scale, 200 * scale, 3), 230, np.uint8)
    for left in (40, 90, 140):  # three capital letters made of bars
        picture[15 * scale : 45 * scale, left * scale : (left + 8) * scale] = 20
    reading = Reading("HIH", np.array([0.22, 0.47, 0.72], np.float32), np.ones(3, np.float32))
    line = ink_line(picture, reading)
    assert line is not None
    (word,) = line.words
    found = np.array([word.left, word.top, word.right, word.bottom]) / scale
    assert found == pytest.approx([40, 15, 148, 45], abs=1.5)


def test_a_word_too_faint_to_be_measured_is_not_torn_at_its_wide_letters() -> None:
    picture = np.full((30, 150, 3), 240, np.uint8)
    picture[8:22, 10:140:4] = 230
    places = np.array([0.1, 0.3, 0.4, 0.5, 0.6, 0.65, 0.75, 0.95], np.float32)
    line = ink_line(picture, Reading("machine7", places, np.full(8, 0.9, np.float32)))
    assert line is not None
    (word,) = line.words
    assert word.text == "machine7"


def test_maps_apply_one_after_the_other() -> None:
    turn, shift = np.array([[0.0, -1, 10], [1, 0, 0]]), np.array([[1.0, 0, 3], [0, 1, 4]])
    assert np.allclose(moved(after(shift, turn), np.array([2.0, 5.0])), (8, 6))


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=("Cs", "Co", "Cn")), min_size=1, max_size=40))
def test_the_font_without_shapes_says_every_character(text: str) -> None:
    pdf = pikepdf.new()
    font = Glyphless(pdf)
    codes = font.encode(text)
    font.finish()
    meanings = {}
    for line in font.font.ToUnicode.read_bytes().decode("ascii").splitlines():
        if line.startswith("<") and "> <" in line and not line.startswith("<0000> <FFFF>"):
            code, meaning = line[1:-1].split("> <")
            meanings[bytes.fromhex(code)] = bytes.fromhex(meaning).decode("utf-16-be")
    assert "".join(meanings[codes[n : n + 2]] for n in range(0, len(codes), 2)) == text
