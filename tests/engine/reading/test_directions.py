"""Vertical writing, and text that was turned: read as words, in order, apart from what stands upright."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.lines import line_of
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.pdf.reader import Options
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks
from tests.engine.reading.sheets import written

LINE = "The survey of the northern harbours showed that most quays had been rebuilt in brick"
COLUMNS = [
    "北の港に大きな船が来ました船には百人の水夫が乗っ",
    "ていてみな遠い国の言葉を話していたそうです港の人",
    "々は驚いて丘の上から船を眺めていました",
]

Writes = Callable[[Sheet, str, float, float, float], None]
WAYS = pytest.mark.parametrize("write", [Sheet.down, Sheet.letters], ids=["vertical font", "letter by letter"])


def _flat(found: list[Block]) -> list[str]:
    return [flowed_text(block.lines) for block in found]


@WAYS
def test_vertical_columns_are_read_from_right_to_left(tmp_path: Path, write: Writes) -> None:
    """Whatever order they come in; the title is larger."""
    sheet = Sheet()
    for number, text in reversed(list(enumerate(COLUMNS))):
        write(sheet, text, 440 - 20 * number, 80, 12)
    write(sheet, "港の記録", 500, 80, 18)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert _flat(found) == ["港の記録", "".join(COLUMNS)]
    assert found[0].level == 1
    assert [line.quad.angle for line in found[1].lines] == [90, 90, 90]
    assert found[1].lines[0].spans[0].style.stacked
    box = found[1].lines[0].quad.box
    assert 430 < box.left < box.right < 450
    assert box.top == pytest.approx(80, abs=2)


@WAYS
def test_two_tiers_of_vertical_writing_are_read_one_after_the_other(tmp_path: Path, write: Writes) -> None:
    sheet = Sheet()
    for number in range(12):
        write(sheet, f"上段{'一二三四五六七八九十百千'[number]}行目の文章は長く続く", 500 - 20 * number, 80, 11)
        write(sheet, f"下段{'一二三四五六七八九十百千'[number]}行目の文章は長く続く", 500 - 20 * number, 440, 11)
    text = "".join(_flat(blocks(sheet.save(tmp_path / "a.pdf"))))
    order = [text.index(f"{tier}{n}行") for tier in ("上段", "下段") for n in "一二三四五六七八九十百千"]
    assert order == sorted(order)


def test_a_year_abreast_and_a_turned_word_stay_in_their_vertical_line(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, text in enumerate(COLUMNS):
        sheet.letters(text, 400 - 20 * number, 80, 12)
    sheet.letters("昭和", 440, 80, 12)
    sheet.put("12", 433, 80 + 12 * 2.88, 12)
    sheet.letters("年、", 440, 80 + 12 * 3, 12)
    sheet.put("Harbour", 436, 80 + 12 * 5.1, 12, angle=90)
    sheet.letters("の調査", 440, 80 + 12 * 5.2 + 44, 12)
    assert blocks(sheet.save(tmp_path / "a.pdf"))[0].text.split("\n")[0] == "昭和12年、Harbourの調査"


def test_the_page_number_of_a_vertical_page_is_none_of_its_text(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(20):
        sheet.down(COLUMNS[number % 2], 500 - 20 * number, 80, 12)
    sheet.put("17", 290, 815)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    assert [(block.kind, block.text) for block in found if block.kind != "text"] == [("number", "17")]


def test_a_vertical_label_beside_horizontal_text_is_a_text_of_its_own(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.letters("港湾調査", 50, 120, 12)
    for number in range(12):
        sheet.across("古い埠頭の多くは煉瓦で造り直されましたが新しいものはまだ木で造られ", 80, 130 + 18 * number)
    found = _flat(blocks(sheet.save(tmp_path / "a.pdf")))
    assert sorted(found, key=len) == [
        "港湾調査",
        "古い埠頭の多くは煉瓦で造り直されましたが新しいものはまだ木で造られ" * 12,
    ]


def test_short_cells_below_each_other_are_no_vertical_writing(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.grid([72, 200, 240, 280], [100, 118, 136, 154, 172])
    for row in range(4):
        sheet.across("埠頭の調査", 80, 114 + 18 * row)
        sheet.across("是", 215, 114 + 18 * row)
        sheet.across("否", 255, 114 + 18 * row)
    (block,) = blocks(sheet.save(tmp_path / "a.pdf"))
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (4, 3)
    assert {flowed_text(c.lines) for c in block.table.cells if c.column == 1} == {"是"}


@pytest.mark.parametrize("angle", [90, 270])
def test_a_label_at_the_side_does_not_break_into_lines(tmp_path: Path, angle: int) -> None:
    sheet = Sheet()
    for number in range(20):
        sheet.put(LINE, 80, 100 + 14 * number)
    sheet.put("Confidential draft of the harbour office", 50, 120 if angle == 90 else 360, angle=angle)
    text, label = blocks(sheet.save(tmp_path / "a.pdf"))
    assert (text.kind, flowed_text(text.lines)) == ("text", " ".join([LINE] * 20))
    assert (label.kind, label.text) == ("aside_text", "Confidential draft of the harbour office")
    assert label.quad.angle == angle


@pytest.mark.parametrize("angle", [90, 270])
def test_the_turned_head_of_a_ruled_table_is_read_as_words(tmp_path: Path, angle: int) -> None:
    sheet = Sheet()
    sheet.grid([72, 172, 202, 232], [100, 200, 218, 236, 254])
    sheet.put("Port", 80, 190, bold=True)
    for column, (first, second) in enumerate((("Ships that", "came in"), ("Cranes in", "good order"))):
        for line, text in enumerate((first, second) if angle == 270 else (second, first)):
            x = 172 + 30 * column + (13 if angle == 270 else 4) + 12 * line
            sheet.put(text, x, 195 if angle == 270 else 105, 10, angle=angle, bold=True)
    for row, cells in enumerate((("Kiel", "11", "4"), ("Oslo", "7", "2"), ("Bergen", "9", "3"))):
        for cell, x in zip(cells, (80, 180, 210), strict=True):
            sheet.put(cell, x, 214 + 18 * row)
    sheet.put(LINE, 72, 290)
    (block, _) = blocks(sheet.save(tmp_path / "a.pdf"))
    assert block.table is not None
    found = {(c.row, c.column): flowed_text(c.lines) for c in block.table.cells}
    assert found[0, 1] == "Ships that came in"
    assert found[0, 2] == "Cranes in good order"
    assert found[2, 1] == "7"


def test_a_turned_text_on_an_upright_page_is_read_like_any_other(tmp_path: Path) -> None:
    """Paragraphs and a table that read upwards, beside more text that is upright."""
    sheet = Sheet()
    for number in range(30):
        sheet.put(LINE[:44], 300, 100 + 14 * number)
    for number in range(6):
        sheet.put(LINE[:60], 60 + 14 * number, 500, angle=270)
    xs, ys = [160.0, 180, 200, 220], [300.0, 400, 500]
    sheet.grid(xs, ys)
    for row in range(3):
        sheet.put(f"Berth {row}", 174 + 20 * row, 490, 10, angle=270)
        sheet.put(f"{row * 7 + 3} ships", 174 + 20 * row, 390, 10, angle=270)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    table = next(block.table for block in found if block.table is not None)
    assert [flowed_text(c.lines) for c in table.cells] == [
        "Berth 0", "3 ships", "Berth 1", "10 ships", "Berth 2", "17 ships",
    ]  # fmt: skip
    assert " ".join([LINE[:60]] * 6) in _flat(found)
    assert " ".join([LINE[:44]] * 30) in _flat(found)


@pytest.mark.parametrize(("matrix", "turn"), [("-1 0 0 -1", 0), ("1 0 0 1", 180)])
def test_a_font_size_below_zero_turns_the_letters_round(matrix: str, turn: int, tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [[]])
    rows = ("Harbour survey of the northern quays", "All of them were rebuilt in brick")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        x, y, step = (72, 700, 1) if turn == 0 else (523, 142, -1)
        shown = [
            f"{matrix} {x + step * 70 * n} {y - step * 14 * row} Tm ({word} ) Tj"
            for row, text in enumerate(rows)
            for n, word in enumerate(text.split())
        ]
        page.Contents = pdf.make_stream(f"BT /R -11 Tf {' '.join(shown)} ET".encode())
        page.Rotate = turn
        pdf.save(path)
    assert [word for block in blocks(path) for word in block.text.split()] == " ".join(rows).split()


def test_without_layout_turned_text_is_there_too(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in range(3):
        sheet.put(LINE, 80, 100 + 14 * number)
    sheet.put("Draft", 50, 160, angle=270)
    assert "Draft" in [block.text for block in blocks(sheet.save(tmp_path / "a.pdf"), Options(layout=False))]


def test_a_line_of_any_letter_that_runs_right_to_left_does_so() -> None:
    """Unicode has more such scripts than Hebrew and Arabic, and new ones with every version."""
    letters = [letter for letter in map(chr, range(sys.maxunicode + 1)) if letter.isalpha() and is_rtl(letter)]
    lines = [line_of([Word(letter, 0.0, 0.0, 8.0, 10.0, 8.0, 10.0, Font())]) for letter in letters]
    assert len(lines) > 1_000
    assert [letter for letter, line in zip(letters, lines, strict=True) if not line.rtl] == []
