"""Recognition of PDF pages: drawn, read, and put together with the text that they already have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2 as pdfium

from paperchute.engine.document.model import Page
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.records import PageMarks, Word
from paperchute.engine.reading.ocr.layout import seen_layout
from paperchute.engine.reading.ocr.marks import SeenPage, page_of, words_of
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.records import Pixels, Seen
from paperchute.engine.reading.ocr.scope import PageFacts, facts_of
from paperchute.engine.reading.ocr.sizes import Sizes
from paperchute.engine.reading.ocr.spool import Spool
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.reader import Options
from paperchute.engine.work import Refused
from paperchute.language import _

_DPI = 200.0
_LEAST_DPI, _MOST_DPI = 150.0, 300.0
_MOST_PIXELS = 24_000_000
_LEAST_SIDE = 1_500  # pixels


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
    scale = (min(max(dpi, _LEAST_DPI), _MOST_DPI) if dpi else _DPI) / 72
    width, height = page.get_size()
    scale = min(scale, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    if dpi:  # drawn much larger than its picture a page gains nothing, however large it says it is
        scale = min(scale, max(2 * dpi / 72, _LEAST_SIDE / max(width, height)))
    picture = _drawn(page, index, scale, turn)
    seen = see(picture, language, scale * 72, straighten=straighten)
    return DrawnPage(seen, scale * max(seen.picture.shape[:2]) / max(picture.shape[:2]), scale, turn)


def beside(kept: Sequence[Word], found: Sequence[Word]) -> list[Word]:
    """The recognised words that the page's own text does not have already."""
    rows: dict[int, list[Word]] = {}
    for word in kept:
        for row in range(int(word.top // 24), int(word.bottom // 24) + 1):
            rows.setdefault(row, []).append(word)
    result = []
    for word in found:
        x, y = word.box.center
        near = rows.get(int(y // 24), [])
        if not any(own.box.holds(x, y, 1.0) or own.box.overlap(word.box) > 0.3 * word.box.area for own in near):
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
