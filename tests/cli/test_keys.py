"""The verbs of `keys` as people and programs use them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paperchute.cli.front import app
from paperchute.engine.keys.table import webhook_token_of
from paperchute.errors import PaperchuteError


def _run(state: Path, *words: str) -> Any:
    return CliRunner().invoke(app, ["--state", str(state), "keys", *words], standalone_mode=False)


def test_a_key_is_shown_once_and_listed_with_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    real = subprocess.run

    def seen(command: list[str], **more: Any) -> Any:
        started.append(command)
        return real(command, **more)

    monkeypatch.setattr(subprocess, "run", seen)
    made = _run(tmp_path, "add", "scanner", "--pages", "100", "--rate", "60")
    key = made.stdout.strip()
    assert key.startswith("pc_")
    assert webhook_token_of(key) in made.stderr
    listed = _run(tmp_path, "list")
    assert "scanner" in listed.stdout
    assert "0 of 100" in listed.stdout
    assert key not in listed.output
    limited = _run(tmp_path, "limit", "scanner", "--most-open", "3", "--pages", "0", "--json")
    (told,) = json.loads(limited.stdout)
    assert told.pop("created") > 0
    assert told == {
        "name": "scanner", "revoked": 0, "last_used": 0, "most_open": 3, "pages": 0, "rate": 60, "open": 0,
        "pages_this_month": 0,
    }  # fmt: skip
    assert json.loads(_run(tmp_path, "revoke", "scanner", "--json").stdout)[0]["revoked"] > 0
    assert not any(key in word for command in started for word in command), "every list of processes shows these"
    assert not any(key.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("limit", "nobody", "--pages", "1"), "no key named nobody"),
        (("limit", "nobody"), "Which limit"),
        (("add", "two words"), "A name has"),
        (("list", "--database", "postgresql://me:hidden@127.0.0.1:9/x"), "PAPERCHUTE_DATABASE"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    if words[0] == "list":
        pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")
    done = _run(tmp_path, *words)
    assert isinstance(done.exception, PaperchuteError)
    assert sentence in str(done.exception)
    assert "hidden" not in str(done.exception)


@pytest.mark.parametrize("words", [("add",), ("add", "x", "--pages", "-1"), ("limit", "x", "--rate", "many")])
def test_a_slip_in_the_command_line_makes_no_key(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert _run(tmp_path, *words).exception is not None
    assert _run(tmp_path, "list", "--json").stdout.strip() == "[]"
