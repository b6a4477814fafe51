"""`report` says what is in it, and holds what helps, and no secret."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paperchute.cli.front import app

RULES = """version = 1
[service]
base_url = "https://service.example"
api_key = "env:OF_SERVICE"
[[rule]]
name = "read"
folder = "in"
operation = "pdf-encrypt"
parameters = { userPassword = "pl4in-text" }
"""


@pytest.fixture(name="words")
def _words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("OF_SERVICE", "k3y-of-the-service")
    monkeypatch.setenv("SOME_API_KEY", "k3y-of-another")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    (tmp_path / "state").mkdir()
    said = "k3y-of-the-service k3y-of-another pl4in-text https://a:b4d-word@host/ all well"
    (tmp_path / "state" / "paperchute.log").write_text(f"2026-01-01 INFO first\n{said}\n", "utf-8")
    return ["--rules", str(tmp_path / "rules.toml"), "--state", str(tmp_path / "state"), "report"]


def test_it_holds_everything_but_secrets(words: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*words, "--yes", "-o", "r.zip"])
    assert done.exit_code == 0
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        texts = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    assert list(texts) == ["versions.json", "rules.toml", "status.json", "paperchute.log"]
    assert all(name in done.output for name in texts)
    for secret in ("k3y-of-the-service", "k3y-of-another", "pl4in-text", "b4d-word"):
        assert not [name for name, text in texts.items() if secret in text]
    assert "all well" in texts["paperchute.log"]
    assert 'operation = "pdf-encrypt"' in texts["rules.toml"]
    assert "pydantic" in texts["versions.json"]


def test_it_asks_before_it_writes_and_writes_over_nothing(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "r.zip").write_bytes(b"mine")
    done = CliRunner().invoke(app, [*words, "--yes", "-o", "r.zip"])
    assert done.exception
    assert (tmp_path / "r.zip").read_bytes() == b"mine"
    asked = CliRunner().invoke(app, words)
    assert "Nothing was written" in asked.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.zip", "rules.toml", "state"]


def test_a_job_that_is_not_there_is_said(words: list[str]) -> None:
    done = CliRunner().invoke(app, [*words, "--job", "7"])
    assert "There is no job 7." in str(done.exception)
