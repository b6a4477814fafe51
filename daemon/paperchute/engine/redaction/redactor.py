"""The redaction of one document: what is found goes, and the result is read again until nothing is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pikepdf
import pypdfium2 as pdfium
from pikepdf import Name, Object

from paperchute.engine.redaction.content import rewrite, sight_of
from paperchute.engine.redaction.drawn import digest_of
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.hidden import places_hidden
from paperchute.engine.redaction.objects import Objects, appearances_of
from paperchute.engine.redaction.places import (
    Hit,
    Place,
    Polygon,
    letters_on,
    looked_at,
    may_be_coded,
    places_coded,
    places_in_order,
    places_seen,
    unsaid_copy,
)
from paperchute.engine.redaction.plan import Plan, bounds_of, overlap
from paperchute.engine.redaction.raster import make_picture
from paperchute.engine.redaction.said import forget_marked, marked
from paperchute.engine.redaction.sight import NotFollowed, Picture, Removal, Sight
from paperchute.engine.report import counted

_LOOK_DPI = 72.0
_SEEN_APART, _SEEN_SHARE = 48, 0.0005
"""Of 255, and of a page's pixels: what may differ beside what is black, for JPEG is not the same twice."""


@dataclass
class Found:
    """What was found on one page, in user space: in its text, in reading order, and by recognition.

    noted: what was seen on annotations, which go.
    """

    hits: list[Hit] = field(default_factory=list)
    ordered: list[Place] = field(default_factory=list)
    seen: list[Place] = field(default_factory=list)
    noted: list[Place] = field(default_factory=list)

    @property
    def black(self) -> list[Polygon]:
        """All of it."""
        letters = [letter.polygon for hit in self.hits for letter in hit.letters]
        return [*letters, *(place.polygon for place in (*self.ordered, *self.seen))]

    def add(self, other: Found) -> None:
        """Add what was found in another copy of the document, unless it is here already."""
        known = {hit.letters[0].origin for hit in self.hits if hit.letters}
        self.hits += (hit for hit in other.hits if not hit.letters or hit.letters[0].origin not in known)
        self.ordered += (place for place in other.ordered if place not in self.ordered)

    def drop_known(self) -> None:
        """Drop what reading order gives no more often than the text, which says surely where it stands."""
        known = Counter(hit.text for hit in self.hits)
        twice = {
            place.text for place in self.ordered if sum(o.text == place.text for o in self.ordered) > known[place.text]
        }
        self.ordered = [place for place in self.ordered if place.text in twice]


@dataclass
class Redactor:
    """Redacts one document.

    finder: what is looked for. boxes: what is to go whatever it is, in user space, by the 0-based page. language: as
    recognition takes it. touched: pages that were changed, None before any: others look as they did when they were
    recognised first. pictured: pages that became pictures. places: how many places were found, by page. replaced: the
    digests of pictures that others took the place of.
    """

    finder: Finder
    boxes: Mapping[int, Sequence[Polygon]]
    language: str
    touched: set[int] | None = None
    pictured: set[int] = field(default_factory=set)
    places: Counter[int] = field(default_factory=Counter)
    replaced: set[bytes] = field(default_factory=set)

    def search(self, path: Path) -> dict[int, Found]:
        """Read a document in every way, and find what is looked for. Raises Refused 02207, 190005."""
        found: dict[int, Found] = {}
        plain = path.with_suffix(".plain.tmp")
        copies = [path, plain] if unsaid_copy(path, plain) else [path]
        for copy in copies:
            for index, what in self._read(copy).items():
                found.setdefault(index, Found()).add(what)
        self._look(copies[-1], found)
        plain.unlink(missing_ok=True)
        return found

    def _read(self, path: Path) -> dict[int, Found]:
        found: dict[int, Found] = {}
        document = pdfium.PdfDocument(path)
        with closing(document):
            for index in range(len(document)):
                with closing(document[index]) as page:
                    hits, _is_readable = letters_on(page, self.finder)
                if hits:
                    found[index] = Found(hits)
        for index, places in places_in_order(path, self.finder).items():
            found.setdefault(index, Found()).ordered = places
        for what in found.values():
            what.drop_known()
        return {index: what for index, what in found.items() if what.hits or what.ordered}

    def _look(self, path: Path, found: dict[int, Found]) -> None:
        """Recognise pages as they look, where they show more than text, and what pictures have beyond that."""
        drawn: list[tuple[int, Picture]] = []
        document = pdfium.PdfDocument(path)
        with pikepdf.open(path) as pdf, closing(document):
            if document.get_formtype():
                document.init_forms()
            asked = range(len(document)) if self.touched is None else sorted(self.touched)
            for index in counted(asked, len(document)):
                sight = _sight(pdf.pages[index])
                drawn += ((index, picture) for picture in (sight.pictures if sight is not None else ()))
                with closing(document[index]) as page:
                    places = self._seen_on(page, pdf.pages[index].obj, sight)
                if places:
                    areas = _pictured_notes(pdf.pages[index].obj)
                    what = found.setdefault(index, Found())
                    for place in places:
                        is_noted = any(overlap(bounds_of(area), bounds_of(place.polygon)) for area in areas)
                        (what.noted if is_noted else what.seen).append(place)
            beside = path.with_suffix(".pictures.tmp")
            for index, place in places_hidden(pdf, drawn, document, beside, self.finder, self.language):
                found.setdefault(index, Found()).seen.append(place)
            beside.unlink(missing_ok=True)

    def _seen_on(self, page: pdfium.PdfPage, entry: Object, sight: Sight | None) -> list[Place]:
        """Return what a page shows that is no text, or may be none. entry: its dictionary."""
        codes = list(places_coded(page, self.finder)) if sight is None or may_be_coded(sight) else []
        areas: list[Polygon] | None = None
        _letters, is_readable = letters_on(page, self.finder)
        if sight is not None and not sight.astray and is_readable:
            areas = [*looked_at(sight), *_pictured_notes(entry)]
            if not areas:
                return codes
        return [*places_seen(page, areas, self.finder, self.language), *codes]

    def remove(
        self, path: Path, target: Path, found: Mapping[int, Found], distrusted: Collection[int] = frozenset()
    ) -> None:
        """Write a document without what was found, each page as little changed as can be.

        A page that looks otherwise than before where nothing was to change is distrusted, and becomes a picture.
        """
        shown = pdfium.PdfDocument(path)
        with pikepdf.open(path) as pdf, closing(shown):
            objects = Objects(pdf, self.finder)
            _clear(objects, found)
            self.touched = {*found, *self.boxes, *_saying(pdf, self.finder)}
            for index in sorted(self.touched):
                with closing(shown[index]) as page:
                    what = found.get(index, Found())
                    if index in distrusted:
                        self._picture(pdf, index, page, what.black)
                    else:
                        self._remove_from(pdf, index, page, what, objects)
            pdf.save(target)
        odd = self._changed(path, target, {*found, *self.boxes} - self.pictured)
        if odd:
            self.remove(path, target, found, odd | self.pictured)

    def picture(self, path: Path, target: Path, found: Mapping[int, Found]) -> None:
        """Write a document in which pages are pictures, black where something was found on them."""
        shown = pdfium.PdfDocument(path)
        with pikepdf.open(path) as pdf, closing(shown):
            _clear(Objects(pdf, self.finder), found)
            self.touched = {*(self.touched or ()), *found}
            for index, what in found.items():
                with closing(shown[index]) as page:
                    self._picture(pdf, index, page, what.black)
            pdf.save(target)

    def _picture(self, pdf: pikepdf.Pdf, index: int, page: pdfium.PdfPage, black: Sequence[Polygon]) -> None:
        self.pictured.add(index)
        if index in self.boxes:
            forget_marked(pdf, pdf.pages[index].obj, None)
        sight = _sight(pdf.pages[index])
        self._note_replaced(sight.pictures if sight is not None else ())
        make_picture(pdf, pdf.pages[index], page, [*black, *self.boxes.get(index, ())], self.finder)

    def _remove_from(self, pdf: pikepdf.Pdf, index: int, shown: pdfium.PdfPage, found: Found, objects: Objects) -> None:
        page = pdf.pages[index]
        sight = _sight(page)
        if sight is None:
            self.places[index] = len(found.hits) + len(found.seen)
            self._picture(pdf, index, shown, found.black)
            return
        plan = Plan(sight)
        for hit in found.hits:
            plan.take_letters(hit.letters)
        plan.places += len(found.noted)
        for place in (*found.ordered, *found.seen):
            plan.take_place(place)
        for box in self.boxes.get(index, ()):
            plan.take_box(box)
        self.places[index] = plan.places
        fresh = plan.pictures(pdf)
        if plan.unproved or fresh is None:
            self._picture(pdf, index, shown, plan.black)
            return
        self._note_replaced(sight.pictures[number] for number in fresh)
        before = marked(page) if index in self.boxes else {}
        try:
            rewrite(pdf, page, Removal(plan.gone, fresh, objects.clean_text))
        except NotFollowed:
            self._picture(pdf, index, shown, plan.black)
            return
        if index in self.boxes:
            after = marked(page)
            is_known = before is not None and after is not None
            changed = {mark for mark, shown in (before or {}).items() if (after or {}).get(mark) != shown}
            forget_marked(pdf, page.obj, changed if is_known else None)
        if plan.black:
            page.contents_add(b"q\n", prepend=True)
            page.contents_add(_bars(plan.black))

    def _note_replaced(self, pictures: Iterable[Picture]) -> None:
        self.replaced |= {digest_of(picture.stream) for picture in pictures if picture.stream is not None} - {b""}

    def _changed(self, before: Path, after: Path, indices: Collection[int]) -> set[int]:
        one, other = pdfium.PdfDocument(before), pdfium.PdfDocument(after)
        odd = set()
        with closing(one), closing(other):
            for index in indices:
                with closing(one[index]) as page, closing(other[index]) as changed:
                    if not _look_alike(page, changed):
                        odd.add(index)
        return odd


def _sight(page: pikepdf.Page) -> Sight | None:
    try:
        return sight_of(page)
    except NotFollowed:
        return None


def _saying(pdf: pikepdf.Pdf, finder: Finder) -> set[int]:
    """Pages whose content has what is looked for in words that stand for what is shown."""
    found = set()
    for index, page in enumerate(pdf.pages):
        sight = _sight(page)
        if sight is not None and any(map(finder.has, sight.says)):
            found.add(index)
    return found


def _area_of(note: object) -> Polygon:
    """Return where an annotation lies whose appearance draws forms or pictures, of which nobody reads the text as such.

    Nothing of others.
    """
    if not isinstance(note, pikepdf.Dictionary) or note.get(Name.Subtype) == Name.Link:
        return ()
    shown = (form.get(Name.Resources) for form in appearances_of(note))
    rect = note.get(Name.Rect)
    if not isinstance(rect, pikepdf.Array) or not any(
        isinstance(known, pikepdf.Dictionary) and Name.XObject in known for known in shown
    ):
        return ()
    x1, y1, x2, y2 = (float(edge) for edge in rect)
    return (x1, y1), (x2, y1), (x2, y2), (x1, y2)


def _pictured_notes(page: Object) -> list[Polygon]:
    notes = page.get(Name.Annots)
    areas = map(_area_of, notes if isinstance(notes, pikepdf.Array) else ())
    return [area for area in areas if area]


def _clear(objects: Objects, found: Mapping[int, Found]) -> None:
    """Take out annotations on which something was seen."""
    objects.clear_annotations(set(), lambda index, note: index in found and _hides(note, found[index].noted))


def _hides(note: Object, seen: Sequence[Place]) -> bool:
    """Decide whether something was seen where such an annotation lies."""
    area = _area_of(note)
    return bool(area) and any(overlap(bounds_of(area), bounds_of(place.polygon)) for place in seen)


def _bars(black: Sequence[Polygon]) -> bytes:
    """Return what is drawn over the places, as something that is no part of the text (14.8.2.2)."""
    paths = [" ".join(f"{x:.3f} {y:.3f} {'ml'[n > 0]}" for n, (x, y) in enumerate(polygon)) for polygon in black]
    return ("\nQ\n/Artifact BMC q 0 g " + " ".join(f"{path} h f" for path in paths) + " Q EMC").encode()


def _look_alike(one: pdfium.PdfPage, other: pdfium.PdfPage) -> bool:
    """Decide whether a page looks as before but for what has become black."""
    before, after = (
        np.asarray(page.render(scale=_LOOK_DPI / 72, draw_annots=False).to_pil().convert("L"), np.int16)
        for page in (one, other)
    )
    if before.shape != after.shape:
        return False
    black = cv2.dilate((after <= _SEEN_APART).astype(np.uint8), np.ones((5, 5), np.uint8))  # with its soft edges
    return bool(((np.abs(before - after) > _SEEN_APART) & (black == 0)).mean() <= _SEEN_SHARE)
