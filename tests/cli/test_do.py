"""Where `do` puts results: nothing that exists is overwritten without a word, and nothing half stays."""

from __future__ import annotations

import json
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
from paperchute.service.model import Call, ServiceError
from tests.engine.operations.test_joining import signed
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


def do(given: Path, *words: object, operation: str = "pdf-to-markdown") -> tuple[int, str]:
    base = ["--rules", str(given.parent / "none.toml"), "--state", str(given.parent / "state")]
    done = CliRunner().invoke(app, [*base, "do", operation, str(given), *map(str, words)])
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


def test_a_remote_service_breaks_no_signature_without_a_word(service: Scripted, given: Path) -> None:
    signed(given)
    for operation, repeatable, told in (("pdf-rotate", 0, True), ("pdf-rotate", 1, False), ("pdf-to-txt", 0, False)):
        service.repeatable = bool(repeatable)
        words = ("-p", "angle=90", "-p", "pages=1") if operation == "pdf-rotate" else ()
        code, said = do(given, *words, operation=operation)
        assert code == 0, said
        assert ("! a.pdf was signed." in said) == told


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


def command(given: Path, *words: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """(exit code, standard output, what else is said) of `do` in the folder of a file."""
    base = ["--rules", str(given.parent / "none.toml"), "--state", str(given.parent / "state")]
    done = CliRunner().invoke(app, [*base, "do", *map(str, words)], input=stdin)
    said = "" if done.exception is None or isinstance(done.exception, SystemExit) else str(done.exception)
    return done.exit_code, done.stdout_bytes, done.stderr + said


def sent(service: Scripted) -> list[list[str]]:
    return [[path.name for _, path in call.files] for call in service.calls]


@pytest.fixture
def several(given: Path) -> Path:
    folder = given.parent / "in"
    folder.mkdir()
    for name in ("page 10.pdf", "page 2.pdf", ".hidden.pdf"):
        (folder / name).write_bytes(b"%PDF-1.7 %%EOF")
    (folder / "notes.txt").write_bytes(b"not this one")
    return folder


@pytest.mark.parametrize("word", ["in", "in/*"])
def test_a_folder_and_a_pattern_stand_for_what_is_read_of_it(
    word: str, service: Scripted, several: Path, given: Path
) -> None:
    code, printed, said = command(given, "pdf-to-markdown", given.parent / word, "-o", f"{given.parent / 'out'}/")
    assert (code, sent(service)) == (0, [["page 2.pdf"], ["page 10.pdf"]])
    assert "pdf-to-markdown does not read notes.txt" in said
    assert lying(given.parent / "out") == {"page 2.md": b"# result", "page 10.md": b"# result"}
    assert len(printed.splitlines()) == 2


def test_a_folder_is_joined_in_natural_order_and_names_the_result(
    service: Scripted, several: Path, given: Path
) -> None:
    for number in range(20, 30):
        (several / f"page {number}.pdf").write_bytes(b"%PDF-1.7 %%EOF")
    service.outputs = (("x.pdf", b"joined"),)
    assert command(given, "pdf-merge", several)[0] == 0
    assert sent(service) == [
        ["notes.txt", "page 2.pdf", "page 10.pdf", *(f"page {number}.pdf" for number in range(20, 30))]
    ]
    assert (given.parent / "in.pdf").read_bytes() == b"joined"


def test_one_file_that_fails_keeps_none_of_the_others_back(service: Scripted, several: Path, given: Path) -> None:
    def fail(call: Call) -> None:
        if call.files[0][1].name == "page 2.pdf":
            raise ServiceError("page 2.pdf is damaged.", kind="bad-input")

    service.on_call = fail
    code, printed, _ = command(given, "pdf-to-markdown", several, "--json")
    assert code == 1
    assert json.loads(printed) == [
        {
            "files": [str(several / "page 2.pdf")],
            "results": [],
            "warnings": [],
            "notes": [],
            "error": "page 2.pdf is damaged.",
        },
        {
            "files": [str(several / "page 10.pdf")],
            "results": [str(several / "page 10.md")],
            "warnings": [],
            "notes": [],
            "error": None,
        },
    ]


def test_a_service_that_is_away_is_asked_once(service: Scripted, several: Path, given: Path) -> None:
    def away(call: Call) -> None:
        raise ServiceError("The service is away.", kind="down")

    service.on_call = away
    code, _, said = command(given, "pdf-to-markdown", several)
    assert (code, len(service.calls), said.count("The service is away.")) == (3, 1, 1)


def test_from_standard_input_to_standard_output(service: Scripted, given: Path) -> None:
    service.outputs = (("x.md", b"\xff\x00bytes"),)
    code, printed, _ = command(given, "pdf-to-markdown", "-", "-o", "-", stdin=given.read_bytes())
    assert (code, printed, sent(service)) == (0, b"\xff\x00bytes", [["stdin.pdf"]])


def test_several_results_for_standard_output_are_not_lost(
    service: Scripted, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(given.parent)
    service.outputs = (("1.md", b"1"), ("2.md", b"2"))
    code, printed, said = command(given, "pdf-to-markdown", given, "-o", "-")
    assert code == 1
    assert "2 came" in said
    assert lying(given.parent / "a") == {"1.md": b"1", "2.md": b"2"}
    assert [Path(line.decode()).name for line in printed.splitlines()] == ["1.md", "2.md"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pdf-split", "a.pdf", "every=1"), "Write: -p every=1"),
        (("pdf-split", "a.pdf"), "Pdf-split needs exactly one of pages"),
        (("pdf-delete", "a.pdf"), "needs the parameter pages"),
        (("pdf-encrypt", "a.pdf"), "userPassword, ownerPassword or both"),
        (("pdf-merge", "a.pdf"), "Name all of them, or their folder"),
        (("pdf-to-markdown", "empty"), "has no file that pdf-to-markdown reads"),
        (("pdf-to-markdown", "*.docx"), "has no file that pdf-to-markdown reads"),
        (("pdf-to-markdown", "none.pdf"), "There is no file"),
        (("pdf-to-markdown", "-"), "Say where the result goes"),
        (("pdf-to-markdown", "-", "-o", "-", "--json"), "not both"),
        (("pdf-to-markdown", "in", "-o", "x.md"), "a slash at its end"),
        (("pdf-to-markdown", "in", "-o", "-"), "Standard output takes one result"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_asked_for(
    words: tuple[str, ...], said: str, service: Scripted, several: Path, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(given.parent)
    (given.parent / "empty").mkdir()
    code, printed, told = command(given, *words, stdin=given.read_bytes())
    assert code != 0
    assert said in told
    assert (service.calls, printed) == ([], b"")


def test_an_empty_standard_input_is_told(service: Scripted, given: Path) -> None:
    assert "Nothing came by standard input" in command(given, "pdf-to-markdown", "-", "-o", "-")[2]


def test_what_only_the_built_in_engine_does_is_asked_of_no_other(service: Scripted, given: Path) -> None:
    address = 'version = 1\n[service]\nbase_url = "https://service.example/server"\napi_key = "env:KEY"\n'
    (given.parent / "none.toml").write_text(address, "utf-8")
    for words in (("pdf-reorder", "order=reverse"), ("pdf-split", "every=2")):
        assert "by the built-in engine alone" in command(given, words[0], given, "-p", words[1])[2]
    assert service.calls == []


def test_what_the_result_lacks_is_told(given: Path, service: Scripted) -> None:
    service.warnings = ("Characters on page 1 cannot be read.", "2 words of page 3 could not be placed.")
    code, said = do(given)
    assert code == 0
    assert "! Characters on page 1 cannot be read.\n! 2 words of page 3 could not be placed.\n" in said


@pytest.mark.parametrize(
    "words", [("do", "{}", "{file}"), ("rule", "add", "new", "--folder", "in", "--operation", "{}")]
)
@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("pdf-to-ofd", "This engine does not do pdf-to-ofd yet; a remote service may"),
        ("booklet", "operations` lists them"),
        ("stamp", "Did you mean pdf-add-watermark?"),
    ],
)
def test_what_the_engine_lacks_is_said_before_anything_else_is_asked(
    words: tuple[str, ...], operation: str, said: str, service: Scripted, given: Path
) -> None:
    rules = given.parent / "rules.toml"
    rules.write_text("version = 1\n", "utf-8")
    done = CliRunner().invoke(
        app, ["--rules", str(rules), *(word.format(operation, file=given) for word in words)], standalone_mode=False
    )
    assert said in str(done.exception)
    assert "parameter" not in str(done.exception)
    assert service.calls == []
    assert rules.read_text("utf-8") == "version = 1\n"


def test_a_remote_service_is_asked_for_what_the_engine_lacks(service: Scripted, given: Path) -> None:
    rules = given.parent / "rules.toml"
    address = 'version = 1\n[service]\nbase_url = "https://service.example/server"\napi_key = "env:KEY"\n'
    rules.write_text(address, "utf-8")
    CliRunner().invoke(app, ["--rules", str(rules), "do", "pdf-compress", str(given)])
    assert [call.operation for call in service.calls] == ["pdf-compress"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("xrechnung.xml", b"<?xml version='1.0'?><Invoice/>", "not xml."),
        ("damaged.pdf", b"\x00\x01\x02", ""),
        ("scan.bin", b"%PDF-1.7 %%EOF", ""),
        ("nothing.pdf", b"", ""),
    ],
)
def test_a_sound_file_of_another_kind_is_called_neither_damaged_nor_empty(
    name: str, content: bytes, said: str, service: Scripted, given: Path
) -> None:
    other = given.parent / name
    other.write_bytes(content)
    base = ["--rules", str(given.parent / "none.toml")]
    done = CliRunner().invoke(
        app, [*base, "do", "pdf-compare", str(given), str(other), "-p", "mode=content"], standalone_mode=False
    )
    if said:
        assert str(done.exception).strip().startswith(f"{name}: pdf-compare reads ")
        assert str(done.exception).strip().endswith(said)
    assert len(service.calls) == (not said)
