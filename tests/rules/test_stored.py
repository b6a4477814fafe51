"""What the journal keeps of a rule: its text over releases that know other keys, and its fingerprint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.jobs import originals
from paperchute.jobs.journal import Journal
from paperchute.rules import build
from paperchute.rules.file import parse
from paperchute.rules.keys import is_default, key
from paperchute.rules.model import KEYS, Rule, RuleKeys
from paperchute.rules.stored import fingerprint, rule_from_text, rule_to_text
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.makers import make_rule, new_job, runner_over
from tests.jobs.scripted import Scripted

HOT = Path("/hot").absolute()

REQUIRED = ("name", "folder", "steps")


class Later(Rule):
    """The rule of a release that knows two more keys."""

    of_tomorrow: str = key("", meaning="Who hears of it.", example="boss@example.org", affects_result=False)
    of_the_day_after: str = key("", meaning="What stands on each page.", example="COPY", affects_result=True)


FOLDED = ("operation", "parameters")
"""Keys that stand in `steps` once a rule is finished."""


def _example(name: str) -> Any:
    declared = RuleKeys.model_fields[name]
    assert declared.examples
    written = {"name": "A", "folder": "hot", declared.alias or name: declared.examples[0]}
    return getattr(RuleKeys.model_validate(written), name)


CHANGED = {name: _example(name) for name in KEYS if name not in (*REQUIRED, *FOLDED)}
"""Every key with its example, which is not its default."""

rules = st.builds(
    lambda names: make_rule(HOT, **{"fingerprint": "f", **{name: CHANGED[name] for name in names}}),
    st.sets(st.sampled_from(sorted(CHANGED))),
)


@given(rules)
def test_a_rule_comes_back_from_its_text_which_holds_nothing_at_its_default(rule: Rule) -> None:
    text = rule_to_text(rule)
    assert rule_from_text(text) == rule
    assert not [name for name, value in json.loads(text).items() if is_default(Rule, name, value) and name != "line"]


@given(rules, st.sampled_from(sorted(CHANGED)))
def test_a_key_that_an_older_release_did_not_know_stands_at_its_default(rule: Rule, name: str) -> None:
    raw = json.loads(rule_to_text(rule))
    raw.pop(name, None)
    raw.pop("version")
    found = rule_from_text(json.dumps(raw))
    assert is_default(Rule, name, getattr(found, name))
    assert found == rule.model_copy(update={name: getattr(found, name)})


@given(rules)
def test_what_a_newer_release_wrote_is_read_and_survives_being_written_again(rule: Rule) -> None:
    newer = Later(**dict(rule), of_tomorrow="boss@example.org", of_the_day_after="COPY")
    here = rule_from_text(rule_to_text(newer))
    assert here == rule.model_copy(update={"kept": {"of_tomorrow": "boss@example.org", "of_the_day_after": "COPY"}})
    again = json.loads(rule_to_text(here))
    assert (again["of_tomorrow"], again["of_the_day_after"]) == ("boss@example.org", "COPY")


def test_an_unknown_key_of_a_step_survives_too() -> None:
    raw = json.loads(rule_to_text(make_rule(HOT, steps=(Step("pdf-to-editable"), Step("pdf-merge")))))
    raw["steps"][1]["when"] = "locked"
    here = rule_from_text(json.dumps(raw))
    assert here.steps == (Step("pdf-to-editable"), Step("pdf-merge"))
    assert json.loads(rule_to_text(here))["steps"] == raw["steps"]


def test_a_text_says_its_version_and_one_of_a_version_to_come_is_read() -> None:
    raw = json.loads(rule_to_text(make_rule(HOT)))
    assert raw["version"] == 2
    assert rule_from_text(json.dumps({**raw, "version": 99})) == make_rule(HOT)


@pytest.mark.parametrize("wrong", [{"gather": "triple"}, {"steps": []}, {"retries": "many"}, {"fingerprint": ""}])
def test_a_value_that_cannot_be_understood_makes_the_rule_unreadable(wrong: dict[str, Any]) -> None:
    raw = json.loads(rule_to_text(make_rule(HOT)))
    with pytest.raises(ValueError, match="a rule that cannot be read"):
        rule_from_text(json.dumps({**raw, **wrong}))


# ---------- fingerprints ----------


@given(rules)
def test_a_release_that_knows_one_more_key_gives_a_rule_the_same_fingerprint(rule: Rule) -> None:
    assert fingerprint(Later(**dict(rule))) == fingerprint(rule)
    assert fingerprint(Later(**dict(rule), of_tomorrow="boss@example.org")) == fingerprint(rule)
    assert fingerprint(Later(**dict(rule), of_the_day_after="COPY")) != fingerprint(rule)


@pytest.mark.parametrize("name", sorted(CHANGED))
def test_a_change_counts_where_the_key_says_so(name: str) -> None:
    plain = make_rule(HOT, retries=8)
    changed = fingerprint(plain.model_copy(update={name: CHANGED[name]})) != fingerprint(plain)
    assert changed is KEYS[name].affects_result


TEXT = """version = 1
[service]
base_url = "https://a.example"
api_key = "env:KEY"
[[rule]]
name = "Two"
folder = "{hot}"
steps = [
  {{ operation = "pdf-to-editable" }},
  {{ operation = "pdf-encrypt", parameters = {{ userPassword = "env:A" }} }},
]
"""


@pytest.mark.parametrize("upgraded", [False, True])
def test_a_step_that_was_paid_for_is_not_called_again_after_an_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, upgraded: bool
) -> None:
    monkeypatch.setenv("A", "x")
    hot = tmp_path / "hot"
    hot.mkdir()
    text = TEXT.format(hot=hot.as_posix())
    (rule,) = parse(text, tmp_path / "rules.toml").rules
    journal = Journal(tmp_path / "j.sqlite", owner=True)
    service = Scripted(("r.pdf", b"%PDF"), repeatable=False)

    def fail(call: Call) -> None:
        if call.operation == "pdf-encrypt":
            raise ServiceError("No.", kind="permanent")

    service.on_call = fail
    runner = runner_over(journal, lambda: service, tmp_path / "work")
    path = hot / "a.pdf"
    path.write_bytes(b"%PDF-1.7 %%EOF")
    journal.inserts.open_job(new_job(rule, path))
    job = journal.queue.next()
    assert job is not None
    assert runner.run(job).kind == "failed"
    service.on_call = lambda call: None
    failed = journal.queries.job(job.id)
    assert failed is not None
    originals.bring_back(journal, failed)
    if upgraded:
        monkeypatch.setattr(build, "Rule", Later)
        (rule,) = parse(text, tmp_path / "rules.toml").rules
        assert isinstance(rule, Later)
    journal.inserts.open_job(new_job(rule, path))
    job = journal.queue.next()
    assert job is not None
    assert runner.run(job).kind == "done"
    assert [call.operation for call in service.calls] == ["pdf-to-editable", "pdf-encrypt", "pdf-encrypt"]
