"""Recognition of PDF pages for text layers: words, and the map to the page's own coordinates."""

from __future__ import annotations

import pypdfium2 as pdfium

from paperchute.engine.document.model import Page
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.ocr.layers import ReadPage, colours_of, to_user
from paperchute.engine.reading.ocr.layout import seen_layout
from paperchute.engine.reading.ocr.marks import page_of, words_of
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.pdfpages import beside, draw_and_see, is_wanted, is_whole
from paperchute.engine.reading.ocr.scope import facts_of
from paperchute.engine.reading.ocr.sizes import Sizes
from paperchute.engine.reading.ocr.spool import Spool
from paperchute.engine.reading.pdf.fonts import Fonts
from paperchute.engine.reading.pdf.opening import opened_page
from paperchute.engine.reading.pdf.reader import Options, read_marks


class EditableReader:
    """First `read` for every page wanted, then `page` and `laid`. scans: indices of pages found to be scans.

    colours: take down the colours of ink and paper.
    """

    def __init__(self, document: pdfium.PdfDocument, ocr: OcrOptions, options: Options, *, colours: bool) -> None:
        self._document = document
        self._ocr = ocr
        self._options = options
        self._colours = colours
        self._fonts = Fonts()
        self._sizes = Sizes()
        self._survey = Survey()
        self._spool: Spool[ReadPage] = Spool()
        self._layout: PageLayout | None = None
        self.scans: set[int] = set()

    def read(self, index: int) -> None:
        """Recognise page `index`, if the scope has it. Raises Refused: 02207 damaged, 190005."""
        with opened_page(self._document, index) as page:
            self._read(page, index)

    def page(self, index: int) -> ReadPage | None:
        """What was recognised on a page, None for pages out of the scope."""
        return self._spool.get(index) if index in self._spool else None

    def laid(self, index: int) -> Page | None:
        """A page through layout, None where there is none: it was not wanted, or the page has text of its own."""
        read = self.page(index)
        if read is None or read.page is None or not self._options.layout:
            return None
        if self._layout is None:
            self._layout = PageLayout(self._survey.norms())
        return seen_layout(read.page, self._layout, self._options)

    def _read(self, page: pdfium.PdfPage, index: int) -> None:
        marks, objects = read_marks(self._document, page, index, self._fonts)
        facts = facts_of(page, marks, objects)
        if not is_wanted(self._ocr, facts):
            return
        whole = is_whole(facts, marks)
        drawn = draw_and_see(
            page, index, self._ocr.language, facts.dpi, turn=0 if whole else marks.angle, straighten=whole
        )
        seen = drawn.seen
        if whole:
            found = page_of(seen, index + 1, drawn.a_point, self._sizes, self._options, background=False)
            upright = [word for word in found.marks.words if word.angle == 0]
            self._survey.add(index + 1, found.marks.height, segments(upright))
            words = found.marks.words
        else:
            found = None
            words = beside(facts.kept, words_of(seen, drawn.a_point, self._sizes)) if seen.turn == 0 else []
        if facts.scanned:
            self.scans.add(index)
        colours = colours_of(seen.picture, drawn.a_point, words) if self._colours else []
        silence = whole and not facts.scanned
        self._spool.put(index, ReadPage(words, found, to_user(page, drawn), colours, silence))
