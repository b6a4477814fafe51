"""The stages of laying out a page do what their list says, and docs/architecture.md draws that list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from paperchute.engine.reading.layout import page as module
from paperchute.engine.reading.layout.page import STAGES, PageLayout, Stage, WorkingPage
from tests.engine.reading.printing import blocks
from tests.engine.reading.sheets import Said, written
from tests.engine.reading.watched import Watched

ROOT = Path(__file__).parents[3]
FIELDS = frozenset(field.name for field in fields(WorkingPage))
TEXT = [
    "The quick survey of the northern harbours showed that most of",
    "the older quays had been rebuilt in brick and stone.",
]


def seen(page: WorkingPage) -> dict[str, str]:
    """What each field holds; that a line has kept its text, once asked for, is no change."""
    return {name: re.sub(r"_text=('|\").*?\1\)", ")", repr(getattr(page, name))) for name in FIELDS}


def faults(stage: Stage, layout: PageLayout, page: WorkingPage) -> Iterator[str]:
    """What a stage does on a page that it does not say."""
    before = seen(page)
    watched = Watched(page)
    stage.run(layout, watched)  # type: ignore[arg-type]  # it stands for one
    changed = {name for name, value in seen(page).items() if value != before[name]}
    if unsaid := (watched.given | changed) - stage.gives:
        yield f"{stage.name} gives {unsaid}"
    if unsaid := watched.seen - stage.needs - stage.gives:
        yield f"{stage.name} needs {unsaid}"


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The faults of the stages on the pages that the test reads."""
    told: list[str] = []

    def stage_of(stage: Stage) -> Stage:
        def run(layout: PageLayout, page: WorkingPage) -> None:
            told.extend(faults(stage, layout, page))

        return replace(stage, run=run)

    monkeypatch.setattr(module, "STAGES", tuple(map(stage_of, STAGES)))
    return told


def article(path: Path) -> Path:
    """Two pages with running heads and page numbers, a heading, text, and a table of figures."""
    sheets = []
    for number in (1, 2):
        said = [Said("Harbours of the North", 72, 30, 8), Said(f"Page {number} of 2", 280, 770, 8)]
        said += [Said("Survey", 72, 80, 16, "B")]
        said += [Said(line, 72, 110 + 12 * n, 10) for n, line in enumerate(TEXT * 4)]
        for row, label in enumerate(("Quays", "Cranes", "Sheds", "Piers")):
            said += [Said(label, 72, 260 + 14 * row, 10), Said(f"1{row}.50", 250, 260 + 14 * row, 10)]
            said += [Said(f"2{row}.75", 350, 260 + 14 * row, 10)]
        sheets.append(said)
    return written(path, sheets)


def test_stages_do_what_they_say(tmp_path: Path, found: list[str]) -> None:
    kinds = {block.kind for block in blocks(article(tmp_path / "article.pdf"))}
    assert {"paragraph_title", "text", "table"} <= kinds
    assert found == []


def test_a_stage_that_does_more_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: list[str]) -> None:
    mute = [replace(stage, needs=frozenset[str](), gives=frozenset[str]()) for stage in STAGES]
    told: list[str] = []
    monkeypatch.setattr(
        module,
        "STAGES",
        tuple(
            replace(stage, run=lambda layout, page, s=stage: told.extend(faults(s, layout, page)))  # type: ignore[misc]
            for stage in mute
        ),
    )
    blocks(article(tmp_path / "article.pdf"))
    assert "join pages gives {'blocks'}" in told
    assert any(fault.startswith("take furniture needs") for fault in told)


def test_what_a_stage_needs_is_given_before() -> None:
    given = {"marks", "lines"}
    for stage in STAGES:
        assert stage.needs <= given, stage.name
        assert stage.gives <= FIELDS, stage.name
        given |= stage.gives
    assert given == FIELDS, "a field that no stage sets"


def test_the_drawing_is_the_list() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    drawn = re.findall(r'^ +(\w+)\["<b>(.*?)</b><br/>needs (.*?)<br/>gives (.*?)"\]$', text, re.MULTILINE)
    assert [(key, name, set(needs.split(", ")), set(gives.split(", "))) for key, name, needs, gives in drawn] == [
        (stage.run.__name__, stage.name, set(stage.needs), set(stage.gives)) for stage in STAGES
    ]
    assert "    " + " --> ".join(stage.run.__name__ for stage in STAGES) + "\n" in text
