"""Cells that cover more of a table than can be laid out, and those of people, which stay as they are."""

from __future__ import annotations

import pytest

from paperchute.engine import report
from paperchute.engine.html.spans import within_rows


@pytest.mark.parametrize(
    "cell",
    [
        "<td colspan=1000 rowspan=65534>",
        "<TH title='>' rowspan='0' class=x COLSPAN = \"900\">",
        f"<td rowspan={'9' * 5000} colspan=99>",
    ],
)
def test_cells_beyond_all_tables_stand_in_one_row(cell: str) -> None:
    with report.collected() as said:
        made = within_rows(f"<table>{f'<tr>{cell}x' * 400}</table><p>rowspan=5")
    assert "rowspan=1" in made.replace("'", "").replace(" ", "")
    assert made.lower().count("span") == 801
    assert made.endswith("<p>rowspan=5")
    assert len(said) == 1


@pytest.mark.parametrize(
    "table",
    [
        pytest.param("<tr><td colspan=1000>x" * 3000, id="wide"),
        pytest.param("<tr><td rowspan=65534>x" * 3000, id="high"),
        pytest.param(f"<tr>{'<td colspan=3 rowspan=2>x' * 120}" * 200, id="a plan"),
    ],
)
def test_tables_of_people_stay(table: str) -> None:
    with report.collected() as said:
        assert within_rows(table) is table
    assert not said
