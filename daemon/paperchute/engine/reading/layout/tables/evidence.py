"""What a page, or a part of it, has to show that there are tables: what every finder is asked with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import PageMarks, Rule, Word
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.table_words import TableWords


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


Need = Literal["tags", "grids", "rules", "words", "figures", "written order"]
"""What a finder cannot do without."""

PRESENT: Mapping[Need, Callable[[Evidence], bool]] = {
    "tags": lambda evidence: bool(evidence.marks.tables),
    "grids": lambda evidence: bool(evidence.grids),
    "rules": lambda evidence: len(evidence.rules) > 1,
    "words": lambda evidence: bool(evidence.free.words),
    "figures": lambda evidence: evidence.free.has_figures,
    "written order": lambda evidence: any(piece.order >= 0 for piece in evidence.pieces),
}
"""Whether a page shows it at all, as most show little."""


def word_ids(tables: Iterable[FoundTable]) -> set[int]:
    """The ids of the words of tables."""
    return {number for table in tables for number in table.word_ids()}
