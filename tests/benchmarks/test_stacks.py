"""The first pages of documents in generated stacks: what is sure is right, and what is proposed nearly always."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.stacks.documents import Maker
from benchmarks.stacks.measuring import measured

from paperchute.engine.fonts import use_carried_fonts

use_carried_fonts()


def test_a_seed_makes_the_same_stack_again(tmp_path: Path) -> None:
    one, other = (Maker(3).write(tmp_path) for _time in range(2))
    assert (one.starts, one.kinds, one.pages) == (other.starts, other.kinds, other.pages)
    assert len(one.starts) >= 4


@pytest.mark.slow
def test_what_is_sure_is_right_and_few_documents_are_missed(tmp_path: Path) -> None:
    score = measured(range(1, 25, 2), tmp_path)
    assert score.sure_false == 0
    assert score.sure > 0
    assert score.recall >= 0.95, score.wrong
    assert score.precision >= 0.95, score.wrong


@pytest.mark.slow
def test_annexes_that_count_by_themselves_are_surely_no_documents(tmp_path: Path) -> None:
    score = measured(range(6), tmp_path, attached=True)
    assert score.sure == 0
    assert score.false <= 1, score.wrong
