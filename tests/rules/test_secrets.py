"""Secrets by reference: found where they are said to be, explained when they are not, never shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paperchute.rules.secrets import SecretError, is_reference, resolve


def test_a_variable_and_a_private_file_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_SECRET", "s3cret")
    path = tmp_path / "secret"
    path.write_text("from file\n")
    path.chmod(0o600)
    assert resolve("env:PAPERCHUTE_TEST_SECRET") == "s3cret"
    assert resolve(f"file:{path}") == "from file"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("s3cret")
    path.chmod(0o644)
    with pytest.raises(SecretError, match="chmod 600") as caught:
        resolve(f"file:{path}")
    assert "s3cret" not in str(caught.value)


def test_a_missing_secret_says_where_it_should_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PAPERCHUTE_TEST_SECRET", raising=False)
    with pytest.raises(SecretError, match="PAPERCHUTE_TEST_SECRET"):
        resolve("env:PAPERCHUTE_TEST_SECRET")
    with pytest.raises(SecretError):
        resolve(f"file:{tmp_path / 'none'}")


def test_a_machine_without_a_keyring_points_to_the_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with pytest.raises(SecretError, match="env:NAME"):
        resolve("keyring:paperchute/test")


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("env:A", True),
        ("keyring:a/b", True),
        ("file:~/x", True),
        ("keyring:a", False),
        ("pass:word", False),
        ("env:", False),
        ("hunter2", False),
    ],
)
def test_a_secret_is_not_taken_for_a_reference(text: str, yes: bool) -> None:
    assert is_reference(text) is yes
