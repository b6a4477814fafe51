"""What scan comes to on stacks that nobody looked at when it was written: the odd seeds."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pikepdf
import pytest

from paperchute.engine.imaging.blank import ink_of, verdict_on
from tests.engine.operations import stacks
from tests.engine.operations.stacks import SPARSE, blank, printed, scanned, sparse, with_back
from tests.engine.operations.test_scan import lean, looks, off_ink, pictures, run, seen

pytestmark = pytest.mark.slow
FRONTS, LETTERS = 30, 10
"""Of the sheets, each with three sparse backs and a blank one; 300 pages were measured by hand in the same way."""


def test_no_sparse_page_is_blank_and_of_the_blank_backs_95_in_100_are() -> None:
    lost, kept = [], []
    for number in range(FRONTS):
        chance = random.Random(2 * number + 1)
        front = printed(chance, chance.randrange(8, 30))
        shines, skew = chance.choice((0.0, 0.1, 0.2, 0.3)), chance.uniform(-2.5, 2.5)
        turn, worn = chance.choice((0, 90, 180, 270)), chance.random() < 0.5
        other = ink_of(seen(scanned(front, chance, turn=-turn % 360, skew=-skew, worn=worn)))
        for kind in (*(SPARSE[(3 * number + k) % len(SPARSE)] for k in range(3)), ""):
            page = sparse(kind) if kind else blank()
            back = with_back(page, front, shines) if shines else page
            found = verdict_on(ink_of(seen(scanned(back, chance, turn=turn, skew=skew, worn=worn))), [other])
            if not kind:
                kept.append(found != "blank")
            elif found == "blank":
                lost.append((number, kind))
    assert lost == []
    assert np.mean(kept) <= 0.05


def test_letters_of_a_duplex_stack_come_out_upright_and_straight_and_their_blank_backs_beside(tmp_path: Path) -> None:
    chance = random.Random(77)
    sheets, backs, skews = [], [], []
    for number in range(LETTERS):
        letter = printed(chance, chance.randrange(9, 20))
        turn, skew = (0, 90, 180, 270)[number % 4], chance.uniform(-3, 3)
        sheets.append(scanned(letter, chance, turn=turn, skew=skew, worn=number % 3 == 0))
        if number % 2:
            backs.append(len(sheets))
            sheets.append(scanned(with_back(blank(), letter, 0.2), chance, turn=-turn % 360, skew=-skew))
    source = stacks.stack(tmp_path / "in.pdf", *sheets)
    found = run(tmp_path, source, ocrRecognitionLang="ENGLISH")
    before = pictures(source)
    assert found.beside is not None
    assert pictures(found.beside) == [before[index] for index in backs]
    with pikepdf.open(found.main) as pdf:
        assert len(pdf.pages) == LETTERS
    for page in range(LETTERS):
        height, width = looks(found.main, page).shape
        ink = np.flatnonzero((looks(found.main, page)[:, 80 : width - 80] < 128).sum(axis=1) > 3)
        assert height > width
        assert 80 < ink[0] < 130, "its first line is as far from the top as it was printed"
        assert off_ink(found.main, page) == []
        skews.append(abs(lean(found.main, page)))
    assert np.percentile(skews, 95) <= 0.3
