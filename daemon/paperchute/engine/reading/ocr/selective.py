"""Recognition of the pages that are to be recognised. Its networks are loaded with the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pypdfium2 as pdfium

from paperchute.engine.document.model import Page
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.ocr.gaps import places_of_gaps
from paperchute.engine.reading.ocr.insets import text_pictures
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.scope import facts_of, is_wanted, is_whole, needs_a_look
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.reader import Options
from paperchute.engine.reading.pdf.visible import legible

if TYPE_CHECKING:  # a worker that only reads PDFs never loads the large libraries
    from paperchute.engine.reading.ocr.pdf_pages import PdfRecogniser


class SelectiveRecogniser:
    """The reader's `Recogniser` for one PDF: looks at each page and has those recognised that the scope has."""

    def __init__(self, ocr: OcrOptions, options: Options) -> None:
        self._ocr = ocr
        self._options = options
        self._recogniser: PdfRecogniser | None = None

    def read(
        self, page: pdfium.PdfPage, index: int, marks: PageMarks, objects: PageObjects, filled: Sequence[Word]
    ) -> PageMarks:
        """The page's marks, after recognition where the scope has this page. Raises Refused 190005."""
        if not self._ocr.automatic or needs_a_look(marks):
            facts = facts_of(page, marks, objects)
            if is_wanted(self._ocr, facts):
                own = legible(page, objects, [*facts.kept, *filled]) if is_whole(facts, marks) else []
                return self._loaded().read(page, index, marks, replace(facts, own=own), filled)
            if facts.layered:
                return marks
            if self._ocr.garbled and (places := places_of_gaps(marks.words)):
                marks = self._loaded().fill_gaps(page, index, marks, places)
        if not self._ocr.automatic or not marks.pictures or not marks.words:
            return marks
        pictures = text_pictures(page, marks)
        return self._loaded().read_insets(page, index, marks, pictures) if pictures else marks

    def _loaded(self) -> PdfRecogniser:
        if self._recogniser is None:
            from paperchute.engine.reading.ocr.pdf_pages import PdfRecogniser

            self._recogniser = PdfRecogniser(self._ocr, self._options)
        return self._recogniser

    def laid_out(self, index: int, layout: PageLayout) -> Page | None:
        """A page that was taken from its picture altogether; None for others."""
        return self._recogniser.laid_out(index, layout) if self._recogniser is not None else None

    def mixed(self, index: int) -> PageMarks | None:
        """A page that has its own words and recognised ones."""
        return self._recogniser.mixed(index) if self._recogniser is not None else None
