"""Labels with their values in blocks beside each other: the order of the page's content tells them from one table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from paperchute.engine.reading.layout import lines as text_lines
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import blocks

_PAY = [("Gross pay", "3,120.00"), ("Income tax", "412.80"), ("Pension scheme", "290.16"), ("Net pay", "2,417.04")]
_HOURS = [("Regular hours", "160.00"), ("Overtime", "12.50"), ("Night shifts", "31.00"), ("Sick leave", "8.00")]


def _rows(path: Path) -> list[list[str]]:
    """The rows of all tables."""
    found: list[list[str]] = []
    for block in blocks(path):
        if block.table:
            rows: list[list[str]] = [[] for _ in range(block.table.rows)]
            for cell in block.table.cells:
                rows[cell.row].append(" ".join(line.text for line in cell.lines))
            found += rows
    return found


def test_amounts_beside_each_other_stay_with_their_own_labels(tmp_path: Path) -> None:
    sheet = Sheet()
    for left, block in ((60, _PAY), (330, _HOURS)):
        for number, (label, value) in enumerate(block):
            sheet.put(label, left, 100 + 15 * number)
            sheet.put(value, left + 120, 100 + 15 * number)
    assert _rows(sheet.save(tmp_path / "a.pdf")) == [list(row) for row in (*_PAY, *_HOURS)]


def test_the_third_of_three_blocks_keeps_its_first_row_though_it_begins_higher(tmp_path: Path) -> None:
    sheet = Sheet()
    third = [("Leave left", "17.50"), *_HOURS[1:], ("Travel costs", "45.00")]
    for left, top, block in ((50, 115, _PAY), (230, 115, _HOURS), (410, 100, third)):
        for number, (label, value) in enumerate(block):
            sheet.put(label, left, top + 15 * number, 9)
            sheet.put(value, left + 90, top + 15 * number, 9)
    assert _rows(sheet.save(tmp_path / "a.pdf")) == [list(row) for row in (*_PAY, *_HOURS, *third)]


def test_what_was_written_row_by_row_stays_one_table(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, (first, second) in enumerate(zip(_PAY, _HOURS, strict=True)):
        for x, text in zip((60, 180, 330, 450), (*first, *second), strict=True):
            sheet.put(text, x, 100 + 15 * number)
    rows = [[*first, *second] for first, second in zip(_PAY, _HOURS, strict=True)]
    assert _rows(sheet.save(tmp_path / "a.pdf")) == rows


def test_labels_that_were_written_before_their_values_stay_with_them(tmp_path: Path) -> None:
    sheet = Sheet()
    for number, (label, _) in enumerate(_PAY):
        sheet.put(label, 60, 100 + 15 * number)
    for number, (_, value) in enumerate(_PAY):
        sheet.put(f"EUR {value}", 200, 100 + 15 * number)
        sheet.put("paid", 330, 100 + 15 * number)
    rows = [[label, f"EUR {value}", "paid"] for label, value in _PAY]
    assert _rows(sheet.save(tmp_path / "a.pdf")) == rows


def test_names_of_works_and_the_cast_beside_them_are_read_apart(tmp_path: Path) -> None:
    sheet = Sheet()
    works = [(who, work) for who in ("Haydn", "Purcell", "Field") for work in ("Sonata", "Evening Hymn", "Nocturne")]
    for number, (who, work) in enumerate(works):
        sheet.put(who, 60, 100 + 38 * number, bold=True)
        sheet.put(work, 60, 114 + 38 * number)
    cast = [("Director", "Olivia Brandt"), ("First Citizen", "E. R. Abbott"), ("Lighting", "Peter Patel")]
    cast += [("Sound", "Alice Hartley"), ("Stage manager", "Robert Okafor")]
    for number, (part, who) in enumerate(cast):
        sheet.put(part, 330, 100 + 17 * number)
        sheet.put(who, 430, 100 + 17 * number)
    assert _rows(sheet.save(tmp_path / "a.pdf")) == [list(row) for row in cast]


def test_labels_for_letters_hold_one_address_each(tmp_path: Path) -> None:
    people = [
        ["Ling Okafor", "Am Bach 180", "29720 Northfield"],
        ["Robert Patel", "Office 12", "Station Road 65", "17765 Celle"],
        ["James Brandt", "Dental practice", "Church Hill 177", "67456 Reims"],
        ["Daniel Abbott", "Kirchplatz 54", "2nd floor", "94297 Aachen"],
        ["Aisha Fischer", "Mill Lane 9", "78586 Reims"],
        ["Peter Hartley", "c/o Winter", "Quai Sud 7", "99538 Whitby"],
    ]
    sheet = Sheet()
    for number, lines in enumerate(people):
        for step, line in enumerate(lines):
            sheet.put(line, 60 + 165 * (number % 3), 100 + 80 * (number // 3) + 13 * step)
    texts = [" ".join(lines) for lines in people]
    path = sheet.save(tmp_path / "a.pdf")
    assert _rows(path) == [texts[:3], texts[3:]]
    cells = [cell for block in blocks(path) if block.table for cell in block.table.cells]
    assert all(line.ends == "hard" for cell in cells for line in cell.lines[:-1])


def test_columns_of_text_in_rows_of_boxes_are_no_table(tmp_path: Path) -> None:
    sheet = Sheet()
    words = [
        "the older quays",
        "of the northern",
        "harbours had been",
        "rebuilt in brick while",
        "newer ones were made",
    ]
    for number in range(4):
        for step in range(5):
            text = f"{words[step]} {words[(step + 2) % 5]}"
            sheet.put(text, 60 + 250 * (number % 2), 100 + 90 * (number // 2) + 13 * step)
    assert _rows(sheet.save(tmp_path / "a.pdf")) == []


@pytest.mark.parametrize("middle", [True, False])
def test_heads_of_several_lines_stand_over_their_own_figures(tmp_path: Path, middle: bool) -> None:
    heads = [["Region"], ["Coastal towns", "and harbours"], ["Mills"], ["Observed", "river gauges", "in winter"]]
    rows = [["Bern", "676.7", "242.8", "509.8"], ["Reims", "728.1", "8.8", "267.9"], ["Celle", "75.0", "62.4", "21.8"]]
    sheet = Sheet()
    for column, lines in enumerate(heads):
        for step, line in enumerate(lines):
            top = 100 + (6.5 * (3 - len(lines)) if middle else 0)
            sheet.put(line, 60 + 110 * column, top + 13 * step)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            sheet.put(text, 60 + 110 * column + 40 * (column > 0), 145 + 15 * number)
    expected = [[" ".join(lines) for lines in heads], *rows]
    assert _rows(sheet.save(tmp_path / "a.pdf")) == expected


def _texts(path: Path) -> str:
    return " ".join(" ".join(line.text for line in block.lines) for block in blocks(path) if not block.table)


def test_cards_beside_each_other_are_read_one_after_the_other(tmp_path: Path) -> None:
    cards = [
        ("Basic", ["5.00 / month", "One folder", "Mail help"]),
        ("Team", ["19.00 / month", "Nine folders", "Phone help", "Own rules", "Audit log"]),
        ("Business", ["49.00 / month", "Any folders", "Phone help", "Own rules"]),
    ]
    sheet = Sheet()
    for column, (name, lines) in enumerate(cards):
        sheet.put(name, 60 + 165 * column, 100, 16, bold=True)
        for step, line in enumerate(lines):
            sheet.put(line, 60 + 165 * column, 124 + 14 * step)
    path = sheet.save(tmp_path / "a.pdf")
    assert _rows(path) == []
    assert _texts(path) == " ".join(f"{name} {' '.join(lines)}" for name, lines in cards)


def test_a_receipt_and_what_stands_beside_it_are_read_apart(tmp_path: Path) -> None:
    receipt = ["Receipt", "Account", "CH95 6610 3906", "Tomas Patel", "7923 Ashbourne", "Payable by", "Ada Morales"]
    right = ["Account", "CH95 6610 3906", "Tomas Patel", "7923 Ashbourne", "Reference", "16135 29518", "35045"]
    sheet = Sheet()
    for step, line in enumerate(receipt):
        sheet.put(line, 60, 100 + 12.5 * step, 9)
    sheet.put("Payment part", 240, 100, 9)
    for left, label, value in ((240, "Currency", "CHF"), (300, "Amount", "693.68")):
        sheet.put(label, left, 164, 6.5)
        sheet.put(value, left, 175, 9)
    for step, line in enumerate(right):
        sheet.put(line, 400, 104 + 13.5 * step, 9)
    path = sheet.save(tmp_path / "a.pdf")
    assert _rows(path) == [["Currency", "Amount"], ["CHF", "693.68"]]
    assert _texts(path) == " ".join([*receipt, "Payment part", *right])


@pytest.mark.parametrize("line", ["_" * 20, "." * 40])
def test_names_under_lines_to_sign_on_keep_their_offices(line: str, tmp_path: Path) -> None:
    people = [("Frieda Abbott", "Chair"), ("Emil Moor", "Secretary"), ("Ada Lund", "Treasurer")]
    sheet = Sheet()
    sheet.put("Nothing else was brought before the meeting, which was closed at nine.", 60, 100)
    for left, person in zip((60, 220, 380), people, strict=True):
        for number, text in enumerate((line, *person)):
            sheet.put(text, left, 160 + 14 * number)
    found = " ".join(" ".join(block.text.split()) for block in blocks(sheet.save(tmp_path / "a.pdf")))
    signed = found.split("nine.")[1].replace(line, "").split()
    assert signed == [word for person in people for text in person for word in text.split()]


@pytest.mark.parametrize(
    "towns",
    [("24103 Kiel", "8010 Graz"), ("Springfield, IL 62701", "Boston, MA 02108"), ("Leeds LS1 4AP", "Toronto M5V 2T6")],
)
def test_addresses_of_different_length_beside_each_other_are_read_to_their_ends(
    towns: tuple[str, str], tmp_path: Path
) -> None:
    left = ["E. R. Vaughan", "Quays", "12 Mill Lane", towns[0]]
    right = ["M. J. Hartley", "Moor", "Purchasing", "4 Elm Road", towns[1]]
    sheet = Sheet()
    for x, lines in ((60, left), (330, right)):
        for number, line in enumerate(lines):
            sheet.put(line, x, 100 + 14 * number)
    sheet.put("Nothing else was agreed on, and the goods are to be sent for before the summer ends.", 60, 220)
    found = " ".join(" ".join(block.text.split()) for block in blocks(sheet.save(tmp_path / "a.pdf")))
    assert found.startswith(" ".join([*left, *right])), found


def test_cells_of_text_stay_apart_where_one_line_nearly_touches_the_next_cell(tmp_path: Path) -> None:
    """As Calc prints them, in rows that are higher than what stands in them."""
    rows = (
        (
            ["Training"],
            ["In the northern districts", "layers account for stations."],
            ["Migrating birds and these", "are limited."],
        ),
        (
            ["Cooling towers"],
            ["The measurements and", "these coefficients confirm", "public libraries for all but two", "stations."],
            [
                "Neither the layers nor",
                "railway stations respond",
                "to supply contracts. This",
                "is in the next section.",
            ],
        ),
        (
            ["Upper bounds"],
            ["Of the 113 cases, 19 were", "excluded because of these."],
            ["Observed frequencies", "are consistent."],
        ),
    )
    sheet, top = Sheet(), 100.0
    for cells in rows:
        for left, lines in zip((50, 140, 283), cells, strict=True):
            for number, line in enumerate(lines):
                sheet.put(line, left, top + 13 * number)
        top += 13 * max(map(len, cells)) + 44
    assert _rows(sheet.save(tmp_path / "a.pdf")) == [[" ".join(lines) for lines in cells] for cells in rows]


def test_of_a_long_column_only_the_lines_around_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns of tiny type that nearly touch, as a hostile page has them by the thousand."""
    asked = Counter[str]()
    under = text_lines._is_under
    monkeypatch.setattr(text_lines, "_is_under", lambda one, other: asked.update(["calls"]) or under(one, other))
    sheet, count = Sheet(), 300
    for left in (72.0, 81.2):
        for number in range(count):
            sheet.put("abc def", left, 60 + 2.4 * number, size=2.7)
    assert blocks(sheet.save(tmp_path / "a.pdf"))
    assert 0 < asked["calls"] <= 2 * count * 2 * TYPOGRAPHY.several


@pytest.mark.parametrize(
    "marks", [("****", "**", "*****", "***"), ("++", "+++", "++", "+++"), ("--", "---", "--", "--")]
)
def test_marks_of_how_well_are_cells_of_their_own_and_no_bullets(marks: tuple[str, ...], tmp_path: Path) -> None:
    """A grid of skills, of which each row is written cell by cell."""
    sheet = Sheet()
    skills = [("Statics", "Bridges"), ("Survey", "Dredging"), ("French", "Locks"), ("Planning", "Cranes")]
    rows = [[a, marks[n], b, marks[n - 1]] for n, (a, b) in enumerate(skills)]
    for number, row in enumerate(rows):
        for x, text in zip((60, 130, 164, 230), row, strict=True):
            sheet.put(text, x, 100 + 20 * number)
    assert _rows(sheet.save(tmp_path / "a.pdf")) == rows
