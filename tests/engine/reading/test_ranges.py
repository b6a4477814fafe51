"""Ranges of figures whose dash stands in a narrow column of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.tables.amounts import as_printed, with_whole_figures
from paperchute.engine.reading.layout.tables.bands import bands_of

NUMBERS = st.integers(100, 999)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=8)


def word(text: str, x: float, row: int) -> Word:
    """A word of 10 points, all of whose signs are 5 wide."""
    y = 100.0 + 14 * row
    return Word(text, x, y - 8, x + 5 * len(text), y + 2, baseline=y, size=10, font=Font())


def texts(rows: list[list[Word]]) -> list[list[str]]:
    """What stands in each row as one, after the words as printed were found to be all there."""
    words = [one for row in rows for one in row]
    bands, parts = with_whole_figures(bands_of(words))
    whole = [one for band in bands for one in band.ordered]
    assert {id(one) for one in as_printed(whole, parts)} == {id(one) for one in words}
    return [[one.text for one in whole if one.baseline == row[0].baseline] for row in rows]


@given(PAIRS)
def test_a_dash_between_rising_figures_in_all_lines_makes_them_one(pairs: list[tuple[int, int]]) -> None:
    rows = [(min(pair), max(pair) + 1) for pair in pairs]
    placed = [[word(str(a), 100, n), word("-", 121, n), word(str(b), 132, n)] for n, (a, b) in enumerate(rows)]
    assert texts(placed) == [[f"{a} - {b}"] for a, b in rows]


@given(PAIRS)
def test_a_dash_that_stands_for_no_figure_stays_a_cell(pairs: list[tuple[int, int]]) -> None:
    rows = [(min(pair), "-", max(pair) + 1) for pair in pairs]
    rows.insert(1, (1, "7", 2))
    placed = [[word(str(a), 100, n), word(nil, 124, n), word(str(b), 138, n)] for n, (a, nil, b) in enumerate(rows)]
    assert texts(placed) == [[str(a), nil, str(b)] for a, nil, b in rows]
