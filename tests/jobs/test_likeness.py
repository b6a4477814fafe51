"""Two fingerprints compared: scans of one paper are the same, and whatever else may be told apart is another."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.jobs.likeness import answer_key, answer_likeness
from tests.jobs.fingerprints import LETTER, document, page, placed, scan_of

FIRST = scan_of(LETTER)


def likeness(one: bytes, other: bytes) -> str:
    """As the reader process answers; it must be the same from both sides."""
    found = {answer_likeness({"first": len(a)}, a + b)[0]["likeness"] for a, b in ((one, other), (other, one))}
    assert len(found) == 1
    return str(found.pop())


def key(content: bytes) -> str:
    return str(answer_key({}, content)[0]["key"])


def with_word(number: int, text: str) -> bytes:
    """The letter with another word in a place."""
    return scan_of([*LETTER[:number], text, *LETTER[number + 1 :]])


@given(degrees=st.floats(-3, 3), across=st.floats(-20, 20), down=st.floats(-20, 20), quarter=st.sampled_from((0, 180)))
@settings(max_examples=15, deadline=None)
def test_askew_and_shifted_it_is_the_same(degrees: float, across: float, down: float, quarter: int) -> None:
    other = scan_of(LETTER, degrees=degrees + quarter, shift=complex(across, down))
    assert likeness(FIRST, other) == "same"
    assert key(FIRST) == key(other)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_one_digit_is_another_document(data: st.DataObject) -> None:
    number = data.draw(st.sampled_from([n for n, word in enumerate(LETTER) if any(map(str.isdigit, word))]))
    word = LETTER[number]
    at = data.draw(st.sampled_from([n for n, sign in enumerate(word) if sign.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != word[at]]))
    other = with_word(number, word[:at] + digit + word[at + 1 :])
    assert likeness(FIRST, other) == "other"
    assert key(FIRST) != key(other)


@given(across=st.floats(80, 520), down=st.floats(400, 760), degrees=st.floats(-2, 2))
@settings(max_examples=15, deadline=None)
def test_a_tick_or_a_signature_is_another_document(across: float, down: float, degrees: float) -> None:
    ticked = scan_of(LETTER, degrees=degrees, ticks=[complex(across, down)])
    assert likeness(FIRST, ticked) == "other"


def test_one_word_is_not_sure_and_many_are_another_document() -> None:
    assert likeness(FIRST, with_word(1, "Tinder")) == "unsure"
    assert likeness(FIRST, scan_of(["Chapel", "Timber", "fails", "at", *LETTER[4:]])) == "other"


def test_of_documents_without_digits_only_those_with_the_same_words_are_compared() -> None:
    plain = [word for word in LETTER if word.isalpha()]
    assert key(scan_of(plain)) == key(scan_of(plain, degrees=2)) != key(scan_of(["Chapel", *plain[1:]]))


def test_a_number_that_was_not_read_surely_is_not_sure() -> None:
    raw = json.loads(FIRST)
    number = next(n for n, word in enumerate(raw["pages"][0]["words"]) if word[1])
    raw["pages"][0]["words"][number][2] = False
    assert likeness(FIRST, json.dumps(raw).encode()) == "unsure"


def test_words_in_other_places_are_another_document() -> None:
    swapped = [LETTER[9], *LETTER[1:9], LETTER[0], *LETTER[10:]]
    assert likeness(FIRST, scan_of(swapped)) == "other"
    assert likeness(FIRST, scan_of([*reversed(LETTER)])) == "other"


@pytest.mark.parametrize(
    "other",
    [
        document(page(placed(LETTER)), page([])),
        document(page(placed(LETTER)), attached=["the data of an invoice"]),
    ],
)
def test_a_page_or_an_attached_file_more_is_another_document(other: dict[str, Any]) -> None:
    content = json.dumps(other).encode()
    assert likeness(FIRST, content) == "other"
    assert key(FIRST) != key(content)


def test_blank_pages_are_alike_and_pictures_alone_are_never_known_again() -> None:
    blank = json.dumps(document(page(placed(LETTER)), page([]))).encode()
    assert likeness(blank, blank) == "same"
    assert key(json.dumps(document(page([], ticks=[300 + 300j]))).encode()) == ""


@pytest.mark.parametrize(
    "broken",
    [
        {"version": 2},
        {"pages": 201 * [page([])]},
        {"pages": [page([]) | {"ink": "AAAA"}]},
        {"pages": [page([]) | {"columns": 10**7}]},
        {"pages": [page([]) | {"words": [["a"]]}]},
    ],
)
def test_what_is_no_fingerprint_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises((ValueError, zlib.error)):
        answer_key({}, json.dumps(document() | broken).encode())
