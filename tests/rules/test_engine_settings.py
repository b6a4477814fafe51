"""`[engine]`: each setting of the engine's command line can stand in the rule file, and is checked there."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.rules.file import parse
from paperchute.rules.problems import RuleFileError
from paperchute.rules.settings import EngineKeys, RuleFile


def parsed(tmp_path: Path, body: str) -> RuleFile:
    return parse(f"version = 1\n{body}", tmp_path / "rules.toml")


def test_every_setting_of_the_engine_is_a_key() -> None:
    assert list(EngineKeys.model_fields) == [option.name for option in ENGINE_OPTIONS]


def test_what_is_written_is_what_the_engine_is_told(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    body = (
        '[engine]\nmax_storage = "10 GB"\ninner_host = ["NAS.local", "127.0.0.1"]\nallow_host = "cdn.example"\n'
        'ocr_models = "models"\ntask_seconds = 60\nwebhook_url = "https://a.example/x"\nwebhook_token = "env:TOKEN"\n'
    )
    assert dict(parsed(tmp_path, body).service.engine) == {
        "max_storage": 10**10,
        "inner_host": ("nas.local", "127.0.0.1"),
        "allow_host": ("cdn.example",),
        "ocr_models": str(tmp_path / "models"),
        "task_seconds": 60,
        "webhook_url": "https://a.example/x",
        "webhook_token": "env:TOKEN",
    }
    assert dict(parsed(tmp_path, "").service.engine) == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("max_storag = 1", "there is no key 'max_storag' here. Did you mean max_storage?"),
        ('max_storage = "much"', '`max_storage` takes a size such as "500 kB"'),
        ("queue = 0", "`queue` must be at least 1"),
        ("queue = true", "`queue` takes a number, not on or off"),
        ('allow_host = "https://a.example"', "'https://a.example' is not a host's name"),
        ('ocr_models = "nowhere"', "there is no folder "),
        ('office = "word"', "office is one of auto, libreoffice, built-in"),
        ('webhook_url = "a.example"', "webhook_url takes an address such as"),
        ('webhook_url = "https://a.example"\nwebhook_token = "hunter2"', "the secret itself must not be written here"),
        ('webhook_token = "env:A"', "`webhook_url` is missing"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(RuleFileError) as error:
        parsed(tmp_path, f"[engine]\n{line}\n")
    (problem,) = error.value.lines()
    assert expected in problem
    assert f":{2 + line.count(chr(10)) + 1}:1: " in problem
    assert "hunter2" not in problem


def test_beside_another_service_it_is_a_warning(tmp_path: Path) -> None:
    body = '[service]\nbase_url = "https://a.example"\napi_key = "env:A"\n[engine]\nqueue = 3\n'
    (warning,) = parsed(tmp_path, body).warnings
    assert (warning.line, warning.message.split(":")[0]) == (5, "[engine] does nothing")
