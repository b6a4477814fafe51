"""Which pages of a PDF are recognised: scans, and pages whose text cannot be read as characters.

Light enough for workers that never recognise anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.contract.recognition import FEW_CHARACTERS, SCANNED_AREA
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.visible import painted


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Which pages of a PDF are scans, and which have text that cannot be read."""

    most_layers: int = 16
    """Pictures that are asked for their pixels: a bound on work, and a scan has three layers."""

    most_objects: int = 20_000
    """Objects of a page: a bound on work on drawings and hostile pages."""


SCOPE = ScopeSettings()


_INVISIBLE = 3  # text rendering mode, ISO 32000-1 table 106
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x00-\x1f\x7f-\x9f]")
_OPENING, _CLOSING = r"[(\[{\"'“„‘‚«‹¿¡*•§#$€£+–—-]*", r"[)\]}\"'”“’‘»›.,;:!?…%*°€£–—-]*"
_PLAIN = re.compile(
    rf"{_OPENING}(?:"
    r"(?:[^\W\d_]\.)+"  # initials
    r"|[^\W\d_](?:[^\W\d_A-Z]+|[A-Z]+)?(?:['’./&-][^\W\d_](?:[^\W\d_A-Z]+|[A-Z]+)?)*"  # words of one case
    r"|[\d](?:[\d.,:/' \u2019–-]*[\d])?(?:st|nd|rd|th|[A-Za-z])?"  # numbers, dates, times
    r"|[&•–—·|-]"
    rf"){_CLOSING}"
)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a page holds. kept: its visible words that read as characters.

    scanned: a picture covers most of it and there is hardly any visible text, or it shows something and has none.
    layered: an earlier recognition has laid text under it that reads well.
    garbled: part of its visible text has no readable characters. dpi: of the finest of its
    large pictures, 0 for none. own: of a page that is taken from its picture, the legible words of its text and fields.
    """

    scanned: bool
    layered: bool
    garbled: bool
    kept: list[Word]
    dpi: float
    own: Sequence[Word] = ()


def facts_of(page: pdfium.PdfPage, marks: PageMarks, objects: PageObjects) -> PageFacts:
    """Look at a page and at what the reader found on it."""
    visible, hidden, drawn = _counts(page)
    shown = list(marks.words) if visible or not hidden else []
    if visible and hidden > PRINT.several * visible:
        # An earlier recognition's layer, with a stamp over it: PDFium's words do not say which of the two they are.
        shown = []
    area, dpi = _pictures(page, marks, objects)
    if area > SCANNED_AREA and shown and not _reads_well([word.text for word in shown]):
        shown = painted(page, objects, shown)
    bad_fonts = _unreadable_fonts(shown)
    kept = [word for word in shown if word.font.name not in bad_fonts and not _unreadable(word.text)]
    if marks.unreadable > PRINT.half:
        kept = []
    characters = sum(len(word.text) for word in shown)
    scanned = (area > SCANNED_AREA and characters < FEW_CHARACTERS) or (not characters and (area > 0 or drawn > 0))
    lost = characters - sum(len(word.text) for word in kept)
    layered = scanned and not shown and _reads_well([word.text for word in marks.words])
    return PageFacts(scanned, layered, lost >= max(PRINT.some, PRINT.few * characters), kept, dpi)


def needs_a_look(marks: PageMarks) -> bool:
    """Tell if a page may need recognition at all: most pages have text, no large picture and nothing unreadable."""
    if not marks.words or marks.unreadable > 0:
        return True
    if sum(picture.box.area for picture in marks.pictures) > SCANNED_AREA * marks.width * marks.height:
        return True
    return _BAD.search(" ".join([word.text for word in marks.words])) is not None


def _unreadable(text: str) -> int:
    """Return how many characters say nothing: no Unicode value, private use, control codes."""
    return len(_BAD.findall(text))


def _reads_well(texts: Sequence[str]) -> bool:
    """Decide whether the words of a layer are words, numbers and signs as people write them.

    What is not of a script with letter case cannot be judged by its letters, and is believed.
    """
    tokens = [text for text in texts if not text.isspace()]
    if sum(map(len, tokens)) < FEW_CHARACTERS:
        return False
    odd = sum(1 for token in tokens if not _PLAIN.fullmatch(token) or _BAD.search(token))
    return odd < PRINT.part * len(tokens)  # well recognised pages, tables of figures among them, have up to 0.2


def _unreadable_fonts(words: Sequence[Word]) -> set[str]:
    """Fonts of which part of the characters is lost: the others are right by chance only."""
    total: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for word in words:
        total[word.font.name] += len(word.text)
        bad[word.font.name] += _unreadable(word.text)
    return {font for font in total if bad[font] >= max(PRINT.some, PRINT.few * total[font])}


def _counts(page: pdfium.PdfPage) -> tuple[int, int, int]:
    """Return how many text objects are visible and invisible, how many other things are drawn."""
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
                if depth < PRINT.sample:
                    stack.append((raw, depth + 1))
            elif raw:
                yield raw


def _pictures(page: pdfium.PdfPage, marks: PageMarks, objects: PageObjects) -> tuple[float, float]:
    """Return which share of the page pictures cover, and the pixels per inch of the finest of the largest.

    Scans that are kept small lay fine ink over coarse paper (mixed raster content, ISO/IEC 16485): the ink counts.
    """
    if not marks.pictures:
        return 0.0, 0.0
    by_area = sorted(marks.pictures, key=lambda picture: -picture.box.area)[: SCOPE.most_layers]
    large = [picture for picture in by_area if picture.box.area >= PRINT.half * by_area[0].box.area]
    dpi = 0.0
    for picture in large:
        image = pdfium.PdfImage(objects.images[picture.key], page=page, pdf=page.pdf)
        dpi = max(dpi, max(image.get_px_size()) * 72 / max(picture.box.width, picture.box.height, 1.0))
    # Strips of one scan lie side by side; where pictures lie over each other, the page is covered all the same.
    covered = sum(picture.box.area for picture in marks.pictures) / max(marks.width * marks.height, 1.0)
    return min(covered, 1.0), dpi


def is_wanted(options: OcrOptions, facts: PageFacts) -> bool:
    """Decide whether the scope has a page."""
    if options.automatic and facts.layered and not facts.garbled:
        return False
    return options.scope == "ALL" or (options.scans and facts.scanned) or (options.garbled and facts.garbled)


def is_whole(facts: PageFacts, marks: PageMarks) -> bool:
    """Decide whether a page is to be taken from its picture altogether, as hardly any of its own text can be kept."""
    own = sum(len(word.text) for word in marks.words)
    return facts.scanned or 2 * sum(len(word.text) for word in facts.kept) < own
