"""Finders of tables are a list, which docs/architecture.md tells, and none is asked where its evidence lacks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.tables import finding
from paperchute.engine.reading.layout.tables.evidence import PRESENT, Evidence, Need
from paperchute.engine.reading.layout.tables.finding import COLUMN, SHOWN, TEXT, Finder, shown_tables
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.trace import FinderName

ROOT = Path(__file__).parents[3]


def test_the_paragraph_is_the_list() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    for name, finders in (("SHOWN", SHOWN), ("TEXT", TEXT), ("COLUMN", COLUMN)):
        found = re.search(rf"^- `{name}`, [^:]*: (.*?)(?=^$|^- )", text, re.MULTILINE | re.DOTALL)
        assert found is not None
        told = re.sub(r"\s+|\([^()]*\)", " ", found[1]).strip(" .")
        assert [re.sub(r"\s+", " ", part).strip() for part in told.split(",")] == [finder.name for finder in finders]


def test_every_finder_has_a_name_that_is_told_and_a_need_that_is_known() -> None:
    names = [finder.name for finder in (*SHOWN, *TEXT, *COLUMN)]
    assert list(dict.fromkeys(names)) == list(dict.fromkeys(name for name in get_args(FinderName) if name in names))
    assert set(PRESENT) == set(get_args(Need)) == {finder.needs for finder in (*SHOWN, *TEXT, *COLUMN)}


def test_a_finder_is_not_asked_where_its_evidence_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[FinderName] = []

    def watched(finder: Finder) -> Finder:
        def find(_evidence: Evidence) -> list[FoundTable]:
            asked.append(finder.name)
            return []

        return finder._replace(find=find)

    monkeypatch.setattr(finding, "SHOWN", tuple(map(watched, SHOWN)))
    shown_tables(PageMarks(1, 595, 842), segments([]))
    assert asked == []
