"""Tables of office documents without walls: statements of account, price lists, mark schemes, programmes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from paperchute.engine.reading.layout.line_numbers import take_line_numbers
from paperchute.engine.reading.layout.lines import around
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.grid import FoundCell, FoundTable, rated
from tests.engine.reading.candidates import found_by

SIZE = 10.0
Place = tuple[str, float]


def said(y: float, *cells: Place, size: float = SIZE) -> list[Word]:
    """Words on a baseline, cell by cell: what it says and where it begins; at a negative place it ends instead."""
    words: list[Word] = []
    for text, x in cells:
        left = x if x >= 0 else -x - 0.5 * size * len(text)
        for word in text.split():
            right = left + 0.5 * size * len(word)
            words.append(Word(word, left, y - 0.8 * size, right, y + 0.2 * size, y, size, Font()))
            left = right + 0.28 * size
    return words


def rows_of(table: FoundTable) -> list[list[str]]:
    """The texts of a table's cells, row by row."""
    rows = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = " ".join(word.text for word in cell.words)
    return rows


def test_debits_and_credits_that_take_turns_are_two_columns_of_one_table() -> None:
    head = [("Date", 50.0), ("Text", 120.0), ("Debit", -400.0), ("Credit", -480.0)]
    lines = [said(100, *head)]
    expected = [["Date", "Text", "Debit", "Credit"]]
    for number, sides in enumerate((480, 480, 400, 400, 400, 480, 480, 400)):
        amount = f"{number + 1},250.00"
        lines.append(said(115 + 15 * number, (f"0{number + 1}.03.", 50), ("Transfer", 120), (amount, -sides)))
        expected.append([f"0{number + 1}.03.", "Transfer", *((amount, "") if sides == 400 else ("", amount))])
    tables = found_by("figures", [word for line in lines for word in line])
    assert [rows_of(table) for table in tables] == [expected]


def test_two_tables_whose_figures_stand_elsewhere_stay_two() -> None:
    first = [said(100 + 12 * n, (f"Item{n}", 50), (f"{n}1.50", -300), (f"{n}7.10", -360)) for n in range(4)]
    second = [said(154 + 12 * n, (f"Stock{n}", 50), (f"{n}2", -220), (f"{n}3", -260)) for n in range(4)]
    tables = found_by("figures", [word for line in (*first, *second) for word in line])
    assert [table.rows for table in tables] == [4, 4]


@pytest.mark.parametrize("tight", [0, 2])
def test_a_row_whose_label_reaches_close_to_the_figures_stays_in_its_table(tight: int) -> None:
    labels = ["Rent", "Heat", "Insurance and tax", "Water", "Power"]
    labels[tight], labels[2] = labels[2], labels[tight]
    lines = [said(100 + 14 * n, (text, 50), (f"{n}23.50", -167), (f"{n}9.10", -194)) for n, text in enumerate(labels)]
    tables = found_by("figures", [word for line in lines for word in line])
    assert [[row[0] for row in rows_of(table)] for table in tables] == [labels]


def test_a_head_set_close_stands_over_its_columns_and_over_the_title_of_the_first_group() -> None:
    lines = [said(100, ("No.", 50), ("Article", 73), ("Unit", 115), ("Price", -167)), said(114, ("Finest valves", 50))]
    lines += [said(128 + 14 * n, (f"{n}10", 50), ("Valve", 73), ("pc", 115), (f"{n}1.50", -167)) for n in range(1, 5)]
    (table,) = found_by("figures", [word for line in lines for word in line])
    assert [cell for row in rows_of(table)[:2] for cell in row if cell] == [
        *("No.", "Article", "Unit", "Price"),
        "Finest valves",
    ]


def test_the_head_of_differences_is_a_row_of_its_own() -> None:
    lines = [said(100, ("Team", 50), ("Goals", -200), ("+/-", -260), ("Points", -320))]
    lines += [
        said(115 + 15 * n, (f"Town {n}", 50), (f"{n}3:12", -200), ("-9", -260), (f"{n}0", -320)) for n in range(1, 6)
    ]
    (table,) = found_by("figures", [word for line in lines for word in line])
    assert rows_of(table)[:2] == [["Team", "Goals", "+/-", "Points"], ["Town 1", "13:12", "-9", "10"]]


LONG = "Name the parts of the valve and say which of them wear out"
"""A line of an answer."""


def test_labels_and_marks_centred_beside_long_answers_stand_in_their_rows() -> None:
    y, lines, expected = 100.0, [], []
    for number, (count, marks) in enumerate(zip((1, 2, 1, 2, 3, 1), "314152", strict=True), start=1):
        lines += [said(y + 12 * line, (LONG, 100)) for line in range(count)]
        lines.append(said(y + 6 * (count - 1), (f"{number}(a)", 50), (marks, -480)))
        expected.append([f"{number}(a)", " ".join([LONG] * count), marks])
        y += 12 * count + 4
    tables = found_by("figures", [word for line in lines for word in line])
    assert [rows_of(table) for table in tables] == [expected]


def test_quantities_with_their_units_close_behind_are_rows_whatever_the_texts_are_long() -> None:
    y, lines, expected = 100.0, [], []
    for number, (quantity, unit) in enumerate([("141", "m"), ("12", "set"), ("8", "kg"), ("27", "set"), ("5", "kg")]):
        text = LONG if number % 2 else f"{LONG}|and how often"
        lines.append(said(y, (f"{number + 1}", 50), (text.split("|")[0], 80), (quantity, -480), (unit, 484.5)))
        for more in text.split("|")[1:]:
            y += 12
            lines.append(said(y, (more, 80)))
        expected.append([f"{number + 1}", text.replace("|", " "), quantity, unit])
        y += 16
    assert [rows_of(table) for table in found_by("figures", [word for line in lines for word in line])] == [expected]


def test_a_programme_with_an_empty_cell_keeps_each_talk_in_its_row() -> None:
    talks: Sequence[tuple[str, str, str]] = [
        ("Opening words", "Ann Lee", "Hall"),
        ("On valves and|what they hold", "Bo Kent", ""),
        ("How pumps wear|out and why", "Cy Noll", "Attic"),
        ("Seals that last|for a century", "Di Marsh", ""),
    ]
    y, lines, expected = 100.0, [], []
    for number, (topic, speaker, room) in enumerate(talks):
        lines.append(said(y, (f"Part {number}", 50), (topic.split("|")[0], 120), (speaker, 320), (room, 400)))
        for more in topic.split("|")[1:]:
            y += 12
            lines.append(said(y, (more, 120)))
        expected.append([f"Part {number}", topic.replace("|", " "), speaker, room])
        y += 16
    assert [rows_of(table) for table in found_by("text", [word for line in lines for word in line])] == [expected]


def test_lists_in_cells_stay_in_their_column() -> None:
    topics = (("Timber", "piles", "deck boards"), ("Brick", "walls", "vault arches"), ("Iron", "cranes", "swing gates"))
    lines, expected = (
        [said(80, ("Topic", 50), ("What was found", 120), ("To do", 400))],
        [["Topic", "What was found", "To do"]],
    )
    for number, (topic, one, other) in enumerate(topics):
        y = 100 + 45 * number
        first, last = other.split()
        lines += [
            said(y, (topic, 50), ("We saw that most of these were", 120), ("•", 415), (one, 425)),
            said(y + 12, ("rebuilt after the flood", 120), ("•", 415), (first, 425)),
            said(y + 24, (last, 425)),
        ]
        expected.append([topic, "We saw that most of these were rebuilt after the flood", f"• {one} • {other}"])
    lines.append(said(235, ("Stone", 50), ("Nothing was left of it", 120), ("No more", 400)))
    expected.append(["Stone", "Nothing was left of it", "No more"])
    assert [rows_of(table) for table in found_by("text", [word for line in lines for word in line])] == [expected]


def _questions(head: Sequence[Place] = ()) -> list[Word]:
    """Six questions, after the last line of another, with their marks in the margin."""
    lines = [said(100, *(head or (("or how it might have been rebuilt.", 50), ("[4 marks]", -500))))]
    for number in range(6):
        y = 120 + 32 * number
        mark = (f"[{number + 3} marks]", -500)
        if number == 3:
            lines.append(said(y, ("5. Name two old quays.", 50), mark))
        else:
            lines.append(said(y, (f"{number + 2}. Say of each of the quays in the north of the town", 50)))
            lines.append(said(y + 12, ("how it was built before.", 50), mark))
    return [word for line in lines for word in line]


def test_questions_with_their_marks_in_the_margin_are_no_table() -> None:
    assert found_by("alignment", _questions()) == []
    assert found_by("figures", _questions()) == []


@pytest.mark.parametrize("dot", ["", "."])
def test_clauses_beside_their_numbers_are_no_table(dot: str) -> None:
    numbers = ["3.", f"3.1{dot}", f"3.2{dot}", f"3.3{dot}"]
    text = "The seller mends the quay within some days"
    words = [word for n, number in enumerate(numbers) for word in said(100 + 30 * n, (number, 50), (text, 90))]
    assert found_by("alignment", words) == []


def test_questions_under_a_head_are_a_table() -> None:
    (table,) = found_by("alignment", _questions([("Question", 50), ("Worth", -500)]))
    assert rows_of(table)[0] == ["Question", "Worth"]


def test_labels_beside_texts_of_many_words_are_a_table() -> None:
    text = "The older quays of the northern harbour had been rebuilt in brick"
    labels = ("First aid", "Storage", "Waste of packaging", "Transport")
    lines = []
    for number, label in enumerate(labels):
        lines += [said(100 + 30 * number, (label, 50), (text, 180)), said(112 + 30 * number, ("and in stone.", 180))]
    (table,) = found_by("alignment", [word for line in lines for word in line])
    assert rows_of(table) == [[label, f"{text} and in stone."] for label in labels]
    turns = ("Anna", "Peter", "Anna", "Peter")
    for names in (turns, ("ANNA", "PETER", "MR GROSS", "TOM")):
        said_so = [said(100 + 15 * n, (name, 50), (text, 180)) for n, name in enumerate(names)]
        assert found_by("alignment", [word for line in said_so for word in line]) == []
    longer = [said(100 + 15 * n, ("Most of them had been left to rot", 50), (text, 250)) for n in range(5)]
    assert found_by("alignment", [word for line in longer for word in line]) == []


def test_a_label_below_the_last_line_of_a_neighbour_begins_a_row() -> None:
    lines = [
        said(100, ("Agent", 50), ("Ruth Miles", 160), ("Insurer", 320)),
        *(said(114 + 12 * n, (text, 320)) for n, text in enumerate(("Alpine Mutual", "12 Mill Lane", "Leeds"))),
        said(164, ("Insured person", 50), ("Paul Hart", 160), ("Risk address", 320)),
        said(178, ("4 Elm Road", 320)),
        *(
            said(192 + 28 * n, (f"{label} date", 50), (f"0{n}/09/2026", 160))
            for n, label in enumerate(("First", "Last"))
        ),
    ]
    (table,) = found_by("text", [word for line in lines for word in line])
    assert rows_of(table) == [
        ["Agent", "Ruth Miles", "Insurer Alpine Mutual 12 Mill Lane Leeds"],
        ["Insured person", "Paul Hart", "Risk address 4 Elm Road"],
        ["First date", "00/09/2026", ""],
        ["Last date", "01/09/2026", ""],
    ]


def test_a_larger_heading_between_labels_and_texts_ends_the_table() -> None:
    lines = [said(100 + 15 * n, (f"Label {n}", 50), ("Some words", 150)) for n in range(4)]
    lines.append(said(165, ("Next part", 50), size=13))
    lines += [said(185 + 15 * n, (f"Label {n}", 50), ("Other words", 150)) for n in range(4)]
    tables = found_by("alignment", [word for line in lines for word in line])
    assert [table.rows for table in tables] == [4, 4]


def test_times_from_and_to_are_one_cell() -> None:
    lines = [
        said(100 + 15 * n, (f"0{n}:15", 50), ("–", 78.5), (f"0{n + 1}:45", 87), ("Some talk", 150), ("Ann Lee", 260))
        for n in range(5)
    ]
    (table,) = found_by("alignment", [word for line in lines for word in line])
    assert table.columns == 3


def test_sums_that_run_across_two_columns_of_figures_leave_them_two() -> None:
    lines = [said(100 + 14 * n, (f"Pay {n}", 50), (f"{n}7,5", -230), (f"{n}1.250,00", -290)) for n in range(1, 6)]
    lines += [said(190 + 14 * n, (f"Sum {n}", 50), (f"{n}1.250,00", -255)) for n in range(3)]
    (table,) = found_by("figures", [word for line in lines for word in line])
    assert rows_of(table)[:5] == [[f"Pay {n}", f"{n}7,5", f"{n}1.250,00"] for n in range(1, 6)]


@pytest.mark.parametrize(("gap", "sure"), [(2.8, True), (9, False)])
def test_a_table_with_two_amounts_in_a_cell_is_unsure(gap: float, sure: bool) -> None:
    words = [said(100, ("Pay", 50)), said(100, ("17,50", 100), ("250,00", 125 + gap))]
    cells = [FoundCell(0, column, 1, 1, around(own), own) for column, own in enumerate(words)]
    table = FoundTable(cells[0].box, 1, 2, cells, bordered=False)
    assert (rated(table, 0.98) >= 0.75) is sure


@pytest.mark.parametrize(("lines", "taken"), [(1, 8), (3, 0)])
def test_numbers_of_rows_are_no_line_numbers(lines: int, taken: int) -> None:
    """Those of rows stand beside the middle of cells of several lines."""
    words = [
        word
        for number in range(8)
        for line in range(lines)
        for word in said(100 + 13 * (lines * number + line), ("and seals that hold", 80))
    ]
    words += [word for n in range(8) for word in said(100 + 13 * (lines * n + lines // 2), (f"{n + 1}", 60))]
    marks = PageMarks(1, 595, 842, words=words)
    take_line_numbers(marks)
    assert len(marks.line_numbers) == taken


@pytest.mark.parametrize("text", ["9,184.72+", "1.234,56+"])
def test_credits_of_banks_are_figures(text: str) -> None:
    assert is_figure(text)


PEOPLE = [
    [["Ann Lee", "Mill Lane 4", "20457 Hamburg", "Phone 31 55"], ["Bo Kent", "Via Roma 17", "10121 Turin"]],
    [["Cy Noll", "Park Road 2", "28195 Bremen"], ["Di Marsh", "Quai 11", "44000 Nantes", "di@example.com"]],
]


def test_addresses_side_by_side_stay_one_each() -> None:
    lines = [
        said(100 + 58 * n + 12 * k, (text, 50 + 180 * column))
        for n, row in enumerate(PEOPLE)
        for column, address in enumerate(row)
        for k, text in enumerate(address)
    ]
    (table,) = found_by("alignment", [word for line in lines for word in line])
    assert rows_of(table) == [[" ".join(address) for address in row] for row in PEOPLE]


def test_a_list_of_addresses_row_by_row_stays_one() -> None:
    people = [address[:3] for row in PEOPLE for address in row]
    lines = [said(100 + 15 * n, *zip(own, (50.0, 200.0, 350.0), strict=True)) for n, own in enumerate(people)]
    (table,) = found_by("alignment", [word for line in lines for word in line])
    assert rows_of(table) == people
