"""What goes into a document comes out of it, word by word, and in order where the order is plain."""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine import ledger
from tests.engine.reading.printing import markdown
from tests.engine.reading.shapes import SHAPES, drawn, with_margins
from tests.engine.reading.sheets import Said, words_of, written

_MARK = re.compile(r"\bk\d{4}\b", re.IGNORECASE)
_LOOSE = ("form", "timetable", "invoices", "footnotes")
"""Shapes in which what stands side by side may be read by columns, or notes wait for the end of a paragraph."""


def found_wrong(shape: str, pages: list[list[Said]], head: str = "") -> str:
    """What is wrong with the Markdown of a document; empty where nothing is."""
    said = " ".join(line.text for page in pages for line in page if line.text != head)
    with tempfile.TemporaryDirectory() as folder, ledger.kept() as book:
        pdf = written(Path(folder) / "a.pdf", pages)
        text = markdown(pdf, Path(folder) / "out")
    left_out = {str(n) for n in range(1, 200)} if head else set()
    missing = {word: n for word, n in (words_of(said) - words_of(text)).items() if word not in left_out}
    if missing:
        return f"{missing} missing"
    if book.counts().get("unaccounted"):
        return f"{book.lost} unaccounted"
    if head and head not in text:
        return "the running head is gone"
    marks = [mark.lower() for mark in _MARK.findall(text)]
    if shape not in _LOOSE and marks != sorted(marks):
        return "out of order: " + " ".join(b for a, b in itertools.pairwise(marks) if b < a)
    return ""


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_word_comes_out(shape: str, seed: int) -> None:
    assert found_wrong(shape, drawn(shape, seed)) == ""


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), first=st.integers(1, 40))
def test_so_it_does_with_running_heads(shape: str, seed: int, first: int) -> None:
    head = "Accounts of the harbour office"
    assert found_wrong(shape, with_margins(drawn(shape, seed), head, first), head) == ""
