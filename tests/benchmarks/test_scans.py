"""The scores of recognised text."""

from __future__ import annotations

import pytest
from benchmarks.scans.scores import error_rate, exact_cells, text_scores, word_f1
from benchmarks.scans.tables import by_page


def test_the_same_text_has_no_errors_whatever_its_markup() -> None:
    scores = text_scores("Harbour survey\nBergen 12\n", "# Harbour  survey\n\n| Bergen | 12 |\n| --- | --- |\n")
    assert scores == {"CER": 0.0, "CER letters": 0.0, "WER": 0.0, "word F1": 1.0}


def test_bullets_are_no_errors_but_dashes_in_the_text_are() -> None:
    printed = "• Oak 3-4 m\n◦ Ash\nlong\x02 beams"
    assert text_scores(printed, "- Oak 3-4 m\n  - Ash\n\nlong beams")["CER"] == 0.0
    assert text_scores(printed, "- Oak 3 4 m\n  - Ash\n\nlong beams")["CER"] > 0.0


def test_leaders_do_not_count() -> None:
    printed = "Net sales . . . . . . . . 12\nTax ....... 3.50"
    assert text_scores(printed, "| Net sales | 12 |\n| Tax | 3.50 |")["CER"] == 0.0


def test_errors_count_by_the_length_of_the_truth() -> None:
    assert error_rate("harbour", "harbor") == pytest.approx(1 / 7)
    assert error_rate(["the", "quay"], ["the", "key"]) == 0.5
    assert error_rate("a", "quite another text") == 1.0
    assert error_rate("", "") == 0.0


def test_words_count_without_their_order() -> None:
    assert word_f1("one two two", "Two one two") == 1.0
    assert word_f1("one two", "one") == pytest.approx(2 / 3)
    assert word_f1("", "") == 1.0
    assert word_f1("", "dirt") == 0.0


def test_exact_cells_are_counted_wherever_they_stand() -> None:
    truth = "<table><tr><td>Bergen</td><td>12</td></tr><tr><td></td><td>7</td></tr></table>"
    assert exact_cells(truth, "| 12 | Bergen |\n| --- | --- |\n| 7 | |\n") == 1.0
    assert exact_cells(truth, "<table><tr><td>Bergen 12</td><td>7</td></tr></table>") == pytest.approx(2 / 5)
    assert exact_cells(truth, "Bergen 12 7") == 0.0


def test_a_table_is_found_on_the_page_that_has_its_rows() -> None:
    quays = _table(["north quay", "four ships"], ["south quay", "two ships"])
    crew = _table(["mate", "Ada Lund"], ["cook", "Per Moe"])
    pages = [
        "Quays: two, four.",
        "North quay four ships\nsouth quay two ships\nmate Ada Lund",
        "cook Per Moe",
    ]
    assert by_page([quays], pages) == {1: [quays]}
    assert by_page([quays, crew], pages) == {}, "a page with a part of another table tells nothing of precision"


def _table(*rows: list[str]) -> str:
    return f"<table>{''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in rows)}</table>"
