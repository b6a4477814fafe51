"""The CSV writer: what a reader finds, and that no cell is a formula."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.engine.document.model import Table
from paperchute.engine.writing.csv import safe, write_csv
from tests.engine.writing.models import table


def made(rows: list[list[str]], spans: dict[tuple[int, int], tuple[int, int]] | None = None) -> Table:
    found = table(rows, spans).table
    assert found is not None
    return found


def read(path: Path, tables: list[Table]) -> list[list[str]]:
    write_csv(path, tables)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_cells_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [["Port", 'Said "hi"'], ["a,b; c", "1,000.50"], ["", "Größe"]]
    assert read(tmp_path / "a.csv", [made(rows)]) == rows


def test_several_tables_stand_below_each_other(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", [made([["a"]]), made([["b", "c"]])]) == [["a"], [], ["b", "c"]]


def test_rows_end_as_the_standard_says_and_the_mark_stands_only_where_it_is_needed(tmp_path: Path) -> None:
    write_csv(tmp_path / "plain.csv", [made([["a", "b"]])])
    assert (tmp_path / "plain.csv").read_bytes() == b"a,b\r\n"
    write_csv(tmp_path / "more.csv", [made([["é"]])])
    assert (tmp_path / "more.csv").read_bytes() == b"\xef\xbb\xbf\xc3\xa9\r\n"
    write_csv(tmp_path / "sylk.csv", [made([["ID", "Name"]])])
    assert (tmp_path / "sylk.csv").read_bytes() == b'"ID",Name\r\n'


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "＝1", "-HYPERLINK(1)", "+-1"])
def test_formulas_are_text(text: str) -> None:
    assert safe(text) == "'" + text


@pytest.mark.parametrize(
    "text", ["-5", "+3", "-1,234.50", "−7", "-12 %", "-.5", "-1e-9", "-", "--", "–", "3=4", "a-b", ""]
)
def test_plain_numbers_and_dashes_stay(text: str) -> None:
    assert safe(text) == text


def test_spans_are_filled_but_numbers_stand_once(tmp_path: Path) -> None:
    rows = [["Group", "<"], ["Narvik", "3"], ["<", "4"], ["Sum of all", "<"], ["12", "7"], ["<", "8"]]
    spans = {(0, 0): (1, 2), (1, 0): (2, 1), (3, 0): (1, 2), (4, 0): (2, 1)}
    assert read(tmp_path / "a.csv", [made(rows, spans)]) == [
        ["Group", "Group"],
        ["Narvik", "3"],
        ["Narvik", "4"],
        ["Sum of all", ""],
        ["12", "7"],
        ["", "8"],
    ]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(max_size=12), min_size=2, max_size=2), min_size=1, max_size=4))
def test_any_text_keeps_the_shape_and_is_no_formula(tmp_path: Path, rows: list[list[str]]) -> None:
    rows = [[cell.replace("<", "") for cell in row] for row in rows]
    found = read(tmp_path / "a.csv", [made(rows)])
    assert [len(row) for row in found] == [2] * len(rows)
    for cell in (cell for row in found for cell in row):
        assert cell[:1] not in ("=", "@", "\t", "\r")
        assert cell[:1] not in ("+", "-") or not any(c.isalpha() and c not in "eE" for c in cell)
