"""Editing a rule file for its owner: only what was asked for changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.errors import PaperchuteError
from paperchute.rules.edit import Draft, moved, switched, value_of, with_copy, with_rule, with_values, without_rule
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


def test_a_rule_is_edited_where_it_stands_and_all_else_stays() -> None:
    keys = {
        "name": "B",
        "folder": "b2",
        "operation": "pdf-encrypt",
        "parameters": {"userPassword": "env:PW"},
        "depth": 2,
    }
    text = with_values(FILE, "B", keys)
    assert tomllib.loads(text)["rule"][1] == keys
    kept = [line for line in FILE.split("\n") if line not in ("", 'folder = "b"')]
    assert [line for line in text.split("\n") if line not in ("", 'folder = "b2"', "depth = 2")] == kept
    assert text.index("depth = 2") < text.index("[rule.parameters]")
    assert with_values(FILE, "B", tomllib.loads(FILE)["rule"][1]) == FILE


def test_steps_come_and_go_as_tables_of_their_own_or_inline() -> None:
    steps = [{"operation": "pdf-to-editable"}, {"operation": "pdf-encrypt", "parameters": {"userPassword": "env:PW"}}]
    text = with_values(FILE, "B", {"name": "B", "folder": "b", "steps": steps})
    assert tomllib.loads(text)["rule"][1]["steps"] == steps
    tables = 'version = 1\n[[rule]]\nname = "B"\nfolder = "b"\n[[rule.steps]] # mine\noperation = "magic-color"\n'
    changed = with_values(tables, "B", {"name": "B", "folder": "b", "steps": [{"operation": "pdf-merge"}]})
    assert changed == tables.replace("magic-color", "pdf-merge")
    both = with_values(tables, "B", {"name": "B", "folder": "b", "steps": steps})
    assert tomllib.loads(both)["rule"][0]["steps"] == steps


def test_a_copy_has_the_comments_and_the_order_is_changed_with_them() -> None:
    copy = with_copy(FILE, "B", {**tomllib.loads(FILE)["rule"][1], "name": "D"})
    assert copy.startswith(FILE.rstrip("\n"))
    assert copy.count("# about B, in two\n# lines\n[[rule]]") == 2
    assert names(copy) == ["A", "B", "C", "D"]
    swapped = moved(FILE, "B", -1)
    assert names(swapped) == ["B", "A", "C"]
    assert "# about B, in two\n# lines\n[[rule]]" in swapped
    assert sorted(swapped.split("\n")) == sorted(FILE.split("\n"))
    assert moved(swapped, "B", 1) == FILE
    assert moved(FILE, "A", -1) == moved(FILE, "C", 1) == FILE


APART = """\
version = 1
[[rule]]
name = "A"
[[rule]]
name = "B"
[service]
concurrency = 2
[rule.parameters]
x = 1
"""


def test_what_would_touch_other_things_is_not_done() -> None:
    with pytest.raises(PaperchuteError, match="without touching"):
        moved(APART, "B", -1)
    with pytest.raises(PaperchuteError, match="without touching"):
        with_values(APART, "B", {"name": "B"})
    with pytest.raises(PaperchuteError, match="one list"):
        moved("version = 1\nrule = [{name = 'A'}, {name = 'B'}]\n", "A", 1)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | WORDS | st.lists(WORDS, max_size=3),
    lambda inner: st.dictionaries(WORDS.filter(bool), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(["A", "B", "C"]), st.dictionaries(st.sampled_from("abcde"), VALUES))
def test_any_values_are_written_or_nothing_is(name: str, keys: dict[str, object]) -> None:
    old = tomllib.loads(FILE)
    wanted = {"name": name, **keys}
    text = with_values(FILE, name, wanted)
    new = tomllib.loads(text)
    assert [rule for rule in new["rule"] if rule["name"] == name] == [wanted]
    assert [rule for rule in new["rule"] if rule["name"] != name] == [
        rule for rule in old["rule"] if rule["name"] != name
    ]
    assert new["service"] == old["service"]
    assert {"# the first", "# lines", "# a note by itself", "# the third"} <= set(text.split("\n"))
