"""Conditions on what a document says: what they mean, what is refused, and which rule can never have its turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.file import load
from paperchute.rules.problems import RuleFileError
from paperchute.rules.when import Decision, covers, decide, judged, mistakes

HEAD = 'version = 1\n[defaults]\nfolder = "hot"\noperation = "pdf-to-markdown"\n'

AMOUNTS = st.builds(
    lambda sign, value: f"{sign}{value}", st.sampled_from(["", ">=", "<=", "<", ">"]), st.integers(-3, 3)
) | st.builds(lambda low, more: f"{low}..{low + more}", st.integers(-3, 3), st.integers(0, 3))
DAYS = st.builds(
    lambda sign, year, month, day: f"{sign}{year}{month}{day if month else ''}",
    st.sampled_from(["", ">=", "<=", "<", ">"]),
    st.integers(2025, 2026),
    st.sampled_from(["", "-01", "-02"]),
    st.sampled_from(["", "-01", "-28"]),
)


def holds(field: str, wanted: str, value: str) -> bool | None:
    (found,) = judged({field: (wanted,)}, {field: value})
    return found.holds


@pytest.mark.parametrize(
    ("field", "wanted", "value", "expected"),
    [
        ("total", ">=1000", "1000.00", True),
        ("total", ">1000", "1000.00", False),
        ("total", "0.3", "0.30", True),
        ("total", "100..500", "500", True),
        ("total", "<0", "-12.50", True),
        ("sender", "ACME*", "Acme  GmbH", True),
        ("sender", "ACME", "ACME GmbH", False),
        ("sender", "[x]*", "[X] Ltd", True),
        ("sender", "münchen*", "Mu\u0308nchener Rück", True),
        ("date", "2026-03", "2026-03-31", True),
        ("date", "<2026-03", "2026-02-28", True),
        ("date", ">2026", "2026-12-31", False),
        ("due", "2025..2026", "2026-12-31", True),
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", True),
        ("kind", "*note", "credit_note", True),
        ("kind", "invoice", "e-invoice", True),
        ("kind", "e-invoice", "e-invoice", True),
        ("kind", "e-invoice", "e-credit_note", True),
        ("kind", "credit_note", "e-credit_note", True),
        ("kind", "invoice", "e-credit_note", False),
        ("kind", "e-invoice", "invoice", False),
        ("currency", "eur", "EUR", True),
    ],
)
def test_values_are_compared_as_what_they_are(field: str, wanted: str, value: str, expected: bool) -> None:
    assert holds(field, wanted, value) is expected


def test_what_is_not_sure_neither_holds_nor_fails() -> None:
    (one,) = judged({"total": (">=1000",)}, {})
    assert one.holds is None
    assert holds("total", ">=1000", "") is False, "what the document has none of"


def test_the_amount_is_told_with_its_currency() -> None:
    (one,) = judged({"total": (">=1000",)}, {"total": "1190.50", "currency": "CHF"})
    assert "1190.50 CHF" in one.seen


def test_a_condition_that_fails_needs_no_other() -> None:
    ladder = [({"kind": ("invoice",), "total": (">1",)}, False), ({}, False)]
    assert decide(ladder, {"kind": "letter"}) == Decision(takers=(1,))
    assert decide(ladder, {"total": "5"}) == Decision(open=("kind",))
    assert decide(ladder, {"kind": "invoice"}) == Decision(open=("total",))


def test_a_rule_with_also_leaves_what_is_open_to_the_others_too() -> None:
    ladder = [({"kind": ("invoice",)}, True), ({"sender": ("A*",)}, False), ({"number": ("1",)}, False)]
    assert decide(ladder, {}) == Decision(open=("kind", "sender"))
    assert decide(ladder, {"kind": "invoice", "sender": "Beta", "number": "1"}) == Decision(takers=(0, 2))
    assert decide(ladder, {"kind": "letter", "sender": "Beta", "number": "2"}) == Decision()


@given(AMOUNTS, AMOUNTS, st.integers(-9, 9))
def test_a_condition_that_covers_another_holds_with_it(one: str, other: str, halves: int) -> None:
    value = f"{halves / 2}"
    if covers({"total": (one,)}, {"total": (other,)}) and holds("total", other, value):
        assert holds("total", one, value)


@given(DAYS, DAYS, st.dates().map(str) | st.sampled_from(["2025-12-31", "2026-01-01", "2026-02-28"]))
def test_a_span_of_days_that_covers_another_holds_with_it(one: str, other: str, value: str) -> None:
    if covers({"date": (one,)}, {"date": (other,)}) and holds("date", other, value):
        assert holds("date", one, value)


@given(st.text(max_size=20), st.sampled_from(["total", "date", "kind", "iban", "sender", "currency", "language"]))
def test_what_is_not_refused_can_be_judged(wanted: str, field: str) -> None:
    if not list(mistakes({field: (wanted,)})):
        values = {"total": "1", "date": "2026-01-01", "currency": "EUR", "language": "de", "kind": "letter"}
        assert holds(field, wanted, values.get(field, "a")) in (True, False)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ('{ amount = "1" }', "Did you mean total?"),
        ('{ total = "1.190,50" }', "with a point and without its currency"),
        ('{ total = ">=1000 EUR" }', "without its currency"),
        ('{ total = "500..100" }', "an amount such as"),
        ('{ total = ["100", "many"] }', "'many' cannot be its total"),
        ('{ date = "12.03.2026" }', "a day, month or year"),
        ('{ date = "2026-02-30" }', "a day, month or year"),
        ('{ kind = "invoices" }', "Did you mean invoice?"),
        ('{ currency = "euro" }', "a currency such as EUR"),
        ('{ iban = "DE00370400440532013000" }', "check digits"),
        ('{ sender = "  " }', "a name"),
        ("{ kind = [] }", "must not be empty"),
    ],
)
def test_what_no_document_can_say_is_a_mistake(when: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f'{HEAD}[[rule]]\nname = "A"\nwhen = {when}\n', "utf-8")
    with pytest.raises(RuleFileError, match=r"\d+:\d+") as refused:
        load(path)
    assert said in str(refused.value)


@pytest.mark.parametrize("more", ['gather = "batch"', "shared = true", 'schedule = "hourly"'])
def test_only_single_files_of_ones_own_are_asked(more: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f'{HEAD}[[rule]]\nname = "A"\nwhen = {{ kind = "letter" }}\n{more}\n', "utf-8")
    with pytest.raises(RuleFileError, match="when"):
        load(path)


def test_no_batch_is_beside_rules_that_hand_files_on(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    rules = '[[rule]]\nname = "A"\nwhen = { kind = "letter" }\n[[rule]]\nname = "B"\ngather = "batch"\n'
    path.write_text(HEAD.replace("pdf-to-markdown", "pdf-merge") + rules.replace("when", "operation = 'scan'\nwhen"))
    with pytest.raises(RuleFileError, match="batch"):
        load(path)


def warned(tmp_path: Path, *whens: str) -> str:
    path = tmp_path / "rules.toml"
    rules = "".join(f'[[rule]]\nname = "R{number}"\n{when}\n' for number, when in enumerate(whens))
    path.write_text(HEAD + rules, "utf-8")
    return "\n".join(str(problem.message) for problem in load(path).warnings)


def test_amounts_of_no_currency_are_told(tmp_path: Path) -> None:
    assert "currency" in warned(tmp_path, "when = { total = 1000 }")
    assert "currency" not in warned(tmp_path, 'when = { total = 1000, currency = "EUR" }')


def test_a_rule_that_never_has_its_turn_is_told(tmp_path: Path) -> None:
    first = 'when = { currency = "EUR", total = ">500" }'
    assert "never" in warned(tmp_path, first, 'when = { currency = "EUR", total = "1000..2000", kind = "invoice" }')
    assert "never" not in warned(tmp_path, first, 'when = { currency = "EUR", total = ">=500" }')
    assert "never" not in warned(tmp_path, first, 'when = { total = ">=1000" }')
    assert "never" not in warned(tmp_path, first, "")
    assert "never" in warned(tmp_path, "", first)
    assert "never" not in warned(tmp_path, f"also = true\n{first}", first)
    assert "never" not in warned(tmp_path, 'when = { kind = "invoice" }', 'when = { kind = "e-invoice" }')
    assert "never" in warned(tmp_path, 'when = { kind = "e-invoice" }', 'when = { kind = "e-credit_note" }')
