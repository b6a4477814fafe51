"""A picked word as entries of `find`: which label, form and place are proposed, and how one gets into the form."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.app.picking import Chosen, Pick, added, proposals, usual_output
from paperchute.app.rule_form import value_from
from paperchute.app.sample_reading import answer_words
from paperchute.app.workshop import Draft, Filled, with_draft
from paperchute.engine.extraction.own_fields import find_own
from paperchute.engine.extraction.printed import sheet_of
from paperchute.engine.extraction.schema import read_own_fields
from paperchute.errors import PaperchuteError
from tests.engine.extraction.pages import page


def pick(*rows: list[str], piece: int = 0, word: int = 0) -> Pick:
    """A word of the last row; each text of a row is a piece, 400 pixels right of the one before."""
    placed = [
        [
            [(text, 400 * column + 90 * at, 50 * line, 400 * column + 90 * at + 80, 50 * line + 20)
             for at, text in enumerate(words.split())]
            for column, words in enumerate(row)
        ]
        for line, row in enumerate(rows)
    ]  # fmt: skip
    return Pick(page=1, rows=placed, piece=piece, word=word)


def entries(of: Pick) -> dict[str, Any]:
    return {one["how"]: one["find"] for one in proposals(of, [])["entries"]}


@pytest.mark.parametrize(
    ("of", "how", "label"),
    [
        (pick(["Customer no.: 77-1234"], word=2), "beside", "Customer no."),
        (pick(["Customer no. 77-1234"], word=2), "beside", "Customer no."),
        (pick(["Customer no.", "77-1234"], piece=1), "beside", "Customer no."),
        (pick(["Date: 12.03.2026 Our ref: 4711"], word=4), "beside", "Our ref"),
        (pick(["Customer no.", "Date"], ["77-1234", "12.03.2026"]), "above", "Customer no."),
        (pick(["Customer no.", "Date"], ["77-1234", "12.03.2026"], piece=1), "above", "Date"),
    ],
)
def test_the_words_beside_or_above_are_the_label(of: Pick, how: str, label: str) -> None:
    assert entries(of)[how] == {"label": label}


@pytest.mark.parametrize(
    "of",
    [
        pick(["4711"]),
        pick(["12.03.2026 4711"], word=1),
        pick(["The goods stay ours until all of it is paid 4711"], word=10),
        pick(["77-1233"], ["77-1234"]),
    ],
)
def test_figures_and_sentences_are_no_label(of: Pick) -> None:
    assert set(entries(of)) == {"pattern", "place"}


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("P-12345", r"\bP-\d{5}\b"), ("7/2026", r"\b\d/\d{4}\b"), ("(A.1)", r"\(A\.\d\)"), ("Huber", None)],
)
def test_a_pattern_is_what_looks_like_the_word(text: str, pattern: str | None) -> None:
    found = entries(pick([text])).get("pattern")
    assert found == (pattern and {"pattern": pattern})


@pytest.mark.parametrize(
    ("rows", "word"),
    [([["Ref: A1"], ["Total"]], (0, 0, 1)), ([["Total", "Huber"], ["x"]], (0, 1, 0)), ([["a"], ["Huber"]], (1, 0, 0))],
)
def test_the_place_of_a_word_has_that_word_alone(rows: list[list[str]], word: tuple[int, int, int]) -> None:
    sheet = sheet_of(page(rows))
    row, piece, at = word
    token = sheet.rows[row].pieces[piece].tokens[at]
    left, top, right, bottom = (round(side * 2) for side in token.box)
    entry = entries(Pick(page=1, rows=[[[(token.text, left, top, right, bottom)]]], piece=0, word=0))["place"]
    found = find_own([sheet], read_own_fields(f'{{"x": {{"pattern": "\\\\S+", "place": "{entry["place"]}"}}}}'))["x"]
    assert found.value == token.text


def test_a_name_is_made_of_the_label_and_is_free() -> None:
    of = pick(["Kundennr. für Süd: 4711"], word=3)
    assert proposals(of, [])["name"] == "kundennr_fur_sud"
    assert proposals(of, ["kundennr_fur_sud"])["name"] == "kundennr_fur_sud_2"
    assert proposals(pick(["Date: 12"], word=1), [])["name"] == "date_2"  # documents have a date already
    assert proposals(pick(["4711"]), [])["name"] == "field"


def test_a_word_that_is_not_there_is_refused() -> None:
    for of in (pick(["a"], word=1), pick(["a"], piece=1)):
        with pytest.raises(PaperchuteError):
            proposals(of, [])


RULES = """version = 1
# of the house
[[rule]]
name = "A" # mine
folder = "in"
operation = "pdf-to-markdown"
output = "Mail/{doc.customer}.{ext}"

[rule.find] # what Huber writes
# the number on the left
customer = { label = "Customer no." } # theirs
"""


def test_an_entry_is_added_and_all_else_stays_as_it_is_written() -> None:
    find = Filled(kind="toml", text='{ "customer" = { "label" = "Customer no." } }')
    chosen = Chosen(name="project", find={"pattern": r"\bP-\d{5}\b"})
    values = added(find, "Mail/{doc.customer}.{ext}", chosen)
    draft = Draft(rule="A", keys={name: Filled.model_validate(one) for name, one in values.items()})
    changed = with_draft(RULES, draft)
    (rule,) = tomllib.loads(changed)["rule"]
    assert rule["find"] == {"customer": {"label": "Customer no."}, "project": {"pattern": r"\bP-\d{5}\b"}}
    assert rule["output"] == "Mail/{doc.customer} {doc.project}.{ext}"
    kept = [line for line in RULES.splitlines() if not line.startswith("output")]
    assert [line for line in changed.splitlines() if line in kept] == kept


def test_what_an_entry_is_for_is_what_changes() -> None:
    entry = {"label": "Ref"}
    usual = usual_output('[defaults]\noutput = "All/{stem}"\n')
    named = added(None, usual, Chosen(name="ref", find=entry))
    assert named["output"]["text"] == "All/{stem} {doc.ref}"
    beside = added(None, usual, Chosen(name="ref", find=entry, use="file"))
    assert (set(beside), beside["write_fields"]["text"]) == ({"find", "write_fields"}, "on")
    alone = added(None, usual, Chosen(name="ref", find=entry, use=""))
    assert value_from("toml", alone["find"]["text"], []) == {"ref": entry}


def test_nothing_that_stands_in_find_is_written_over() -> None:
    chosen = Chosen(name="ref", find={"label": "Ref"})
    for text in ('{ ref = { label = "Other" } }', "nonsense"):
        with pytest.raises(PaperchuteError):
            added(Filled(kind="toml", text=text), "{stem}", chosen)


@given(st.text(min_size=1, max_size=40).filter(str.strip))
def test_what_is_proposed_for_any_word_can_be_looked_for(text: str) -> None:
    of = Pick(page=1, rows=[[[(text, 0, 0, 10, 10)], [(text, 20, 0, 30, 10)]]], piece=1, word=0)
    for one in proposals(of, [])["entries"]:
        read_own_fields(json.dumps({"x": one["find"]}))


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"Document": {"pages": [3]}}', b"[" * 5000])
def test_an_answer_without_words_has_none(content: bytes) -> None:
    assert answer_words({}, content)[0] == {"pages": []}
