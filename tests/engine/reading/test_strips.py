"""What is read before columns are looked for: mastheads, panels side by side, strips with other columns; initials."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.engine.reading.layout.lines import line_of
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.strips import strips
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, printed


def at(left: int, top: int, width: int, content: str, style: str = "") -> str:
    return f"<div style='position:absolute;left:{left}pt;top:{top}pt;width:{width}pt;{style}'>{content}</div>"


NO_MARGINS = "@page{margin:0} body{margin:0}"


def texts(path: Path) -> list[str]:
    return [" ".join(block.text.split()) for block in blocks(path) if block.lines]


def test_small_lines_beside_a_name_in_large_type_are_read_apart_from_it(tmp_path: Path) -> None:
    small = "font-size:8pt"
    head = at(40, 40, 60, "Vol. 3<br>No. 14", small) + at(110, 40, 360, "The Harbour Post", "font-size:30pt")
    head += at(480, 40, 80, "21 May 2024<br>Price 2.50", small)
    found = texts(printed(tmp_path / "a.pdf", head + at(40, 120, 500, LOREM * 3), NO_MARGINS))
    assert found[:3] == ["Vol. 3 No. 14", "The Harbour Post", "21 May 2024 Price 2.50"]


def test_a_side_bar_beside_a_name_is_no_part_of_its_head(tmp_path: Path) -> None:
    bar = "<br>".join(f"{word} Mill Lane" for word in ("One", "Two", "Three", "Four", "Five", "Six"))
    page = at(40, 40, 120, bar) + at(200, 40, 340, "Mira Okafor", "font-size:24pt") + at(200, 90, 340, LOREM * 2)
    found = texts(printed(tmp_path / "a.pdf", page, NO_MARGINS))
    assert found.index("Mira Okafor") not in (0, 1) or found[0].endswith("Six Mill Lane")


def test_what_stands_in_a_panel_is_read_to_its_end(tmp_path: Path) -> None:
    """The rows of two cards stand level, as those of a table do."""
    cards = [[f"{name} {n}" for n in ("one", "two", "three", "four")] for name in ("Left", "Right")]
    page = "".join(
        at(40 + 260 * n, 100, 230, "<br>".join(card), "background:#dde6ee;padding:8pt") for n, card in enumerate(cards)
    )
    found = " ".join(texts(printed(tmp_path / "a.pdf", at(40, 40, 500, LOREM) + page, NO_MARGINS)))
    assert " ".join(cards[0]) in found
    assert " ".join(cards[1]) in found


def piece(left: float, right: float, top: float, size: float = 10.0) -> Piece:
    word = Word("x" * int((right - left) / 5), left, top, right, top + size, top + 0.8 * size, size, Font())
    line = line_of([word])
    return Piece(line.box, line)


def _columns(top: float, rows: int, edges: list[tuple[float, float]]) -> list[Piece]:
    return [piece(left, right, top + 12 * row) for row in range(rows) for left, right in edges]


TWO = [(40.0, 290.0), (310.0, 560.0)]
THREE = [(40.0, 200.0), (220.0, 380.0), (400.0, 560.0)]


def test_strips_of_two_and_of_three_columns_are_parted_with_their_headings() -> None:
    heading = piece(40, 180, 200, 15)
    found = strips([*_columns(100, 7, TWO), heading, *_columns(222, 7, THREE)])
    assert [len(band) for band in found] == [1, 1]
    assert [len(band[0]) for band in found] == [14, 22]
    assert heading in found[1][0]


@pytest.mark.parametrize("rows", [7, 30])
def test_columns_of_one_text_are_one_strip(rows: int) -> None:
    assert strips(_columns(100, rows, TWO)) == []


def test_the_page_is_parted_where_nothing_reaches_over() -> None:
    """A wide line beside which the columns above go on is theirs."""
    found = strips([*_columns(100, 7, TWO), piece(40, 400, 178), *_columns(188, 7, THREE)])
    assert [len(band[0]) for band in found] == [15, 21]


def test_rows_of_short_cells_are_no_strips_of_text() -> None:
    cells = [(40.0, 80.0), (200.0, 240.0)]
    assert strips([*_columns(100, 7, cells), *_columns(200, 7, [(40.0, 80.0), (120.0, 160.0)])]) == []


def test_a_dropped_initial_begins_its_paragraph(tmp_path: Path) -> None:
    sheet = Sheet()
    beside = ["ith care the posts of the quay are counted each spring,", "and again when the ice has left the harbour"]
    beside.append("mouth, since some of them do not last the winter.")
    sheet.put("W", 72, 525, 40)
    for number, text in enumerate(beside):
        sheet.put(text, 114, 500 + 13 * number, 10.6)
    for number in range(3):
        sheet.put("Under it the text goes on over all of its column, line for line.", 72, 539 + 13 * number, 10.6)
    found = blocks(sheet.save(tmp_path / "a.pdf"))
    (block,) = [block for block in found if "counted" in block.text]
    assert block.text.startswith("With care the posts")
    assert block.initial == 3
    assert "Under it" in block.text
