"""Secrets by reference: found where they are said to be, explained when they are not, never shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.file import load
from paperchute.rules.problems import warned
from paperchute.rules.requirements import missing_secrets
from paperchute.rules.secrets import SecretError, anchored, is_reference, may_have_placeholders, resolve

WHOLE = Path("/etc/x").absolute().as_posix()  # on Windows with its drive


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
        ("csv:~/list.csv/{who}", True),
        ("csv:list.csv", False),
        ("csv:list.csv/", False),
        ("keyring:a", False),
        ("pass:word", False),
        ("env:", False),
        ("hunter2", False),
    ],
)
def test_a_secret_is_not_taken_for_a_reference(text: str, yes: bool) -> None:
    assert is_reference(text) is yes


def a_list(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "passwords.csv"
    path.write_text(content, "utf-8")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "who,password\nAnna,a-1\nMüller,m-2\n",
        "\ufeffwho;password;note\r\nANNA;a-1;x,y,z\r\nMu\u0308ller;m-2\r\n",
        'Anna,"a-1"\n\nmüller , m-2 \nMüller,m-2\n',
    ],
)
def test_a_list_has_a_password_for_each_name(tmp_path: Path, content: str) -> None:
    path = a_list(tmp_path, content)
    assert resolve(f"csv:{path}/Anna") == "a-1"
    assert resolve(f"csv:{path}/{{who}}", {"who": "Müller"}) == "m-2"


def test_what_a_list_has_not_or_twice_is_said_without_any_password(tmp_path: Path) -> None:
    path = a_list(tmp_path, "Anna,s3cret-1\nAnna,s3cret-2\nBen\n")
    for key, said in (("Anna", "several passwords for 'Anna'"), ("Ben", "no password for 'Ben'"), ("", "no password")):
        with pytest.raises(SecretError, match=said) as caught:
            resolve(f"csv:{path}/{{who}}", {"who": key})
        assert "s3cret" not in str(caught.value)


def test_no_file_name_leads_a_reference_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    outside = tmp_path / "outside"
    outside.write_text("not for you")
    outside.chmod(0o600)
    with pytest.raises(SecretError):
        resolve(f"file:{tmp_path}/keys/{{stem}}", {"stem": "../outside"})
    inside = tmp_path / "keys" / "anna"
    inside.write_text("for anna")
    inside.chmod(0o600)
    assert resolve(f"file:{tmp_path}/keys/{{stem}}", {"stem": "anna"}) == "for anna"
    assert may_have_placeholders("csv:list.csv/{who}")
    assert not may_have_placeholders("csv:{who}/x")
    assert not may_have_placeholders("env:{who}")


def test_what_leads_nowhere_is_warned_of_and_a_keyring_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERCHUTE_TEST_SECRET", raising=False)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    path = tmp_path / "rules.toml"
    path.write_text(
        'version = 1\n[[rule]]\nname = "A"\nfolder = "a"\noperation = "pdf-encrypt"\n'
        f'parameters = {{ userPassword = "env:PAPERCHUTE_TEST_SECRET", ownerPassword = "keyring:a/b" }}\n'
        f'passwords = ["file:{tmp_path.as_posix()}/none", "csv:{tmp_path.as_posix()}/none/{{stem}}"]\n',
        "utf-8",
    )
    found = [warned(problem) for problem in missing_secrets(load(path))]
    assert found == [
        f"2:1: warning: rule 'A': The secret in {tmp_path / 'none'} cannot be read. Check that the file is there.",
        "2:1: warning: rule 'A': The variable PAPERCHUTE_TEST_SECRET is not set. Set it where Paperchute is started.",
    ]


def test_a_relative_secret_starts_from_the_rule_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sec").mkdir()
    for name, text in (("pw", "of the file"), ("list.csv", "a,of the list")):
        (tmp_path / "sec" / name).write_text(text)
        (tmp_path / "sec" / name).chmod(0o600)
    path = tmp_path / "rules.toml"
    path.write_text(
        'version = 1\n[service]\nbase_url = "https://h/s"\napi_key = "file:sec/pw"\n'
        '[engine]\nwebhook_url = "https://h/w"\nwebhook_token = "file:sec/pw"\n'
        '[[rule]]\nname = "L"\nfolder = "hot"\noperation = "pdf-encrypt"\npasswords = ["csv:sec/list.csv/{stem}"]\n'
        'parameters = { userPassword = "file:sec/pw", ownerPassword = "csv:sec/list.csv/a" }\n'
        '[[rule]]\nname = "M"\nfolder = "hot2"\noperation = "pdf-merge"\ngather = "folder"\n'
        'parameters = { passwords = ["file:sec/pw", ""] }\n'
    )
    other = tmp_path / "elsewhere"
    other.mkdir()
    monkeypatch.chdir(other)
    rules = load(path)
    assert missing_secrets(rules) == []
    given = rules.rules[0].steps[0].parameters
    assert resolve(str(given["userPassword"])) == "of the file"
    assert resolve(str(given["ownerPassword"])) == "of the list"
    assert resolve(rules.rules[0].passwords[0], {"stem": "a"}) == "of the list"
    assert resolve(rules.service.api_key or "") == "of the file"
    assert resolve(rules.service.engine["webhook_token"]) == "of the file"
    passwords = rules.rules[1].steps[0].parameters["passwords"]
    assert isinstance(passwords, list)
    assert (resolve(str(passwords[0])), passwords[1]) == ("of the file", "")


def test_a_secret_with_a_whole_path_stays_as_it_is(tmp_path: Path) -> None:
    for reference in (f"file:{WHOLE}", "file:~/x", "csv:~/x/y", "env:A", "keyring:a/b", "row:pw", ""):
        assert anchored(reference, tmp_path) == reference


@given(st.text(max_size=12), st.sampled_from(["{stem}", "{stem}.txt", ".{stem}", "{stem}{stem}"]))
def test_a_file_s_name_leads_to_nothing_outside_the_folder_of_secrets(stem: str, last: str) -> None:
    reached: list[Path] = []

    def noted(path: Path) -> str:
        reached.append(path)
        return "x"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("paperchute.rules.secrets._private_text", noted)
        resolve(f"file:/safe/pw/{last}", {"stem": stem})
        resolve(f"file:{last}", {"stem": stem})
    named, bare = reached
    assert named.parent == Path("/safe/pw")
    assert named.name not in ("", ".", "..")
    assert bare.parent == Path.cwd()


def test_a_file_called_like_a_home_folder_leads_to_none(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match=r"^The secret in .*[/\\]~root cannot be read"):
        resolve("file:{stem}", {"stem": "~root"})


def test_a_relative_path_is_one_from_the_rule_file(tmp_path: Path) -> None:
    assert anchored("file:sec/pw", tmp_path) == f"file:{tmp_path.as_posix()}/sec/pw"
    assert anchored("csv:list.csv/{stem}", tmp_path) == f"csv:{tmp_path.as_posix()}/list.csv/{{stem}}"
    for whole in (f"file:{WHOLE}", "file:~/pw", "env:sec/pw", "keyring:a/b", "row:x", ""):
        assert anchored(whole, tmp_path) == whole
