"""`[page]`: what cannot work, or would let anybody in, is a mistake before the page opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.errors import PaperchuteError
from paperchute.page.access import access, with_environment
from paperchute.page.password import hashed
from paperchute.rules.disclosure import rule_text
from paperchute.rules.file import parse
from paperchute.rules.page import PageKeys
from paperchute.rules.problems import RuleFileError
from paperchute.rules.requirements import missing_secrets

OPEN = 'listen = "0.0.0.0:8765"\n'
HASH = "scrypt:" + "a" * 64


def mistakes(text: str) -> str:
    with pytest.raises(RuleFileError) as error:
        parse(f"version = 1\n[page]\n{text}\n", Path("/rules/rules.toml"))
    return "\n".join(error.value.lines())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OPEN, "`password` is missing"),
        ('listen = "127.0.0.1:8765"', "`password` is missing"),
        (f'{OPEN}password = "hunter2"', "the secret itself must not be written here"),
        (f'{OPEN}password = "scrypt:hunter2"', "the secret itself must not be written here"),
        (f'password = "{HASH}"', "`listen` is missing"),
        (f'listen = "nas.local:80"\npassword = "{HASH}"', "an address in numbers and a port"),
        (f'listen = "0.0.0.0:0"\npassword = "{HASH}"', "an address in numbers and a port"),
        (f'listen = "0.0.0.0:65536"\npassword = "{HASH}"', "an address in numbers and a port"),
        (f'listen = "1.2.3.400:80"\npassword = "{HASH}"', "an address in numbers and a port"),
        (f'listen = "::1:80"\npassword = "{HASH}"', "an address in numbers and a port"),
        (f'{OPEN}password = "{HASH}"\nhosts = ["https://nas"]', "is not the name of a host"),
        (f'{OPEN}password = "{HASH}"\nproxies = ["nas"]', "neither an address in numbers nor a network"),
        (f'{OPEN}pasword = "{HASH}"', "Did you mean password?"),
    ],
)
def test_a_mistake_is_told_with_its_cure(text: str, said: str) -> None:
    assert said in mistakes(text)
    assert "hunter2" not in mistakes(text)


@pytest.mark.parametrize(
    ("text", "is_warned"),
    [
        (OPEN, True),
        (f'{OPEN}proxies = ["172.17.0.0/16"]\n', False),
        ('listen = "[::]:8765"\n', True),
        ('listen = "[::1]:8765"\n', False),
        ('listen = "127.0.0.1:8765"\n', False),
    ],
)
def test_what_travels_in_the_clear_is_a_warning(text: str, is_warned: bool) -> None:
    rules = parse(f'version = 1\n[page]\n{text}password = "{HASH}"\n', Path("/rules/rules.toml"))
    assert any("plain HTTP" in warning.message for warning in rules.warnings) == is_warned


def test_its_password_is_looked_for_beside_the_rule_file_and_stands_in_no_report() -> None:
    text = f'version = 1\n[page]\n{OPEN}password = "file:word"\n'
    rules = parse(text, Path("/rules/rules.toml"))
    assert rules.page.password == "file:/rules/word"
    assert str(Path("/rules/word")) in missing_secrets(rules)[0].message
    assert HASH not in rule_text(text.replace("file:word", HASH), Path("/rules"))


def test_the_environment_goes_before_the_file_and_loses_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_PAGE_LISTEN", "[::1]:9000")
    monkeypatch.setenv("PAPERCHUTE_PAGE_PASSWORD", "correct horse")
    monkeypatch.setenv("PAPERCHUTE_PAGE_HOSTS", "NAS.local,nas")
    monkeypatch.setenv("PAPERCHUTE_PAGE_PROXIES", "10.0.0.1")
    found = access(PageKeys(listen="0.0.0.0:80", password=HASH))
    assert found is not None
    assert found.address == ("::1", 9000)
    assert found.names == {"nas.local", "nas"}
    assert found.password.fits("correct horse")
    assert not found.password.fits("correct house")
    with pytest.raises(PaperchuteError, match="`password` is missing"):
        access(PageKeys())  # it was taken


def test_a_file_holds_the_password_as_containers_hand_it_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "word").write_text(hashed("correct horse") + "\n", "utf-8")
    monkeypatch.setenv("PAPERCHUTE_PAGE_LISTEN", "0.0.0.0:8765")
    monkeypatch.setenv("PAPERCHUTE_PAGE_PASSWORD_FILE", str(tmp_path / "word"))
    found = access(PageKeys())
    assert found is not None
    assert found.password.fits("correct horse")
    monkeypatch.setenv("PAPERCHUTE_PAGE_PASSWORD_FILE", str(tmp_path / "none"))
    with pytest.raises(PaperchuteError, match="cannot be read"):
        access(PageKeys())


@pytest.mark.parametrize(
    "variables",
    [
        {"PAPERCHUTE_PAGE_LISTEN": "0.0.0.0"},
        {"PAPERCHUTE_PAGE_LISTEN": "0.0.0.0:8765", "PAPERCHUTE_PAGE_PROXIES": "nas"},
        {"PAPERCHUTE_PAGE_HOSTS": "nas"},
    ],
)
def test_a_variable_that_is_wrong_is_named(variables: dict[str, str]) -> None:
    with pytest.raises(PaperchuteError, match="PAPERCHUTE_PAGE_"):
        with_environment(PageKeys(), variables, has_password="PAPERCHUTE_PAGE_HOSTS" not in variables)


def test_a_short_password_opens_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_PAGE_LISTEN", "0.0.0.0:8765")
    monkeypatch.setenv("PAPERCHUTE_PAGE_PASSWORD", "hunter2")
    with pytest.raises(PaperchuteError, match="too short") as error:
        access(PageKeys())
    assert "hunter2" not in str(error.value)
