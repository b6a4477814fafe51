"""Document > Page > Block: what readers produce and writers consume.

Lengths are points, origin top left, y downwards, in the page turned so that its text stands upright. Blocks of a page
stand in reading order. Everything is immutable; pages come as a stream, so a document of any length needs the memory
of a few pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box, Quad

BlockKind = Literal[
    "doc_title",
    "paragraph_title",
    "text",
    "list",
    "code",
    "table",
    "image",
    "formula",
    "header",
    "footer",
    "footnote",
    "number",
    "header_image",
    "footer_image",
    "aside_text",
]
"""The contract's block types; `list` and `code` are finer kinds of its `text`, to be told apart here.

See docs/contract.md#document-parsing.
"""

FURNITURE: frozenset[BlockKind] = frozenset({"header", "footer", "number", "header_image", "footer_image"})
"""What belongs to the page and not to the flow of the document."""


UNSEEN = "transparent"
"""The colour of text that is only there to be found, such as the words laid under a scan."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a run looks.

    `size` is the font size in points, `font` its PostScript name without the subset tag. `color` as #rrggbb or UNSEEN,
    and `ground`, the colour behind the text, where colours were asked for and it is not black on white; then too
    underline and strike, lines drawn under and through it. stacked: vertical writing, its letters upright one below
    another.
    """

    bold: bool = False
    italic: bool = False
    mono: bool = False
    size: float = 0.0
    font: str = ""
    script: Literal["", "super", "sub"] = ""
    color: str = ""
    stacked: bool = False
    ground: str = ""
    underline: bool = False
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style. `link` is its target address, empty for none."""

    text: str
    style: Style = Style()
    link: str = ""


class Gap(NamedTuple):
    """A wide space in a line, from `left` to `right`. at: how many characters of the line's text stand before it."""

    at: int
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line. The spans' texts join without separator; spaces between words are in them.

    `ends`: how the next line follows. `soft`: the text just wrapped, a space goes between. `hyphen`: a word was
    divided, its hyphen goes and nothing comes between. `glued`: nothing comes between. `hard`: the break is meant.
    gaps: spaces too wide for one between words, of which each is one in the text, from left to right.
    """

    quad: Quad
    spans: tuple[Span, ...]
    ends: Literal["soft", "hyphen", "glued", "hard"] = "soft"
    gaps: tuple[Gap, ...] = ()

    @property
    def text(self) -> str:
        """The plain text."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list. `level` counts from 0; `marker` is what was printed, such as `•`, `3.` or `(b)`."""

    level: int
    marker: str
    ordered: bool
    quad: Quad
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell; `row` and `column` count from 0.

    `header` marks cells of the table's head. shade: the colour behind it as #rrggbb, where colours were asked for and
    it is not white. pictures: those printed in it, where `cell_pictures` put them there; else they are blocks.
    """

    row: int
    column: int
    quad: Quad
    lines: tuple[Line, ...] = ()
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    shade: str = ""
    pictures: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A grid. Cells stand in row order and neither overlap nor leave it; places without a cell are empty.

    `bordered` says whether printed rules made the grid (else alignment did).
    """

    rows: int
    columns: int
    cells: tuple[Cell, ...]
    bordered: bool


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: the bytes of a `png` or `jpg` file and its size in pixels."""

    data: bytes
    kind: Literal["png", "jpg"]
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a page. Which of `lines`, `items`, `table` and `image` is filled follows from `kind`.

    level: outline level of a heading from 1, else 0. confidence: from 0 to 1, how sure its words are read, and of a
    table how sure it is one. continues: the block goes on with the one before it in the document's flow (a paragraph or
    table broken by a column or page end). background: an image that lies behind the page's text. initial: over how
    many lines its first letter reaches, which is larger then and stands beside them; 0 for a letter like the others.
    """

    kind: BlockKind
    quad: Quad
    lines: tuple[Line, ...] = ()
    items: tuple[ListItem, ...] = ()
    table: Table | None = None
    image: Image | None = None
    level: int = 0
    confidence: float = 1.0
    continues: bool = False
    background: bool = False
    latex: str = ""
    initial: int = 0

    @property
    def all_lines(self) -> list[Line]:
        """Its lines, those of its items and those of its table's cells."""
        cells = self.table.cells if self.table is not None else ()
        in_items = (line for item in self.items for line in item.lines)
        return [*self.lines, *in_items, *(line for cell in cells for line in cell.lines)]

    @property
    def text(self) -> str:
        """The plain text of the block's lines, one printed line a line."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Note:
    """An annotation that says something: its PDF subtype in lower case (text, highlight, ...), author and words."""

    kind: str
    quad: Quad
    text: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word at its place on the page, as it was printed or recognised. glued: no space stands before it."""

    text: str
    box: Box
    size: float
    bold: bool = False
    glued: bool = False
    confidence: float = 1.0


class Shape(NamedTuple):
    """A straight line or an upright rectangle that is drawn on the page.

    fill: the colour of its area, edge: that of the line around it, as #rrggbb and empty for none. A line is a box
    without a width or height, of the colour `edge`. pen: how thick the line is.
    """

    box: Box
    fill: str = ""
    edge: str = ""
    pen: float = 0.0


Trait = Literal["files", "redacted", "unshown_values", "outside", "filled"]
"""Of a page: files are attached on it; words are marked to be blacked out and were not; fields hold words that they do
not show; words lie beyond its edges; a block that stands whole on an earlier page fills it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `number` is its 1-based place in the source.

    angle: degrees clockwise (0, 90, 180, 270) by which the displayed page was turned to make its text upright; width,
    height and all quads are those of the turned page. backdrop: the page drawn without its text, where its look was
    asked for and something but text is on it. words: the upright words, where they were asked for, in the order of the
    page's content. shapes: the lines and rectangles drawn on it, in the order they are painted, where the colours of
    flowing text were asked for. recognised: text of it was taken from its picture; unsure: which share of its lines,
    by their length, was not read surely. unseen: how many words were left out as nobody sees them, hidden: how many of
    those that stayed nobody sees. unreadable:
    it has characters of which the file does not say which they are. unread_pictures: there are pictures on it with
    words that are none of its text. traits: what else is to be said of it.
    """

    number: int
    width: float
    height: float
    angle: int = 0
    blocks: tuple[Block, ...] = ()
    notes: tuple[Note, ...] = ()
    backdrop: Image | None = None
    words: tuple[PlacedWord, ...] = field(default=(), repr=False)
    recognised: bool = False
    unsure: float = 0.0
    unseen: int = 0
    hidden: int = 0
    unreadable: bool = False
    unread_pictures: bool = False
    traits: frozenset[Trait] = frozenset()
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the document's own outline: its level from 1, its words, the 1-based page it points to."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds for the whole document.

    Its own title, the size of its running text, how many pages it has, its own outline in reading order, its language
    (BCP 47, empty where it does not say). shows: gives the one that its words show (ISO 639-1, empty where they show
    none), which is found out when it is asked for.
    """

    page_count: int
    title: str = ""
    body_size: float = 0.0
    outline: tuple[Bookmark, ...] = ()
    language: str = ""
    shows: Callable[[], str] = str

    @property
    def spoken(self) -> str:
        """The language for whoever reads the text aloud, checks or hyphenates it; empty where nothing tells it.

        How numbers and dates are written only a language that the document says tells: a word may be quoted.
        """
        return self.language or self.shows()


@dataclass(frozen=True, slots=True)
class Document:
    """A document being read. `pages` can be walked once; reading errors surface while walking."""

    facts: Facts
    pages: Iterator[Page] = field(repr=False)
