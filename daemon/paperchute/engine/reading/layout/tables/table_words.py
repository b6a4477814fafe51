"""Words among which tables without walls are looked for, as several methods ask for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import has_leaders, is_figure, with_whole_figures, without_leaders
from paperchute.engine.reading.layout.tables.bands import Band, bands_of


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
