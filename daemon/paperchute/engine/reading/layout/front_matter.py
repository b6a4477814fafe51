"""The title of a document, and the lines between it and the text: authors, their places, dates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.levels import Face, HeadingClass
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class FrontSettings:
    """What stands at a document's beginning."""

    large: float = 1.5
    """Of the size of running text. The title of `eu-001` changes at 1.3."""

    masthead_down: float = 54.0
    """Points from the page's top down to which a journal's name or logo begins; a title has a margin above it. A README
    and a Japanese page change without it."""

    heading_left: float = 4.0
    """Of the font size: by how much the text under such a heading may begin to its right: half an inch indents a line;
    authors stand in the middle or elsewhere."""


FRONT = FrontSettings()


class FrontLine(NamedTuple):
    """A line of the first page. heading: its class, were it one. told: a number or its words say that it is."""

    box: Box
    heading: HeadingClass
    chars: int
    told: bool

    @property
    def face(self) -> Face:
        """What it looks like."""
        return self.heading.face


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The document's own title on `page`, and what follows it down to `end`.

    title: its face, None where there is no title; then nothing is front matter. top, start: where the title begins and
    where it ends. above, between: the class of each line that stands above the title, and down to `end`, were it a
    heading.
    """

    page: int
    title: Face | None = None
    top: float = 0.0
    start: float = 0.0
    end: float = 0.0
    above: tuple[HeadingClass, ...] = ()
    between: tuple[HeadingClass, ...] = ()

    @classmethod
    def of(cls, page: int, lines: Sequence[FrontLine], body: Face, once: Collection[Face]) -> FrontMatter:
        """That of the first page, whose lines come top to bottom. once: faces without number of this page alone."""
        titles = _title(lines, body, once)
        if not titles:
            return cls(page)
        start = max(line.box.bottom for line in titles)
        below = [line for line in lines if line.box.top >= start - 1]
        texts = (line for line in below if _is_text(line, body) and not _is_larger(line, body, once))
        text = min(texts, key=lambda line: line.box.top, default=None)
        end = text.box.top if text is not None else float("inf")
        above = max((line for line in below if line.box.bottom <= end), key=lambda line: line.box.bottom, default=None)
        if text is not None and above is not None and _heads(above, text, body):
            end = above.box.top
        top = min(line.box.top for line in titles)
        over = tuple(line.heading for line in lines if line.box.bottom <= top + 1)
        between = tuple(line.heading for line in below if line.box.bottom <= end)
        return cls(page, titles[0].face, top, start, end, over, between)

    def has(self, page: int, box: Box) -> bool:
        """Decide whether a box on a page stands between title and text."""
        return page == self.page and self.title is not None and self.start - 1 <= box.top and box.bottom <= self.end

    def is_title(self, page: int, face: Face) -> bool:
        """Decide whether what has a face on a page is the document's own title."""
        return page == self.page and face == self.title

    def is_above(self, page: int, box: Box) -> bool:
        """Decide whether a box on a page stands above the title: the name of the journal, or the kind of article."""
        return page == self.page and self.title is not None and box.bottom <= self.top + 1


def _title(lines: Sequence[FrontLine], body: Face, once: Collection[Face]) -> list[FrontLine]:
    """The lines of the title: in the largest type of the page, which no text stands above."""
    head: list[FrontLine] = []
    for line in lines:
        if line.told or (_is_text(line, body) and any(_goes_on(line, other, body) for other in lines)):
            break
        head.append(line)
    distinct = [face for line in head if line.chars > 1 and (face := line.face) != body and face in once]
    if not distinct:
        return []
    faces = sorted(dict.fromkeys(distinct), key=lambda face: (-face.size, not face.bold, face.look == "italic"))
    if _is_masthead(lines, faces[0], body):
        lines = [line for line in lines if line.face != faces[0]]
        del faces[0]
        if not faces or faces[0].size < max(line.face.size for line in lines):
            return []  # the title is set as headings of the text are, and is one of them
    face = faces[0]
    found = [line for line in lines if line.face == face]
    stands_out = face.bold or face.size > max((line.face.size for line in lines if line.face != face), default=0.0)
    most = TYPOGRAPHY.short_text if face.size >= FRONT.large * body.size else TYPOGRAPHY.few
    return found if len(found) <= most and found[-1] in head and stands_out else []


def _goes_on(line: FrontLine, other: FrontLine, body: Face) -> bool:
    """Decide whether another line of text stands right under or over one."""
    size = line.face.size
    return (
        other is not line
        and _is_text(other, body)
        and size / 2 < abs(other.box.top - line.box.top) < TYPOGRAPHY.next_line * size
        and abs(other.box.left - line.box.left) < TYPOGRAPHY.quads * size
    )


def _is_masthead(lines: Sequence[FrontLine], largest: Face, body: Face) -> bool:
    """Tell if the largest type is that of a journal's name at the page's edge, over a longer title in large type."""
    names = [line for line in lines if line.face == largest]
    below = [line for line in lines if line.face.size < largest.size and line.chars > TYPOGRAPHY.cell_chars]
    return (
        len(names) == 1
        and names[0].box.top < FRONT.masthead_down
        and names[0].chars <= TYPOGRAPHY.cell_chars
        and max((line.face.size for line in below), default=0.0) >= FRONT.large * body.size
    )


def _heads(line: FrontLine, text: FrontLine, body: Face) -> bool:
    """Decide whether a line right over the text is its heading: in other type, and where the text begins."""
    return (
        not text.told
        and (line.face.bold or line.face.size > TYPOGRAPHY.larger * body.size)
        and -TYPOGRAPHY.half_em < (text.box.left - line.box.left) / body.size < FRONT.heading_left
    )


def _is_larger(line: FrontLine, body: Face, once: Collection[Face]) -> bool:
    """Tell whether a line is set larger than the text, as no further page has it: long lines of authors are no text."""
    return not line.told and body not in once and line.face in once and line.face.size > TYPOGRAPHY.larger * body.size


def _is_text(line: FrontLine, body: Face) -> bool:
    return line.told or (
        line.face.size <= TYPOGRAPHY.wider_leading * body.size
        and not line.face.bold
        and (line.chars >= TYPOGRAPHY.line_chars or (line.face == body and line.chars >= TYPOGRAPHY.running_chars))
    )
