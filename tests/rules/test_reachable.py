"""What lies outside the rule file and is not there: said, and no reason to leave the other rules out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paperchute.app.rulebook import make_hot_folder
from paperchute.rules.file import load
from paperchute.rules.requirements import absent_files, missing, open_to_others

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


def _absent(path: Path, rules: str) -> list[tuple[str | None, str]]:
    path.write_text(rules, "utf-8")
    return [(one.rule, one.message) for one in missing(load(path)) if "there is no folder" in one.message]


def test_of_a_hot_folder_only_the_last_part_is_made_outside_of_the_home_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing above it may be a share that is not connected: made here, it would hide what is dropped."""
    base = path.parent
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(base / "home"))
    assert _absent(path, RULES) == []
    make_hot_folder(base / "a")
    assert (base / "a").is_dir()
    for folder in ("none/a", "none/server/a", "home/Hot/a"):  # nobody is at home yet
        ((_, told),) = _absent(path, RULES.replace('"a"', f'"{folder}"'))
        assert f"there is no folder {(base / folder).parent}" in told
        with pytest.raises(FileNotFoundError):
            make_hot_folder(base / folder)
        assert not (base / folder).parent.exists()
    (base / "home").mkdir()
    assert _absent(path, RULES.replace('"a"', '"~/Hot/a"')) == []
    make_hot_folder(base / "home/Hot/a")
    assert (base / "home/Hot/a").is_dir()


def test_it_is_said_once_however_many_hot_folders_lie_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new file of fourteen rules had fourteen such warnings, among which any other was lost."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(path.parent / "home"))
    assert [rule for rule, _ in _absent(path, RULES.replace('"a"', '"none/a"').replace('"b"', '"none/b"'))] == ["Print"]
