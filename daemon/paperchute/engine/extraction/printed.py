"""A page's words as rows and pieces of rows, each with the labels in it: what finding works on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Page, PlacedWord
from paperchute.engine.extraction.findings import Evidence
from paperchute.engine.extraction.measures import BOUNDS, PLACES
from paperchute.engine.extraction.vocabulary import Label, labels, plain


@dataclass(frozen=True, slots=True)
class RowSettings:
    """How words make rows and pieces. Distances are shares of the font size where nothing else is said.

    Chosen by eye on invoices and letters where nothing else is said.
    """

    piece_gap: float = 1.0
    """A wider gap parts pieces, as between a label and its value, or two cells."""

    wide_space: float = 0.4
    """A wider gap is no space within a number: a space is 0.25 to 0.33."""

    spaced_letters: int = 5
    """Single letters that are a word set wide; fewer may be initials or marks in boxes."""


ROWS = RowSettings()

_PARTS = re.compile(r"[^:：]+[:：]*|[:：]+")
_SLASHED = re.compile(r"[^/]+/?")
_TWO_NAMES = re.compile(r"[^\W\d_]{2,}\.?(?:/[^\W\d_]{4,}\.?)+[:：]?")
_TIME = re.compile(r"\d[:：]\d|//")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a piece. start and end: its place in the piece's text. key: its `plain` text."""

    text: str
    start: int
    end: int
    box: Box
    size: float
    bold: bool
    confidence: float
    key: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one row without a wide gap between them. row: its number on the page.

    text: the words with a space between them, with two where the gap is wide for one.
    """

    page: int
    row: int
    text: str
    tokens: tuple[Token, ...]
    labels: tuple[Label, ...]
    box: Box = field(repr=False)

    @property
    def size(self) -> float:
        """The size of its largest word."""
        return max(token.size for token in self.tokens)

    @property
    def first(self) -> Label | None:
        """The label that it begins with."""
        return self.labels[0] if self.labels and self.labels[0].first == 0 else None

    def begins_as(self, *roles: str) -> bool:
        """Decide whether it begins with a label of one of the roles."""
        return self.first is not None and self.first.means(*roles)

    def evidence(self, start: int = 0, end: int | None = None) -> Evidence:
        """Return where a part of its text stands."""
        end = len(self.text) if end is None else end
        boxes = [_cut(token, start, end) for token in self.tokens if token.start < end and token.end > start]
        return Evidence(self.page, hull(boxes or [self.box]), self.text[start:end].strip())

    def certainty(self, start: int = 0, end: int | None = None) -> float:
        """How sure the words of a part of it are read."""
        end = len(self.text) if end is None else end
        return min((t.confidence for t in self.tokens if t.start < end and t.end > start), default=1.0)

    def after(self, label: Label) -> int:
        """Return where the text behind a label begins."""
        return self.tokens[label.after - 1].end

    def is_named(self, label: Label) -> bool:
        """Decide whether nothing but a colon stands behind a label."""
        return not re.search(r"\w", self.text[self.after(label) :])


@dataclass(frozen=True, slots=True)
class Row:
    """The pieces on one line across the page, from left to right; whole: all of them as one."""

    pieces: tuple[Piece, ...]
    whole: Piece


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page in rows, from top to bottom."""

    number: int
    width: float
    height: float
    rows: tuple[Row, ...]

    def pieces(self) -> Iterator[Piece]:
        """All pieces, row by row."""
        for row in self.rows:
            yield from row.pieces

    @property
    def usual_size(self) -> float:
        """The size of most letters, 0 without any."""
        sizes = sorted(token.size for piece in self.pieces() for token in piece.tokens for _ in token.text)
        return sizes[len(sizes) // 2] if sizes else 0.0


def sheet_of(page: Page) -> Sheet:
    """The rows of a page that was read with its words."""
    words = [word for word in page.words if word.text.strip()][: BOUNDS.words]
    rows = []
    for number, line in enumerate(map(_unparted, _lines(words))):
        parts = [_unspaced(part) for part in islice(_parts(line), BOUNDS.places)]
        pieces = tuple(_piece(page.number, number, part) for part in parts)
        whole = [word for part in parts for word in part]
        rows.append(Row(pieces, _piece(page.number, number, whole) if len(pieces) > 1 else pieces[0]))
    return Sheet(page.number, page.width, page.height, tuple(rows))


def _lines(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """Words that stand on one line, each line from left to right."""
    lines: list[tuple[float, float, list[PlacedWord]]] = []
    for word in sorted(words, key=lambda word: word.box.center[1]):
        top, bottom = word.box.top, word.box.bottom
        if lines:
            above, below, line = lines[-1]
            common = min(bottom, below) - max(top, above)
            if common > PLACES.level * max(min(bottom - top, below - above), 0.0):
                line.append(word)
                continue
        lines.append((top, bottom, [word]))
    return [sorted(line, key=lambda word: word.box.left) for _, _, line in lines]


def _unparted(line: Sequence[PlacedWord]) -> list[PlacedWord]:
    """The words of a line whole where they are printed in parts of one type: browsers place letters one by one."""
    found: list[PlacedWord] = []
    for word in line:
        last = found[-1] if found else None
        if last is None or not word.glued or (word.size, word.bold) != (last.size, last.bold):
            found.append(word)
            continue
        confidence = min(last.confidence, word.confidence)
        found[-1] = replace(last, text=last.text + word.text, box=hull((last.box, word.box)), confidence=confidence)
    return found


def _parts(line: Sequence[PlacedWord]) -> Iterator[list[PlacedWord]]:
    part = [line[0]]
    for word in line[1:]:
        if word.box.left - part[-1].box.right > ROWS.piece_gap * max(word.size, part[-1].size):
            yield part
            part = []
        part.append(word)
    yield part


def _unspaced(words: list[PlacedWord]) -> list[PlacedWord]:
    """A piece of nothing but single letters as the one word that they spell: `R E C H N U N G`."""
    if len(words) < ROWS.spaced_letters or not all(len(word.text) == 1 and word.text.isalpha() for word in words):
        return words
    text, box = "".join(word.text for word in words), hull(word.box for word in words)
    return [replace(words[0], text=text, box=box, confidence=min(word.confidence for word in words))]


def _piece(page: int, row: int, words: Sequence[PlacedWord]) -> Piece:
    text, tokens = "", list[Token]()
    before: PlacedWord | None = None
    for word in words:
        if before is not None:
            gap = word.box.left - before.box.right
            text += "" if word.glued else "  " if gap > ROWS.wide_space * word.size else " "
        for part, box in _split(word):
            tokens.append(
                Token(part, len(text), len(text) + len(part), box, word.size, word.bold, word.confidence, plain(part))
            )
            text += part
        before = word
    found = tuple(labels([token.key for token in tokens]))
    return Piece(page, row, text, tuple(tokens), found, hull(token.box for token in tokens))


def _split(word: PlacedWord) -> Iterator[tuple[str, Box]]:
    """A word's parts, each up to its colon or slash: `Date:` and `12.03.2026` of `Date:12.03.2026`."""
    text = word.text[: BOUNDS.places]
    parts = _SLASHED if _TWO_NAMES.fullmatch(text) else _PARTS
    if (parts is _PARTS and ":" not in text[:-1] and "：" not in text[:-1]) or _TIME.search(text):
        yield text, word.box
        return
    for match in parts.finditer(text):
        yield match[0], _share(word.box, match.start() / len(text), match.end() / len(text))


def _cut(token: Token, start: int, end: int) -> Box:
    """The part of a word's box that some of its characters take, as if all were as wide."""
    length = token.end - token.start
    first, last = max(start - token.start, 0) / length, min(end - token.start, length) / length
    return _share(token.box, first, last)


def _share(box: Box, first: float, last: float) -> Box:
    return Box(box.left + first * box.width, box.top, box.left + last * box.width, box.bottom)
