"""Locking: three ciphers, two passwords, six permissions, read back by two readers."""

from __future__ import annotations

import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pypdfium2.raw
import pytest

from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, paper, words
from tests.systems import posix

# The permission that each flag must open, as pikepdf names what a reader may do.
PERMISSIONS = {
    "allowPrint": "print_highres",
    "allowCopy": "extract",
    "allowDocumentChanges": "modify_other",
    "allowDocumentAssembly": "modify_assembly",
    "allowCommenting": "modify_annotation",
    "allowFormFieldEntry": "modify_form",
}
BITS = {  # ISO 32000-1 table 22
    "allowPrint": {3, 12},
    "allowDocumentChanges": {4},
    "allowCopy": {5},
    "allowCommenting": {6},
    "allowFormFieldEntry": {9},
    "allowDocumentAssembly": {11},
}
ALWAYS = {7, 8, 10}  # two that mean nothing, and reading aloud for the blind


@pytest.mark.parametrize(("algorithm", "revision"), [("rc4", 3), ("aes128", 4), ("aes256", 6)])
def test_each_cipher_opens_with_either_password_and_with_no_other(
    tmp_path: Path, algorithm: str, revision: int
) -> None:
    output = done(
        "pdf-encrypt",
        tmp_path,
        paper(tmp_path / "a.pdf", "a"),
        userPassword="u",
        ownerPassword="o",
        algorithm=algorithm,
    )
    for password in ("u", "o"):
        assert words(output, password) == ["a"]
        with pikepdf.open(output, password=password) as pdf:
            assert revision == pdf.encryption.R
    for reader in (pikepdf.open, pypdfium2.PdfDocument):
        with pytest.raises((pikepdf.PasswordError, pypdfium2.PdfiumError)):
            reader(output, password="wrong")


@pytest.mark.parametrize("flag", PERMISSIONS)
@pytest.mark.parametrize("algorithm", ["rc4", "aes128", "aes256"])
def test_each_permission_opens_what_it_says_and_nothing_else(tmp_path: Path, flag: str, algorithm: str) -> None:
    source = paper(tmp_path / "a.pdf", "a")
    asked: dict[str, Any] = {"userPassword": "u", "ownerPassword": "o", "algorithm": algorithm, flag: True}
    output = done("pdf-encrypt", tmp_path, source, **asked)
    with pikepdf.open(output, password="u") as pdf:
        assert [name for name in PERMISSIONS.values() if getattr(pdf.allow, name)] == [PERMISSIONS[flag]]
    document = pypdfium2.PdfDocument(output, password="u")
    granted = pypdfium2.raw.FPDF_GetDocPermissions(document.raw)
    document.close()
    assert {bit for bit in range(3, 13) if granted & 1 << bit - 1} == BITS[flag] | ALWAYS


def test_an_owner_password_alone_opens_without_one_but_keeps_the_permissions(tmp_path: Path) -> None:
    output = done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"), ownerPassword="o", algorithm="aes256")
    assert words(output) == ["a"]
    with pikepdf.open(output) as pdf:
        assert not pdf.allow.extract
        assert pdf.user_password_matched


def test_a_user_password_alone_gets_an_owner_nobody_knows(tmp_path: Path) -> None:
    output = done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"), userPassword="u", algorithm="aes256")
    with pikepdf.open(output, password="u") as pdf:
        assert not pdf.owner_password_matched


def test_a_lock_is_replaced_with_the_source_s_password(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "a")
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.save(source, encryption=pikepdf.Encryption(user="old", owner="old"))
    output = done("pdf-encrypt", tmp_path, source, userPassword="new", password="old", algorithm="aes256")
    assert words(output, "new") == ["a"]
    for password, code in (("", "02201"), ("wrong", "120002")):
        with pytest.raises(Refused) as caught:
            done("pdf-encrypt", tmp_path, source, userPassword="new", password=password)
        assert caught.value.code == code


def test_passwords_in_any_script_work_with_aes256_and_are_refused_elsewhere(tmp_path: Path) -> None:
    source = paper(tmp_path / "a.pdf", "a")
    output = done("pdf-encrypt", tmp_path, source, userPassword="пароль 漢字", algorithm="aes256")
    assert words(output, "пароль 漢字") == ["a"]
    for algorithm, password in (("rc4", "пароль"), ("aes128", "漢字"), ("aes256", "x" * 200)):
        with pytest.raises(Refused) as caught:
            done("pdf-encrypt", tmp_path, source, userPassword=password, algorithm=algorithm)
        assert caught.value.code == "03000"
        assert password not in caught.value.reason


def test_a_password_is_the_same_however_its_letters_were_typed(tmp_path: Path) -> None:
    in_pieces, wide = unicodedata.normalize("NFD", "Schlüssel"), "ｋｅｙ\u00a01"
    for typed, prepared in ((in_pieces, "Schlüssel"), (wide, "key 1")):
        output = done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"), userPassword=typed, algorithm="aes256")
        assert words(output, prepared) == ["a"]
        again = done(
            "pdf-encrypt",
            tmp_path,
            output.replace(tmp_path / "locked.pdf"),
            password=typed,
            userPassword="next",
            algorithm="aes256",
        )
        assert words(again, "next") == ["a"]


@posix  # where a program's arguments are bytes of any encoding
@pytest.mark.parametrize("algorithm", ["rc4", "aes128"])
def test_accents_and_signs_of_the_old_encoding_open_in_other_readers(tmp_path: Path, algorithm: str) -> None:
    output = done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"), userPassword="Käse 5€", algorithm=algorithm)
    found = subprocess.run([b"pdfinfo", b"-upw", "Käse 5€".encode("pdfdoc"), bytes(output)], check=False)
    assert found.returncode == 0


@pytest.mark.parametrize(
    ("algorithm", "password"),
    [("rc4", "x" * 33), ("aes128", "x" * 33), ("aes256", "bell\a"), ("aes256", "\u00ad"), ("aes256", "aא")],
)
def test_a_password_that_readers_could_not_take_is_refused(tmp_path: Path, algorithm: str, password: str) -> None:
    with pytest.raises(Refused) as caught:
        done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"), userPassword=password, algorithm=algorithm)
    assert caught.value.code == "03000"


def test_no_password_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        done("pdf-encrypt", tmp_path, paper(tmp_path / "a.pdf", "a"))
    assert caught.value.code == "03000"
