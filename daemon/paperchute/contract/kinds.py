"""What a file is, by its content: the extensions of the contract's `input_ext` and `output_ext`, read from bytes."""

from __future__ import annotations

import codecs
import json
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import filetype

PICTURES = ("png", "jpg", "tiff", "bmp", "webp", "gif", "jp2", "heic")
"""The kinds of pictures that our engine reads, wherever the contract lists some."""

BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, LookupError),
)
"""What the standard library raises for archives that are none, or none that it can read."""

_HEAD = 8192
_ZIP_END = 22 + 65_535 + 20  # the last record with the longest comment, and ZIP64's locator before it
_SEE_ZIP64 = 0xFFFFFFFF
_MOST_DIRECTORY = 16 << 20  # bytes: more than 100,000 members with long names; at most 200 MB in memory
_SAME = {"jpeg": "jpg", "tif": "tiff", "htm": "html", "jpx": "jp2", "heif": "heic"}
_HEVC_BRANDS = frozenset(b"heic heix heim heis hevc hevx hevm hevs".split())
_ANY_CODEC = (b"mif1", b"msf1")
_OFFICE_FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
OFFICE = frozenset(_OFFICE_FOLDERS.values())
"""Office files that are archives; one whose list of members is torn off is of kind zip."""
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST_SECTORS = 256  # of a compound file's directory: more than files of real programs have
_STREAMS = {
    "encryptedpackage": "encrypted",
    "worddocument": "doc",
    "workbook": "xls",
    "book": "xls",
    "powerpoint document": "ppt",
}
"""What compound files hold, by the names of their streams in any case ([MS-OFFCRYPTO] 2.3.4.4, [MS-DOC] 2.1.1, [MS-XLS]
2.1.7.20, [MS-PPT] 2.1.2)."""
_BROKEN = {"utf-8": re.compile("[\udc80-\udcff]"), "utf-16": re.compile("\ufffd")}
"""What stands for bytes that are no text."""
_HTML_STARTS = ("<!doctype html", "<html", "<head", "<body", "<meta", "<title", "<!--", "<div", "<p>", "<h1", "<table")


def canonical(extension: str) -> str:
    """One spelling per kind, lower case and without the dot: jpg for jpeg, tiff for tif, html for htm."""
    extension = extension.lower().lstrip(".")
    return _SAME.get(extension, extension)


def kind_of(path: Path) -> str:
    """The kind of a file by its content: pdf, png, jpg, tiff, docx, zip, html, json, rtf, txt, ... or `unknown`.

    Reads at most 8 KiB, for ZIP files their directory too. Text that has no marks of its own (Markdown, CSV, plain)
    is `txt`, an office file that is locked `encrypted`. An empty file is `empty`. Raises OSError.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        return kind_of_open(file)


def kind_of_open(file: BinaryIO) -> str:
    """As `kind_of`, of a file that is open at its beginning; where it is left may be anywhere. Raises OSError."""
    head = file.read(_HEAD) or b""
    if head.startswith(_COMPOUND):
        return _kind_of_compound(file, head) or kind_of_bytes(head)
    kind = kind_of_bytes(head)
    return _kind_of_zip(file) if kind == "zip" else kind


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that somebody puts in the place of a file is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def kind_of_bytes(head: bytes) -> str:
    """The kind by the first bytes alone; office files are seen as zip."""
    if not head:
        return "empty"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # before PDF, which may lie in it unpacked
        return "zip"
    if b"%PDF-" in head[:1024]:  # readers accept the header anywhere in the first 1,024 bytes (ISO 32000-1, annex H)
        return "pdf"
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if _is_heic(head):
        return "heic"
    if head[36:40] == b"acsp":  # a colour profile (ICC.1, 7.2.11)
        return "icc"
    guess = filetype.guess(head)
    if guess is not None:
        return canonical(guess.extension)
    return _kind_of_text(head)


def matches_extension(kind: str, extension: str) -> bool:
    """Tell whether content of `kind` may stand in a file called `.extension`; any text kind fits any text extension."""
    wanted = canonical(extension)
    textual = {"txt", "md", "csv", "html", "json", "xml"}
    return kind == wanted or (kind == "txt" and wanted in textual) or (kind == "json" and wanted == "txt")


def is_text(head: bytes) -> bool:
    """Tell if the first bytes of a file are text, whatever else they look like: "BM" begins a picture and a BMW."""
    if head.startswith(b"%PDF-") or _kind_of_text(head) == "unknown":
        return False
    return _is_utf8(head) or filetype.guess(head) is None


def _is_heic(head: bytes) -> bool:
    """Tell if an ISO base media file holds pictures in HEVC, by its brands (ISO/IEC 14496-12, 4.3; 23008-12, B.4)."""
    if head[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(head[:4], "big"), len(head))
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))}
    if head[8:12] in _ANY_CODEC:
        return bool(brands & _HEVC_BRANDS) or not brands & {b"avif", b"avis"}
    return head[8:12] in _HEVC_BRANDS


def check_directory(file: BinaryIO) -> None:
    """Raises BadZipFile for an archive whose list of members is beyond all measure: it is read as a whole."""
    end = file.seek(0, 2)
    file.seek(max(0, end - _ZIP_END))
    tail = file.read()
    record = tail.rfind(b"PK\x05\x06")
    size = int.from_bytes(tail[record + 12 : record + 16], "little") if record >= 0 else 0
    locator = tail.rfind(b"PK\x06\x07")
    if locator >= 0:  # ZIP64, whose own record stands over the other
        at = int.from_bytes(tail[locator + 8 : locator + 16], "little")
        file.seek(min(at, end))
        size = max(size * (size != _SEE_ZIP64), int.from_bytes(file.read(48)[40:48], "little"))
    if size > _MOST_DIRECTORY:
        raise zipfile.BadZipFile("its list of members is too long")


def _kind_of_zip(file: BinaryIO) -> str:
    try:
        check_directory(file)
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (OSError, *BROKEN_ZIP):
        return "zip"
    for folder, kind in _OFFICE_FOLDERS.items():
        if any(name.startswith(folder) for name in names):
            return kind
    return "zip"


def _kind_of_compound(file: BinaryIO, head: bytes) -> str:
    """Return what a compound file holds, by its directory ([MS-CFB] 2.2 to 2.6); empty where that does not tell it."""
    shift, sector = int.from_bytes(head[30:32], "little"), int.from_bytes(head[48:52], "little")
    if shift not in (9, 12):
        return ""
    size, names = 1 << shift, set()
    for _ in range(_MOST_SECTORS):
        entries = _sector(file, sector, size)
        for at in range(0, len(entries) - 127, 128):
            length = int.from_bytes(entries[at + 64 : at + 66], "little")
            names.add(entries[at : at + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace").lower())
        per = size // 4
        table = sector // per
        place = int.from_bytes(head[76 + 4 * table : 80 + 4 * table], "little") if table < 109 else len(head) << 32
        links = _sector(file, place, size)
        sector = int.from_bytes(links[4 * (sector % per) :][:4] or b"\xff" * 4, "little")
        if sector > 0xFFFFFFF9:  # the end of the chain, or no sector at all
            break
    return next((kind for name, kind in _STREAMS.items() if name in names), "")


def _sector(file: BinaryIO, number: int, size: int) -> bytes:
    file.seek(min((number + 1) * size, 1 << 48))
    return file.read(size)


def _kind_of_text(head: bytes) -> str:
    encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if encoding == "utf-8" and b"\0" in head:
        return "unknown"
    # Not "replace": what a reader could not tell stands as U+FFFD in its results, which are text all the same.
    text = head.decode(encoding, errors="surrogateescape" if encoding == "utf-8" else "replace")
    text = text.lstrip("\ufeff \t\r\n")
    # A multi-byte character cut by the read limit leaves up to three marks; more of them means binary or Latin-1.
    if len(_BROKEN[encoding].findall(text)) > max(3, len(text) // 4):
        return "unknown"
    start = text[:400].lower()
    if start.startswith(("{", "[")) and _looks_like_json(text, whole=len(head) < _HEAD):
        return "json"
    if start.startswith(_HTML_STARTS) or "<html" in start:
        return "html"
    return "txt"


def _is_utf8(head: bytes) -> bool:
    """Also where the last character is cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _looks_like_json(text: str, *, whole: bool) -> bool:
    """whole: False for the beginning of a longer file, which cannot be told from one that is malformed at its end."""
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return not whole or error.pos >= len(text) - 64
    except (ValueError, RecursionError):  # numbers or nesting beyond what Python reads
        return True
    return True
