"""The first pages of a stack's documents, looked for in a PDF, and what a person is asked about them."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.contract.questions import PageAsked, Question
from paperchute.engine.extraction.first_pages import FirstPage, first_pages
from paperchute.engine.reading.ocr.options import AUTO, OcrOptions
from paperchute.engine.reading.ocr.selective import SelectiveRecogniser
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.work import Work
from paperchute.language import _


def found_in(work: Work) -> list[FirstPage]:
    """Find the first pages behind the first one; scans are recognised. Raises Refused as reading does."""
    source = work.sources[0]
    options = Options(images=False, backgrounds=False, notes=False, words=True)
    ocr = OcrOptions(AUTO, "INVALID_CHARACTER_AND_SCAN_PAGE", automatic=True)
    with opened(source.path, source.name, work.text("password")) as document:
        return first_pages(read_pdf(document, range(len(document)), options, SelectiveRecogniser(ocr, options)).pages)


def question_of(found: Sequence[FirstPage], count: int) -> Question:
    """Ask for the first pages of a stack of `count` pages, of which some were found."""
    pages = [PageAsked(1, _("the first page of the stack"), proposed=True)]
    pages += [PageAsked(one.index + 1, "; ".join(one.reasons), proposed=True) for one in found]
    reason = _("These pages look like the first of a document. Nothing is split before you say so.")
    return Question("firstPages", reason, count, count, tuple(pages), any_page=True)
