"""Characters to words: what PDFium's text page holds, as `Word` records."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.layout.records import Font, Word
from paperchute.engine.reading.pdf.fonts import Fonts
from paperchute.engine.reading.pdf.view import Matrix, View

MOST_CHARS = 400_000
"""Characters read of one page; a dense printed page has some 10,000."""

_WORD = re.compile(r"\S+")
_SOFT_HYPHENS = {0x02, 0xAD, 0xFFFE}  # PDFium gives a hyphen that ends a line as U+0002 or U+FFFE
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# Bullets of the Symbol and Wingdings fonts, which have no Unicode map and so stand in the private use area.
_SYMBOLS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0A8: "◦", 0xF06E: "▪", 0xF06F: "◦", 0xF0D8: "▸", 0xF0FC: "✓", 0xF02D: "-"}
UNREADABLE = "\ufffd"


@dataclass(frozen=True, slots=True)
class _Run:
    """What all characters of one text object share. `size` in points as printed, `angle` clockwise on the view."""

    font: Font
    size: float
    angle: int


def read_words(textpage: pdfium.PdfTextPage, view: View, fonts: Fonts) -> list[Word]:
    """The words of a page in the order of its content, on the page as `view` shows it."""
    return _WordReader(textpage, view, fonts).words()


def upright_turn(words: list[Word]) -> int:
    """By how many degrees clockwise the page must be turned so that most of its text stands upright."""
    angles: Counter[int] = Counter()
    for word in words:
        angles[word.angle] += len(word.text)
    return -angles.most_common(1)[0][0] % 360 if angles else 0


class _WordReader:
    def __init__(self, textpage: pdfium.PdfTextPage, view: View, fonts: Fonts) -> None:
        self._raw = textpage.raw
        self._view = view
        self._fonts = fonts
        self._runs: dict[int, _Run] = {}
        self._rect = pdfium_c.FS_RECTF()
        self._rect_ref = ctypes.byref(self._rect)
        self._matrix = pdfium_c.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def words(self) -> list[Word]:
        raw, get = self._raw, pdfium_c.FPDFText_GetUnicode
        count = min(max(pdfium_c.FPDFText_CountChars(raw), 0), MOST_CHARS)
        codes = [get(raw, index) for index in range(count)]
        text = "".join(map(_character, codes))
        words: list[Word] = []
        for match in _WORD.finditer(text):
            self._add(words, codes, match.start(), match.end())
        return words

    def _add(self, words: list[Word], codes: list[int], start: int, end: int) -> None:
        """Append the word of the characters start to end, in pieces where its style or its line changes."""
        first, last = self._object(start), self._object(end - 1)
        if first == last:
            self._append(words, codes, start, end, glued=False)
            return
        begin, glued, key = start, False, first
        run = self._run(key, start)
        for index in range(start + 1, end):
            here = self._object(index)
            if here in (key, 0):
                continue
            key, follows = here, self._run(here, index)
            jumps = self._jumps(index, follows)
            if follows != run or jumps:
                self._append(words, codes, begin, index, glued)
                begin, run, glued = index, follows, not jumps
        self._append(words, codes, begin, end, glued)

    def _object(self, index: int) -> int:
        """The address of a character's text object, 0 for characters PDFium made up."""
        found = pdfium_c.FPDFText_GetTextObject(self._raw, index)
        return ctypes.addressof(found.contents) if found else 0

    def _run(self, key: int, index: int) -> _Run:
        run = self._runs.get(key)
        if run is not None:
            return run
        found = pdfium_c.FPDFText_GetTextObject(self._raw, index)
        pdfium_c.FPDFText_GetMatrix(self._raw, index, self._matrix)
        m = self._matrix
        matrix = self._view.matrix.after(Matrix(m.a, m.b, m.c, m.d))
        turned = math.degrees(math.atan2(matrix.b, matrix.a)) if matrix.a or matrix.b else 0.0
        size = abs(pdfium_c.FPDFText_GetFontSize(self._raw, index)) * math.hypot(m.c, m.d)
        size = round(size, 2) if math.isfinite(size) else 0.0
        run = _Run(self._fonts.of(found) if found else Font(), size, round(turned / 90) * 90 % 360)
        if key:
            self._runs[key] = run
        return run

    def _jumps(self, index: int, run: _Run) -> bool:
        """Whether a character does not stand right after the one before it."""
        before, here = self._extent(index - 1, index), self._extent(index, index + 1)
        reach = max(run.size, 1.0)
        across = here[3] - before[3] if run.angle in (0, 180) else here[0] - before[0]
        along = max(here[0] - before[2], before[0] - here[2]) if run.angle in (0, 180) else 0.0
        return abs(across) > 0.8 * reach or along > 0.7 * reach

    def _extent(self, start: int, end: int) -> tuple[float, float, float, float]:
        """The box around the characters start to end (one line, one style), from its ends."""
        rect, at = self._rect, self._view.rectangle
        pdfium_c.FPDFText_GetLooseCharBox(self._raw, start, self._rect_ref)
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        if end - start > 1:
            pdfium_c.FPDFText_GetLooseCharBox(self._raw, end - 1, self._rect_ref)
            left, bottom = min(left, rect.left), min(bottom, rect.bottom)
            right, top = max(right, rect.right), max(top, rect.top)
        return at(left, bottom, right, top)

    def _append(self, words: list[Word], codes: list[int], start: int, end: int, glued: bool) -> None:
        key = self._object(start)
        run = self._run(key, start)
        left, top, right, bottom = self._extent(start, end)
        if not (math.isfinite(left + top + right + bottom) and self._on_page(left, top, right, bottom)):
            return
        pdfium_c.FPDFText_GetCharOrigin(self._raw, start, self._x, self._y)
        _x, y = self._view.matrix.at(self._x.value, self._y.value)
        size = run.size or max(bottom - top, 1.0)
        if run.angle == 0:  # the font's own extent may be far off (formula fonts): take the usual share of the size
            top, bottom = y - 0.78 * size, y + 0.22 * size
        text = "".join(map(_printed, codes[start:end]))
        words.append(
            Word(text, left, top, right, bottom, y if run.angle == 0 else bottom, size, run.font, glued, run.angle)
        )

    def _on_page(self, left: float, top: float, right: float, bottom: float) -> bool:
        return self._view.box.holds((left + right) / 2, (top + bottom) / 2)


def _character(code: int) -> str:
    """One character for one code, so that places in the text are places on the page."""
    if code in _SOFT_HYPHENS:
        return "-"
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return UNREADABLE
    return " " if code < 0x20 or code in (0x200B, 0xFEFF) else chr(code)


def _printed(code: int) -> str:
    if code in _LIGATURES:
        return _LIGATURES[code]
    if 0xE000 <= code <= 0xF8FF:
        return _SYMBOLS.get(code, chr(code - 0xF000) if 0xF020 < code < 0xF07F else UNREADABLE)
    return _character(code)
