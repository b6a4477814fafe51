"""Locked and restricted documents: what protected the source protects the result, and nobody lifts what is not his."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.pdf.protection import RIGHTS
from paperchute.engine.work import Protecting, Refused
from tests.engine.operations.papers import done, locked, opens, paper, words, work
from tests.engine.operations.test_pdf_encrypt import PERMISSIONS

REVISIONS = (2, 3, 4, 6)
DENIED = ("extract", "modify_other", "print_highres")
# What makes a PDF of one PDF, with the parameter that takes its password.
CHANGING: dict[str, tuple[str, dict[str, Any]]] = {
    "pdf-merge": ("password", {}),
    "pdf-insert": ("targetPassword", {"actionType": "BLANK", "index": 1, "width": 100, "height": 100}),
    "magic-color": ("password", {}),
    "pdf-to-editable": ("password", {"enableOcr": 0}),
}


def made(operation: str, folder: Path, source: Path, password: str = "", **more: Any) -> Path:
    name, parameters = CHANGING[operation]
    sources = [source, paper(folder / "second.pdf", "second")] if operation == "pdf-merge" else [source]
    given = {name: password} if password else {}
    return done(operation, folder, *sources, **parameters, **given, **more)


def denied(path: Path, password: str = "") -> set[str]:
    with pikepdf.open(path, password=password) as pdf:
        assert not pdf.owner_password_matched, "else it binds nobody"
        return {right for right in RIGHTS if not getattr(pdf.allow, right)}


@pytest.mark.parametrize(("operation", "revision"), list(itertools.product(CHANGING, REVISIONS)))
def test_the_password_given_opens_the_result_which_is_restricted_as_before(
    tmp_path: Path, operation: str, revision: int
) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), "user", revision=revision, deny=DENIED)
    with pikepdf.open(source, password="user") as pdf:
        before = {right for right in RIGHTS if not getattr(pdf.allow, right)}
    with report.collected() as said:
        output = made(operation, tmp_path, source, "user")
    assert not opens(output)
    assert not opens(output, "o"), "the owner password was not given"
    assert denied(output, "user") == before
    assert "extract" in before
    assert "a" in words(output, "user")
    with pikepdf.open(output, password="user") as pdf:
        assert pdf.encryption.R == 6
    assert said == []


@pytest.mark.parametrize("operation", CHANGING)
def test_restrictions_without_a_password_stay(tmp_path: Path, operation: str) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), deny=DENIED)
    for password, protection in itertools.product(("", "not needed"), ("keep", "drop")):
        with report.collected() as said:
            output = made(operation, tmp_path, source, password, protection=protection)
        assert denied(output) == set(DENIED)
        assert len(said) == (protection == "drop")


@pytest.mark.parametrize(("operation", "revision"), list(itertools.product(CHANGING, REVISIONS)))
def test_the_owner_stays_the_owner(tmp_path: Path, operation: str, revision: int) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), "user", revision=revision, deny=("extract",))
    with report.collected() as said:
        output = made(operation, tmp_path, source, "o")
    with pikepdf.open(output, password="o") as pdf:
        assert pdf.owner_password_matched
        assert not pdf.allow.extract
    assert not opens(output)
    assert opens(output, "user") is (revision < 6)  # only old ciphers tell the readers' password
    assert len(said) == (revision == 6)


@pytest.mark.parametrize("operation", CHANGING)
def test_the_owner_may_drop_it_all(tmp_path: Path, operation: str) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), "user", deny=DENIED)
    with pikepdf.open(made(operation, tmp_path, source, "o", protection="drop")) as pdf:
        assert not pdf.is_encrypted


def test_a_reader_may_drop_a_password_but_no_restriction(tmp_path: Path) -> None:
    free = locked(paper(tmp_path / "free.pdf", "a"), "user")
    with pikepdf.open(made("magic-color", tmp_path, free, "user", protection="drop")) as pdf:
        assert not pdf.is_encrypted
    bound = locked(paper(tmp_path / "bound.pdf", "a"), "user", deny=("modify_other",))
    assert denied(made("magic-color", tmp_path, bound, "user", protection="drop")) == {"modify_other"}


def test_of_several_sources_all_restrictions_count(tmp_path: Path) -> None:
    files = [
        locked(paper(tmp_path / "a.pdf", "a"), deny=("extract",)),
        paper(tmp_path / "b.pdf", "b"),
        locked(paper(tmp_path / "c.pdf", "c"), "user", deny=("print_highres",)),
    ]
    output = done("pdf-merge", tmp_path, *files, passwords=["", "", "user"])
    assert words(output, "user") == ["a", "b", "c"]
    assert denied(output, "user") == {"extract", "print_highres"}


@pytest.mark.parametrize("algorithm", ["rc4", "aes128", "aes256"])
@pytest.mark.parametrize("typed", ["Gr\u00fc\u00dfe", "Gru\u0308\u00dfe"])
def test_letters_beyond_english_open_and_go_on_opening(tmp_path: Path, algorithm: str, typed: str) -> None:
    source = paper(tmp_path / "a.pdf", "a")
    made_here = done("pdf-encrypt", tmp_path, source, userPassword="Gr\u00fc\u00dfe", algorithm=algorithm, **FULL)
    made_here.replace(tmp_path / "locked.pdf")
    output = done("magic-color", tmp_path, tmp_path / "locked.pdf", password=typed)
    assert words(output, "Gr\u00fc\u00dfe") == ["a"]
    asked = work("pdf-to-markdown", tmp_path, tmp_path / "locked.pdf", password=typed)
    assert "a" in implementation("pdf-to-markdown").run(asked)[0].read_text()


@pytest.mark.parametrize("operation", ["pdf-merge", "pdf-insert"])
def test_of_different_passwords_the_result_has_the_first(tmp_path: Path, operation: str) -> None:
    rights = {"a": ("extract",), "b": ("print_highres",)}
    files = [locked(paper(tmp_path / f"{name}.pdf", name), f"for {name}", deny=rights[name]) for name in "ab"]
    given: dict[str, Any] = {"passwords": ["for a", "for b"]}
    if operation == "pdf-insert":
        given = {"actionType": "FROM_PDF", "index": 2, "targetPassword": "for a", "insertPassword": "for b"}
    with report.collected() as warnings:
        output = done(operation, tmp_path, *files, **given)
    assert warnings == ["a.pdf, b.pdf have different passwords: the result opens with that of a.pdf alone."]
    assert words(output, "for a") == ["a", "b"]
    assert not opens(output, "for b")
    assert denied(output, "for a") == {"extract", "print_highres"}


def test_the_first_password_is_that_of_the_first_that_is_locked(tmp_path: Path) -> None:
    files = [paper(tmp_path / "a.pdf", "a"), *(locked(paper(tmp_path / f"{n}.pdf", n), f"for {n}") for n in "bc")]
    output = done("pdf-merge", tmp_path, *files, passwords=["", "for b", "for c"])
    assert words(output, "for b") == ["a", "b", "c"]
    assert words(done("pdf-merge", tmp_path, *files, passwords=["", "for b", "for c"], protection="drop")) == [*"abc"]


def test_each_page_of_a_locked_document_is_locked(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a", "b"), "user")
    asked = work("magic-color", tmp_path, source, password="user", isOutputDocumentPerPage=1)
    outputs = implementation("magic-color").run(asked)
    assert [words(path, "user") for path in outputs] == [["a"], ["b"]]
    assert not any(opens(path) for path in outputs)
    assert {path.name for path in (tmp_path / "work").iterdir()} == {path.name for path in outputs}, (
        "nothing open stays"
    )


FULL: dict[str, Any] = dict.fromkeys(PERMISSIONS, True)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"userPassword": "new", "allowCopy": True}, "a permission that is denied"),
        ({"userPassword": "new", "ownerPassword": "mine"}, "an owner of one's own"),
        ({"ownerPassword": "mine", **FULL}, "both"),
    ],
)
def test_what_the_author_denies_only_the_owner_password_lifts(tmp_path: Path, asked: dict[str, Any], why: str) -> None:
    for user in ("", "user"):
        source = locked(paper(tmp_path / "a.pdf", "a"), user, deny=("extract",))
        with pytest.raises(Refused, match="only its owner password lifts that"):
            done("pdf-encrypt", tmp_path, source, password=user, algorithm="aes256", **asked)
        output = done("pdf-encrypt", tmp_path, source, password="o", algorithm="aes256", **asked)
        assert opens(output, str(asked.get("userPassword", ""))), why


def test_a_restricted_document_may_be_locked_further(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), deny=("extract",))
    output = done("pdf-encrypt", tmp_path, source, userPassword="new", allowPrint=True, algorithm="aes256")
    assert "extract" in denied(output, "new")


def test_a_locked_document_that_restricts_nothing_gets_any_lock(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "a.pdf", "a"), "user")
    output = done("pdf-encrypt", tmp_path, source, password="user", ownerPassword="mine", algorithm="aes256", **FULL)
    assert words(output, "mine") == ["a"]


@pytest.mark.parametrize(
    ("lock", "password", "protection", "said"),
    [
        ({"deny": ("extract",)}, "", "keep", ["does not allow its text to be copied"]),
        ({"deny": ("extract",)}, "", "drop", ["does not allow its text to be copied"]),
        ({"deny": ("extract",)}, "o", "keep", []),
        ({"deny": ("modify_other",)}, "", "keep", []),
        ({"user": "u"}, "u", "keep", ["is locked with a password, but the result cannot be"]),
        ({"user": "u"}, "u", "drop", []),
        (None, "not needed", "keep", []),
    ],
)
def test_what_cannot_be_locked_says_so(
    tmp_path: Path, lock: dict[str, Any] | None, password: str, protection: Protecting, said: list[str]
) -> None:
    source = paper(tmp_path / "a.pdf", "words")
    if lock is not None:
        locked(source, **lock)
    given = {"password": password} if password else {}
    asked = replace(work("pdf-to-markdown", tmp_path, source, **given), protection=protection)
    with report.collected() as found:
        (output, *_) = implementation("pdf-to-markdown").run(asked)
    assert "words" in output.read_text()
    assert len(found) == len(said)
    assert all(part in text and "a.pdf" in text for part, text in zip(said, found, strict=True))
