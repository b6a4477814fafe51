"""A document as a word processor knows it: paragraphs, tables, pictures and sections one after the other.

Lengths are points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image, Note, Style
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.runs import Run

Align = Literal["left", "center", "right", "both"]
"""As word processors mean it: left is where the text starts, so the right for text that runs from right to left."""
ParagraphKind = Literal["text", "heading", "title", "item", "code", "formula", "footnote", "aside"]
NumberFormat = Literal["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "bullet"]


@dataclass(frozen=True, slots=True)
class PartSettings:
    """What Word and RTF say of paragraphs and sections. Lengths are points."""

    most_size: float = 1638.0
    """The largest font size that Word takes."""


PARTS = PartSettings()


def half_points(points: float) -> int:
    """Font sizes, at least half a point."""
    return max(1, min(round(points * 2), round(2 * PARTS.most_size)))


@dataclass(frozen=True, slots=True)
class Leading:
    """The room of a paragraph's lines. height: from line to line, at least, 0 for what its style says.

    exact: no more than that either, as lines were printed closer than their font wants. above, below: the first
    printed line's top and the last one's bottom.
    """

    height: float = 0.0
    exact: bool = False
    above: float = 0.0
    below: float = 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """How a paragraph stands between the edges of its column.

    indent: from the column's start edge. first: of the first line on top of that, negative when it hangs. before:
    empty space above. end: from the column's other edge, negative where lines reach out of it.
    """

    align: Align = "left"
    indent: float = 0.0
    first: float = 0.0
    before: float = 0.0
    leading: Leading = Leading()
    end: float = 0.0


class Stop(NamedTuple):
    """A tab stop: what follows the tab begins there, or ends there. leader: a line to write on leads to it."""

    place: float
    align: Literal["left", "right"]
    leader: bool = False


class Border(NamedTuple):
    """A line along a side. color: as #rrggbb; pen: how thick it is; space: between it and the text."""

    color: str
    pen: float
    space: float = 0.0


class Sides(NamedTuple):
    """The lines around something, None for none."""

    top: Border | None = None
    right: Border | None = None
    bottom: Border | None = None
    left: Border | None = None


NO_SIDES = Sides()
UNSTYLED = Style()


@dataclass(frozen=True, slots=True)
class Marker:
    """What stands before a list item.

    series: the list that counts it, in which each level counts on; 0 for a marker that counts in no known way and stays
    text. start: the number that its level begins with. pattern: the marker with `%` and the level, from 1, for each
    number in it, or the bullet itself. printed: all of it as text. spaced: a space follows, and no tab.
    """

    series: int
    start: int
    format: NumberFormat
    pattern: str
    printed: str
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. level: of a heading from 1, of a list item from 0. marker: of list items.

    new_page: it began a page of the source, after one that had been left early. stretch: of letters, per cent.
    stops: where its tabs go, from the column's start edge. sides: lines around it, shade: the colour behind it.
    initial: over how many lines its large first letter reaches, 0 where it has none. mark: the look of its marker.
    lines: how many it takes at least.
    """

    kind: ParagraphKind
    runs: tuple[Run, ...]
    place: Place = Place()
    level: int = 0
    marker: Marker | None = None
    comments: tuple[Note, ...] = ()
    new_page: bool = False
    rtl: bool = False
    stretch: int = 100
    stops: tuple[Stop, ...] = ()
    sides: Sides = NO_SIDES
    shade: str = ""
    initial: int = 0
    mark: Style = UNSTYLED
    lines: int = 1


@dataclass(frozen=True, slots=True)
class CellPicture:
    """A picture in a cell. place: as to the cell's text, in lines of its own or in the same one. align: in the cell."""

    image: Image
    width: float
    height: float
    words: str = ""
    place: Literal["over", "before", "behind", "under"] = "over"
    align: Align = "left"


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a table: its runs, how many columns and rows it covers.

    shade: the colour behind it as #rrggbb, empty for none. indent, end: of its text from the cell's sides, beyond the
    table's margins. before: from its top, where it hangs there. pictures: from top to bottom.
    """

    column: int
    runs: tuple[Run, ...]
    column_span: int = 1
    row_span: int = 1
    align: Align = "left"
    rtl: bool = False
    leading: Leading = Leading()
    shade: str = ""
    indent: float = 0.0
    end: float = 0.0
    hangs: Literal["top", "center", "bottom"] = "top"
    before: float = 0.0
    pictures: tuple[CellPicture, ...] = ()


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row: the cells that begin in it, one for every place that no cell from above covers. height: as printed."""

    cells: tuple[GridCell, ...]
    height: float = 0.0
    header: bool = False


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table. widths: of its columns. indent: from the column's left edge to the table's. before: space above it.

    margins: left and right of the text in its cells.
    """

    rows: tuple[GridRow, ...]
    widths: tuple[float, ...]
    bordered: bool
    indent: float = 0.0
    align: Align = "left"
    before: float = 0.0
    margins: tuple[float, float] = (0.0, 0.0)
    comments: tuple[Note, ...] = ()
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture in the flow, at its printed size; words: what stands in it, for those who cannot see it."""

    image: Image
    width: float
    height: float
    words: str = ""
    align: Align = "left"
    before: float = 0.0
    comments: tuple[Note, ...] = ()
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class BehindPart:
    """A picture behind the text, at its place on the page; it goes with whatever comes next."""

    image: Image
    box: Box
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class LayoutCell:
    """What stands in one place beside others: its parts, its width, the colour behind it and the lines around it.

    margins: left and right of what it holds.
    """

    parts: tuple[FlowPart, ...]
    width: float
    shade: str = ""
    sides: Sides = NO_SIDES
    margins: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LayoutPart:
    """Panels and what stands side by side, as the cells of a row without rules. height: at least.

    indent: from the column's left edge. before: space above.
    """

    cells: tuple[LayoutCell, ...]
    height: float
    indent: float = 0.0
    before: float = 0.0
    comments: tuple[Note, ...] = ()
    new_page: bool = False


FlowPart = Paragraph | TablePart | PicturePart | BehindPart | LayoutPart


@dataclass(frozen=True, slots=True)
class MarginPiece:
    """Something in a header or footer: text, in which `fields` says what stands for a page number, or a picture.

    pieces of text and fields: a run whose text is `PAGE_FIELD` or `COUNT_FIELD` is a field. leading: of its row.
    """

    slot: Literal["left", "center", "right"]
    runs: tuple[Run, ...] = ()
    leading: Leading = Leading()
    image: Image | None = None
    width: float = 0.0
    height: float = 0.0


MarginRow = tuple[MarginPiece, ...]

PAGE_FIELD = "\0PAGE"
COUNT_FIELD = "\0NUMPAGES"
"""With a character that no text has: `clean` takes it out."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Headers and footers of one kind of page. distances: of the page's edges from the first and the last of them."""

    head: tuple[MarginRow, ...] = ()
    foot: tuple[MarginRow, ...] = ()
    distances: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Section:
    """What holds for the parts since the section before it.

    left, top, right, bottom: the empty margins. columns and gap: of the text. first: the margins of the first page
    where they differ. even: those of even pages where left and right pages differ. number: of its first page, 0 to
    count on. format: of its page numbers. new_page: whether it begins on a page of its own.
    """

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    columns: int = 1
    gap: float = 0.0
    margins: Margins = Margins()
    first: Margins | None = None
    even: Margins | None = None
    number: int = 0
    format: NumberFormat = "decimal"
    new_page: bool = True

    @property
    def distances(self) -> tuple[float, float]:
        """From the page's edges to its headers and footers: as printed, else as usual."""
        usual = (min(self.top / 2, MEASURES.half_inch), min(self.bottom / 2, MEASURES.half_inch))
        return usual[0] if not self.margins.head else self.margins.distances[0], (
            usual[1] if not self.margins.foot else self.margins.distances[1]
        )
