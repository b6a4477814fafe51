"""What a file is, by its bytes and not by its name."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.contract import kind_of, kind_of_bytes, kind_of_open
from tests.contract.compound import compound


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7", "pdf"),
        (b"\n\n  %PDF-1.4", "pdf"),
        (b"\x89PNG\r\n\x1a\n" + b"0" * 30, "png"),
        (b"\xff\xd8\xff\xe0" + b"0" * 30, "jpg"),
        (b"II*\0" + b"0" * 30, "tiff"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(30), "heic"),
        (b"\0\0\0\x18ftyphevc\0\0\0\0msf1hevc" + bytes(30), "heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0miafheix" + bytes(30), "heic"),
        (b"\0\0\0\x10ftypmif1\0\0\0\0" + bytes(30), "heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif" + bytes(30), "avif"),
        (b"\0\0\0\x18ftypisom\0\0\0\0isomheic" + bytes(30), "mp4"),
        (b"{\\rtf1 x}", "rtf"),
        (b"<!DOCTYPE html><p>", "html"),
        (b"\xef\xbb\xbf<html>", "html"),
        (b'{"a": 1}', "json"),
        (b"[" * 8000, "json"),
        (b"[" + b"9" * 6000 + b"]", "json"),
        (("{" + '"größe": "' + "ä" * 9000 + '"}').encode(), "json"),
        (b'{"text": "see <html> and <body>"}', "json"),
        (('{"text": "' + "\ufffd" * 500 + '"}').encode(), "json"),
        (("\ufffd" * 500).encode(), "txt"),
        (b"plain words", "txt"),
        ("Grüße".encode("utf-16"), "txt"),
        (b"\0\1\2\3", "unknown"),
        (b"", "empty"),
    ],
)
def test_kinds(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "misleading.xyz"
    path.write_bytes(content)
    assert kind_of(path) == kind


def test_office_files_are_told_from_archives(tmp_path: Path) -> None:
    for folder, kind in (("word/document.xml", "docx"), ("xl/workbook.xml", "xlsx"), ("other", "zip")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(folder, "x")
        path = tmp_path / "f"
        path.write_bytes(buffer.getvalue())
        assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("streams", "kind"),
    [
        (("EncryptionInfo", "EncryptedPackage"), "encrypted"),
        (("ENCRYPTEDPACKAGE",), "encrypted"),
        (("WordDocument",), "doc"),
        (("Workbook",), "xls"),
        (("PowerPoint Document",), "ppt"),
    ],
)
def test_compound_files_are_told_by_what_they_hold(streams: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    for before in (0, 9):
        (tmp_path / "f").write_bytes(compound(*streams, before=before))
        assert kind_of(tmp_path / "f") == kind


@given(st.binary(max_size=2000))
def test_any_compound_file_has_a_kind(content: bytes) -> None:
    assert kind_of_open(io.BytesIO(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + content))


@given(st.binary(max_size=400))
def test_any_bytes_have_a_kind(content: bytes) -> None:
    assert kind_of_bytes(content)


@given(st.recursive(st.text(max_size=60), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=60), inner)))
def test_any_json_is_json_wherever_it_is_cut(value: object) -> None:
    text = json.dumps([value] * 200, ensure_ascii=False).encode("utf-8", "replace")
    assert kind_of_bytes(text[:8192]) == "json"
