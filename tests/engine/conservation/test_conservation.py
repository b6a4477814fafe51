"""What goes into a document of any shape comes out of it: each word once, in order, amounts as they were printed.

A few documents of each shape; `python -m tests.engine.conservation` reads them by the thousand.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.conservation.documents import Document, shown, spelled
from tests.engine.conservation.judging import OPERATIONS, SHAPES, drawn, judged
from tests.engine.reading.printing import blocks


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), operation=st.sampled_from(OPERATIONS))
def test_nothing_is_lost_or_said_twice(
    shape: str, tmp_path_factory: pytest.TempPathFactory, seed: int, operation: str
) -> None:
    assume((shape, operation) != ("annotated", "pdf-to-pptx"))  # what annotations show is in the drawing of the page
    assert judged(drawn(shape, seed), operation, tmp_path_factory.mktemp(shape)).faults == []


@pytest.mark.parametrize("fault", ["lost", "said twice", "out of order", "amounts missing"])
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    document = Document(Random(1))
    first, second = document.line(), document.line()
    shows = {"said twice": (first, second, second), "out of order": (second, first)}.get(fault, (first, second))
    document.page([shown(text, 60, 700 - 40 * n) for n, text in enumerate(shows)])
    if fault == "lost":
        document.note("lighthouse")
    if fault == "amounts missing":
        document.amounts.append("7.00")
    (told,) = judged(document, "pdf-to-markdown", tmp_path).faults
    assert told.startswith(fault)


def test_letters_that_are_shown_one_by_one_in_any_order_are_words(tmp_path: Path) -> None:
    document = Document(Random(1))
    lines = ("of the harbour", "a quay in Leith", "brick and timber")
    letters = [(letter, 60 + 6 * n, 700 - 13 * row) for row, text in enumerate(lines) for n, letter in enumerate(text)]
    Random(2).shuffle(letters)
    document.page([shown(*letter, 10, "M") for letter in letters if letter[0] != " "])
    found = blocks(document.save(tmp_path / "a.pdf"))
    assert [line.text for block in found for line in block.lines] == list(lines)


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("אבג 1'234.50 דהו", "1'234.50"),
        ("אבג -67’046.92 דהו", "-67’046.92"),
        ("אבג EUR (1'234.50) דהו", "(1'234.50)"),
        ("EUR (35.03) דהו", "(35.03)"),
        ("אבג (1 234,00) דהו", "(1 234,00)"),
        ("אבג 12.00- דהו", "12.00-"),
        ("אבג (12) דהו", "(12)"),
        ("(2024 דהו)", "2024"),
    ],
)
def test_figures_among_letters_from_right_to_left_are_told_as_they_are_shown(
    printed: str, told: str, tmp_path: Path
) -> None:
    letters = "אבגדהו EUR0123456789.,'’-()"
    document = Document(Random(1))
    font = document.script(letters)
    document.page([spelled(letters, font, printed, 100, 700, 10)])
    (block,) = blocks(document.save(tmp_path / "a.pdf"))
    assert told in block.lines[0].text
