"""`[rule.find]`: fields of one's own, what `check` says of them, and rules that read one document together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paperchute.rules.document_fields import READING, needed, step_of
from paperchute.rules.file import load
from paperchute.rules.model import Rule
from paperchute.rules.problems import RuleFileError
from paperchute.rules.stored import rule_from_text, rule_to_text

RULE = '[[rule]]\nname = "{name}"\nfolder = "hot"\noperation = "pdf-to-markdown"\n{more}\n'
USED = 'output = "{doc.customer}/{stem}.{ext}"\n[rule.find]\ncustomer = '


def rules(tmp_path: Path, *more: str, head: str = "") -> tuple[Rule, ...]:
    path = tmp_path / "rules.toml"
    written = (RULE.replace("{name}", f"R{number}").replace("{more}", one) for number, one in enumerate(more))
    path.write_text("version = 1\n" + head + "".join(written), "utf-8")
    return load(path).rules


def test_an_own_field_is_asked_for_and_needed(tmp_path: Path) -> None:
    (rule,) = rules(tmp_path, USED + '{ label = "Customer no.", place = "1: 0,0,300,200" }')
    assert needed(rule) == ("customer",)
    asked = json.loads(str(step_of(rule, READING).parameters["find"]))
    assert asked == {"customer": {"label": "Customer no.", "place": "1: 0,0,300,200"}}
    again = rule_from_text(rule_to_text(rule))
    assert (again.find, step_of(again, READING)) == (rule.find, step_of(rule, READING))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (USED + "{ }", "either a label or a pattern"),
        (USED + '{ label = "A", pattern = "B" }', "either a label or a pattern"),
        (USED + '{ label = "--" }', "takes words"),
        (USED + "{ pattern = '(' }", "a parenthesis is not closed"),
        (USED + r"{ pattern = '(?=x)y' }", "looking around"),
        (USED + r"{ pattern = '\d*' }", "where nothing stands"),
        (USED + r"{ pattern = '(\d)(\d)' }", "has 2 groups"),
        (USED + '{ label = "A", place = "here" }', "no place on a page"),
        (USED + '{ lable = "A" }', "no key 'lable'"),
        ('require = ["total"]\n[rule.find]\ntotal = { label = "Sum" }', "there is a field total already"),
        ('senders = "s.csv"\n[rule.find]\nfolder = { label = "Sum" }', "there is a field folder already"),
        ('require = ["A"]\n[rule.find]\nA = { label = "Sum" }', "small letters"),
        ('[rule.find]\ncustomer = { label = "Sum" }', "nothing uses it"),
        (USED.replace("{doc.customer}", "{doc.custmer}") + '{ label = "A" }', "no placeholder"),
        (USED.replace("{doc.customer}", "{doc.customer:%Y}") + '{ label = "A" }', "cannot be filled in"),
    ],
)
def test_check_says_what_is_wrong(more: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RuleFileError) as refused:
        rules(tmp_path, more)
    told = [problem.message for problem in refused.value.problems if "nothing uses it" not in problem.message]
    assert [said in message for message in told or [refused.value.problems[0].message]] == [True]


def test_a_remote_service_finds_none(tmp_path: Path) -> None:
    head = '[service]\nbase_url = "https://service.example"\napi_key = "env:KEY"\n'
    with pytest.raises(RuleFileError, match="built-in engine alone"):
        rules(tmp_path, USED + '{ label = "A" }', head=head)


def test_rules_of_one_folder_read_its_documents_for_each_other(tmp_path: Path) -> None:
    when = "when = { project = \"P-1*\" }\n[rule.find]\nproject = { pattern = 'P-\\d+' }"
    first, second = rules(tmp_path, when, USED + '{ label = "Customer no." }')
    assert set(first.find) == set(second.find) == {"project", "customer"}
    assert (needed(first), needed(second)) == ((), ("customer",))
    with pytest.raises(RuleFileError, match="rule 'R0' finds it in another way"):
        rules(tmp_path, when, when.replace("d+", "d{5}"))
