"""What a page, or a part of it, has to show that there are tables: what every finder is asked with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import PageMarks, Rule, Word
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.tables.amounts import has_leaders, is_figure, with_whole_figures, without_leaders
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.tables.grid import FoundTable


@dataclass(frozen=True, slots=True)
class WholeFigures:
    """Words with each figure made one of its parts, and without leaders.

    parts: those of such figures, by the ids of these. leaders: the rows of dots that were left out.
    """

    bands: list[Band]
    parts: dict[int, list[Word]]
    leaders: list[Word]


@dataclass(frozen=True)
class TableWords:
    """Some words of a page; each question about them is answered once, however many methods ask it."""

    words: Sequence[Word]

    @cached_property
    def bands(self) -> list[Band]:
        """The words in bands, top to bottom."""
        return bands_of(self.words)

    @cached_property
    def has_leaders(self) -> bool:
        """Whether one of the words is nothing but dots."""
        return has_leaders(self.words)

    @cached_property
    def has_figures(self) -> bool:
        """Whether several of the words are figures."""
        return sum([is_figure(word.text) for word in self.words]) > 1

    @cached_property
    def figures(self) -> WholeFigures:
        """The words as methods that go by figures look at them."""
        if not self.has_leaders:
            return WholeFigures(*with_whole_figures(self.bands), [])
        said = without_leaders(self.words)
        kept = {id(word) for word in said}
        leaders = [word for word in self.words if id(word) not in kept]
        return WholeFigures(*with_whole_figures(bands_of(said) if leaders else self.bands), leaders)

    def without(self, taken: Collection[int]) -> TableWords:
        """The words but for those whose ids are in `taken`."""
        return TableWords([word for word in self.words if id(word) not in taken]) if taken else self


@dataclass(frozen=True)
class Evidence:
    """What finders look at.

    marks: of the whole page. lines: the upright ones of the page, or of the part of it that is looked at. free: the
    words of these that are in no table yet. rules: the lying ones, joined. grids: what crossing rules make. pieces: of
    the part that is looked at, where its text alone is. known: the tables found so far.
    """

    marks: PageMarks
    lines: Sequence[TextLine]
    free: TableWords
    rules: Sequence[Rule] = ()
    grids: Sequence[FoundTable] = ()
    pieces: Sequence[Piece] = ()
    known: tuple[FoundTable, ...] = ()

    def among(self, words: Iterable[Word]) -> Evidence:
        """The same with other words that are free."""
        return replace(self, free=TableWords(list(words)))

    def with_found(self, tables: Sequence[FoundTable]) -> Evidence:
        """The same after more tables were found, whose words are free no longer."""
        if not tables:
            return self
        return replace(self, known=(*self.known, *tables), free=self.free.without(word_ids(tables)))


Need = Literal["tags", "grids", "coloured areas", "rules", "words", "figures", "written order"]
"""What a finder cannot do without."""

PRESENT: Mapping[Need, Callable[[Evidence], bool]] = {
    "tags": lambda evidence: bool(evidence.marks.tables),
    "grids": lambda evidence: bool(evidence.grids),
    "coloured areas": lambda evidence: any(area.fill and not area.strokes for area in evidence.marks.drawings),
    "rules": lambda evidence: len(evidence.rules) > 1,
    "words": lambda evidence: bool(evidence.free.words),
    "figures": lambda evidence: evidence.free.has_figures,
    "written order": lambda evidence: any(piece.order >= 0 for piece in evidence.pieces),
}
"""Whether a page shows it at all, as most show little."""


def word_ids(tables: Iterable[FoundTable]) -> set[int]:
    """The ids of the words of tables."""
    return {number for table in tables for number in table.word_ids()}
