"""The contract's values: one reading for rules, command line and engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.contract import (
    Operation,
    PageListError,
    Parameter,
    ValueRefused,
    accept,
    contract,
    pages_beyond,
    parse_page_list,
    select_pages,
    told_of_ranges,
    wire,
)

EVERY = [(o, p) for o in contract().operations.values() for p in o.parameters]


def parameter(operation: str, name: str) -> Parameter:
    found = contract().operations[operation].parameter(name)
    assert found is not None
    return found


@pytest.mark.parametrize(("operation", "known"), EVERY, ids=lambda x: getattr(x, "id", None) or x.name)
def test_every_listed_value_and_default_is_accepted_and_survives_the_wire(
    operation: Operation, known: Parameter
) -> None:
    for value in (*known.values, *([known.default] if known.default is not None else [])):
        accepted = accept(known, value)
        sent = wire(accepted)
        assert accept(known, sent) == accepted


@pytest.mark.parametrize(("operation", "known"), EVERY, ids=lambda x: getattr(x, "id", None) or x.name)
def test_a_value_outside_the_list_is_refused_with_the_list(operation: Operation, known: Parameter) -> None:
    if known.values and known.type != "array":
        with pytest.raises(ValueRefused) as caught:
            accept(known, "certainly-not-this")
        assert known.name in str(caught.value)
        listed = str(caught.value).partition(", not ")[0].lower()
        assert all(str(value).lower() in listed for value in known.values)


@given(
    st.sampled_from(EVERY),
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text())),
)
def test_any_value_is_accepted_or_refused_in_a_sentence(pair: tuple[Operation, Parameter], value: Any) -> None:
    try:
        assert isinstance(wire(accept(pair[1], value)), str | list)
    except ValueRefused as error:
        refusal = str(error)
    else:
        refusal = pair[1].name
    assert pair[1].name in refusal


@pytest.mark.parametrize("word", ["on", "yes", "TRUE", 1, True, "1"])
def test_switches_take_every_spelling(word: object) -> None:
    assert accept(parameter("pdf-to-markdown", "enableOcr"), word) == 1
    assert accept(parameter("pdf-encrypt", "allowPrint"), word) is True


def test_a_known_misspelling_is_understood() -> None:
    known = parameter("pdf-to-markdown", "ocrOption")
    assert accept(known, "INVALID_CHARACTERAND_SCAN_PAGE") == "INVALID_CHARACTER_AND_SCAN_PAGE"


@pytest.mark.parametrize("text", ["0", "5-3", "1-", "a", "1,,2", "-1", "1;2", "1-2-3"])
def test_malformed_page_lists_are_refused(text: str) -> None:
    with pytest.raises(PageListError):
        parse_page_list(text)


def test_page_lists_keep_order_and_repeats_and_stay_inside() -> None:
    assert select_pages("3,1-2, 2", 3) == [2, 0, 1, 1]
    assert select_pages("", 2) == select_pages("all", 2) == [0, 1]
    with pytest.raises(PageListError, match="page 4"):
        select_pages("7,4-5", 3)


def test_what_a_page_list_names_behind_the_last_page_is_told_apart() -> None:
    assert select_pages("1-2", 1) == [0]
    assert select_pages("2-9999999999999,7", 3) == [1, 2]
    assert pages_beyond("2-9999999999999,7,1", 3) == [(4, 9999999999999), (7, 7)]
    assert pages_beyond("all", 3) == pages_beyond("1-3", 3) == []
    assert told_of_ranges([(4, 10**12), (7, 7)]) == "pages 4-1000000000000"
    assert told_of_ranges([(2, 2)]) == "page 2"


@pytest.mark.parametrize("text", ["1-9999," * 4000, "1," * 200_000, "5000-999999999999999999," * 4000])
def test_a_short_list_does_not_name_millions_of_pages(text: str) -> None:
    with pytest.raises(PageListError, match="there may be 101000"):
        select_pages(text + "1", 10_000)


def test_copies_of_pages_may_be_named() -> None:
    assert select_pages(",".join(["1"] * 1010), 1) == [0] * 1010
    assert len(select_pages("1-2000,1-2000", 2000)) == 4000
    with pytest.raises(PageListError):
        select_pages("9" * 5000, 3)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 10)), min_size=1, max_size=6))
def test_any_well_formed_page_list_selects_what_it_says(ranges: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}" if more else str(first) for first, more in ranges)
    expected = [page - 1 for first, more in ranges for page in range(first, first + more + 1)]
    assert select_pages(text, 100) == expected


@pytest.mark.parametrize(
    ("operation", "name", "value"),
    [
        ("pdf-generate", "data", "[" * 100_000),
        ("pdf-merge", "passwords", "[" * 100_000),
        ("pdf-generate", "htmlUrl", "http://[::1"),
    ],
)
def test_values_made_to_break_a_reader_are_refused(operation: str, name: str, value: str) -> None:
    with pytest.raises(ValueRefused, match=name):
        accept(parameter(operation, name), value)


def test_a_list_of_one_text_that_looks_like_a_list_survives_the_wire() -> None:
    parameter = contract().operations["pdf-redact"].parameter("expressions")
    assert parameter is not None
    for texts in (["[A-Z]{2}"], ["[1]"], ["a", "[b]"]):
        assert accept(parameter, wire(accept(parameter, texts))) == texts
