"""Services by name: who does each step, and what is said of it before the first file comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.rules.explain import described
from paperchute.rules.file import parse
from paperchute.rules.match import FileFacts
from paperchute.rules.problems import RuleFileError
from paperchute.rules.reach import beyond
from paperchute.rules.requirements import missing_secrets
from paperchute.rules.settings import RuleFile
from paperchute.rules.stored import rule_from_text, rule_to_text

ACME = '[services.acme]\nbase_url = "https://api.acme.example"\napi_key = "env:ACME_KEY_OF_TESTS"\n'
BETA = '[services.beta]\nbase_url = "https://api.beta.example"\napi_key = "env:BETA_KEY_OF_TESTS"\n'


def read(home: Path, tables: str, rule: str = "") -> RuleFile:
    text = f'version = 1\n{tables}\n[[rule]]\nname = "A"\nfolder = "a"\n{rule}'
    return parse(text, home / "rules.toml")


def said(home: Path, tables: str, rule: str = 'operation = "pdf-to-docx"\n') -> list[str]:
    with pytest.raises(RuleFileError) as caught:
        read(home, tables, rule)
    return [problem.message for problem in caught.value.problems]


STEPS = """steps = [
  { operation = "pdf-rotate", parameters = { angle = 90, pages = "1" }, service = "built-in" },
  { operation = "pdf-to-docx" },
]
"""


def test_a_step_says_it_for_itself_and_else_the_rule_does(tmp_path: Path) -> None:
    file = read(tmp_path, ACME + BETA, STEPS + 'service = "acme"\nor = "beta"\n')
    (rule,) = file.rules
    assert [(step.service, step.or_) for step in rule.steps] == [("built-in", ""), ("acme", "beta")]
    assert file.asked_by(rule) == file.in_use == ("built-in", "acme", "beta")
    assert rule_from_text(rule_to_text(rule)) == rule, "a job keeps whom its rule named"
    told = described(rule, Path("a.pdf"), FileFacts(), 0.0)
    assert "  done by: the built-in engine" in told
    assert any(line.startswith("  or by: beta, where that one is away") for line in told)


def test_a_rule_goes_by_its_own_service_and_not_by_the_default_s_or(tmp_path: Path) -> None:
    tables = ACME + '[defaults]\nservice = "acme"\nor = "built-in"\n'
    (rule,) = read(tmp_path, tables, 'operation = "pdf-to-docx"\nservice = "built-in"\n').rules
    assert (rule.steps[0].service, rule.steps[0].or_) == ("built-in", "")


def test_a_rule_that_names_nobody_is_known_by_its_old_fingerprint(tmp_path: Path) -> None:
    before = read(tmp_path, "", 'operation = "pdf-to-docx"\n').rules[0]
    after = read(tmp_path, ACME, 'operation = "pdf-to-docx"\n').rules[0]
    named = read(tmp_path, ACME, 'operation = "pdf-to-docx"\nservice = "acme"\n').rules[0]
    assert before.fingerprint == after.fingerprint != named.fingerprint


def test_default_is_what_service_says(tmp_path: Path) -> None:
    usual = '[service]\nbase_url = "https://api.example"\napi_key = "env:USUAL_KEY_OF_TESTS"\n'
    file = read(tmp_path, usual + ACME, 'operation = "pdf-to-docx"\nservice = "acme"\nor = "default"\n')
    assert file.in_use == ("acme", "default")
    assert file.settings_of("default") == file.settings_of("") == file.service
    assert file.settings_of("built-in") is not None
    assert file.settings_of("gone") is None
    secrets = " ".join(problem.message for problem in missing_secrets(file))
    assert "ACME_KEY_OF_TESTS" in secrets
    assert "USUAL_KEY_OF_TESTS" in secrets


@pytest.mark.parametrize(
    ("tables", "rule", "words"),
    [
        (ACME, 'service = "acne"', "there is no service 'acne'; there are acme built-in default"),
        (ACME, 'service = "acme"\nor = "beta"', "there is no service 'beta'"),
        (ACME, 'service = "acme"\nor = "acme"', "`or` names the very service that does the step"),
        (ACME, 'or = "built-in"', "`or` names the very service that does the step"),
        (ACME, 'or = "acme"', "the built-in engine has no quota and is started again by itself, so `or` does nothing"),
        (ACME.replace("acme]", "built-in]"), "", "'built-in' always means the built-in engine"),
        (ACME.replace("acme]", "default]"), "", "'default' always means [service]"),
        (ACME.replace("acme]", '"a b"]'), "", "'a b' cannot be the name of a service"),
        (ACME.replace("api_key", "#"), "", "`api_key` is missing"),
        (ACME.replace("base_url", "#"), "", "`base_url` is missing"),
        (ACME.replace("https", "http"), "", "base_url must be https"),
        (ACME.replace("env:ACME_KEY_OF_TESTS", "sk-1234"), "", "the secret itself must not be written here"),
        (ACME + "concurrency = 2\n", "", "`concurrency` has its place below [service]"),
        ("[services]\nacme = 1\n", "", "[services.acme] must be a table"),
    ],
)
def test_what_cannot_work_is_said_before_the_first_file(tables: str, rule: str, words: str, tmp_path: Path) -> None:
    problems = said(tmp_path, tables, f'operation = "pdf-to-docx"\n{rule}\n')
    assert any(words in problem for problem in problems), problems
    assert len(problems) == 1, "and only that"


@pytest.mark.parametrize("who", ['service = "acme"', 'service = "beta"\nor = "acme"'])
def test_a_service_is_asked_for_nothing_that_it_does_not_do(who: str, tmp_path: Path) -> None:
    ours = 'operation = "pdf-redact"\nparameters = { words = ["x"] }\n'
    assert any("'acme' is a remote service" in problem for problem in said(tmp_path, ACME + BETA, ours + who))


def test_two_services_cannot_be_heard_at_one_address(tmp_path: Path) -> None:
    hears = 'webhook_listen = "127.0.0.1:8765"\nwebhook_token = "env:HOOK"\n'
    rule = 'operation = "pdf-to-docx"\nservice = "acme"\nor = "beta"\n'
    problems = said(tmp_path, ACME + hears + BETA + hears, rule)
    assert problems == ["another service's webhooks are received there; take another port"]


def test_who_is_asked_by_nobody_is_told(tmp_path: Path) -> None:
    file = read(tmp_path, ACME + "[engine]\nworkers = 2\n", 'operation = "pdf-to-docx"\n')
    assert [problem.message for problem in file.warnings] == [
        'no rule that is on asks this service; write service = "acme" in one'
    ]
    file = read(tmp_path, ACME + "[engine]\nworkers = 2\n", 'operation = "pdf-to-docx"\nservice = "acme"\n')
    assert [p.message for p in file.warnings] == ["[engine] does nothing: no rule that is on asks the built-in engine"]


def test_over_the_network_no_rule_names_a_service_that_none_has_named(tmp_path: Path) -> None:
    before = read(tmp_path, ACME + BETA, 'operation = "pdf-to-docx"\nservice = "acme"\n')
    other = read(tmp_path, ACME + BETA, 'operation = "pdf-to-docx"\nservice = "acme"\nor = "beta"\n')
    home = read(tmp_path, ACME + BETA, 'operation = "pdf-to-docx"\nservice = "acme"\nor = "built-in"\n')
    assert [(named.key, named.value) for named in beyond(before, other)] == [("service", "beta")]
    assert beyond(before, home) == []
