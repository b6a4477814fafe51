"""Editing a rule file for its owner: only what was asked for changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.errors import PaperchuteError
from paperchute.rules.edit import Draft, switched, value_of, with_rule, without_rule
from paperchute.rules.file import parse

FILE = """\
# My rules; do not touch.
version = 1   # of the format

# the first
[[rule]]
name      = "A"        # aligned by hand
folder    = "a"
operation = "pdf-to-markdown"

# about B, in two
# lines
[[rule]]
name = 'B'
folder = "b"
operation = "pdf-encrypt"
[rule.parameters]
userPassword = "env:PW"

# a note by itself

# the third
[[rule]]
name = "C"
folder = "c"
operation = "html-to-pdf"
enabled = false # for now

[service]  # at the end
concurrency = 2
"""


def names(text: str) -> list[str]:
    return [rule.name for rule in parse(text, Path("/x/rules.toml")).rules]


def test_a_rule_is_added_at_the_end_and_all_else_stays() -> None:
    text = with_rule(FILE, Draft("D", "~/Hot/d", ["pdf-to-markdown"], [{"pageRanges": "1-3"}], {"recursive": True}))
    assert text.startswith(FILE)
    rule = tomllib.loads(text)["rule"][-1]
    assert rule == {
        "name": "D",
        "folder": "~/Hot/d",
        "operation": "pdf-to-markdown",
        "parameters": {"pageRanges": "1-3"},
        "recursive": True,
    }
    assert names(text) == ["A", "B", "C", "D"]
    assert names(with_rule("version = 1", Draft("D", "d", ["html-to-pdf"]))) == ["D"]


def test_several_steps_are_written_one_a_line() -> None:
    draft = Draft("D", "d", ["html-to-pdf", "pdf-encrypt"], [{}, {"userPassword": "env:PW"}])
    text = with_rule(FILE, draft)
    assert text.endswith(
        "steps = [\n"
        '    {operation = "html-to-pdf"},\n'
        '    {operation = "pdf-encrypt", parameters = {userPassword = "env:PW"}},\n'
        "]\n"
    )
    assert names(text)[-1] == "D"


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("A", ["# the first", "[[rule]]", 'name      = "A"        # aligned by hand']),
        ("B", ["# about B, in two", "# lines", "[rule.parameters]", 'userPassword = "env:PW"']),
        ("C", ["# the third", "enabled = false # for now"]),
    ],
)
def test_a_rule_goes_with_its_comment_and_nothing_else(name: str, gone: list[str]) -> None:
    text = without_rule(FILE, name)
    assert names(text) == [other for other in "ABC" if other != name]
    kept = text.split("\n")
    missing = [line for line in FILE.split("\n") if line not in kept]
    assert set(gone) - {"[[rule]]"} <= set(missing)
    for comment in ("# My rules; do not touch.", "# a note by itself", "[service]  # at the end"):
        assert comment in kept
    assert ("# the third" in kept) is (name != "C")


def test_a_switch_changes_one_line() -> None:
    off = switched(FILE, "A", on=False)
    assert set(off.split("\n")) - set(FILE.split("\n")) == {"enabled = false"}
    assert [rule.enabled for rule in parse(off, Path("/x/r.toml")).rules] == [False, True, False]
    assert parse(switched(off, "A", on=True), Path("/x/r.toml")).rules[0].enabled
    assert parse(switched(FILE, "C", on=True), Path("/x/r.toml")).rules[2].enabled
    against = switched("version = 1\n[defaults]\nenabled = false\n" + FILE[FILE.index("# the first") :], "C", on=True)
    assert parse(against, Path("/x/r.toml")).rules[2].enabled


def test_what_cannot_be_edited_is_said() -> None:
    with pytest.raises(PaperchuteError, match="There is no rule 'X'"):
        without_rule(FILE, "X")
    with pytest.raises(PaperchuteError, match=r"Write each as \[\[rule\]\]"):
        with_rule('version = 1\nrule = [{ name = "A" }]\n', Draft("D", "d", ["html-to-pdf"]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("true", True),
        ("on", "on"),
        ("1-3", "1-3"),
        ("*.pdf", "*.pdf"),
        ('["*.pdf", "a*"]', ["*.pdf", "a*"]),
        ("{ a = 1 }", {"a": 1}),
        ("2026-11-21", "2026-11-21"),
        ("", ""),
        ("3\ny = 4", "3\ny = 4"),
    ],
)
def test_values_from_the_command_line(text: str, value: object) -> None:
    assert value_of(text) == value


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
def test_any_name_and_text_survive_being_written(name: str, text: str) -> None:
    written = with_rule(FILE, Draft(name, "d", ["html-to-pdf"], (), {"match": text}))
    rule = tomllib.loads(written)["rule"][-1]
    assert (rule["name"], rule["match"]) == (name, text)
    assert tomllib.loads(without_rule(written, name))["rule"] == tomllib.loads(FILE)["rule"] or name in "ABC"
