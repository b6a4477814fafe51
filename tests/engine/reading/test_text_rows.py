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
