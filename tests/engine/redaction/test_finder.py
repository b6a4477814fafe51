"""Words are found however they are parted, and others are left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.redaction.finder import Finder

_WORDS = ("Kestrel", "Ann Lee", "Müller-Lüdenscheid", "北京大学", "Straße")
_OTHERS = st.lists(st.sampled_from(["alder", "birch", "Kestrels", "kes", "trel", "Ann", "12.50", "(so)"]), max_size=6)


def _found(finder: Finder, text: str) -> list[str]:
    return [text[start:end] for start, end in finder.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Kestrel", "KESTREL", "Kes\u00adtrel", "Kes-\ntrel", "Kes\ufffetrel", "Kes\u0002\r\ntrel", "Kes\u200btrel",
        "Kes-trel",        "K e s t r e l", "K  e  s  t  r  e  l", "Kes\ntrel", "Ｋｅｓｔｒｅｌ",
        "Ann Lee", "Ann\r\nLee", "Ann\u00a0 Lee",
        "STRASSE",        "Müller-Lüdenscheid", "Müller-\nLüdenscheid", "Mu\u0308ller\u2011Lu\u0308denscheid",
        "北京大学",
    ],
)  # fmt: skip
def test_a_word_is_found_however_it_is_written(text: str) -> None:
    assert _found(Finder([], [], _WORDS), f"of {text}, and") == [text]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("Yıldız", "YILDIZ"), ("YILDIZ", "Yıldız"), ("İzmir", "izmir"), ("izmir", "İZMİR"),
        ("Παπαδόπουλος", "ΠΑΠΑΔΟΠΟΥΛΟΣ"), ("O'Brien", "O´Brien"), ("O'Brien", "O`Brien"), ("O’Brien", "O′Brien"),
        ("Kestrel", "Kes\u3164trel"), ("Kestrel", "Kes\U000e0101trel"), ("Kestrel", "Kes\x01trel"), ("Lee", "L e e"),
        ("Kestrel", "Kes¬\ntrel"), ("山田", "山　田"), ("كتاب", "كـتـاب"), ("محمد", "مُحَمَّد"), ("שלום", "שָׁלוֹם"),
    ],
)  # fmt: skip
def test_a_word_is_found_however_a_language_writes_it(word: str, text: str) -> None:
    assert _found(Finder([], [], [word]), f"of {text}, and") == [text]


@pytest.mark.parametrize("text", ["Kestrels", "sKestrel", "Kestrel2", "Ann or Lee", "kes trel", "the trel kes"])
def test_parts_and_other_words_are_left(text: str) -> None:
    assert _found(Finder([], [], _WORDS), text) == []


def test_letter_case_counts_where_that_is_asked() -> None:
    finder = Finder([], [], ["Kestrel"], match_case=True)
    assert _found(finder, "kestrel Kestrel KESTREL K e s t r e l k e s t r e l") == ["Kestrel", "K e s t r e l"]


def test_a_word_before_an_address_in_the_next_line_is_left() -> None:
    assert _found(Finder(["email"], [], []), "write to\nanna@x.org now") == ["anna@x.org"]
    assert _found(Finder(["email"], [], []), "write anna.\nlee@x.org now") == ["anna.\nlee@x.org"]


def test_a_number_that_goes_on_in_the_next_line_is_found_whole() -> None:
    text = "DE89 3704 0044\n0532 0130 00"
    assert _found(Finder(["iban"], [], []), f"IBAN {text}\nBIC") == [text]


def test_own_expressions_are_found_over_lines_and_take_no_time() -> None:
    finder = Finder([], [r"K-\d{5}", "(a+)+$"], [])
    assert "K-12345" in _found(finder, "no K-12345 x")
    assert finder.find("a" * 20_000 + "b") == []


@given(_OTHERS, st.sampled_from(_WORDS), _OTHERS)
def test_what_stands_around_a_word_stays(before: list[str], word: str, behind: list[str]) -> None:
    text = " ".join([*before, ";", word, ";", *behind])
    assert _found(Finder([], [], _WORDS), text) == [word]
