"""What layout analysis works on: the marks of one page, wherever they come from.

Coordinates are points in the upright page, origin top left, y downwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import PlacedWord, Shape
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class MarkSettings:
    """What is taken of words wherever they come from."""

    ascent: float = 0.78
    """Of the font size, above the baseline: how high a word counts as; the fonts' own extents may be far off. Of 83
    sample pages change 5 at 0.8 times, 5 at 0.9, 5 at 1.1, 5 at 1.2."""

    descent: float = 0.22
    """Of the font size, below the baseline: how deep a word counts as; with `ascent` one size in all. Of 83 sample
    pages change 5 at 0.8 times, 5 at 0.9, 5 at 1.1, 5 at 1.2."""


MARKS = MarkSettings()

FIRST_WIDE = "\u2e80"
"""Scripts whose letters are as wide as high, of which each says more, begin here in Unicode."""


@dataclass(frozen=True, slots=True)
class StrokeSettings:
    """How drawn strokes are joined, in points."""

    same_place: float = 0.7
    """Between neighbouring strokes that are one: the sides of a hairline that is drawn as an area. `eu-020`, `eu-022`
    and `eu-023` change at 1.0."""


STROKES = StrokeSettings()


@dataclass(frozen=True, slots=True)
class Font:
    """What a font says about itself; OCR gives one with the defaults."""

    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    math: bool = False
    small_caps: bool = False


class ListPlace(NamedTuple):
    """Where the document's own structure puts a word in a list.

    list: the number of the outermost list on the page; item: of the item on the page; level: how deep the item is
    nested, from 0; label: whether the word is (part of) the item's marker; drawn: the item has one that is no text.
    """

    list: int
    item: int
    level: int
    label: bool = False
    drawn: bool = False


class Ink(NamedTuple):
    """How a word looks beyond its font.

    color: of its letters, and ground: of the area it stands on, as #rrggbb, empty for black on white. underline and
    strike: a line drawn under or through it.
    """

    color: str = ""
    ground: str = ""
    underline: bool = False
    strike: bool = False


@dataclass(slots=True)
class Word:
    """Characters without a space between them, in one style, in logical order.

    glued: no space before it (the style changed within a printed word). angle: reading direction in degrees
    clockwise, 0, 90, 180 or 270. baseline and size describe upright words; confidence is OCR's, from 0 to 1.
    mark: the number of its marked content, -1 for none. level: what the document's own structure says of it: a
    heading's level, 0 for other text, -1 for what is outside of the structure; None where it says nothing. stacked:
    vertical writing, whose letters stand upright one below another; its angle is 90. place: in a list, as the
    document's own structure says and the page shows. ink: where colours were asked for.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    font: Font
    glued: bool = False
    angle: int = 0
    link: str = ""
    confidence: float = 1.0
    script: Literal["", "super", "sub"] = ""
    mark: int = -1
    level: int | None = None
    stacked: bool = False
    place: ListPlace | None = None
    ink: Ink | None = None

    @property
    def box(self) -> Box:
        """Its extent."""
        return Box(self.left, self.top, self.right, self.bottom)

    def __reduce__(self) -> tuple[type[Word], tuple[object, ...]]:
        """For `pickle`, which would else make a dictionary of each word: long documents wait packed."""
        return Word, _of_word(self)


_of_word = attrgetter(*(field.name for field in fields(Word)))


class Rule(NamedTuple):
    """A printed straight stroke, or the edge of a filled area: horizontal when y1 == y2, vertical when x1 == x2.

    `edge` marks the edge of a filled area, weaker evidence than a stroke.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    edge: bool = False

    @property
    def horizontal(self) -> bool:
        """Whether it lies rather than stands."""
        return self.y1 == self.y2


class Picture(NamedTuple):
    """The place of a picture on the page; `key` is the reader's own handle to its content."""

    box: Box
    key: int


class TaggedCell(NamedTuple):
    """A table cell of the document's own structure; `marks` are the marked contents in it."""

    row: int
    column: int
    row_span: int
    column_span: int
    header: bool
    marks: frozenset[int]


class TaggedTable(NamedTuple):
    """A table of the document's own structure, the part of it that is on the page."""

    cells: tuple[TaggedCell, ...]


class Drawing(NamedTuple):
    """A drawn shape that is neither rule nor dot.

    strokes: its curves and slanted edges; 0 for a frame or area. fill: its colour as #rrggbb, empty for a pattern and
    where only its edge is drawn.
    """

    box: Box
    strokes: int
    fill: str = ""


class Ground(NamedTuple):
    """A coloured area behind text; `color` as #rrggbb."""

    box: Box
    color: str


@dataclass(slots=True)
class PageMarks:
    """All that was found on one page. `dots` are small filled shapes that may be list bullets.

    unreadable: the share of characters, from 0 to 1, for which their font says no Unicode value; text recognition may
    do better on such a page (OCR scope INVALID_CHARACTER). grounds: in the order they are painted, where colours were
    asked for. outside: how many words stand wholly outside of the page, replaced: how many recognition read anew; they
    are none of `words`; nor are unseen, in the page's own place, which were left out as nobody sees them; hidden is how
    many of `words` nobody sees, of pages where none were left out. line_numbers:
    those of lines in the margin, which are none of the words either. small: edges
    of squares and strokes in them, as small as dots, until tick boxes are read of them. has_insets: with the words of
    pictures of text; spelled: with characters read from the look of words of which the file does not name them all.
    figures: where drawn ones are, once they were looked for. shapes: straight lines and rectangles in their colours,
    in the order they are painted.
    """

    number: int
    width: float
    height: float
    angle: int = 0
    words: list[Word] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    dots: list[Box] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    unreadable: float = 0.0
    grounds: list[Ground] = field(default_factory=list)
    tables: list[TaggedTable] = field(default_factory=list)
    outside: int = 0
    replaced: int = 0
    unseen: int = 0
    hidden: int = 0
    line_numbers: list[Word] = field(default_factory=list)
    small: list[Drawing] = field(default_factory=list)
    has_insets: bool = False
    spelled: bool = False
    figures: list[Box] | None = None
    shapes: list[Shape] = field(default_factory=list)

    @property
    def has_own(self) -> bool:
        """Whether recognition left the page its own words, and only added to them."""
        return self.has_insets or self.spelled

    @property
    def has_pictured(self) -> bool:
        """Whether recognised words stand in pictures, on a page that has more text of its own."""
        return self.has_insets and 2 * sum(word.confidence == 1 for word in self.words) > len(self.words)

    unread_pictures: bool = False

    def as_typed(self) -> PageMarks:
        """The marks of a document that is typed throughout: its type tells no code, and rows of dashes are rules."""
        fonts = {word.font: replace(word.font, mono=False) for word in self.words}
        dashes = [word for word in self.words if word.angle == 0 and _TYPED_RULE.fullmatch(word.text)]
        drawn, middles = set(map(id, dashes)), [word.baseline - word.size * TYPOGRAPHY.third for word in dashes]
        return replace(
            self,
            words=[replace(word, font=fonts[word.font]) for word in self.words if id(word) not in drawn],
            rules=[*self.rules, *(Rule(w.left, y, w.right, y) for w, y in zip(dashes, middles, strict=True))],
        )


_TYPED_RULE = re.compile("-{5,}|={5,}")
"""Shorter rows may be a dash, or what a form leaves open."""


def placed_words(marks: PageMarks) -> tuple[PlacedWord, ...]:
    """The upright words of a page as those of the model."""
    return tuple(
        PlacedWord(word.text, word.box, word.size, word.font.bold, word.glued, word.confidence)
        for word in marks.words
        if word.angle == 0
    )


def joined_rules(rules: Iterable[Rule]) -> tuple[list[Rule], list[Rule]]:
    """(horizontal, vertical) strokes, sorted by place; strokes on one line that touch are one.

    A joined stroke counts as an edge only when all of its parts are.
    """
    rules = list(rules)
    flat = _joined([(r.y1, r.x1, r.x2, r.edge) for r in rules if r.horizontal])
    tall = _joined([(r.x1, r.y1, r.y2, r.edge) for r in rules if not r.horizontal])
    return (
        [Rule(start, at, end, at, edge) for at, start, end, edge in flat],
        [Rule(at, start, at, end, edge) for at, start, end, edge in tall],
    )


def _joined(strokes: list[tuple[float, float, float, bool]]) -> list[tuple[float, float, float, bool]]:
    """Strokes as (place, start, end, edge)."""
    strokes.sort()
    result: list[tuple[float, float, float, bool]] = []
    group: list[tuple[float, float, float, bool]] = []
    for stroke in strokes:
        if (group and stroke[0] - group[-1][0] > STROKES.same_place) or (
            group and stroke[0] - group[0][0] > TYPOGRAPHY.frame
        ):
            result += _along(group)
            group = []
        group.append(stroke)
    return result + _along(group)


def _along(group: list[tuple[float, float, float, bool]]) -> list[tuple[float, float, float, bool]]:
    """Strokes at one place, joined where they touch."""
    result: list[tuple[float, float, float, bool]] = []
    for at, start, end, edge in sorted(group, key=lambda s: s[1]):
        if result and start <= result[-1][2] + TYPOGRAPHY.frame:
            was = result[-1]
            result[-1] = (was[0], was[1], max(was[2], end), was[3] and edge)
        else:
            result.append((at, start, end, edge))
    return result
