"""The born-digital PDF reader: a file in, a `Document` out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import pypdfium2 as pdfium

from paperchute.engine.document.model import Block, Document, Facts, Page
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.plain import plain_blocks
from paperchute.engine.reading.layout.records import PageMarks
from paperchute.engine.reading.layout.survey import Survey, normal
from paperchute.engine.reading.pdf.chars import read_words, upright_turn
from paperchute.engine.reading.pdf.fonts import Fonts
from paperchute.engine.reading.pdf.links import mark_links, read_notes
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.pictures import picture_of, read_image
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.work import Refused

_WORDS_KEPT = 60_000
"""Words that stay in memory between the two passes, some 150 pages; later pages are read twice."""
_MOST_OUTLINE = 5_000


@dataclass(frozen=True, slots=True)
class Options:
    """What to read. `layout` off: no analysis, lines from top to bottom. `formulas`: displayed formulas as pictures."""

    layout: bool = True
    images: bool = True
    backgrounds: bool = True
    notes: bool = True
    formulas: bool = False


class Recogniser(Protocol):
    """Text recognition of pages (`reading.ocr.pdfpages`)."""

    def read(self, page: pdfium.PdfPage, index: int, marks: PageMarks, view: View) -> PageMarks:
        """The marks of page `index`, recognised where that is wanted; its own where not."""

    def mixed(self, index: int) -> PageMarks | None:
        """The words of a page read before that has recognised ones beside its own."""

    def laid_out(self, index: int, layout: PageLayout) -> Page | None:
        """A page read before that was recognised as a whole."""


def read_pdf(
    document: pdfium.PdfDocument, pages: Sequence[int], options: Options, recogniser: Recogniser | None = None
) -> Document:
    """The document model of the 0-based `pages` of an open PDF, in that order; pages are read as they are walked.

    Raises Refused: 02207 for a damaged page, 190005 when recognition fails.
    """
    reader = _Reader(document, options, recogniser)
    survey = Survey(_outline(document))
    for index in dict.fromkeys(pages):
        reader.survey(index, survey)
    norms = survey.norms()
    title = (document.get_metadata_dict().get("Title") or "").strip()
    facts = Facts(len(document), title, norms.body_size)
    return Document(facts, reader.pages(pages, PageLayout(norms)))


class _Reader:
    def __init__(self, document: pdfium.PdfDocument, options: Options, recogniser: Recogniser | None) -> None:
        self._document = document
        self._options = options
        self._recogniser = recogniser
        self._fonts = Fonts()
        self._kept: dict[int, PageMarks] = {}
        self._room = _WORDS_KEPT

    def survey(self, index: int, survey: Survey) -> None:
        """First pass over one page."""
        with self._opened(index) as page:
            marks = self._words(page, index)
            if self._recogniser is not None:
                marks = self._recogniser.read(page, index, marks, View.of(page, marks.angle))
        survey.add(marks.number, marks.height, _lines(marks))
        if len(marks.words) <= self._room:
            self._room -= len(marks.words)
            self._kept[index] = marks

    def pages(self, indices: Sequence[int], layout: PageLayout) -> Iterator[Page]:
        """Second pass."""
        for index in indices:
            with self._opened(index) as page:
                yield self._page(page, index, layout)

    @contextmanager
    def _opened(self, index: int) -> Iterator[pdfium.PdfPage]:
        """One page; raises Refused 02207 when it is damaged, as leaving it out would lose text silently."""
        try:
            page = self._document[index]
        except pdfium.PdfiumError:
            raise Refused(
                "02207", f"Page {index + 1} is damaged and cannot be read; the rest can be had with pageRanges."
            ) from None
        try:
            yield page
        finally:
            page.close()

    def _page(self, page: pdfium.PdfPage, index: int, layout: PageLayout) -> Page:
        if self._recogniser is not None:
            recognised = self._recogniser.laid_out(index, layout)
            if recognised is not None:
                notes = read_notes(page, View.of(page, recognised.angle)) if self._options.notes else ()
                return replace(recognised, notes=notes)
        marks, view, objects = self._marks(page, index)
        objects.read_into(marks)
        laid = layout.blocks(marks) if self._options.layout else plain_blocks(marks, layout.norms.hyphens)
        blocks = []
        for item in laid:
            block: Block | None = item.block
            if item.picture is not None:
                block = self._image(page, item.block, objects.images[item.picture], view)
            elif item.block.kind == "formula" and self._options.formulas:
                picture = picture_of(page, item.block.quad.box.grown(3.0), view)
                block = replace(item.block, image=picture)
            if block is not None:
                blocks.append(block)
        notes = read_notes(page, view) if self._options.notes else ()
        return Page(marks.number, marks.width, marks.height, marks.angle, tuple(blocks), notes)

    def _image(self, page: pdfium.PdfPage, block: Block, raw: Any, view: View) -> Block | None:
        if not self._options.images or (block.background and not self._options.backgrounds):
            return None
        image = read_image(page, raw, block.quad.box, view)
        return replace(block, image=image) if image else None

    def _marks(self, page: pdfium.PdfPage, index: int) -> tuple[PageMarks, View, PageObjects]:
        """Words and links of a page; its objects still to be walked."""
        marks = self._kept.pop(index, None) or (self._recogniser and self._recogniser.mixed(index))
        if not marks:
            marks = self._words(page, index)
        view = View.of(page, marks.angle)
        return marks, view, PageObjects(page, view)

    def _words(self, page: pdfium.PdfPage, index: int) -> PageMarks:
        view = View.of(page)
        textpage = page.get_textpage()
        try:
            words = read_words(textpage, view, self._fonts)
            turn = upright_turn(words)
            if turn:
                view = View.of(page, turn)
                words = read_words(textpage, view, self._fonts)
        finally:
            textpage.close()
        mark_links(self._document, page, view, words)
        return PageMarks(index + 1, view.width, view.height, turn, words)


def _lines(marks: PageMarks) -> list[TextLine]:
    return segments([word for word in marks.words if word.angle == 0])


def _outline(document: pdfium.PdfDocument) -> dict[tuple[int, str], int]:
    """The document's outline as (page number, normalised title) to level from 1."""
    found: dict[tuple[int, str], int] = {}
    for bookmark in document.get_toc():
        if len(found) >= _MOST_OUTLINE:
            break
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        title = normal(bookmark.get_title())
        if index is not None and title:
            found[index + 1, title] = min(bookmark.level + 1, 6)
    return found
