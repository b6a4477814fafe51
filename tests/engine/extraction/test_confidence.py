"""How sure a value is: by the kinds of evidence alone, which stand in one place, and never more than one."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine import extraction
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Candidate, Findings, Found, opened, sure, unsure
from tests.engine.extraction.pages import page

_KINDS = dataclasses.astuple(CONFIDENCE)
_ROWS = [
    ["Acme Tools Ltd"], ["1 High Street"], ["London EC1A 1BB"], [""], ["From:", "Acme Tools Ltd"], [""],
    ["Invoice 4711"], ["Invoice date: 12 March 2026"], ["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"],
    ["Total", "119.00 EUR"], ["IBAN", "DE89 3704 0044 0532 0130 00"],
]  # fmt: skip


def _values(found: Findings) -> list[Found[object]]:
    every = [getattr(found, one.name) for one in dataclasses.fields(found) if one.name != "language"]
    return [one for one in every if one.value is not None]


def _constants(path: Path) -> list[float]:
    """The decimals that a module gives to candidates."""
    calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
    named = (call for call in calls if getattr(call.func, "id", "") in ("Candidate", "Found", "joined"))
    told = [part for call in named for part in call.args if isinstance(part, ast.Constant)]
    return [part.value for part in told if isinstance(part.value, float)]


@pytest.mark.parametrize("path", sorted(Path(extraction.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_no_module_has_a_confidence_of_its_own(path: Path) -> None:
    assert _constants(path) == []


def test_the_kinds_differ_and_the_better_proof_comes_first() -> None:
    assert list(_KINDS) == sorted(set(_KINDS), reverse=True)
    assert all(0.5 < kind < 1 for kind in _KINDS)


def test_what_is_printed_clearly_is_as_sure_as_its_kind_of_evidence() -> None:
    told = _values(findings([page(_ROWS)]))
    assert len(told) >= 9
    assert {one.confidence for one in told} <= {*_KINDS, CONFIDENCE.proven**2}


@given(st.floats(0.5, 1.0))
def test_what_is_read_badly_is_less_sure_and_never_more_than_its_kind(certainty: float) -> None:
    clear = findings([page(_ROWS)])
    read = findings([page(_ROWS, confidence=certainty)])
    for one in dataclasses.fields(clear):
        before, after = getattr(clear, one.name), getattr(read, one.name)
        if one.name != "language" and before.value is not None:
            assert after.confidence <= before.confidence
            assert after.value in (None, before.value)


@given(st.text(min_size=1), st.floats(0, 1), st.text(min_size=1))
def test_a_value_that_is_taken_back_is_half_as_sure_and_tells_why(value: str, confidence: float, reason: str) -> None:
    found = sure(Candidate(value, confidence))
    once = opened(found, reason)
    assert (once.value, once.reason) == (None, reason)
    assert once.candidates == (Candidate(value, confidence / 2),)
    assert opened(once, "another") == once


@given(st.lists(st.builds(Candidate, st.integers(), st.floats(0, 1))))
def test_candidates_stand_by_how_sure_they_are(candidates: list[Candidate[int]]) -> None:
    found = unsure(candidates, "several")
    assert sorted(candidates, key=lambda one: -one.confidence) == list(found.candidates) == list(found.possible)
