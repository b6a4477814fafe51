"""What one finder of tables makes of words, as if nothing else was on the page."""

from __future__ import annotations

from collections.abc import Iterable

from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.tables.evidence import Evidence, TableWords
from paperchute.engine.reading.layout.tables.finding import COLUMN, SHOWN, TEXT, chosen
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.trace import FinderName


def found_by(name: FinderName, words: Iterable[Word]) -> list[FoundTable]:
    """The tables that a finder finds and nothing rejects."""
    own = list(words)
    finder = next(finder for finder in (*SHOWN, *TEXT, *COLUMN) if finder.name == name)
    return chosen(finder, Evidence(PageMarks(1, 595, 842, words=own), (), TableWords(own)))
