"""`sendto` writes what hands files to `drop`, and `drop` puts copies into a rule's hot folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.cli import sendto as verb
from paperchute.cli.context import Context
from paperchute.cli.drop import _drop
from paperchute.desktop.scripts_folder import ScriptsFolder
from paperchute.desktop.thunar import ThunarActions
from paperchute.errors import PaperchuteError

RULES = """version = 1
[[rule]]
name = "Read it"
folder = "in"
operation = "pdf-to-markdown"
[[rule]]
name = "asleep"
folder = "other"
operation = "pdf-to-markdown"
enabled = false
"""


@pytest.fixture
def chosen(tmp_path: Path) -> Context:
    path = tmp_path / "my rules.toml"
    path.write_text(RULES, "utf-8")
    return Context(path, tmp_path / "state")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_copies_lie_in_the_hot_folder_whole_and_beside_what_is_there(chosen: Context, tmp_path: Path) -> None:
    letter = tmp_path / "letter.pdf"
    letter.write_bytes(b"%PDF-1.7 of theirs")
    os.utime(letter, (1_600_000_000, 1_600_000_000))
    folder = tmp_path / "set"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.pdf").write_bytes(b"%PDF a")
    with chosen.state.lock():
        assert _drop(chosen, "Read it", [letter, folder]) is None
        assert _drop(chosen, "Read it", [letter]) is None
    assert names(tmp_path / "in") == ["letter (2).pdf", "letter.pdf", "set"]
    for name in ("letter.pdf", "letter (2).pdf"):
        copy = tmp_path / "in" / name
        assert (copy.read_bytes(), copy.stat().st_mtime) == (b"%PDF-1.7 of theirs", 1_600_000_000)
    assert (tmp_path / "in" / "set" / "inner" / "a.pdf").read_bytes() == b"%PDF a"
    assert letter.read_bytes() == b"%PDF-1.7 of theirs"


def test_where_nothing_runs_the_files_are_there_and_that_is_told(chosen: Context, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF")
    waits = _drop(chosen, "Read it", [tmp_path / "letter.pdf"])
    assert "wait" in str(waits)
    assert names(tmp_path / "in") == ["letter.pdf"]


@pytest.mark.parametrize("rule", ["nobody", "asleep"])
def test_a_rule_that_takes_nothing_is_given_nothing(rule: str, chosen: Context, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF")
    with pytest.raises(PaperchuteError, match=rule):
        _drop(chosen, rule, [tmp_path / "letter.pdf"])
    assert not (tmp_path / "other").exists()


def test_one_missing_file_and_nothing_is_dropped(chosen: Context, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF")
    wrong: list[list[Path]] = [[], [tmp_path / "letter.pdf", tmp_path / "gone.pdf"], [tmp_path]]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.pdf")
        wrong.append([tmp_path / "letter.pdf", tmp_path / "pipe.pdf"])
    for files in wrong:
        with pytest.raises(PaperchuteError):
            _drop(chosen, "Read it", files)
        assert not (tmp_path / "in").exists() or names(tmp_path / "in") == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_of_a_link_that_was_chosen_the_file_is_copied(chosen: Context, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF")
    (tmp_path / "shortcut.pdf").symlink_to("letter.pdf")
    _drop(chosen, "Read it", [tmp_path / "shortcut.pdf"])
    (copy,) = (tmp_path / "in").iterdir()
    assert not copy.is_symlink()


@pytest.mark.skipif(sys.platform != "linux", reason="file managers of Linux")
def test_the_menu_of_nautilus_drops_files_from_on_to_off(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "nautilus").symlink_to("/bin/true")
    environment = {"HOME": str(tmp_path), "PATH": str(programs), "LC_ALL": "C.UTF-8"}  # no other is installed

    def said(*words: str) -> subprocess.CompletedProcess[str]:
        its = ["--rules", str(tmp_path / "rules.toml"), "--state", str(tmp_path / "state"), "sendto", *words]
        command = [sys.executable, "-m", "paperchute", *its]
        alone = {**environment, "PATH": str(programs)}  # this machine may have other file managers
        return subprocess.run(command, env=alone, capture_output=True, text=True, check=False)

    assert "does not have" in said().stdout
    assert "nobody" in said("on", "nobody").stderr
    assert said("on").stdout == "Nautilus has Send to Paperchute: Read it\n"
    (script,) = (tmp_path / ".local/share/nautilus/scripts").glob("*/*")
    (tmp_path / "a & b.pdf").write_bytes(b"%PDF")
    done = subprocess.run(
        [script, "a & b.pdf"],
        cwd=tmp_path,
        env={**environment, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "is not running" in done.stderr
    assert names(tmp_path / "in") == ["a & b.pdf"]
    assert "does not have" in said("off").stdout
    assert not [*(tmp_path / ".local/share/nautilus/scripts").iterdir()]


def test_one_that_cannot_be_changed_does_not_hold_up_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "uca.xml").write_text("<broken", "utf-8")
    both = [ThunarActions(tmp_path / "uca.xml"), ScriptsFolder("Nemo", tmp_path / "scripts")]
    monkeypatch.setattr(verb, "file_managers", lambda: both)
    monkeypatch.setattr(verb, "given", lambda _context: Context(None, None))
    with pytest.raises(PaperchuteError, match="Thunar"):
        verb.set_sendto(None, "status")  # type: ignore[arg-type]
    assert "Nemo" in capsys.readouterr().out
