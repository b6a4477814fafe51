"""Advice names a command that works where it is read."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.invocation import VARIABLE, command

ROOT = Path(__file__).parents[1]


def test_a_checkout_names_its_start_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "python3 /a/start.py")
    assert command("retry 5") == "python3 /a/start.py retry 5"


def test_an_installed_program_names_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    program = tmp_path / ("paperchute.exe" if sys.platform == "win32" else "paperchute")
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command("status") == "paperchute status"


@pytest.mark.skipif(sys.platform == "win32", reason="the words are parsed as a POSIX shell does")
def test_what_is_named_otherwise_can_be_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    words = shlex.split(command("--version"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "daemon")}
    said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.startswith("paperchute ")


def test_the_start_file_says_how_it_is_called() -> None:
    assert VARIABLE in (ROOT / "start.py").read_text("utf-8")


def test_a_command_that_is_read_means_the_same_rules_and_jobs(tmp_path: Path) -> None:
    """Job 5 of one state folder is not job 5 of another: the command beside a failed file must say which is meant."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "daemon"), "PAPERCHUTE_LANGUAGE": "en", VARIABLE: "pc"}
    words = [sys.executable, "-m", "paperchute", "--state", "my state", "--rules", "rules.toml", "retry", "5"]
    said = subprocess.run(words, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False).stderr
    state, rules = tmp_path / "my state", tmp_path / "rules.toml"
    quote = '"' if sys.platform == "win32" else "'"
    assert f"`pc --rules {rules} --state {quote}{state}{quote} jobs --state failed`" in said, said
