"""Heads of several lines in the middle of the tallest: the order of the page's content tells which lines are one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.printing import LOREM, printed
from tests.engine.reading.test_tables import grids

_HEAD = ["Harbour", "Gross amount", "Number of boats (mean)", "Still to pay", "Paid in advance"]
_BREAKS = ["Harbour", "Gross<br>amount", "Number of<br>boats<br>(mean)", "Still<br>to pay", "Paid in<br>advance"]
_ROWS = [[name, *(f"{n + k},{417 - 31 * k}" for k in range(4))] for n, name in enumerate(("Amrum", "Sylt", "Juist"), 4)]
_CSS = "td, th {padding: 2pt 9pt; vertical-align: middle; text-align: right} table {border-collapse: collapse}"


@pytest.mark.parametrize("rules", ["", "tr > * {border-bottom: 1px solid #000}"])
@pytest.mark.parametrize("first", ["Harbour", ""])
def test_lines_of_a_head_stand_over_their_own_figures(first: str, rules: str, tmp_path: Path) -> None:
    head = "".join(f"<th>{text}</th>" for text in [first, *_BREAKS[1:]])
    body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in _ROWS)
    html = f"<p>{LOREM}</p><table><tr>{head}</tr>{body}</table><p>{LOREM}</p>"
    assert grids(printed(tmp_path / "a.pdf", html, _CSS + rules)) == [[[first, *_HEAD[1:]], *_ROWS]]
