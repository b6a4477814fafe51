"""Which rules have a file, once its content is known."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from paperchute.rules.match import FileFacts, by_content, candidates, fits, needs, plain, takers
from paperchute.rules.model import Rule
from tests.jobs.makers import make_rule

HOT = Path("/hot")
FILE = PurePosixPath("a.pdf")


def rule(name: str, **changes: Any) -> Rule:
    return make_rule(HOT, name=name, **changes)


@pytest.mark.parametrize(
    ("conditions", "facts", "fit"),
    [
        ({"kind": ("pdf",)}, FileFacts(kind="pdf"), True),
        ({"kind": ("pdf", "docx")}, FileFacts(kind="png"), False),
        ({"kind": ("image",)}, FileFacts(kind="png"), True),
        ({"kind": ("image",)}, FileFacts(kind="pdf"), False),
        ({"kind": ("csv",)}, FileFacts(kind="txt"), True),
        ({"kind": ("pdf",)}, FileFacts(), False),
        ({"min_size": 10, "max_size": 20}, FileFacts(10), True),
        ({"min_size": 10, "max_size": 20}, FileFacts(21), False),
        ({"min_size": 10}, FileFacts(9), False),
        ({"pages": "1-2"}, FileFacts(pages=2), True),
        ({"pages": "1-2"}, FileFacts(pages=3), False),
        ({"pages": ">=1"}, FileFacts(trouble="it is locked"), False),
        ({"text": ("Invoice No", "total")}, FileFacts(text=plain("INVOICE\n  no. 7, To\u00adtal 3")), True),
        ({"text": ("invoice", "reminder")}, FileFacts(text=plain("invoice")), False),
        ({"text": ("invoice",)}, FileFacts(trouble="it is not a PDF but png"), False),
    ],
)
def test_conditions(conditions: dict[str, Any], facts: FileFacts, fit: bool) -> None:
    assert fits(rule("A", **conditions), facts) is fit


def test_what_cannot_be_told_says_why() -> None:
    (pages,) = by_content(rule("A", pages="1"), FileFacts(5, "pdf", trouble="it is locked"))
    assert pages.holds is None
    assert "it is locked" in pages.seen
    (text,) = by_content(rule("A", text=("x",)), FileFacts())
    assert "no such file" in text.seen


def test_only_what_some_rule_asks_about_is_needed() -> None:
    assert needs([rule("A"), rule("B", min_size=3)]) == set()
    assert needs([rule("A", pages="1"), rule("B", text=("x",), kind=("pdf",))]) == {"pages", "text", "kind"}


def test_rules_behind_a_certain_taker_are_not_asked() -> None:
    rules = [rule("short", pages="1"), rule("rest"), rule("never", text=("x",))]
    assert [r.name for r in candidates(rules, HOT, FILE)] == ["short", "rest"]


def test_the_first_that_fits_takes_it_and_also_lets_later_ones() -> None:
    short, copy, rest = rule("short", pages="1"), rule("copy", also=True), rule("rest")
    asked = candidates([short, copy, rest], HOT, FILE)
    assert takers(asked, FileFacts(pages=1)) == [short]
    assert takers(asked, FileFacts(pages=2)) == [copy, rest]
    assert takers(candidates([copy], HOT, FILE), FileFacts()) == [copy]


def test_depth_and_pattern_are_about_the_name() -> None:
    near = rule("near", recursive=True, depth=1, pattern=r"^\d")
    assert candidates([near], HOT, PurePosixPath("x/1.pdf")) == [near]
    assert candidates([near], HOT, PurePosixPath("x/y/1.pdf")) == []
    assert candidates([near], HOT, PurePosixPath("a.pdf")) == []
    sets = rule("sets", gather="folder", pattern=r"^(?P<year>\d{4})$")
    assert candidates([sets], HOT, PurePosixPath("2026"), is_set=True) == [sets]
    assert candidates([sets], HOT, PurePosixPath("old"), is_set=True) == []
