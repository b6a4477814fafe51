"""Every format is cut at every place: only the whole file may count as complete."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from paperchute.watch.end_marks import end_mark


def picture(kind: str, size: int = 40, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((size, size), 80).save(buffer, kind, **options)
    return buffer.getvalue()


def archive(*members: tuple[str, bytes], comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members:
            file.writestr(name, data)
        file.comment = comment
    return buffer.getvalue()


PDF = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\n" + b"stream of data\n" * 200 + b"startxref\n9\n%%EOF\n"
INNER = archive(("inner.xml", b"x" * 50))
WHOLE = {
    "pdf": PDF,
    "docx": archive(("word/document.xml", b"text" * 99), ("embedded.xlsx", INNER), comment=b"made by us"),
    "png": picture("PNG"),
    "jpg": picture("JPEG"),
    "gif": picture("GIF"),
    "webp": picture("WEBP"),
    "rtf": rb"{\rtf1 some text}",
    "json": json.dumps({"rows": ["a", {"b": [1, 2, "}"]}]}).encode(),
}


def mark(tmp_path: Path, name: str, data: bytes) -> bool | None:
    path = tmp_path / name
    path.write_bytes(data)
    return end_mark(path, len(data))


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_file_is_complete(kind: str, tmp_path: Path) -> None:
    assert mark(tmp_path, f"a.{kind}", WHOLE[kind]) is True


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_cut_anywhere_is_never_complete(kind: str, tmp_path: Path) -> None:
    whole = WHOLE[kind]
    first = 16 if kind not in ("rtf", "json") else 1
    places = range(first, len(whole) - 6, max(1, len(whole) // 150))
    assert not [cut for cut in places if mark(tmp_path, f"a.{kind}", whole[:cut]) is True]


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_that_has_grown_since_its_size_was_taken_is_not_complete(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(WHOLE[kind])
    assert end_mark(path, len(WHOLE[kind]) // 2) is False
    assert end_mark(path, len(WHOLE[kind]) + 1) is False


def test_a_gif_cut_behind_each_semicolon_among_its_pixels_is_never_complete(tmp_path: Path) -> None:
    whole = picture("GIF", 200)
    places = [at for at in range(16, len(whole)) if whole[at - 1 : at] == b";"][:-1]
    assert len(places) > 9
    assert not [cut for cut in places if mark(tmp_path, "a.gif", whole[:cut]) is not False]
    assert mark(tmp_path, "a.gif", whole + b"\0\0") is True


@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "gif"])
def test_a_picture_with_a_film_behind_it_is_not_held_for_ever(kind: str, tmp_path: Path) -> None:
    assert mark(tmp_path, f"a.{kind}", WHOLE[kind] + b"motion photo" * 400) is None


def test_a_thumbnail_in_a_photo_is_not_taken_for_its_end(tmp_path: Path) -> None:
    exif = b"Exif\0\0" + picture("JPEG", 16)
    whole = WHOLE["jpg"]
    photo = whole[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + whole[2:]
    assert mark(tmp_path, "a.jpg", photo) is True
    assert mark(tmp_path, "a.jpg", photo[: len(photo) // 2 + len(exif) // 2]) is False


def test_a_pdf_with_something_behind_its_end_can_still_be_taken(tmp_path: Path) -> None:
    assert mark(tmp_path, "a.pdf", PDF + b"\0" * 4096) is None


def test_a_scan_whose_directory_is_not_written_yet_is_unfinished(tmp_path: Path) -> None:
    whole = picture("TIFF")
    assert mark(tmp_path, "a.tiff", whole) is None
    assert mark(tmp_path, "a.tiff", b"II*\0\0\0\0\0" + whole[8:]) is False


def test_formats_without_an_end_mark_say_nothing(tmp_path: Path) -> None:
    assert mark(tmp_path, "a.txt", b"a line\n") is None
    assert mark(tmp_path, "a.csv", b"a;b\n1;2\n") is None
    assert mark(tmp_path, "a.json", b'{"a": 1}\n{"a": 2}\n') is None
    assert mark(tmp_path, "a.html", b"<p>a fragment") is None
    assert mark(tmp_path, "b.html", b"<html><p>whole</HTML>\n") is True


@pytest.mark.parametrize("number", [b"1" * 5_000, b"-" + b"9" * 5_000, b"1e99999", b"NaN"])
def test_a_number_that_python_does_not_read_keeps_no_file_waiting(tmp_path: Path, number: bytes) -> None:
    """Python makes no number of more than 4,300 digits; nobody would have been told why the file is not taken."""
    path = tmp_path / "a.json"
    path.write_bytes(b'{"amount": ' + number + b"}")
    assert end_mark(path, path.stat().st_size) is True
