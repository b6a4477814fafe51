"""The scores of recognised text."""

from __future__ import annotations

import pytest
from benchmarks.scans.scores import error_rate, text_scores, word_f1


def test_the_same_text_has_no_errors_whatever_its_markup() -> None:
    scores = text_scores("Harbour survey\nBergen 12\n", "# Harbour  survey\n\n| Bergen | 12 |\n| --- | --- |\n")
    assert scores == {"CER": 0.0, "CER letters": 0.0, "WER": 0.0, "word F1": 1.0}


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
