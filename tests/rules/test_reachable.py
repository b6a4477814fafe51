"""What lies outside the rule file and is not there: said, and no reason to leave the other rules out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paperchute.rules.file import load
from paperchute.rules.requirements import absent_files, folders_to_be_made, missing, open_to_others

RULES = """version = 1
[[rule]]
name = "Print"
folder = "a"
operation = "pdf-generate"
parameters = { templateFile = "t.html" }
[[rule]]
name = "Lock"
folder = "b"
operation = "pdf-encrypt"
parameters = { userPassword = "file:pw" }
[[rule]]
name = "Off"
enabled = false
folder = "c"
operation = "pdf-generate"
parameters = { templateFile = "none.html" }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(RULES, "utf-8")
    path.chmod(0o600)
    return path


def said(path: Path) -> list[str]:
    return [f"{problem.rule}: {problem.message}" for problem in missing(load(path))]


def test_a_missing_file_is_a_mistake_of_its_rule_alone_and_only_while_it_is_missing(path: Path) -> None:
    rules = load(path)
    here = path.parent
    assert [rule.name for rule in rules.rules] == ["Print", "Lock", "Off"]
    first, second = said(path)
    assert first == f"Print: there is no file {here / 't.html'}"
    assert second.startswith(f"Lock: The secret in {here / 'pw'} cannot be read")
    (here / "t.html").write_text("<p>")
    (here / "pw").write_text("word")
    (here / "pw").chmod(0o600)
    assert said(path) == []
    assert [absent_files(rule) for rule in rules.rules][:2] == ["", ""]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_a_secret_that_others_can_read_is_a_mistake_with_its_cure(path: Path) -> None:
    (path.parent / "t.html").write_text("<p>")
    (path.parent / "pw").write_text("word")
    (path.parent / "pw").chmod(0o644)
    (one,) = said(path)
    assert "can be read by others. Run: chmod 600" in one


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
@pytest.mark.parametrize(
    ("file", "folder", "words"),
    [
        (0o600, 0o700, ""),
        (0o664, 0o775, ""),
        (0o666, 0o700, "others can change this file"),
        (0o600, 0o777, "others can replace this file"),
        (0o600, 0o1777, ""),
    ],
)
def test_rules_that_others_can_change_draw_a_warning(path: Path, file: int, folder: int, words: str) -> None:
    path.chmod(file)
    path.parent.chmod(folder)
    found = [problem.message for problem in open_to_others(path)]
    path.parent.chmod(0o700)
    assert [words in message for message in found] == ([True] if words else [])


def test_a_folder_in_a_folder_that_is_not_there_is_said(path: Path) -> None:
    assert folders_to_be_made(load(path)) == []
    path.write_text(RULES.replace('"a"', '"none/a"'), "utf-8")
    (problem,) = folders_to_be_made(load(path))
    assert f"there is no folder {path.parent / 'none'}" in problem.message


def test_it_is_said_once_however_many_hot_folders_lie_there(path: Path) -> None:
    """A new file of fourteen rules had fourteen such warnings, among which any other was lost."""
    path.write_text(RULES.replace('"a"', '"none/a"').replace('"b"', '"none/b"'), "utf-8")
    assert [problem.rule for problem in folders_to_be_made(load(path))] == ["Print"]
