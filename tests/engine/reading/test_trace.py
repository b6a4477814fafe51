"""What is told of a page accounts for each of its words once, names its stages, and costs the reading nothing."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.document.model import Page
from paperchute.engine.reading import layout
from paperchute.engine.reading.layout import trace
from paperchute.engine.reading.layout.page import STAGES
from paperchute.engine.reading.layout.trace import Measured, PageTrace, traced
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from tests.engine.conservation.documents import Document, shown
from tests.engine.conservation.judging import SHAPES, drawn
from tests.engine.reading.explained import survey
from tests.engine.reading.placing import Sheet
from tests.engine.reading.sheets import Said, written
from tests.engine.reading.test_text_rows import _clauses

OPTIONS = (Options(), Options(looks=True), Options(images=False, margins=False))


def read(path: Path, options: Options = Options()) -> list[Page]:  # noqa: B008 - it never changes
    with opened(path, path.name, "") as pdf:
        return list(read_pdf(pdf, range(len(pdf)), options).pages)


def told(path: Path, options: Options = Options()) -> list[PageTrace]:  # noqa: B008
    with traced() as found:
        read(path, options)
    return list(found.pages.values())


@cache
def limits() -> dict[str, float]:
    """All named numbers of the layout's settings."""
    found: dict[str, Any] = {}
    for module in pkgutil.walk_packages(layout.__path__, f"{layout.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.isupper() and dataclasses.is_dataclass(value) and type(value).__name__.endswith("Settings"):
                found |= {f"{name}.{field.name}": getattr(value, field.name) for field in dataclasses.fields(value)}
    return found


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10**6), options=st.sampled_from(OPTIONS))
def test_each_word_is_in_one_block_that_a_stage_took(
    shape: str, tmp_path_factory: pytest.TempPathFactory, seed: int, options: Options
) -> None:
    path = drawn(shape, seed).save(tmp_path_factory.mktemp(shape) / "a.pdf")
    for page in told(path, options):
        counts = Counter(id(word) for taken in page.taken for word in taken.words)
        assert [word.text for word in page.words if counts[id(word)] != 1] == []
        assert page.missing() == []
        assert {taken.stage for taken in page.taken} <= {stage.name for stage in STAGES}
        for one in page.rejected:
            assert one.by is None or limits()[one.by.number] == one.by.limit


def test_blocks_are_told_with_the_stage_that_took_them(tmp_path: Path) -> None:
    first = told(survey(tmp_path / "a.pdf"))[0]
    assert [(taken.stage, taken.kind, taken.words[0].text) for taken in first.taken] == [
        ("take furniture", "header", "Harbours"),
        ("order flow", "paragraph_title", "Quays"),
        ("order flow", "text", "The"),
        ("order flow", "list", "•"),
        ("order flow", "table", "Quays"),
        ("order flow", "text", "1.1"),
        ("order flow", "footnote", "1"),
        ("take furniture", "number", "1"),
    ]
    assert [taken.how for taken in first.taken if taken.how] == ["level 1", "4 by 3, by figures"]


def test_what_only_looks_like_a_table_is_told_with_the_number_that_rejected_it(tmp_path: Path) -> None:
    first = told(survey(tmp_path / "a.pdf"))[0]
    heading, _note, one = first.rejected
    assert (heading.finder, heading.box) == ("furniture", first.taken[1].box)
    clauses = first.taken[5]
    assert (one.finder, one.reason) == ("alignment", "cells of sentences")
    assert one.by is not None
    assert (one.by.number, one.by.value) == ("TYPOGRAPHY.phrase", 12)
    assert one.box == clauses.box


def test_what_is_rejected_in_the_list_of_rejections_is_told(tmp_path: Path) -> None:
    chance, sheet = Random(1), Sheet()
    for column in (1, 2):
        _clauses(sheet, chance, column)
    (page,) = told(sheet.save(tmp_path / "a.pdf"))
    found = [(one.finder, one.reason, one.by) for one in page.rejected if one.reason == "numbered clauses"]
    assert found
    for _finder, _reason, by in found:
        assert by is not None
        assert by.number == "TYPOGRAPHY.nearly_all"
        assert by.value >= by.limit == limits()[by.number]


def test_reading_is_the_same_whether_it_is_told_or_not(tmp_path: Path) -> None:
    path = survey(tmp_path / "a.pdf")
    with traced():
        watched = read(path)
    assert read(path) == watched


def test_nothing_is_kept_where_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[PageTrace] = []
    monkeypatch.setattr(trace, "PageTrace", lambda marks: made.append(PageTrace(marks)) or made[-1])
    path = survey(tmp_path / "a.pdf")
    assert len(told(path)) == len(made) == 4
    read(path)
    assert len(made) == 4
    assert trace.at_work() is None


def test_words_that_are_read_in_another_frame_are_the_pages_own(tmp_path: Path) -> None:
    document = Document(Random(2))
    content = [shown(document.line(), 60, 780 - 13 * n) for n in range(50)]
    sideways = (0, 1, -1, 0)
    for row in range(6):  # clauses beside their numbers, which look like a table
        text = f"The tenant of quay {row} pays its rent in each month of the year"
        content += [shown(document.note(f"1.{row + 1}"), 420 + 14 * row, 100, matrix=sideways)]
        content += [shown(document.note(text), 420 + 14 * row, 126, matrix=sideways)]
    content.append(shown(document.line(2, 3), 30, 300, matrix=sideways))
    document.page(content)
    (page,) = told(document.save(tmp_path / "a.pdf"))
    counts = Counter(id(word) for taken in page.taken for word in taken.words)
    assert [word.text for word in page.words if counts[id(word)] != 1] == []
    assert {taken.stage for taken in page.taken} == {"order flow", "part sideways"}
    (box,) = {one.box for one in page.rejected if one.reason == "cells of sentences"}
    assert box.height > 2 * box.width, "it stands as its words do"
    assert box.left > 380


def test_what_is_set_as_headings_are_and_is_none_is_told(tmp_path: Path) -> None:
    text = "The older quays had been rebuilt in brick and stone"
    said = [Said("Quays", 72, 200, 10, "B"), *(Said(text, 72, 220 + 12 * n, 10) for n in range(4))]
    said += [Said("Cranes", 72, 290, 10, "B"), *(Said(text, 72, 310 + 12 * n, 10) for n in range(4))]
    said += [Said("Name: Okafor", 72, 390, 10, "B"), *(Said(text, 72, 410 + 12 * n, 10) for n in range(4))]
    said += [Said("A word in large type that goes on", 72, 500 + 18 * n, 16) for n in range(6)]
    (page,) = told(written(tmp_path / "a.pdf", [said]))
    assert [taken.words[0].text for taken in page.taken if taken.how == "level 2"] == ["Quays", "Cranes"]
    label, large = [one for one in page.rejected if one.finder == "headings"]
    assert label.box.top == pytest.approx(382.2, abs=0.1)
    assert label.by is None
    assert large.by == Measured("TYPOGRAPHY.few", 6, limits()["TYPOGRAPHY.few"])
