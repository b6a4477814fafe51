"""What a constraint may do, what each of them is needed for, and that the documentation names them all."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.extraction.constraints import CONSTRAINTS, Constraint, Document, decided
from paperchute.engine.extraction.finder import candidates_in, findings
from paperchute.engine.extraction.findings import Candidate, Findings, Found, LineItem, sure, unsure
from paperchute.engine.extraction.printed import sheet_of
from tests.engine.extraction.pages import page

_FIELDS = [one.name for one in fields(Findings) if one.name != "language"]
_SUMS = [["Net", "100.00 EUR"], ["VAT 19 %", "19.00 EUR"], ["Total", "119.00 EUR"]]
_INSURER = [["Nordstern Versicherung AG"], ["Am Markt 4"], ["20095 Hamburg"], [""]]
_LETTER = [["12 March 2026"], ["Dear Ms Watson,"], ["We have received this from you:"]]

_NEEDED = {
    "doubt_sums_without_currency": (
        [["Coverage until March"], [""], ["State", "Name", "Price"], ["Delhi", "North", "1.29"], ["Total", "", "1.29"]],
        {"total", "items"},
    ),
    "doubt_sums_of_payslips": (
        [["Payslip"], ["Gross pay", "", "4,275.80 EUR"], *_SUMS],
        {"net", "tax", "tax_rate", "total"},
    ),
    "doubt_number_of_several_titles": (
        [
            ["Acme Tools Ltd"],
            [""],
            ["Invoice Reminder 4711"],
            ["Invoice"],
            ["Reminder"],
            ["Invoice number: 4711"],
            *_SUMS,
        ],
        {"number"},
    ),
    "doubt_what_letters_speak_of": (
        [*_LETTER, ["Invoice number: 4711"], *_SUMS, ["Due date: 13/12/2026"], ["Yours sincerely,"]],
        {"net", "tax", "tax_rate", "total", "due"},
    ),
    "doubt_payment_before_date": (
        [["Invoice 4711"], ["Invoice date: 12 March 2026"], ["Due date: 11 March 2026"], *_SUMS],
        {"due"},
    ),
    "doubt_kind_of_insurers_papers": (
        [*_INSURER, ["Rechnung"], ["Versicherungsnummer:", "VS-4711-22"], ["Sehr geehrte Damen und Herren,"]],
        {"kind"},
    ),
}
"""A document for each constraint, and the fields that would be sure without it."""


def _sure(found: Findings) -> set[str]:
    return {name for name in _FIELDS if getattr(found, name).value is not None}


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda constraint: constraint.__name__)
def test_each_constraint_is_needed(constraint: Constraint) -> None:
    rows, wanted = _NEEDED[constraint.__name__]
    document, found = candidates_in([sheet_of(page(rows))])
    without = decided(found, document, [other for other in CONSTRAINTS if other is not constraint])
    assert _sure(without) - _sure(findings([page(rows)])) == wanted


def test_the_documentation_lists_the_constraints_in_their_order() -> None:
    text = (Path(__file__).parents[3] / "docs/architecture.md").read_text("utf-8")
    assert re.findall(r"`(doubt_\w+)`", text) == [constraint.__name__ for constraint in CONSTRAINTS]


def _found(values: st.SearchStrategy[object]) -> st.SearchStrategy[Found[object]]:
    likely = st.builds(Candidate, values, st.floats(0, 1))
    several = st.lists(likely, min_size=1, max_size=3).map(lambda some: unsure(some, "nothing confirms it"))
    return st.one_of(st.just(Found()), likely.map(sure), several)


_AMOUNTS = _found(st.sampled_from([Decimal("100.00"), Decimal("19.00"), Decimal("0.00")]))
_DAYS = _found(st.dates(date(2026, 1, 1), date(2026, 1, 5)))
_KINDS = _found(st.sampled_from(["invoice", "letter", "payslip", "statement", "insurance", "contract"]))
_LINES = _found(st.sampled_from([(LineItem("Tea", Decimal(2)),), (LineItem("Tea", amount=Decimal("1.50")),)]))
_FINDINGS = st.builds(
    Findings,
    kind=_KINDS,
    date=_DAYS,
    due=_DAYS,
    number=_found(st.sampled_from(["4711", "A1"])),
    items=_LINES,
    **dict.fromkeys(("net", "tax", "tax_rate", "total"), _AMOUNTS),
)
_INSURERS = st.sampled_from([Found(), sure(Candidate("insurance", 0.9))])
_DOCUMENTS = st.builds(Document, _KINDS, st.booleans(), st.booleans(), _INSURERS, _AMOUNTS)


@given(_FINDINGS, _DOCUMENTS, st.sampled_from(CONSTRAINTS))
def test_a_constraint_never_invents_a_value_nor_makes_one_sure(
    before: Findings, document: Document, constraint: Constraint
) -> None:
    after = constraint(before, document)
    for name in _FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        assert new.value in (None, old.value)
        named = {one.value for one in old.possible}
        assert {one.value for one in new.possible} - named <= {document.insurer.value}
        assert named <= {one.value for one in new.possible}
        assert new == old or new.reason


@given(_FINDINGS, _DOCUMENTS)
def test_asking_again_changes_nothing(found: Findings, document: Document) -> None:
    for constraint in CONSTRAINTS:
        once = constraint(found, document)
        assert constraint(once, document) == once
    assert decided(decided(found, document), document) == decided(found, document)
