"""What is ticked on a form is read, though it is drawn; squares of other use stay what they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks, markdown


def _crossed(sheet: Sheet, x: float, y: float, side: float = 10) -> None:
    sheet.square(x, y, side)
    sheet.line(x, y, x + side, y + side)
    sheet.line(x, y + side, x + side, y)


def _checked(sheet: Sheet, x: float, y: float) -> None:
    """A tick that stands out of its square above."""
    sheet.square(x, y)
    sheet.line(x + 2, y + 5, x + 4, y + 9)
    sheet.line(x + 4, y + 9, x + 12, y - 3)


def _form() -> Sheet:
    sheet = Sheet()
    sheet.put("Criminal charges were filed in this matter before the end of the year:", 60, 80)
    _crossed(sheet, 60, 101)
    sheet.put("Yes", 75, 110)
    sheet.square(110, 101)
    sheet.put("No", 125, 110)
    sheet.put("Residence at the time of the incident:", 60, 140)
    sheet.square(262, 131)
    sheet.put("at home", 277, 140)
    _checked(sheet, 332, 131)
    sheet.put("elsewhere", 347, 140)
    sheet.put("Interpreter needed", 60, 170)
    _crossed(sheet, 160, 161, 9)
    return sheet


def test_each_box_stands_before_its_word_ticked_or_not(tmp_path: Path) -> None:
    text = " ".join(markdown(_form().save(tmp_path / "a.pdf"), tmp_path / "out").split())
    assert "☒ Yes ☐ No" in text
    assert "☐ at home ☒ elsewhere" in text
    assert "Interpreter needed ☒" in text


def _done(operation: str, path: Path, folder: Path) -> Path:
    folder.mkdir()
    return implementation(operation).run(Work(operation, (Source("file", path, path.name, "pdf"),), {}, folder))[0]


def test_word_and_web_pages_have_them(tmp_path: Path) -> None:
    path = _form().save(tmp_path / "a.pdf")
    web, word = (_done(operation, path, tmp_path / operation) for operation in ("pdf-to-html", "pdf-to-docx"))
    with zipfile.ZipFile(word) as parts:
        written = parts.read("word/document.xml").decode()
    for text in (web.read_text("utf-8"), written):
        assert (text.count("☒"), text.count("☐")) == (3, 2)


def test_a_cross_that_is_text_ticks_its_box(tmp_path: Path) -> None:
    sheet = Sheet()
    for n, (tick, word) in enumerate((("X", "Male"), ("", "Female"), ("x", "Other"))):
        sheet.square(60, 100 + 20 * n)
        sheet.put(tick, 61.5, 109 + 20 * n, 10)
        sheet.put(word, 75, 109 + 20 * n)
    text = markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")
    assert text.splitlines() == ["- [x] Male", "- [ ] Female", "- [x] Other"]


def test_combs_for_letters_and_cells_of_tables_are_no_tick_boxes(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("Date of birth", 60, 110)
    for n, digit in enumerate("03121968"):
        sheet.square(140 + 12 * n, 100, 12)
        sheet.put(digit, 143 + 12 * n, 109.5, 9)
    sheet.grid([60, 72, 84, 200], [200, 212, 224, 236])
    for n, name in enumerate(("Kiel", "Oslo", "Riga")):
        sheet.put(name, 90, 209 + 12 * n, 9)
    text = markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")
    assert "☐" not in text
    assert "☒" not in text


def test_squares_without_a_word_beside_them_and_large_ones_are_drawings(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("A place for the stamp of the office is on the right of this line.", 60, 100)
    sheet.square(450, 90, 60)
    sheet.square(60, 300)
    assert "☐" not in "".join(block.text for block in blocks(sheet.save(tmp_path / "a.pdf")))


@pytest.mark.parametrize(("side", "box"), [(0.8, "☐"), (4.0, "☒"), (7.0, "☒"), (9.4, "☐")])
def test_a_filled_mark_ticks_its_box_and_a_speck_or_ground_does_not(side: float, box: str, tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("One of the two is to be chosen before the form is sent to the office:", 60, 80)
    sheet.square(60, 101)
    sheet.filled(65 - side / 2, 106 - side / 2, side)
    sheet.put("Yes", 75, 110)
    assert f"{box} Yes" in " ".join(block.text for block in blocks(sheet.save(tmp_path / "a.pdf")))


def test_the_leader_of_a_label_is_no_tick_box(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("other 5 %", 60, 110)
    sheet.path((108, 106), (113, 106), (120, 118))
    assert "☐" not in "".join(block.text for block in blocks(sheet.save(tmp_path / "a.pdf")))


def test_tick_boxes_before_lines_are_the_markers_of_a_list(tmp_path: Path) -> None:
    sheet = Sheet()
    steps = ("Tighten all screws crosswise by hand", "Check that the gauge stays green", "Put the lid back on")
    for number, (step, draw) in enumerate(zip(steps, (Sheet.square, _crossed, Sheet.square), strict=True)):
        draw(sheet, 60, 101 + 20 * number)
        sheet.put(step, 80, 110 + 20 * number)
    text = markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")
    assert text.splitlines() == [f"- [{'x' if number == 1 else ' '}] {step}" for number, step in enumerate(steps)]
