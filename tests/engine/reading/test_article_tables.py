"""Tables as journals print them: between rules of one width, with captions, groups and heads over several columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Font, PageMarks, Picture, Word
from paperchute.engine.reading.layout.tables.charted import measure_chart
from tests.engine.reading.candidates import found_by
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, markdown, printed
from tests.engine.reading.test_tables import grids

SIZE = 9


def put_rows(sheet: Sheet, xs: Sequence[float], y: float, rows: Sequence[Sequence[str]]) -> float:
    """Rows of cells at `xs`, from the baseline `y` on; what comes back is the last one's."""
    for number, row in enumerate(rows):
        for x, text in zip(xs, row, strict=False):
            if text:
                sheet.put(text, x, y + 13 * number, SIZE)
    return y + 13 * (len(rows) - 1)


def test_a_caption_parts_tables_between_rules_of_one_width(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put("Journal of Examples, 2021", 72, 48, SIZE)
    sheet.line(72, 56, 420, 56)
    y = 80.0
    columns = [(72, 180, 280, 360), (72, 150, 230)]
    tables = [
        [["Event", "First", "Second", "Third"], *([f"E{n}", f"{n}.5", f"{n}1", f"{n}.7"] for n in range(1, 6))],
        [["Part", "Mean", "Range"], *([f"Q{n}", f"{n}2.5", f"{n}3"] for n in range(1, 5))],
    ]
    for number, (xs, rows) in enumerate(zip(columns, tables, strict=True), start=1):
        sheet.put(f"Table {number}. What was counted", 72, y, SIZE)
        sheet.line(72, y + 8, 420, y + 8)
        put_rows(sheet, xs, y + 20, rows[:1])
        sheet.line(72, y + 26, 420, y + 26)
        y = put_rows(sheet, xs, y + 38, rows[1:])
        sheet.line(72, y + 6, 420, y + 6)
        y += 30
    assert grids(sheet.save(tmp_path / "a.pdf")) == tables


def between_rules(
    path: Path, xs: Sequence[float], heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]
) -> Path:
    """A table with a rule over its head, under it and at its end."""
    sheet = Sheet()
    sheet.line(72, 80, 420, 80)
    y = put_rows(sheet, xs, 93, heads)
    sheet.line(72, y + 6, 420, y + 6)
    y = put_rows(sheet, xs, y + 19, rows)
    sheet.line(72, y + 6, 420, y + 6)
    return sheet.save(path)


def test_rows_with_numbers_and_figures_are_a_table(tmp_path: Path) -> None:
    heads = [["Peak", "Constituent", "Index", "Share"]]
    rows = [[f"({n})", f"Compound {chr(64 + n)}", f"9{n}4", f"{n}.1"] for n in range(1, 9)]
    assert grids(between_rules(tmp_path / "a.pdf", (75, 130, 260, 340), heads, rows)) == [heads + rows]


def test_a_numbered_list_between_rules_is_none(tmp_path: Path) -> None:
    rows = [[f"({n})", f"Switch the machine off and wait for {n} minutes"] for n in range(1, 9)]
    assert grids(between_rules(tmp_path / "a.pdf", (75, 110), [["In this order"]], rows)) == []


def test_marks_in_steps_are_rows_of_their_own(tmp_path: Path) -> None:
    xs = (75, 200, 270, 340)
    rows = [[f"Task {n}", *("X" if n // 3 == k else "" for k in range(3))] for n in range(9)]
    sheet = Sheet()
    for y in (80, 99, 220, 240):
        sheet.line(72, y, 420, y)
    put_rows(sheet, xs, 93, [["", "Visit 1", "Visit 2", "Visit 3"]])
    put_rows(sheet, xs, 112, rows)
    put_rows(sheet, (75,), 233, [["X: to be done"]])
    ((_, *found),) = grids(sheet.save(tmp_path / "a.pdf"))
    assert found[:9] == rows


@pytest.mark.parametrize("label_at", [107, 99.5])  # on the lower line of the head, between both
def test_a_head_over_several_columns_hides_none_of_them(label_at: float, tmp_path: Path) -> None:
    sheet = Sheet()
    xs = (160, 205, 250, 295, 340)
    for y in (80, 112, 128):
        sheet.line(72, y, 420, y)
    sheet.put("Concentration in milligrams per litre", 180, 92, SIZE)
    sheet.put("Species", 75, label_at, SIZE)
    put_rows(sheet, xs, 107, [["5", "1", "0.75", "0.5", "0.25"]])
    put_rows(sheet, (75, *xs), 123, [["Mentha", "79.9", "54.9", "53.0", "47.2", "47.6"]])
    ((over, under, body),) = grids(sheet.save(tmp_path / "a.pdf"))
    assert over[1] == "Concentration in milligrams per litre"
    assert [a or b for a, b in zip(over[:1], under, strict=False)] + under[1:] == [
        "Species",
        "5",
        "1",
        "0.75",
        "0.5",
        "0.25",
    ]
    assert body == ["Mentha", "79.9", "54.9", "53.0", "47.2", "47.6"]


GROUPS = [
    [["Stage, n", "", "", "0.771"], ["pT0", "12", "10", ""], ["pT2", "41", "43", ""]],
    [["Rate, n (%)", "21 (31.82)", "13 (20.31)", "0.136"]],
    [
        ["Score, n (%)", "", "", "0.675"],
        ["low", "10 (15.16)", "10 (15.62)", ""],
        ["high", "16 (24.2)", "19 (29.6)", ""],
    ],
]


def drawn(path: Path, groups: Sequence[Sequence[Sequence[str]]], indent: float = 6) -> Path:
    """A grid with a drawn row for each group, whose lines but the first are indented in the first column."""
    sheet = Sheet()
    xs, y, ys = [72.0, 172, 252, 332, 400], 80.0, [80.0, 98.0]
    put_rows(sheet, [x + 4 for x in xs], 93, [["", "Group A", "Group B", "P"]])
    y = 98.0
    for group in groups:
        for number, row in enumerate(group):
            put_rows(
                sheet, [xs[0] + 4 + (indent if number else 0), *(x + 4 for x in xs[1:])], y + 12 + 12 * number, [row]
            )
        y += 12 * len(group) + 6
        ys.append(y)
    sheet.grid(xs, ys)
    return sheet.save(path)


def test_the_entries_of_a_drawn_group_are_rows(tmp_path: Path) -> None:
    unit = [["Creatinine", "1.2", "1.3", "0.801"], ["(mg per litre)", "", "", ""]]
    ((_, *found, last),) = grids(drawn(tmp_path / "a.pdf", [*GROUPS, unit]))
    assert found == [row for group in GROUPS for row in group]
    assert last == ["Creatinine (mg per litre)", "1.2", "1.3", "0.801"]


@pytest.mark.parametrize(
    "lines",
    [
        [["Mean (range)", "58.7", "60.8", "0.30"], ["", "(41-79)", "(39-80)", ""]],  # a figure goes on in brackets
        [["Oak table, with", "100.00", "200.00", ""], ["four legs", "-10.00", "-20.00", ""]],  # an amount taken off
        [["Oak table with four", "12", "100.00", ""], ["legs, very heavy", "", "", ""]],
    ],
)
def test_lines_of_one_drawn_row_stay_one(lines: list[list[str]], tmp_path: Path) -> None:
    ((_, *found),) = grids(drawn(tmp_path / "a.pdf", [lines] * 3, indent=0))
    assert len(found) == 3


def test_text_in_a_frame_is_no_table(tmp_path: Path) -> None:
    sheet = Sheet()
    for y in (100, 180):
        sheet.line(72, y, 520, y)
    put_rows(sheet, (76, 440), 115, [["Journal of Quays", "Quaypress"]])
    put_rows(sheet, (76,), 174, [["Send your manuscript here: quays.example.org"]])
    columns = (
        [
            "The journal is an international one, read",
            "by people who want to know what others",
            "have found, and open to all of them.",
        ],
        [
            "Manuscripts are taken by a system that",
            "is easy to use and lets you see where",
            "yours is, from the first day on.",
        ],
    )
    for x, lines in zip((76, 310), columns, strict=True):
        put_rows(sheet, (x,), 135, [[line] for line in lines])
    assert grids(sheet.save(tmp_path / "a.pdf")) == []


def scale(*, falling: bool, heads: bool) -> PageMarks:
    """Two columns of even numbers beside each other, as the scales of two charts, or as a table of doses."""
    numbers = range(0, 80, 10)
    words = []
    for row, number in enumerate(reversed(numbers) if falling else numbers):
        words += [word(str(number), x, 100 + 20 * row) for x in (100, 300)]
    if heads:
        words += [word("Dose", 100, 80), word("Effect", 300, 80)]
    return PageMarks(1, 595, 842, words=words)


def word(text: str, x: float, y: float) -> Word:
    return Word(text, x, y - 7, x + 5 * len(text), y + 2, y, SIZE, Font("Helvetica"))


@pytest.mark.parametrize(("label", "tables"), [("{}.", 0), ("Quay {}", 1)])
def test_references_beside_another_column_are_no_table(label: str, tables: int) -> None:
    words = []
    for item in range(4):
        words.append(word(label.format(item + 1), 72, 100 + 39 * item))
        for line, text in enumerate(["Baker A, Cook B. A study", "of ports, Quays. 2001;", "12:34-56."]):
            words += [word(text, x, 100 + 39 * item + 13 * line) for x in (120, 310)]
    assert len(list(found_by("text", words))) == tables


@pytest.mark.parametrize(
    ("falling", "heads", "chart"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_scales_that_fall_beside_each_other_are_a_charts(falling: bool, heads: bool, chart: bool) -> None:
    marks = scale(falling=falling, heads=heads)
    assert len(found_by("alignment", marks.words)) == (not chart)


def test_a_table_in_a_picture_is_one_and_a_scale_there_is_none() -> None:
    marks = scale(falling=False, heads=False)
    (table,) = found_by("alignment", marks.words)
    marks.pictures, marks.has_insets = [Picture(Box(50, 50, 400, 300), 1)], True
    assert measure_chart(table, marks)
    for number, own in enumerate(marks.words):
        own.text = f"{number * number % 17}.5"
    assert not measure_chart(table, marks)


@pytest.mark.parametrize("line", ["Table 1: Continued.", "Table 1 (continued)", "Table 1. Cont."])
def test_a_line_that_says_that_a_table_goes_on_does_not_part_it(line: str, tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Quay {n}</td><td>{n}.5</td><td>19{n}</td></tr>" for n in range(10, 13))
    table = f"<table border=1><tr><th>Name</th><th>Length</th><th>Year</th></tr>{rows}</table>"
    again = f"<p style='page-break-before: always'>{line}</p>{table.replace('Quay', 'Pier')}"
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><p>Table 1: Quays.</p>{table}{again}<p>{LOREM}</p>")
    text = markdown(path, tmp_path / "out")
    assert text.count("Name") == text.count(line.replace("(", "").split()[0] + " 1: Quays.") == 1
    assert text.index("Quay 12") < text.index("Pier 10") < text.index("1" + line.split("1")[1])
