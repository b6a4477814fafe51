"""Where `do` puts results: nothing that exists is overwritten without a word, and nothing half stays."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paperchute.cli import do as verb
from paperchute.cli.front import app
from tests.jobs.scripted import Scripted


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    service = Scripted()

    @contextmanager
    def client(context: object) -> Iterator[Any]:
        yield service

    monkeypatch.setattr(verb, "_client", client)
    return service


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7 %%EOF")
    return path


def do(given: Path, *words: object) -> tuple[int, str]:
    base = ["--rules", str(given.parent / "none.toml"), "--state", str(given.parent / "state")]
    done = CliRunner().invoke(app, [*base, "do", "pdf-to-markdown", str(given), *map(str, words)])
    return done.exit_code, done.output + (str(done.exception) if done.exception else "")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The verb narrows its process's, which here is that of all tests."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def lying(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_file_that_exists_is_refused_before_anything_is_asked_for(service: Scripted, given: Path) -> None:
    place = given.parent / "old.md"
    place.write_bytes(b"old")
    code, said = do(given, "-o", place)
    assert code != 0
    assert f"{place} exists" in said
    assert "--force" in said
    assert place.read_bytes() == b"old"
    assert service.calls == []
    assert do(given, "-o", place, "--force")[0] == 0
    assert place.read_bytes() == b"# result"


def test_a_slash_at_the_end_names_a_folder(service: Scripted, given: Path) -> None:
    for _ in range(2):
        assert do(given, "-o", f"{given.parent / 'new'}/")[0] == 0
    assert lying(given.parent / "new") == {"a.md": b"# result", "a (2).md": b"# result"}
    (given.parent / "file").write_bytes(b"mine")
    assert do(given, "-o", f"{given.parent / 'file'}/")[0] != 0
    assert (given.parent / "file").read_bytes() == b"mine"


def test_several_results_replace_nothing(service: Scripted, given: Path) -> None:
    service.outputs = (("1.pdf", b"1"), ("deep/2.pdf", b"2"))
    out = given.parent / "out"
    out.mkdir()
    (out / "1.pdf").write_bytes(b"mine")
    assert do(given, "-o", out)[0] == 0
    assert lying(out) == {"1.pdf": b"mine", "1 (2).pdf": b"1", "deep/2.pdf": b"2"}
    service.outputs = (("a.md", b"1"), ("images/1.png", b"2"))
    for _ in range(2):
        assert do(given, "-o", out)[0] == 0
    assert lying(out / "a") == {"a.md": b"1", "images/1.png": b"2"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows gives rights by the folder")
def test_a_result_of_a_private_file_is_private(service: Scripted, given: Path) -> None:
    given.chmod(0o600)
    assert do(given)[0] == 0
    assert (given.parent / "a.md").stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_leaves_nothing(service: Scripted, given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service.outputs = (("1.pdf", b"1"), ("2.pdf", b"2"))
    out = given.parent / "out"
    out.mkdir()
    copyfile = shutil.copyfile

    def full(source: Path, target: Path) -> None:
        copyfile(source, target)
        if target.name == "2.pdf":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    assert do(given, "-o", out)[0] != 0
    assert list(out.iterdir()) == []
    assert [path.name for path in given.parent.iterdir() if path.name.startswith(".")] == []


def test_a_folder_is_told_as_one(given: Path, service: Scripted) -> None:
    code, said = do(given.parent)
    assert (code, said) == (1, f"{given.parent} is a folder. Name the files in it.")


def test_what_the_result_lacks_is_told(given: Path, service: Scripted) -> None:
    service.warnings = ("Characters on page 1 cannot be read.", "2 words of page 3 could not be placed.")
    code, said = do(given)
    assert code == 0
    assert "! Characters on page 1 cannot be read.\n! 2 words of page 3 could not be placed.\n" in said
