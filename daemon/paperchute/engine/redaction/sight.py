"""What a page shows, glyph by glyph, in user space, and what of it is to go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from pikepdf import ContentStreamInlineImage, Matrix, Stream

Point = tuple[float, float]
Bounds = tuple[float, float, float, float]
"""Left, bottom, right, top."""


class NotFollowed(Exception):
    """Content that cannot be followed, so that nobody knows what it shows where."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph in user space: its origin, where it ends on its baseline, and its corners. drawn: of a Type 3 font."""

    origin: Point
    end: Point
    corners: tuple[Point, Point, Point, Point]
    drawn: bool

    @property
    def middle(self) -> Point:
        """The middle of its baseline."""
        return (self.origin[0] + self.end[0]) / 2, (self.origin[1] + self.end[1]) / 2


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is drawn once: its stream, None for one within the content, and where the unit square lies.

    inline: the instruction that has it within the content.
    """

    stream: Stream | None
    matrix: Matrix
    inline: ContentStreamInlineImage | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """What lines, areas and shadings cover. points: of its path.

    reach: how far lines go beyond the box. ground: what is of one colour, and says nothing within; None where it may.
    """

    box: Bounds
    points: int
    is_plain: bool
    reach: float = 0.0
    ground: Bounds | None = None


@dataclass
class Sight:
    """What a page shows. astray: glyphs whose places are not known. says: strings said in place of what is shown."""

    glyphs: list[Glyph] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    astray: int = 0
    says: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Removal:
    """What is taken out of a page: glyphs and pictures by their numbers in its `Sight`.

    pictures: gives the streams that take the place of those drawn. clean: a string without what is looked for.
    """

    glyphs: Collection[int]
    pictures: Mapping[int, Stream]
    clean: Callable[[str], str]
