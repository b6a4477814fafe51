"""Fields of one's own: behind a label or by a pattern, at a place, and never where two values stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import report
from paperchute.engine.extraction.own_fields import find_own
from paperchute.engine.extraction.printed import sheet_of
from paperchute.engine.extraction.schema import read_own_fields
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.e_invoice.samples import CII
from tests.engine.extraction.pages import page
from tests.engine.operations.papers import work
from tests.engine.reading.sheets import Said, written
from tests.engine.writing.sample import outputs


def _found(rows: Sequence[Sequence[str]], **find: str) -> Any:
    sheets = [sheet_of(page([list(row) for row in rows]))]
    return find_own(sheets, read_own_fields(json.dumps({"x": find})))["x"]


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([["Customer no.: 4711"]], "4711"),
        ([["Customer No", "4711"]], "4711"),
        ([["CUSTOMER NO. 4711"]], "4711"),
        ([["Customer no.", "Date"], ["4711", "12.03.2026"]], "4711"),
        ([["Customer no.:", "4711"], ["Your customer no.: 4711"]], "4711"),
        ([["Customer", "4711"]], None),
        ([["Customer no.:"]], None),
        ([["Customer no.: 4711"], ["Customer no.: 4712"]], None),
        ([["You find your customer no. 4711 on each of our letters"]], None),
    ],
)
def test_what_stands_behind_a_label_is_told(rows: list[list[str]], value: str | None) -> None:
    assert _found(rows, label="Customer no.").value == value


def test_two_values_are_told_as_candidates() -> None:
    found = _found([["Ref: A"], ["Ref: B"]], label="Ref")
    assert {one.value for one in found.candidates} == {"A", "B"}
    assert found.reason == "it stands there with several values"


@pytest.mark.parametrize(
    ("pattern", "value"),
    [(r"P-\d{5}", "P-12345"), (r"Project (P-\d+)", "P-12345"), (r"p-12345", "P-12345"), (r"Q-\d+", None)],
)
def test_what_fits_a_pattern_is_told(pattern: str, value: str | None) -> None:
    assert _found([["For Project P-12345 of ours"], ["Project P-12345"]], pattern=pattern).value == value


def test_of_two_that_fit_none_is_sure() -> None:
    assert _found([["P-1 and P-2"]], pattern=r"P-\d").value is None


def test_a_place_tells_two_apart(tmp_path: Path) -> None:
    lines = [Said("Ref: A1", 60, 100), Said("Ref: B2", 60, 500)]
    written(tmp_path / "a.pdf", [lines, lines])

    def found(place: str) -> Any:
        asked = json.dumps({"ref": {"label": "Ref", "place": place}, "any": {"pattern": r"[AB]\d"}})
        folder = tmp_path / place.replace(":", "").replace(",", "-")
        (result,) = outputs("document-extract", tmp_path / "a.pdf", folder, extractFields="{}", find=asked)
        return json.loads(result.read_text("utf-8"))["Document"]["own"]

    upper = found("1: 0,0,600,300")
    assert upper["ref"]["value"] == "A1"
    assert (upper["ref"]["evidence"][0]["page"], upper["ref"]["evidence"][0]["words"]) == (1, "A1")
    assert {one["value"] for one in upper["any"]["candidates"]} == {"A1", "B2"}
    assert found("all: 0,300,600,800")["ref"]["value"] == "B2"
    assert found("3: 0,0,600,800")["ref"] == {"value": None, "confidence": 0.0, "evidence": []}


@pytest.mark.parametrize(
    ("find", "code"),
    [
        ("[]", "01006"),
        ("{", "01006"),
        ('{"a": 1}', "03000"),
        ('{"a": {}}', "03000"),
        ('{"a": {"label": "x", "pattern": "y"}}', "03000"),
        ('{"a": {"label": "x", "colour": "y"}}', "03000"),
        ('{"a": {"pattern": "("}}', "03000"),
        ('{"a": {"label": "x", "place": "y"}}', "03000"),
        (json.dumps({str(number): {"label": "x"} for number in range(101)}), "03000"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(find: str, code: str, tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("x", 60, 100)]])
    with pytest.raises(Refused) as refused:
        work("document-extract", tmp_path, tmp_path / "a.pdf", extractFields="{}", find=find)
    assert refused.value.code == code


def test_it_goes_with_an_empty_schema(tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("x", 60, 100)]])
    schema, find = '{"keys": ["a"]}', '{"a": {"label": "x"}}'
    with pytest.raises(Refused, match="empty extractFields"):
        work("document-extract", tmp_path, tmp_path / "a.pdf", extractFields=schema, find=find)


def test_data_have_no_pages_to_look_on(tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_text(CII)
    order = work("document-extract", tmp_path, tmp_path / "in.xml", extractFields="{}", find='{"a": {"label": "x"}}')
    with report.collected() as warnings:
        implementation("document-extract").run(order)
    assert "Fields of your own are looked for on pages, of which in.xml has none." in warnings


@given(st.text(min_size=1, max_size=30), st.text(max_size=60))
def test_any_label_and_text_are_looked_at_without_a_fault(label: str, text: str) -> None:
    try:
        wanted = read_own_fields(json.dumps({"x": {"label": label}}))
    except Refused:
        return
    find_own([sheet_of(page([[text or "x", label]]))], wanted)


def test_the_words_stand_in_the_rows_in_which_fields_are_looked_for(tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("Ref: A1", 60, 100), Said("Paid", 300, 100), Said("Total", 60, 200)]])
    (result,) = outputs("document-extract", tmp_path / "a.pdf", tmp_path / "out", extractFields="{}", words=True)
    (sheet,) = json.loads(result.read_text("utf-8"))["Document"]["pages"]
    told = [[[word["text"] for word in piece] for piece in row] for row in sheet["rows"]]
    assert told == [[["Ref:", "A1"], ["Paid"]], [["Total"]]]
    left, top, right, bottom = sheet["rows"][0][1][0]["box"]
    assert abs(left - 600) <= 4  # 300 points
    assert left < right <= sheet["width"]
    assert top < bottom <= sheet["height"]


def test_the_days_and_amounts_of_a_page_stand_beside_its_words(tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("12 March 2026", 300, 100), Said("Due 03/04/2026: 1.190,50 EUR", 60, 200)]])
    (result,) = outputs("document-extract", tmp_path / "a.pdf", tmp_path / "out", extractFields="{}", words=True)
    (sheet,) = json.loads(result.read_text("utf-8"))["Document"]["pages"]
    assert sheet["days"] == ["2026-03-12", "2026-04-03", "2026-03-04"]
    assert "1190.50" in sheet["amounts"]


def test_words_go_with_an_empty_schema(tmp_path: Path) -> None:
    written(tmp_path / "a.pdf", [[Said("x", 60, 100)]])
    with pytest.raises(Refused, match="words stands beside"):
        work("document-extract", tmp_path, tmp_path / "a.pdf", extractFields='{"keys": ["a"]}', words=True)
