"""A document as a word processor knows it: paragraphs, tables, pictures and sections one after the other.

Lengths are points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image, Note
from paperchute.engine.writing.office.runs import Run

Align = Literal["left", "center", "right", "both"]
"""As word processors mean it: left is where the text starts, so the right for text that runs from right to left."""
ParagraphKind = Literal["text", "heading", "title", "item", "code", "formula", "footnote", "aside"]
NumberFormat = Literal["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "bullet"]


@dataclass(frozen=True, slots=True)
class PartSettings:
    """What Word and RTF say of paragraphs and sections. Lengths are points."""

    other_pitch: float = 0.15
    """Of the font size, by which a paragraph's lines stand further apart or closer than the document's own. Chosen by
    eye; from 0.13 to 0.15 the same, 1 of 22 sample documents changes at 0.17."""

    least_space: float = 1.0
    """Above a paragraph and beside it: less is how the print came to lie."""

    least_indent: float = 0.5
    """The same of a line in a text box, where each stands where it was printed."""

    least_line: float = 1.0
    """The height of a line, of the paragraphs too that only hold something: Word takes 0 for any height."""

    other_size: float = 0.5
    """By which the size of a run differs from its style's: both count in half points."""

    list_step: float = 18.0
    """From one level of a list to the next, and from a marker to its text: a quarter of an inch, as Word's hang by."""

    header_distance: float = 36.0
    """From the page's edge to headers and footers, at most, as Word has it (720 twips); else half of the margin."""

    usual_gap: float = 36.0
    """Between columns where there are none: the default of `w:space` (ECMA-376 part 1, 17.6.4)."""

    most_size: float = 1638.0
    """The largest font size that Word takes."""


PARTS = PartSettings()


def half_points(points: float) -> int:
    """Font sizes, at least half a point."""
    return max(1, min(round(points * 2), round(2 * PARTS.most_size)))


@dataclass(frozen=True, slots=True)
class Place:
    """How a paragraph stands between the edges of its column.

    indent: from the column's start edge. first: of the first line on top of that, negative when it hangs. before:
    empty space above. pitch: from line to line as a multiple of the font size, 0 for the document's own. end: from the
    column's other edge.
    """

    align: Align = "left"
    indent: float = 0.0
    first: float = 0.0
    before: float = 0.0
    pitch: float = 0.0
    end: float = 0.0

    def own_pitch(self, usual: float) -> float:
        """The pitch where it is another than the document's `usual` one, else 0."""
        return self.pitch if self.pitch and abs(self.pitch - usual) > PARTS.other_pitch else 0.0


@dataclass(frozen=True, slots=True)
class Marker:
    """What stands before a list item.

    series: items of one series count on from each other; 0 for a marker that counts in no known way and stays text.
    start: the number of the series' first item. pattern: the marker with `%` for its number, or the bullet itself.
    """

    series: int
    start: int
    format: NumberFormat
    pattern: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. level: of a heading from 1, of a list item from 0. marker: of list items.

    new_page: it began a page of the source, after one that had been left early. stretch: of letters, per cent.
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


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a table: its runs, how many columns and rows it covers.

    pitch: as in `Place`. shade: the colour behind it as #rrggbb, empty for none.
    """

    column: int
    runs: tuple[Run, ...]
    column_span: int = 1
    row_span: int = 1
    align: Align = "left"
    rtl: bool = False
    pitch: float = 0.0
    shade: str = ""


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row: the cells that begin in it, one for every place that no cell from above covers. height: as printed."""

    cells: tuple[GridCell, ...]
    height: float = 0.0
    header: bool = False


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table. widths: of its columns. indent: from the column's left edge to the table's."""

    rows: tuple[GridRow, ...]
    widths: tuple[float, ...]
    bordered: bool
    indent: float = 0.0
    align: Align = "left"
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
    comments: tuple[Note, ...] = ()
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class BehindPart:
    """A picture behind the text, at its place on the page; it goes with whatever comes next."""

    image: Image
    box: Box
    new_page: bool = False


FlowPart = Paragraph | TablePart | PicturePart | BehindPart


@dataclass(frozen=True, slots=True)
class MarginPiece:
    """Something in a header or footer: text, in which `fields` says what stands for a page number, or a picture.

    pieces of text and fields: a run whose text is `PAGE_FIELD` or `COUNT_FIELD` is a field.
    """

    slot: Literal["left", "center", "right"]
    runs: tuple[Run, ...] = ()
    image: Image | None = None
    width: float = 0.0
    height: float = 0.0


MarginRow = tuple[MarginPiece, ...]

PAGE_FIELD = "\ue000PAGE"
COUNT_FIELD = "\ue000NUMPAGES"


@dataclass(frozen=True, slots=True)
class Margins:
    """Headers and footers of one kind of page."""

    head: tuple[MarginRow, ...] = ()
    foot: tuple[MarginRow, ...] = ()


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
        """From the page's edges to its headers and footers."""
        return min(self.top / 2, PARTS.header_distance), min(self.bottom / 2, PARTS.header_distance)
