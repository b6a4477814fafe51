"""Recognition of PDF pages: which of them and what on them is recognised, and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import Page
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.ocr.marks import SeenPage, Spool, page_of, seen_layout, words_of
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.page import RECOGNITION, see
from paperchute.engine.reading.ocr.recognised import Pixels, Seen
from paperchute.engine.reading.ocr.styles import Sizes
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.reader import Options
from paperchute.engine.work import Refused
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Which pages of a PDF are scans, and which have text that cannot be read."""

    scanned_area: float = 0.5
    """Of the page: what pictures cover of a scan."""

    few_characters: int = 200
    """Characters of visible text on a scan: stamps and numbers that were put on it."""

    hidden: int = 4
    """Times the visible text: so much invisible text is an earlier recognition's, with a stamp over it."""

    garbled: float = 0.1
    """The share of words without readable characters from which a page is garbled."""

    fewest_garbled: int = 3
    """Such words at least."""

    mostly: float = 0.5
    """The share of unreadable characters from which none of a page, or a font, is kept."""

    most_objects: int = 20_000
    """Objects of a page: a bound on work on drawings and hostile pages."""

    deepest: int = 8
    """Forms inside of forms: a bound on work on hostile pages."""


SCOPE = ScopeSettings()


@dataclass(frozen=True, slots=True)
class DrawingSettings:
    """How pages of PDFs are drawn to be recognised."""

    dpi: float = 200.0
    """Pixels per inch of a page without pictures: common type is then 30 pixels high."""

    least_dpi: float = 150.0
    """Pixels per inch of a page with a coarser picture."""

    least_side: int = 1_500
    """Pixels of the long side: up to it pages are drawn larger than their pictures."""

    larger: float = 2.0
    """Times its picture: drawn larger a page gains nothing, however large it says it is."""

    same_place: float = 0.3
    """Of a recognised word that one of the page's own covers to be the same."""

    row: float = 24.0
    """Points: the height of the strips by which words are found; decides nothing."""


DRAWING = DrawingSettings()


_INVISIBLE = 3  # text rendering mode, ISO 32000-1 table 106


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
    if visible and hidden > SCOPE.hidden * visible:
        # An earlier recognition's layer, with a stamp over it: PDFium's words do not say which of the two they are.
        shown = []
    bad_fonts = _unreadable_fonts(shown)
    kept = [word for word in shown if word.font.name not in bad_fonts and not _unreadable(word.text)]
    if marks.unreadable > SCOPE.mostly:
        kept = []
    characters = sum(len(word.text) for word in shown)
    area, dpi = _pictures(page, marks, objects)
    scanned = (area > SCOPE.scanned_area and characters < SCOPE.few_characters) or (
        not characters and (area > 0 or drawn > 0)
    )
    lost = characters - sum(len(word.text) for word in kept)
    return PageFacts(scanned, lost >= max(SCOPE.fewest_garbled, SCOPE.garbled * characters), kept, dpi)


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
    return {font for font in total if bad[font] >= max(SCOPE.fewest_garbled, SCOPE.garbled * total[font])}


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
            if seen > SCOPE.most_objects:
                return
            raw = pdfium_c.FPDFFormObj_GetObject(form, index) if form else pdfium_c.FPDFPage_GetObject(page, index)
            if raw and pdfium_c.FPDFPageObj_GetType(raw) == pdfium_c.FPDF_PAGEOBJ_FORM:
                if depth < SCOPE.deepest:
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


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page drawn and recognised. a_point: pixels of the upright picture a point; scale: those of the drawing.

    turn: degrees clockwise by which the page was drawn turned, before what recognition turned.
    """

    seen: Seen
    a_point: float
    scale: float
    turn: int


class PdfRecogniser:
    """Recognises pages of one PDF and keeps them, on disk, for the second pass."""

    def __init__(self, ocr: OcrOptions, options: Options) -> None:
        self._ocr = ocr
        self._options = options
        self._sizes = Sizes()
        self._whole: Spool[SeenPage] = Spool()
        self._mixed: Spool[PageMarks] = Spool()

    def read(self, page: pdfium.PdfPage, index: int, marks: PageMarks, objects: PageObjects) -> PageMarks:
        """The page's marks, after recognition where the scope has this page. Raises Refused 190005."""
        facts = facts_of(page, marks, objects)
        if not is_wanted(self._ocr, facts):
            return marks
        if is_whole(facts, marks):
            return self._read_whole(page, index, marks, facts)
        drawn = draw_and_see(page, index, self._ocr.language, facts.dpi, turn=marks.angle, straighten=False)
        if drawn.seen.turn == 0:
            words = beside(facts.kept, words_of(drawn.seen, drawn.a_point, self._sizes))
            marks = PageMarks(
                marks.number,
                marks.width,
                marks.height,
                marks.angle,
                [*facts.kept, *words],
                marks.rules,
                marks.dots,
                marks.pictures,
                outside=marks.outside,
                replaced=sum(not word.glued for word in marks.words) - sum(not word.glued for word in facts.kept),
            )
            self._mixed.put(index, marks)
        return marks

    def laid_out(self, index: int, layout: PageLayout) -> Page | None:
        """A page that was taken from its picture altogether; None for others."""
        return seen_layout(self._whole.get(index), layout, self._options) if index in self._whole else None

    def mixed(self, index: int) -> PageMarks | None:
        """A page that has its own words and recognised ones."""
        return self._mixed.get(index) if index in self._mixed else None

    def _read_whole(self, page: pdfium.PdfPage, index: int, marks: PageMarks, facts: PageFacts) -> PageMarks:
        drawn = draw_and_see(page, index, self._ocr.language, facts.dpi)
        found = page_of(drawn.seen, marks.number, drawn.a_point, self._sizes, self._options)
        found.marks.replaced = sum(not word.glued for word in marks.words)
        self._whole.put(index, found)
        return found.marks


def is_wanted(options: OcrOptions, facts: PageFacts) -> bool:
    """Whether the scope has a page."""
    return options.scope == "ALL" or (options.scans and facts.scanned) or (options.garbled and facts.garbled)


def is_whole(facts: PageFacts, marks: PageMarks) -> bool:
    """Whether a page is to be taken from its picture altogether, as hardly any of its own text can be kept."""
    own = sum(len(word.text) for word in marks.words)
    return facts.scanned or 2 * sum(len(word.text) for word in facts.kept) < own


def draw_and_see(
    page: pdfium.PdfPage, index: int, language: str, dpi: float, *, turn: int = 0, straighten: bool = True
) -> DrawnPage:
    """Draw page `index` and recognise it. dpi: of the page's own picture, 0 for none.

    Raises Refused 190005 when it cannot be drawn.
    """
    scale = (min(max(dpi, DRAWING.least_dpi), RECOGNITION.fine_dpi) if dpi else DRAWING.dpi) / 72
    width, height = page.get_size()
    scale = min(scale, (RECOGNITION.most_pixels / max(width * height, 1.0)) ** 0.5)
    if dpi:  # drawn much larger than its picture a page gains nothing, however large it says it is
        scale = min(scale, max(DRAWING.larger * dpi / 72, DRAWING.least_side / max(width, height)))
    picture = _drawn(page, index, scale, turn)
    seen = see(picture, language, scale * 72, straighten=straighten)
    return DrawnPage(seen, scale * max(seen.picture.shape[:2]) / max(picture.shape[:2]), scale, turn)


def beside(kept: Sequence[Word], found: Sequence[Word]) -> list[Word]:
    """The recognised words that the page's own text does not have already."""
    rows: dict[int, list[Word]] = {}
    for word in kept:
        for row in range(int(word.top // DRAWING.row), int(word.bottom // DRAWING.row) + 1):
            rows.setdefault(row, []).append(word)
    result = []
    for word in found:
        x, y = word.box.center
        near = rows.get(int(y // DRAWING.row), [])
        if not any(
            own.box.holds(x, y, 1.0) or own.box.overlap(word.box) > DRAWING.same_place * word.box.area for own in near
        ):
            result.append(word)
    return result


def _drawn(page: pdfium.PdfPage, index: int, scale: float, turn: int) -> Pixels:
    """A page as RGB pixels, `scale` of them a point, turned clockwise."""
    try:
        bitmap = page.render(scale=scale, rotation=turn, rev_byteorder=True)
        return np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
    except (pdfium.PdfiumError, ValueError, MemoryError):
        raise Refused(
            "190005",
            _(
                "Page {number} cannot be drawn, so its text cannot be recognised. Use pageRanges to get the other "
                "pages.",
                number=index + 1,
            ),
        ) from None
