"""Characters to words: what PDFium's text page holds, as `Word` records."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.layout.records import Font, Ink, Word
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.colors import text_color
from paperchute.engine.reading.pdf.fonts import Fonts
from paperchute.engine.reading.pdf.view import View

MOST_CHARS = 400_000
"""Characters read of one page; a dense printed page has some 10,000."""

UNREADABLE = "\ufffd"
_WORD = re.compile(r"\S+")
# One character for each, so that places in the text stay places on the page. PDFium gives a hyphen that ends a line as
# U+0002 or U+FFFE.
_PLACES = {
    **dict.fromkeys([*range(1, 0x20), 0x200B, 0xFEFF], " "),
    **dict.fromkeys([0x02, 0xAD, 0xFFFE], "-"),
    0: UNREADABLE,
}
# Bullets of the Symbol and Wingdings fonts, which have no Unicode map and so stand in the private use area.
_SYMBOLS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0A8: "◦", 0xF06E: "▪", 0xF06F: "◦", 0xF0D8: "▸", 0xF0FC: "✓", 0xF02D: "-"}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_REPLACED = re.compile("[\ufb00-\ufb06\ue000-\uf8ff]")
_UPRIGHT = (0, 180)


@dataclass(frozen=True, slots=True)
class _Run:
    """What all characters of one text object share. `size` in points as printed, `angle` clockwise on the view."""

    font: Font
    size: float
    angle: int


class _Piece(NamedTuple):
    """A word, or the part of one that has one style: its characters, and whether no space parts it from the last."""

    start: int
    end: int
    glued: bool


Extent = tuple[float, float, float, float]


class PageText:
    """The characters of a page: read once, given as words for any view of the page. tagged: with their marks; inks:
    with their colours."""

    def __init__(self, textpage: pdfium.PdfTextPage, fonts: Fonts, tagged: bool = False, inks: bool = False) -> None:
        self._textpage = textpage  # kept, as only its address is used from here on
        self._page = calls.address_of(textpage.raw)
        self._fonts = fonts
        count = min(max(pdfium_c.FPDFText_CountChars(textpage), 0), MOST_CHARS)
        self._text = calls.text(self._page, count).translate(_PLACES)
        self._objects = _filled(calls.text_objects(self._page, count))
        pairs = enumerate(zip(self._objects[:1] + self._objects, self._objects, strict=False))
        self._changes = [n for n, (before, here) in pairs if before != here]
        self._firsts = {self._objects[n]: n for n in reversed([*([0] if count else []), *self._changes])}
        self._firsts.pop(0, None)
        objects = list(self._firsts)
        self._marks = dict(zip(objects, calls.content_ids(objects), strict=True)) if tagged else {}
        modes = zip(objects, calls.fonts(objects), strict=True) if inks else ()
        self._colors = {item: color for item, (_, mode) in modes if (color := text_color(item, mode))}

    def unreadable(self) -> float:
        """The share of characters, from 0 to 1, for which their font gives no Unicode value.

        The first one of a text object speaks for all of it, which asks PDFium a fifth as often.
        """
        starts = sorted(self._firsts.values())
        ends = [*starts, len(self._text)][1:]
        lost = printed = 0
        for start, end, bad in zip(starts, ends, calls.unmapped(self._page, starts), strict=True):
            part = self._text[start:end]
            length = sum(map(len, part.split()))
            printed += length
            lost += length if bad else part.count(UNREADABLE)
        return lost / printed if printed else 0.0

    def words(self, view: View) -> list[Word]:
        """The words in the order of the page's content, where they stand on `view`; those outside it are left out."""
        runs = self._runs(view)
        pieces = self._pieces(view, runs)
        starts = [piece.start for piece in pieces]
        firsts = self._extents(starts, view)
        lasts = self._extents([piece.end - 1 for piece in pieces], view)
        words: list[Word] = []
        for piece, first, last, (x, y) in zip(pieces, firsts, lasts, calls.origins(self._page, starts), strict=True):
            left, top, right, bottom = first
            if piece.end - piece.start > 1:
                left, top = min(left, last[0]), min(top, last[1])
                right, bottom = max(right, last[2]), max(bottom, last[3])
            if not (0.0 <= (left + right) / 2 <= view.width and 0.0 <= (top + bottom) / 2 <= view.height):
                continue  # off the page, or no numbers at all
            run = runs[self._objects[piece.start]]
            size = run.size or max(bottom - top, 1.0)
            baseline = bottom
            stacked = run.angle == 0 and last[1] - first[1] > 0.5 * size and abs(last[0] - first[0]) < 0.3 * size
            # The font's own extent may be far off (formula fonts): take the usual share of the size.
            if run.angle == 0 and not stacked:
                baseline = view.matrix.b * x + view.matrix.d * y + view.matrix.f
                top, bottom = baseline - 0.78 * size, baseline + 0.22 * size
            text = self._text[piece.start : piece.end]
            if not text.isascii():
                text = _REPLACED.sub(_printed, text)
            word = Word(text, left, top, right, bottom, baseline, size, run.font, piece.glued, run.angle)
            if stacked:  # a font that writes vertically (ISO 32000-1, 9.7.4.3)
                word.angle, word.stacked = 90, True
            if self._marks:
                word.mark = self._marks.get(self._objects[piece.start], -1)
            if self._colors and (color := self._colors.get(self._objects[piece.start])):
                word.ink = Ink(color)
            words.append(word)
        return words

    def _runs(self, view: View) -> dict[int, _Run]:
        """The run of each text object."""
        starts = list(self._firsts.values())
        known: dict[tuple[object, ...], _Run] = {}
        runs = {0: _Run(Font(), 0.0, 0)}
        a, b, c, d = view.matrix[:4]
        details = zip(
            self._firsts,
            calls.fonts(list(self._firsts)),
            calls.font_sizes(self._page, starts),
            calls.matrices(self._page, starts),
            strict=True,
        )
        for item, font, size, matrix in details:
            key = (font, size, matrix[:4])
            run = known.get(key)
            if run is None:
                x, y = a * matrix[0] + c * matrix[1], b * matrix[0] + d * matrix[1]
                angle = round(math.degrees(math.atan2(y, x)) / 90) * 90 % 360 if math.isfinite(x + y) else 0
                size = abs(size) * math.hypot(matrix[2], matrix[3])
                size = round(size, 2) if math.isfinite(size) else 0.0
                run = known[key] = _Run(self._fonts.of(*font), size, angle)
            runs[item] = run
        return runs

    def _pieces(self, view: View, runs: dict[int, _Run]) -> list[_Piece]:
        """Words, in pieces where their style, their line, their marked content or their colour changes."""
        text, objects = self._text, self._objects
        places = [n for n in self._changes if not (text[n].isspace() or text[n - 1].isspace())]
        befores = self._extents([n - 1 for n in places], view)
        heres = self._extents(places, view)
        cuts: list[tuple[int, bool]] = []
        for n, before, here in zip(places, befores, heres, strict=True):
            last, run = runs[objects[n - 1]], runs[objects[n]]
            jumps = _jumps(before, here, run)
            if jumps or (run is not last and run != last) or self._differ(objects[n - 1], objects[n]):
                cuts.append((n, not jumps))
        cuts.append((len(text), False))
        pieces: list[_Piece] = []
        cut = iter(cuts)
        at, glued = next(cut)
        for match in _WORD.finditer(text):
            start, end = match.span()
            joined = False
            while at < end:
                pieces.append(_Piece(start, at, joined))
                start, joined = at, glued
                at, glued = next(cut)
            pieces.append(_Piece(start, end, joined))
        return pieces

    def _differ(self, one: int, other: int) -> bool:
        """Whether two text objects are in different marked contents or colours."""
        return self._marks.get(one) != self._marks.get(other) or self._colors.get(one) != self._colors.get(other)

    def _extents(self, indices: Sequence[int], view: View) -> list[Extent]:
        """(left, top, right, bottom) of characters on the view, which only turns by right angles."""
        a, b, c, d, e, f = view.matrix
        boxes = calls.loose_boxes(self._page, indices)
        if b == 0 and a > 0:
            return [(left + e, f - top, right + e, f - bottom) for left, top, right, bottom in boxes]
        corners = (
            (a * left + c * top + e, b * left + d * top + f, a * right + c * bottom + e, b * right + d * bottom + f)
            for left, top, right, bottom in boxes
        )
        return [(min(x, x2), min(y, y2), max(x, x2), max(y, y2)) for x, y, x2, y2 in corners]


def upright_turn(words: list[Word]) -> int:
    """By how many degrees clockwise the page must be turned so that most of its text stands upright."""
    angles: Counter[int] = Counter()
    for word in words:
        angles[0 if word.stacked else word.angle] += len(word.text)
    return -angles.most_common(1)[0][0] % 360 if angles else 0


def _filled(objects: list[int | None]) -> list[int]:
    """Text objects, those PDFium made up counting to the object before them; 0 where there is none."""
    if None not in objects:
        return cast(list[int], objects)
    return list(itertools.accumulate(objects, lambda before, here: here or before, initial=0))[1:]


def _jumps(before: Extent, here: Extent, run: _Run) -> bool:
    """Whether a character of `run` does not stand right after the one before it."""
    reach = max(run.size, 1.0)
    if run.angle not in _UPRIGHT:
        return abs(here[0] - before[0]) > 0.8 * reach
    return abs(here[3] - before[3]) > 0.8 * reach or max(here[0] - before[2], before[0] - here[2]) > 0.7 * reach


def _printed(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _LIGATURES:
        return _LIGATURES[code]
    return _SYMBOLS.get(code, chr(code - 0xF000) if 0xF020 < code < 0xF07F else UNREADABLE)
