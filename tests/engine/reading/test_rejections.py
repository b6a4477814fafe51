"""Whatever looks like a table by its text alone is asked whether it is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.tables import rejections
from paperchute.engine.reading.layout.tables.evidence import Evidence, TableWords
from paperchute.engine.reading.layout.tables.finding import COLUMN, SHOWN, TEXT
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.rejections import DRAWN, REJECTIONS, UNDRAWN, Rejection, is_rejected
from paperchute.engine.reading.layout.trace import Measured, begun, traced
from tests.engine.reading.placing import Sheet
from tests.engine.reading.test_pairs import tables

MEASURED = Measured("GRIDS.aligned", 0.5, 0.84)


def _calendar(sheet: Sheet) -> None:
    for column, name in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")):
        sheet.put(name, 60 + 65 * column, 90)
        for week in range(5):
            if 1 <= (day := 7 * week + column - 1) <= 31:
                sheet.put(str(day), 60 + 65 * column, 105 + 50 * week)


def _columns(*rows: str) -> Callable[[Sheet], None]:
    def put(sheet: Sheet) -> None:
        for number, row in enumerate(rows):
            for x, text in zip((60, 250, 360, 470), row.split("|"), strict=False):
                sheet.put(text, x, 100 + 16 * number, 10)

    return put


_KINDS = {
    "calendar": _calendar,
    "figures": _columns(
        "Goods|Count|Price|Amount",
        "Desk lamp|2|40.00|80.00",
        "Cable|4|9.50|38.00",
        "Toner|1|61.20|61.20",
    ),
    "pairs": _columns("Union fee|3,976.40", "Overtime|1,911.62", "Church tax|31.58", "Pension|204.10"),
    "words": _columns(
        "Name|Town|Trade|Since",
        "Okafor|Graz|joiner|spring",
        "Tanaka|Lyon|baker|autumn",
        "Hoffmann|Bern|tiler|winter",
    ),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_every_kind_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    sheet = Sheet()
    _KINDS[kind](sheet)
    path = sheet.save(tmp_path / "a.pdf")
    assert tables(path)
    everything = Rejection("all", UNDRAWN, lambda _table, _evidence: MEASURED)
    monkeypatch.setattr(rejections, "REJECTIONS", (*REJECTIONS, everything))
    assert tables(path) == []


def test_the_first_reason_that_holds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    never = Rejection("never", UNDRAWN, lambda _table, _evidence: None)
    other_finders = Rejection("other finders", frozenset({"tags"}), lambda _table, _evidence: MEASURED)
    one, other = (Rejection(name, UNDRAWN, lambda _table, _evidence: MEASURED) for name in ("one", "other"))
    table = FoundTable(Box(0, 0, 10, 10), 0, 0, [], bordered=False, finder="figures")
    marks = PageMarks(1, 100, 100)
    evidence = Evidence(marks, (), TableWords([]))
    with traced(), begun(marks) as page:
        assert page is not None
        monkeypatch.setattr(rejections, "REJECTIONS", (never, other_finders))
        assert not is_rejected(table, evidence)
        monkeypatch.setattr(rejections, "REJECTIONS", (never, one, other))
        assert is_rejected(table, evidence)
        assert page.rejected == [("figures", table.box, "one", MEASURED)]


def test_each_rejection_is_asked_of_finders_that_there_are() -> None:
    names = {finder.name for finder in (*SHOWN, *TEXT, *COLUMN)}
    for rejection in REJECTIONS:
        assert rejection.asked_of
        assert rejection.asked_of <= names
    assert {finder.name for finder in (*SHOWN, *TEXT, *COLUMN)} - {"tags"} == UNDRAWN | DRAWN
