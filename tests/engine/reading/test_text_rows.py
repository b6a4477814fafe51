"""Columns of text beside each other: clauses with numbers in the margin, and contracts in two languages."""

from __future__ import annotations

import textwrap
from pathlib import Path
from random import Random

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import markdown

TEXT = "the insurer pays for damage by fire storm water theft and burst pipes unless gross neglect is proved"
WORDS = TEXT.split()
SIZE, STEP = 9, 11


def _sentences(chance: Random, count: int) -> str:
    return " ".join(" ".join(chance.choices(WORDS, k=chance.randint(9, 16))).capitalize() + "." for _ in range(count))


def _clauses(sheet: Sheet, chance: Random, first: int) -> list[str]:
    """A column of clauses, their numbers in its margin, down to the foot of the page; as text."""
    said, y, left = [], 80, 40 if first == 1 else 310
    lines = textwrap.wrap(_sentences(chance, 2), 46)[1:] if first > 1 else []  # what the left column has no room for
    number = 0
    while y < 700:
        if number:
            lines = textwrap.wrap(_sentences(chance, chance.randint(1, 3)), 46)
            sheet.put(f"{first}.{number}", left, y, SIZE)
        for line in lines:
            sheet.put(line, left + 26, y, SIZE)
            y += STEP
        said.append(" ".join(lines))
        number += 1
    return [text for text in said if text]


@pytest.mark.parametrize("seed", range(4))
def test_numbered_clauses_in_two_columns_are_read_column_by_column(tmp_path: Path, seed: int) -> None:
    chance, sheet = Random(seed), Sheet()
    said = [*_clauses(sheet, chance, 1), *_clauses(sheet, chance, 2)]
    text = " ".join(markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out").split())
    places = [text.find(clause) for clause in said]
    assert places == sorted(places)
    assert min(places) >= 0


@pytest.mark.parametrize("seed", range(4))
def test_the_cells_of_a_contract_in_two_languages_are_read_whole(tmp_path: Path, seed: int) -> None:
    chance, sheet = Random(seed), Sheet()
    said, y = [], 80
    for row in range(1, 8):
        cells = [textwrap.wrap(_sentences(chance, chance.randint(1, 2)), 38) for _ in range(2)]
        for left, lines in zip((40, 240), cells, strict=True):
            sheet.put(f"{row}. {' '.join(chance.choices(WORDS, k=2))}", left, y, SIZE, bold=True)
            for number, line in enumerate(lines, start=1):
                sheet.put(line, left, y + number * STEP + 4, SIZE)
            said.append(" ".join(lines))
        y += (max(map(len, cells)) + 2) * STEP + 4
    text = " ".join(markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out").split())
    assert [cell for cell in said if cell not in text] == []


@pytest.mark.parametrize("number", ["{}.", "§ {}", "2.{}", "({})", ""])
@pytest.mark.parametrize("count", [6, 10])
def test_columns_of_equal_texts_that_stand_level_are_read_one_after_another(
    tmp_path: Path, number: str, count: int
) -> None:
    """Questions of a test or clauses: each has as many lines as the one beside it."""
    chance, sheet = Random(count), Sheet()
    said = []
    for place in range(count):
        column, row = divmod(place, count // 2)
        lines = textwrap.wrap(_sentences(chance, 4), 40)[:3]
        lines[0] = f"{number.format(place + 1)} {lines[0]}".strip()
        for step, line in enumerate(lines):
            sheet.put(line, 40 + 270 * column, 80 + row * 5 * STEP + step * STEP, SIZE)
        said.append(lines[1])
    text = " ".join(markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out").split())
    places = [text.find(line) for line in said]
    assert min(places) >= 0
    assert places == sorted(places)


def _rows_of(sheet: Sheet, rows: list[tuple[float, str, float, str]]) -> list[str]:
    """Lines of a number and a text, each where it is told to begin; the texts."""
    for step, (left, number, beside, text) in enumerate(rows):
        sheet.put(number, left, 100 + 13 * step, 10)
        sheet.put(text, beside, 100 + 13 * step, 10)
    return [text for *_, text in rows if text]


@pytest.mark.parametrize(
    "rows",
    [
        [
            (80, "2.9", 120, "quay paid for ledger"),
            (100, "2.9.1", 140, "ledger was from vessel for harbour"),
            (120, "\\(b\\)", 160, "account ledger winter"),
            (120, "\\(c\\)", 160, "in timber for storm"),
            (120, "\\(d\\)", 160, "cargo due with bridge been"),
            (80, "2.10", 120, "by pilot timber to brick"),
            (120, "", 120, "repair vessel paid to for ledger"),
        ],
        [
            (80, "4.6.", 110, "crane for cargo open paid and"),
            (100, "4.6.1.", 130, "winter due was which that"),
            (130, "", 130, "in of cargo"),
            (130, "", 130, "storm at to was"),
            (100, "4.6.1.", 130, "pilot that for Turin"),
            (80, "4.7.", 110, "vessel with had for account signal"),
            (80, "4.8.", 110, "and been of repair"),
            (80, "4.9.", 110, "pilot of lantern"),
            (110, "", 110, "winter Leith vessel with had"),
            (80, "4.10.", 110, "lantern Leith by brick timber"),
            (110, "", 110, "paid crane that due"),
            (80, "4.11.", 110, "winter Leith from brick had net"),
        ],
    ],
)
def test_clauses_whose_depths_are_indented_are_read_line_by_line(
    tmp_path: Path, rows: list[tuple[float, str, float, str]]
) -> None:
    """The text of one depth begins below a word space within that of another."""
    sheet = Sheet()
    said = _rows_of(sheet, rows)
    text = markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")
    places = [text.find(line) for line in said]
    assert places == sorted(places)
    assert min(places) >= 0
    assert "|" not in text
    assert "<td>" not in text


def test_rows_whose_numbers_stand_in_one_column_are_a_table(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = (("2.4", "quay", "open"), ("3.9", "crane", "repaired"), ("1.7", "shed", "open"), ("5.2", "pier", "open"))
    for step, row in enumerate(rows):
        for left, text in zip((80, 140, 300), row, strict=True):
            sheet.put(text, left, 100 + 13 * step, 10)
    assert "| 3.9 | crane | repaired |" in markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")


def test_labels_in_the_middle_of_tall_rows_belong_to_these(tmp_path: Path) -> None:
    rows: list[tuple[str, int, str]] = [
        ("Several catalysts", 5, "14 %"),
        ("Control groups and independent auditors", 9, "22 %"),
        ("Phase transitions and smaller households", 9, "13 %"),
        ("Annual surveys and insurance claims", 7, "19 %"),
    ]
    sheet, chance, y, said = Sheet(), Random(1), 80, []
    for label, count, share in rows:
        lines = [*textwrap.wrap(_sentences(chance, 6), 46)[: count - 1], "once and for all."]
        labels = textwrap.wrap(label, 20)
        for number, line in enumerate(lines):
            sheet.put(line, 160, y + number * STEP, SIZE)
        for number, line in enumerate(labels):
            sheet.put(line, 40, y + (number + (count - len(labels)) / 2) * STEP, SIZE)
        sheet.put(share, 460, y + (count - 1) / 2 * STEP, SIZE)
        said.append(f"| {label} | {' '.join(lines)} | {share} |")
        y += (count + 1) * STEP
    text = markdown(sheet.save(tmp_path / "a.pdf"), tmp_path / "out")
    assert [row for row in said if row not in text] == []
