"""The words and pictures of a document, in reading order, each at its places on the pages."""

from __future__ import annotations

import io
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import PIL.Image

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import FURNITURE, Block, Image, Line, Page, PlacedWord

Place = tuple[int, Box]
"""A 0-based page, and a box on it as it is read (`document.model`)."""
_THUMB = 16  # pixels a side, by which two pictures are the same or not
_SLACK = 0.5  # points by which a word may lie off its line


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is compared; one that is divided at the end of a line has several places."""

    text: str
    places: tuple[Place, ...]
    paragraph: int
    """Which paragraph, cell or item of the document it stands in, counted from 0."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, small and grey, so that one that was saved anew is the same."""

    place: Place
    thumbnail: bytes


@dataclass
class Text:
    """All that is compared of a document."""

    tokens: list[Token] = field(default_factory=list)
    margins: list[Token] = field(default_factory=list)
    """Running heads and feet, each where it stands first; page numbers are not compared."""
    pictures: list[Picture] = field(default_factory=list)


def text_of(pages: Iterable[Page]) -> Text:
    """Collect what is compared. Pages are walked once, and none is kept."""
    text, seen, paragraph = Text(), set[str](), 0
    for index, page in enumerate(pages):
        words = _Words(page.words)
        for block in page.blocks:
            if block.image is not None and block.table is None and not block.lines:
                text.pictures.append(Picture((index, _box(block.quad)), _thumbnail(block.image)))
            for lines in _paragraphs(block):
                paragraph += not block.continues
                tokens = list(_tokens(lines, index, words, paragraph))
                if block.kind not in FURNITURE:
                    text.tokens += tokens
                elif block.kind != "number" and (said := " ".join(token.text for token in tokens)) not in seen:
                    seen.add(said)
                    text.margins += tokens
    return text


def _paragraphs(block: Block) -> Iterator[tuple[Line, ...]]:
    yield block.lines
    for item in block.items:
        yield item.lines
    for cell in block.table.cells if block.table is not None else ():
        yield cell.lines


def _tokens(lines: Sequence[Line], index: int, words: _Words, paragraph: int) -> Iterator[Token]:
    """The words of a paragraph; those that are divided at the end of a line are whole."""
    begun: tuple[str, tuple[Place, ...]] = ("", ())
    for line in lines:
        found = line.text.split()
        boxes = words.boxes(_box(line.quad), found)
        for number, (text, box) in enumerate(zip(found, boxes, strict=True)):
            if number == 0 and begun[1]:
                text, places = begun[0] + text, (*begun[1], (index, box))
            else:
                places = ((index, box),)
            begun = "", ()
            if number == len(found) - 1 and line.ends in ("hyphen", "glued"):
                begun = (text[:-1] if line.ends == "hyphen" else text), places
            else:
                yield Token(text, places, paragraph)
    if begun[1]:
        yield Token(*begun, paragraph)


class _Words:
    """The words of a page, found by the lines they stand in."""

    def __init__(self, words: Sequence[PlacedWord]) -> None:
        self._words = sorted(enumerate(words), key=lambda pair: pair[1].box.center[1])
        self._middles = [word.box.center[1] for _, word in self._words]

    def boxes(self, line: Box, texts: Sequence[str]) -> list[Box]:
        """A box for each of the texts of a line; the line's own where its words cannot be told apart."""
        first = bisect_left(self._middles, line.top - _SLACK)
        last = bisect_right(self._middles, line.bottom + _SLACK)
        inside = sorted((n, word) for n, word in self._words[first:last] if line.holds(*word.box.center, _SLACK))
        left = [word for _, word in inside]
        if "".join(word.text for word in left) != "".join(texts):
            return [line] * len(texts)
        found = []
        for text in texts:
            box, size = left[0].box, 0
            while size < len(text) and left:
                word = left.pop(0)
                size += len(word.text)
                box = Box(*map(min, box[:2], word.box[:2]), *map(max, box[2:], word.box[2:]))
            if size != len(text):  # two texts share a word of the page
                return [line] * len(texts)
            found.append(box)
        return found


def _box(quad: Sequence[float]) -> Box:
    return Box(min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2]))


def _thumbnail(image: Image) -> bytes:
    with PIL.Image.open(io.BytesIO(image.data)) as picture:
        picture.draft("L", (4 * _THUMB, 4 * _THUMB))  # JPEGs are decoded as small as that
        return picture.convert("L").resize((_THUMB, _THUMB), PIL.Image.Resampling.BOX).tobytes()
