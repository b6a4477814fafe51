"""The packages that office files are (ECMA-376 part 2): which part names which, and what libraries stumble over."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from lxml import etree

from paperchute.engine.work import Refused, Work
from paperchute.language import _

_TYPES = "[Content_Types].xml"
_STRICT = re.compile(
    rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|drawingml|spreadsheetml|presentationml|officeDocument)/"
)
_STRICT_MARK = b"http://purl.oclc.org/ooxml/"
_WORD = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_SLIDES = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
_MAIN_TYPES = (
    (re.compile(rb"application/vnd\.ms-word\.(?:document|template)\.macroEnabled\w*\.main\+xml"), _WORD),
    (re.compile(rb"application/vnd\.openxmlformats-officedocument\.wordprocessingml\.template\.main\+xml"), _WORD),
    (re.compile(rb"application/vnd\.ms-powerpoint\.\w+\.macroEnabled\w*\.main\+xml"), _SLIDES),
    (
        re.compile(
            rb"application/vnd\.openxmlformats-officedocument\.presentationml\.(?:slideshow|template)\.main\+xml"
        ),
        _SLIDES,
    ),
)
"""Templates, slide shows and files with macros have the same parts as documents and presentations."""
_READ = {
    "header",
    "footer",
    "footnotes",
    "endnotes",
    "image",
    "chart",
    "diagramData",
    "slide",
    "worksheet",
    "sharedStrings",
}
"""Relationships whose parts hold what people see."""


_MOST_UNPACKED = 400 << 20  # bytes: a bound on memory
_MOST_PARTS = 20_000  # a bound on work on hostile files
_FEW_ELEMENTS, _ELEMENTS_A_BYTE = 20_000, 2
"""Of the markup, by the size of the file: 20,000 are read in some three seconds. Files that programs write have one a
byte at most (tables of zeros, empty cells); what says the same thing over and over has hundreds."""
_PIECE = 1 << 20  # bytes looked at together


class Relationship(NamedTuple):
    """kind: the last part of its type. target: the part's name in the archive, or an address outside."""

    kind: str
    target: str


def relationships(archive: zipfile.ZipFile, part: str) -> dict[str, Relationship]:
    """Return what a part refers to, by id; nothing where it refers to nothing."""
    names = _names(archive)
    own = _relationships_of(part)
    try:
        root = _root(archive.read(names.get(own.lower(), own)))
    except (KeyError, etree.XMLSyntaxError):
        return {}
    found = {}
    for element in _elements(root):
        kind, target = element.get("Type", "").rpartition("/")[2], _target(element, part)
        found[element.get("Id", "")] = Relationship(kind, names.get(target.lower(), target))
    return found


_names_of: WeakKeyDictionary[zipfile.ZipFile, dict[str, str]] = WeakKeyDictionary()


def _names(archive: zipfile.ZipFile) -> dict[str, str]:
    """The archive's names by their small letters: what differs in case alone is one part (ECMA-376-2, 6.2.2)."""
    if archive not in _names_of:
        _names_of[archive] = {name.lower(): name for name in reversed(archive.namelist())}
    return _names_of[archive]


def check_bounds(archive: zipfile.ZipFile, size: int, name: str) -> None:
    """Hold what a package unpacks to against its size in bytes.

    Raises Refused: 02209 for more than can be read, or more than a file of that size is written with.
    """
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_UNPACKED:
        megabytes = _MOST_UNPACKED >> 20
        raise Refused(
            "02209", _("{name} unpacks to more than {megabytes} MB; split it first.", name=name, megabytes=megabytes)
        )
    room = _FEW_ELEMENTS + _ELEMENTS_A_BYTE * size
    for part in parts:
        if part.filename.endswith((".xml", ".rels")):
            with archive.open(part) as content:
                while room >= 0 and (piece := content.read(_PIECE)):
                    room -= piece.count(b"<") - piece.count(b"</")
        if room < 0:
            raise Refused("02209", _("{name} unpacks to far more than a file of its size holds.", name=name))


def sound(path: Path, target: Path, work: Work) -> Path:
    """The file, or a copy of it at `target` that python-docx, python-pptx and openpyxl open.

    They know no strict files (ECMA-376 part 1, annex A), no templates and files with macros, and stop at parts that
    are named and missing; of those that people would see a warning says so.
    """
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        changed = dict(_changed(archive, names, work))
        if not changed:
            return path
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
            for name in dict.fromkeys(archive.namelist()):
                copy.writestr(name, changed[name] if name in changed else archive.read(name))
    return target


def _changed(archive: zipfile.ZipFile, names: set[str], work: Work) -> Iterator[tuple[str, bytes]]:
    is_strict = "_rels/.rels" in names and _STRICT_MARK in archive.read("_rels/.rels")
    missing: list[str] = []
    for name in sorted(names):
        if not (name == _TYPES or name.endswith(".rels") or (is_strict and name.endswith(".xml"))):
            continue
        content = before = archive.read(name)
        if is_strict:
            content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
        if name == _TYPES:
            for known, plain in _MAIN_TYPES:
                content = known.sub(plain, content)
        elif name.endswith(".rels"):
            content = _without_missing(content, name, names, missing)
        if content != before:
            yield name, content
    if missing:
        work.warn(
            _(
                "{name} is incomplete. Missing, with all that they held: {parts}.",
                name=work.sources[0].name,
                parts=", ".join(missing[:5]),
            )
        )


def _without_missing(content: bytes, name: str, names: set[str], missing: list[str]) -> bytes:
    """Relationships without those to parts that are not there, whose names are added to `missing`."""
    try:
        root = _root(content)
    except etree.XMLSyntaxError:
        return content
    folder, _, file = name.rpartition("_rels/")
    part = folder + file.removesuffix(".rels")
    gone = [
        element
        for element in _elements(root)
        if element.get("TargetMode") != "External" and _target(element, part) not in names
    ]
    if not gone:
        return content
    for element in gone:
        if element.get("Type", "").rpartition("/")[2] in _READ:
            missing.append(_target(element, part))
        root.remove(element)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _relationships_of(part: str) -> str:
    folder, _, file = part.rpartition("/")
    return f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels"


def _target(element: Any, part: str) -> str:
    target = str(element.get("Target", ""))
    if element.get("TargetMode") == "External":
        return target
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), unquote(target))).lstrip("/")


def _elements(root: Any) -> list[Any]:
    return [element for element in root if isinstance(element.tag, str)]


def _root(content: bytes) -> Any:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
