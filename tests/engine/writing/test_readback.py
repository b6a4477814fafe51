"""What a word processor counts by itself is no word that the result lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paperchute.engine.document.model import Facts, Page, Span
from paperchute.engine.readback import Expected
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import PLAIN, block, line, page

Writes = Callable[..., object]


@pytest.mark.parametrize("first", [1, 57])
@pytest.mark.parametrize("write", [write_docx, write_rtf])
def test_the_marks_of_counted_footnotes_are_in_the_result(write: Writes, first: int, tmp_path: Path) -> None:
    """Each stands in the text and in its note. Two pages count on from the first, as the word processor does."""
    pages = [_with_note(first), _with_note(first + 1)]
    expected = Expected(str)
    for made in pages:
        for found in made.blocks:
            expected.add(found)
    path = tmp_path / f"a.{write.__name__.removeprefix('write_')}"
    write(Facts(2, "", 10), iter(pages), path, boxed=False)
    assert (
        expected.words[str(first)] + expected.words[str(first + 1)] == 2
    )  # those of the notes; others stand right behind a word
    assert expected.missing([path]).lost.total() == 0


def _with_note(number: int) -> Page:
    mark = replace(PLAIN, script="super", size=6)
    text = block(line([Span("A claim", PLAIN), Span(str(number), mark), Span(" and another", PLAIN)]))
    note = block(line([Span(str(number), mark), Span(" The note", PLAIN)], 700), kind="footnote")
    return page(text, note, number=number)
