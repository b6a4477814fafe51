"""`[model]` and `ask_model`: what cannot work is a mistake before the first document; no text leaves by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.rules.document_fields import READING, step_of
from paperchute.rules.file import parse
from paperchute.rules.problems import RuleFileError
from paperchute.rules.reach import beyond
from paperchute.rules.requirements import missing_secrets
from paperchute.rules.settings import RuleFile

MODEL = '[model]\nbase_url = "http://127.0.0.1:11434/v1"\nmodel = "tiny"\n'
RULE = '[[rule]]\nname = "Mail"\nfolder = "mail"\noperation = "pdf-to-markdown"\noutput = "{doc.sender}/{stem}.{ext}"\n'


def parsed(text: str) -> RuleFile:
    return parse(f"version = 1\n{text}", Path("/rules/rules.toml"))


def problems(text: str) -> list[str]:
    with pytest.raises(RuleFileError) as error:
        parsed(text)
    return [problem.message for problem in error.value.problems]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('model = "tiny"', "`base_url` is missing"),
        ('base_url = "http://127.0.0.1/v1"', "`model` is missing"),
        ('base_url = "http://models.example/v1"\nmodel = "m"', "travel in the clear"),
        ('base_url = "models.example"\nmodel = "m"', "takes an address"),
        ('base_url = "https://me:word@models.example"\nmodel = "m"', "takes an address"),
        ('base_url = "https://models.example/v1?key=1"\nmodel = "m"', "takes an address"),
        ('base_url = "https://models.example:x/v1"\nmodel = "m"', "takes an address"),
        ('base_url = "https://models.example/v1"\nmodel = "m"\napi_key = "sk-1"', "must not be written here"),
        ('base_url = "https://models.example/v1"\nmodel = "m"\ntimeout = 0', ""),
    ],
)
def test_what_cannot_work_is_a_mistake(text: str, said: str) -> None:
    (problem,) = problems(f"[model]\n{text}\n")
    assert said in problem


def test_a_rule_that_would_ask_nobody_is_one() -> None:
    assert "there is no model" in problems(RULE + "ask_model = true\n")[0]


def test_a_remote_service_gives_no_text_for_it() -> None:
    remote = '[services.acme]\nbase_url = "https://acme.example"\napi_key = "env:ACME"\n'
    (said,) = problems(MODEL + remote + RULE + 'service = "acme"\nask_model = true\n')
    assert said == "ask_model is done by the built-in engine alone, and 'acme' is a remote service"


def test_a_model_that_nobody_asks_is_told() -> None:
    for rule in (
        RULE,
        RULE + "ask_model = true\nenabled = false\n",
        RULE.replace("doc.sender", "rule") + "ask_model = true\n",
    ):
        assert [one.message[:20] for one in parsed(MODEL + rule).warnings] == ["[model] does nothing"]
    assert parsed(MODEL + RULE + "ask_model = true\n").warnings == ()


def test_text_is_read_for_rules_with_the_key_alone() -> None:
    asks, does_not = (parsed(MODEL + RULE + more).rules[0] for more in ("ask_model = true\n", ""))
    assert step_of(asks, READING).parameters["words"] is True
    assert "words" not in step_of(does_not, READING).parameters


def test_its_key_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    (problem,) = missing_secrets(parsed(MODEL + 'api_key = "env:NO_SUCH_KEY"\n' + RULE + "ask_model = true\n"))
    assert "NO_SUCH_KEY" in problem.message
    assert parsed(MODEL + 'api_key = "file:key"\n').model.api_key == "file:/rules/key"


def test_who_may_name_nothing_new_has_no_text_sent() -> None:
    before, after = parsed(MODEL + RULE), parsed(MODEL + RULE + "ask_model = true\n")
    assert [(one.key, one.value) for one in beyond(before, after)] == [
        ("ask_model", "http://127.0.0.1:11434/v1/chat/completions")
    ]
    assert beyond(after, before) == []
