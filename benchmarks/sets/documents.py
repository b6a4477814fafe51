"""What a document says, apart from how it is set: blocks in reading order, each made of runs of text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one kind within a line.

    Of `maths` the source is LaTeX and `text` what the page shows; of a `note` the text stands at the foot of the page.
    """

    text: str
    kind: Literal["plain", "emphasis", "strong", "maths", "note"] = "plain"
    source: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as written in the source; what numbers and capitals it is given is the layout's."""

    text: str
    level: int = 1
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text. A `lead` stands before it in letters of its own, as "Theorem 2." does."""

    runs: tuple[Run, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Items with bullets or numbers."""

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; `indent` steps it in, as the entries below a sum are."""

    text: str = ""
    columns: int = 1
    rows: int = 1
    bold: bool = False
    indent: int = 0
    align: Literal["left", "right", "center", ""] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, spans as in HTML; the first `heads` rows are the head."""

    rows: tuple[tuple[Cell, ...], ...]
    heads: int = 1
    caption: str = ""
    aligns: str = ""
    """One of l, r and c for each column."""
    widths: tuple[int, ...] = ()
    """Of columns whose text wraps, in millimetres; 0 for those that do not."""

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return max(sum(cell.columns for cell in row) for row in self.rows[:1])


@dataclass(frozen=True, slots=True)
class Beside:
    """Tables side by side."""

    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula in LaTeX."""

    source: str
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture without words, and what is said below it."""

    caption: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are; an algorithm when it has a caption."""

    lines: tuple[str, ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """The list of literature; `heading` in the document's language."""

    heading: str
    entries: tuple[str, ...]


Block = Heading | Paragraph | Listing | Table | Beside | Formula | Figure | Code | References


@dataclass(frozen=True, slots=True)
class Front:
    """How a paper begins."""

    title: str
    authors: tuple[str, ...]
    places: tuple[str, ...]
    abstract: str = ""
    keywords: tuple[str, ...] = ()


def cells(texts: Iterable[str], bold: bool = False) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(Cell(text, bold=bold) for text in texts)


def plain(runs: Iterable[Run]) -> str:
    """What runs show in the line itself, notes left out."""
    return "".join(run.text for run in runs if run.kind != "note")


def text(words: str) -> Paragraph:
    """A paragraph of plain words."""
    return Paragraph((Run(words),))
