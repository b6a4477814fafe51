"""A tagged PDF's own account of its structure (ISO 32000-1, 14.7 and 14.8): headings, lists and tables."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.layout.lists import keep_credible
from paperchute.engine.reading.layout.marks import ListPlace, TaggedCell, TaggedTable, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls


@dataclass(frozen=True, slots=True)
class StructureSettings:
    """When a document's own structure is believed, and how much of it is looked at.

    Fixed on printed Markdown (headings 0.936 to 0.948).
    """

    trusted: float = 0.9
    """The share of a page's characters that must be in the structure."""

    most_elements: int = 50_000
    """Of a page, and places of its tables: a bound on work on hostile structures."""

    deepest: int = 60
    """Elements inside of elements: a bound on work."""


STRUCTURE = StructureSettings()


_LEVELS = {"Title": 1, "H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}
_SECTIONS = {"THead", "TBody", "TFoot"}


@dataclass(slots=True)
class Structure:
    """Of one page.

    levels: the heading level of each marked content, 0 for what is no heading; places: where those in lists stand.
    """

    levels: dict[int, int] = field(default_factory=dict)
    places: dict[int, ListPlace] = field(default_factory=dict)
    tables: list[TaggedTable] = field(default_factory=list)

    def applied(self, words: list[Word]) -> list[TaggedTable]:
        """Tell the words their levels and places in lists, and return the tables.

        Nothing at all unless nearly all words are covered, and those that are not stand apart.
        """
        levels = [self.levels.get(word.mark, -1) for word in words]
        lengths = [len(word.text) for word in words]
        chars, lost = sum(lengths), sum([n for n, level in zip(lengths, levels, strict=True) if level < 0])
        if not chars or chars - lost < STRUCTURE.trusted * chars:
            return []
        # Where there are more, only some text was put into it, as Calc does with cells of several lines alone.
        if lost and _count_beside(words, levels) > TYPOGRAPHY.pair:
            return []
        for word, level in zip(words, levels, strict=True):
            word.level = level
        if self.places:
            for word in words:
                word.place = self.places.get(word.mark)
            keep_credible(words, {place.item for place in self.places.values() if place.label})
        return self.tables


def _count_beside(words: list[Word], levels: list[int]) -> int:
    """How many words outside of the structure stand on a line with some in it; numbers aside, as of lines or items."""
    known = sorted((word for word, level in zip(words, levels, strict=True) if level >= 0), key=_middle)
    middles = list(map(_middle, known))
    count = 0
    for word, level in zip(words, levels, strict=True):
        if level < 0 and word.angle == 0 and any(map(str.isalpha, word.text)):
            place = bisect_left(middles, _middle(word))
            near = known[max(place - 1, 0) : place + 1]
            count += any(other.top < _middle(word) < other.bottom for other in near)
    return count


def _middle(word: Word) -> float:
    return (word.top + word.bottom) / 2


def read_structure(page: pdfium.PdfPage) -> Structure:
    """The structure of a page; an empty one when there is none or it is beyond all bounds."""
    tree = pdfium_c.FPDF_StructTree_GetForPage(page)
    if not tree:
        return Structure()
    try:
        reader = _Reader()
        for n in range(max(pdfium_c.FPDF_StructTree_CountChildren(tree), 0)):
            element = pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, n)
            if element:
                reader.walk(calls.address_of(element), 0, 0)
        return reader.structure if reader.room > 0 else Structure()
    finally:
        pdfium_c.FPDF_StructTree_Close(tree)


class _Reader:
    def __init__(self) -> None:
        self.structure = Structure()
        self.room = STRUCTURE.most_elements
        self._lists = self._items = 0

    def walk(self, element: int, level: int, depth: int, place: ListPlace | None = None) -> list[int]:
        """Take in an element under a heading of `level` (0: none), inside of a list item; the marked contents in it."""
        if depth > STRUCTURE.deepest or self.room <= 0:
            return []
        kind = calls.element_kind(element)
        level = _LEVELS.get(kind, level)
        if kind == "Table":
            return self._table(element, depth)
        place = self._place(kind, place)
        marks: list[int] = []
        for child, mark in self._children(element):
            if child:
                marks += self.walk(child, level, depth + 1, place)
            elif mark >= 0:
                self.structure.levels[mark] = level
                if place is not None and place.item:
                    self.structure.places[mark] = place
                marks.append(mark)
        return marks

    def _place(self, kind: str, place: ListPlace | None) -> ListPlace | None:
        """Return where the contents of an element of this kind stand; a list that has no item yet is at item 0."""
        if kind == "L":
            if place is not None:
                return ListPlace(place.list, 0, place.level + 1)
            self._lists += 1
            return ListPlace(self._lists, 0, 0)
        if kind == "LI" and place is not None:
            self._items += 1
            return ListPlace(place.list, self._items, place.level)
        if kind == "Lbl" and place is not None and place.item:
            return place._replace(label=True)
        return place

    def _children(self, element: int) -> Iterator[tuple[int, int]]:
        """(element, -1) or (0, marked content)."""
        for n in range(calls.count_children(element)):
            self.room -= 1
            if self.room <= 0:
                return
            child = calls.child_element(element, n)
            yield (child, -1) if child else (0, calls.child_content_id(element, n))

    def _table(self, element: int, depth: int) -> list[int]:
        cells: list[TaggedCell] = []
        taken: set[tuple[int, int]] = set()
        marks: list[int] = []
        for row, tagged in enumerate(self._rows(element, 0)):
            column = 0
            for child, mark in self._children(tagged):
                if not child:
                    marks += [mark] if mark >= 0 else []
                    continue
                while (row, column) in taken:
                    column += 1
                kind = calls.element_kind(child)
                width, height = _number(child, b"ColSpan"), _number(child, b"RowSpan")
                if width * height > self.room:
                    width = height = 1
                self.room -= width * height
                own = self.walk(child, 0, depth + 1)
                cells.append(TaggedCell(row, column, height, width, kind == "TH", frozenset(own)))
                taken |= {(row + i, column + j) for i in range(height) for j in range(width)}
                marks += own
        for mark in marks:
            self.structure.levels[mark] = 0
        self.structure.tables.append(TaggedTable(tuple(cells)))
        return marks

    def _rows(self, element: int, depth: int) -> Iterator[int]:
        for child, mark in self._children(element):
            if not child:
                if mark >= 0:
                    self.structure.levels[mark] = 0
            elif (kind := calls.element_kind(child)) == "TR":
                yield child
            elif kind in _SECTIONS and depth < 2:
                yield from self._rows(child, depth + 1)
            else:
                self.walk(child, 0, depth + 1)  # a caption


def _number(element: int, name: bytes) -> int:
    """A whole number among the element's attributes, from 1; 1 where there is none."""
    value = calls.attribute(element, name)
    return max(int(value), 1) if value is not None and math.isfinite(value) else 1
