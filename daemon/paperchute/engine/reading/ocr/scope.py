"""Which pages of a PDF need recognition: scanned ones, and those whose text holds no readable characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.layout.records import PageMarks, Word
from paperchute.engine.reading.pdf.objects import PageObjects

_INVISIBLE = 3  # text rendering mode, ISO 32000-1 table 106
_MOST_OBJECTS = 20_000
_DEEPEST = 8
_SCANNED_AREA = 0.5
_FEW_CHARACTERS = 200  # stamps and numbers that were put on a scan
_GARBLED = 0.1
_FEWEST_GARBLED = 3
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a page holds. kept: its visible words that read as characters.

    scanned: a picture covers most of it and there is hardly any visible text, or it shows something and has none.
    garbled: part of its visible text has no readable characters. dpi: of its largest picture, 0 for none.
    """

    scanned: bool
    garbled: bool
    kept: list[Word]
    dpi: float


def facts_of(page: pdfium.PdfPage, marks: PageMarks, objects: PageObjects) -> PageFacts:
    """Look at a page and at what the reader found on it."""
    visible, hidden, drawn = _counts(page)
    shown = list(marks.words) if visible or not hidden else []
    if visible and hidden > 4 * visible:
        # An earlier recognition's layer, with a stamp over it: PDFium's words do not say which of the two they are.
        shown = []
    bad_fonts = _unreadable_fonts(shown)
    kept = [word for word in shown if word.font.name not in bad_fonts and not _unreadable(word.text)]
    if marks.unreadable > _MOSTLY:
        kept = []
    characters = sum(len(word.text) for word in shown)
    area, dpi = _pictures(page, marks, objects)
    scanned = (area > _SCANNED_AREA and characters < _FEW_CHARACTERS) or (not characters and (area > 0 or drawn > 0))
    lost = characters - sum(len(word.text) for word in kept)
    return PageFacts(scanned, lost >= max(_FEWEST_GARBLED, _GARBLED * characters), kept, dpi)


def _unreadable(text: str) -> int:
    """How many characters say nothing: no Unicode value, private use, control codes."""
    return sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" or "\x80" <= c <= "\x9f" or c < " " for c in text)


def _unreadable_fonts(words: Sequence[Word]) -> set[str]:
    """Fonts of which part of the characters is lost: the others are right by chance only."""
    total: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for word in words:
        total[word.font.name] += len(word.text)
        bad[word.font.name] += _unreadable(word.text)
    return {font for font in total if bad[font] >= max(_FEWEST_GARBLED, _GARBLED * total[font])}


def _counts(page: pdfium.PdfPage) -> tuple[int, int, int]:
    """How many text objects are visible and invisible, how many other things are drawn."""
    visible = hidden = drawn = 0
    for raw in _objects(page):
        kind = pdfium_c.FPDFPageObj_GetType(raw)
        if kind != pdfium_c.FPDF_PAGEOBJ_TEXT:
            drawn += 1
        elif pdfium_c.FPDFTextObj_GetTextRenderMode(raw) == _INVISIBLE:
            hidden += 1
        else:
            visible += 1
    return visible, hidden, drawn


def _objects(page: pdfium.PdfPage) -> Iterator[Any]:
    seen = 0
    stack: list[tuple[Any, int]] = [(None, 0)]
    while stack:
        form, depth = stack.pop()
        count = pdfium_c.FPDFFormObj_CountObjects(form) if form else pdfium_c.FPDFPage_CountObjects(page)
        for index in range(max(count, 0)):
            seen += 1
            if seen > _MOST_OBJECTS:
                return
            raw = pdfium_c.FPDFFormObj_GetObject(form, index) if form else pdfium_c.FPDFPage_GetObject(page, index)
            if raw and pdfium_c.FPDFPageObj_GetType(raw) == pdfium_c.FPDF_PAGEOBJ_FORM:
                if depth < _DEEPEST:
                    stack.append((raw, depth + 1))
            elif raw:
                yield raw


def _pictures(page: pdfium.PdfPage, marks: PageMarks, objects: PageObjects) -> tuple[float, float]:
    """Which share of the page pictures cover, and the resolution of the largest in pixels per inch."""
    if not marks.pictures:
        return 0.0, 0.0
    largest = max(marks.pictures, key=lambda picture: picture.box.area)
    image = pdfium.PdfImage(objects.images[largest.key], page=page, pdf=page.pdf)
    pixels = max(image.get_px_size())
    # Strips of one scan lie side by side; pictures over each other are rare enough.
    covered = sum(picture.box.area for picture in marks.pictures) / max(marks.width * marks.height, 1.0)
    return min(covered, 1.0), pixels * 72 / max(largest.box.width, largest.box.height, 1.0)
