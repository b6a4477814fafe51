"""Forms within forms (ISO 32000-1, 8.10): how often a page has them drawn.

A form that draws another twice, which draws a third one twice, and so on, is drawn for ever by a few hundred bytes, and
PDFium does it before it says anything of the page. Where forms stand in forms, they are therefore counted before.
"""

from __future__ import annotations

import mmap
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pikepdf

from paperchute.engine.pdf.document import FAULTS, unlocked

_FORM = re.compile(rb"/Subtype\s*/(?:Form\b|[^\s/<>\[\]()]*#)")
"""In the file as it lies there: a stream's dictionary stands in no compressed object. A name may be spelled with #."""
_DRAWN = re.compile(rb"/([^\s/<>\[\]()%{}]+)\s+Do\b")
_MOST_DRAWN = 200_000
"""Forms of a page: drawing them takes PDFium some seconds. Maps, which have most, draw some thousands."""
_DEEPEST = 40
"""Forms in one another: PDFium draws those below no more."""
_MOST_FORMS = 5_000  # of a file that are looked into: of one with more the others count as drawing nothing
_MOST_BYTES = 16 << 20  # of a form's content

_SIGN = re.compile(rb"#([0-9A-Fa-f]{2})")

_Place = tuple[tuple[int, int], tuple[int, int]]


def draws_for_ever(path: Path, password: str) -> bool:
    """Tell if a page of a PDF draws forms so often that nobody can wait for it. False where that cannot be told."""
    if not _has_forms(path):
        return False
    try:
        with unlocked(path, password) as pdf:
            forms = _Forms()
            return any(forms.drawn(page.obj, page.obj, _DEEPEST) > _MOST_DRAWN for page in pdf.pages)
    except FAULTS:
        return False


def _has_forms(path: Path) -> bool:
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _FORM.search(data) is not None


class _Forms:
    """The forms of one file."""

    def __init__(self) -> None:
        self._inside: dict[_Place, list[tuple[pikepdf.Object, int]]] = {}
        self._counts: dict[tuple[_Place, int], int] = {}

    def drawn(self, owner: Any, page: Any, depth: int) -> int:
        """Return how many forms a page, or a form on it, has drawn, as far as they are counted."""
        key = _place(owner, page), depth
        if key not in self._counts:
            self._counts[key] = self._count(owner, page, depth) if depth else 0
        return self._counts[key]

    def _count(self, owner: Any, page: Any, depth: int) -> int:
        count = 0
        for form, times in self._drawn_by(owner, page):
            count += times * (1 + self.drawn(form, page, depth - 1))
            if count > _MOST_DRAWN:
                break
        return count

    def _drawn_by(self, owner: Any, page: Any) -> list[tuple[pikepdf.Object, int]]:
        """The forms that a page or form draws itself, and how often."""
        place = _place(owner, page)
        if place not in self._inside:
            self._inside[place] = _drawn_by(owner, page) if len(self._inside) < _MOST_FORMS else []
        return self._inside[place]


def _place(owner: Any, page: Any) -> _Place:
    """Return what names a page or form: one without resources of its own draws what the page calls so."""
    return owner.objgen, (0, 0) if "/Resources" in owner else page.objgen


def _drawn_by(owner: Any, page: Any) -> list[tuple[pikepdf.Object, int]]:
    known = _resources(owner if "/Resources" in owner else page).get("/XObject")
    forms = {
        name[1:]: form
        for name, form in (known.items() if isinstance(known, pikepdf.Dictionary) else ())
        if isinstance(form, pikepdf.Stream) and form.get("/Subtype") == pikepdf.Name.Form
    }
    if not forms:
        return []
    drawn = Counter(map(_spelled, _DRAWN.findall(_content(owner))))
    return [(form, drawn[name]) for name, form in forms.items() if drawn[name]]


def _resources(owner: Any) -> pikepdf.Dictionary:
    """Those of a form or page; a page has them of the pages above it, too."""
    for _ in range(_DEEPEST):
        found = owner.get("/Resources")
        if isinstance(found, pikepdf.Dictionary):
            return found
        owner = owner.get("/Parent")
        if not isinstance(owner, pikepdf.Dictionary):
            break
    return pikepdf.Dictionary()


def _spelled(name: bytes) -> str:
    """A name as pikepdf spells it (ISO 32000-1, 7.3.5)."""
    return _SIGN.sub(lambda sign: bytes([int(sign[1], 16)]), name).decode("utf-8", "surrogateescape")


def _content(owner: Any) -> bytes:
    if isinstance(owner, pikepdf.Stream):
        return owner.read_bytes()[:_MOST_BYTES]
    contents = owner.get("/Contents")
    parts = contents if isinstance(contents, pikepdf.Array) else [contents]
    return b"\n".join(part.read_bytes() for part in parts if isinstance(part, pikepdf.Stream))[:_MOST_BYTES]
