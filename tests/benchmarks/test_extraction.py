"""The generated business documents and their scorer."""

from __future__ import annotations

import html
from collections import Counter

from benchmarks.extraction.documents import LANGUAGES, make
from benchmarks.extraction.offices.content import COUNT, content
from benchmarks.extraction.offices.hypertext import page
from benchmarks.extraction.offices.open_document import flat
from benchmarks.extraction.scores import judged, shares
from benchmarks.extraction.traps import trap


def test_a_seed_makes_the_same_document_again() -> None:
    assert make(7).page == make(7).page
    assert make(7).truth == make(7).truth
    assert make(7).page != make(9).page


def test_each_trap_comes_in_both_halves_and_is_the_same_again() -> None:
    assert trap(24, LANGUAGES) == trap(24, LANGUAGES)
    seen, unseen = ({trap(seed, LANGUAGES).page for seed in range(half, 34, 2)} for half in (0, 1))
    assert len(seen) == len(unseen) == 17
    assert not seen & unseen


def test_the_halves_of_documents_of_offices_have_the_same_kinds_and_languages() -> None:
    halves = [[content(seed) for seed in range(half, 2 * COUNT, 2)] for half in (0, 1)]
    kinds = [Counter((made.kind, made.language) for made in half) for half in halves]
    assert kinds[0] == kinds[1]
    assert kinds[0].total() == 60
    assert content(7) == content(7) != content(9)
    assert not {page(made) for made in halves[0]} & {page(made) for made in halves[1]}


def test_documents_of_offices_show_what_is_true_of_them() -> None:
    for seed in range(2 * COUNT):
        made = content(seed)
        shown = [page(made), flat(made)]
        wanted = [made.sender, *(made.truth["number"],) * (made.truth["number"] not in (None, "any"))]
        assert all(html.escape(text) in one for text in wanted for one in shown)


def test_every_field_is_right_unsure_missed_or_wrong() -> None:
    truth = {
        "total": "12.00", "date": "unsure", "number": "A1", "sender": "Müller GmbH", "net": "10.00", "items": "any",
    }  # fmt: skip
    found = {
        "total": {"value": "12.0"}, "date": {"value": None}, "number": {"value": "A2"},
        "sender": {"value": "MULLER GmbH"}, "net": {"value": None, "candidates": [{"value": "11.00"}]},
        "due": {"value": "2026-01-01"}, "items": {"value": []},
    }  # fmt: skip
    outcomes = judged(truth, found)
    assert outcomes == {
        "total": "right", "date": "right", "number": "wrong", "sender": "right", "net": "unsure", "due": "wrong",
    }  # fmt: skip
    assert judged({"number": "1"}, {}) == {"number": "missed"}
    assert shares([outcomes])["all"] == {"right": 0.5, "unsure": 0.1667, "missed": 0.0, "wrong": 0.3333, "n": 6}
