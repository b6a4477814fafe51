"""Figures at the right of their cells face the texts beside them, a hair apart: these are two columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.sheets import Said, written
from tests.engine.writing.sample import outputs

_TEXTS = ("Ledger Harbour", "Copper Lantern", "Velvet Orchard", "Timber", "Maple Copper", "Quay Velvet")
_DIGIT, _DOT = 0.556 * 11, 0.278 * 11  # of Helvetica, whose space is as wide as its dot


def _sheet(path: Path, gap: float, *, head: bool = True, digits: int = 8) -> str:
    """The Markdown of a sheet with dates that end at 150 points, texts so much beside them, and amounts."""
    lines = [Said("Date", 90, 100), Said("Text", 150 + gap, 100), Said("Amount", 320, 100)] if head else []
    for number, text in enumerate(_TEXTS):
        figure = f"{number + 11}.03.2025" if digits == 8 else f"{number + 1}."
        width = digits * _DIGIT + (2 if digits == 8 else 1) * _DOT
        y = 116 + 16 * number
        lines += [Said(figure, 150 - width, y), Said(text, 150 + gap, y), Said(f"{number}17.50", 325, y)]
    (result,) = outputs("pdf-to-markdown", written(path / "a.pdf", [lines]), path / "out")
    return result.read_text("utf-8")


@pytest.mark.parametrize("head", [True, False])
def test_dates_and_the_texts_beside_them_are_two_columns(head: bool, tmp_path: Path) -> None:
    told = _sheet(tmp_path, 2.0, head=head)
    assert "| 11.03.2025 | Ledger Harbour | 017.50 |" in told
    assert "| 16.03.2025 | Quay Velvet | 517.50 |" in told
    assert "| Date | Text | Amount |" in told or not head


@pytest.mark.parametrize(("gap", "digits", "head"), [(_DOT, 8, False), (2.0, 1, True)])
def test_a_space_alone_and_the_number_of_an_item_part_nothing(
    gap: float, digits: int, head: bool, tmp_path: Path
) -> None:
    told = _sheet(tmp_path, gap, head=head, digits=digits)
    assert "| Ledger Harbour |" not in told
    assert "Ledger Harbour" in told
