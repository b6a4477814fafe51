"""The repairs of scans do what their list says, and docs/architecture.md tells that list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from paperchute.engine.reading.ocr import repairs as module
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognised import Pixels, WorkingPicture
from paperchute.engine.reading.ocr.repairs import REPAIRS, Repair, When
from tests.engine.reading.ocr.scanning import LETTER, scanned, skewed, upper
from tests.engine.reading.watched import Watched

ROOT = Path(__file__).parents[4]
FIELDS = frozenset(field.name for field in fields(WorkingPicture))


def faults(repair: Repair, page: WorkingPicture) -> Iterator[str]:
    """What a repair does on a page that it does not say."""
    before = {name: repr(getattr(page, name)) for name in FIELDS}
    watched = Watched(page)
    repair.run(watched)  # type: ignore[arg-type]  # it stands for one
    changed = {name for name in FIELDS if repr(getattr(page, name)) != before[name]}
    if unsaid := (watched.given | changed) - repair.gives:
        yield f"{repair.name} gives {unsaid}"
    if unsaid := watched.seen - repair.needs:
        yield f"{repair.name} needs {unsaid}"


def told(page: Pixels, monkeypatch: pytest.MonkeyPatch, repairs: tuple[Repair, ...]) -> list[str]:
    """The faults of the repairs on a page."""
    found: list[str] = []

    def watched(repair: Repair) -> Repair:
        def run(page: WorkingPicture) -> bool:
            found.extend(faults(repair, page))
            return False

        return replace(repair, run=run)

    monkeypatch.setattr(module, "REPAIRS", tuple(map(watched, repairs)))
    see(page, AUTO, 150.0)
    return found


def test_repairs_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = np.asarray(skewed(upper(scanned(tmp_path, LETTER)), 3.0))
    assert told(page, monkeypatch, REPAIRS) == []
    mute = tuple(replace(repair, needs=frozenset[str](), gives=frozenset[str]()) for repair in REPAIRS)
    found = told(page, monkeypatch, mute)
    assert "lay straight gives {'upright'}" in found
    assert any(fault.startswith("doubt specks needs") for fault in found)


def test_every_repair_runs_and_says_what_it_is_about() -> None:
    order = get_args(When)
    assert [each.when for each in REPAIRS] == sorted((each.when for each in REPAIRS), key=order.index)
    assert {each.when for each in REPAIRS} == set(order)
    for each in REPAIRS:
        assert each.gives
        assert each.needs | each.gives <= FIELDS, each.name


def test_the_table_is_the_list() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    table = text.partition("| repair | when | looks at | changes |\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", table, re.MULTILINE)[1:]
    assert [(name, when, set(needs.split(", ")), set(gives.split(", "))) for name, when, needs, gives in rows] == [
        (each.name, each.when, set(each.needs), set(each.gives)) for each in REPAIRS
    ]
