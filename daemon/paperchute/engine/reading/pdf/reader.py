"""The born-digital PDF reader: a file in, a `Document` out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.model import Block, Bookmark, Document, Facts, Note, Page
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.plain import plain_blocks
from paperchute.engine.reading.layout.records import PageMarks
from paperchute.engine.reading.layout.survey import Survey, normal
from paperchute.engine.reading.pdf.chars import read_words, upright_turn
from paperchute.engine.reading.pdf.fonts import Fonts
from paperchute.engine.reading.pdf.links import mark_links, read_notes
from paperchute.engine.reading.pdf.looks import backdrop_of, inked, text_hidden
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.pictures import picture_of, read_image
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.work import Refused

_WORDS_KEPT = 60_000
"""Words that stay in memory between the two passes, some 150 pages; later pages are read twice."""
_MOST_OUTLINE = 5_000
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Options:
    """What to read. `layout` off: no analysis, lines from top to bottom. `formulas`: displayed formulas as pictures.
    `looks`: the page's look, as `Page.backdrop` and the colours of text; pictures are part of it then, no blocks."""

    layout: bool = True
    images: bool = True
    backgrounds: bool = True
    notes: bool = True
    formulas: bool = False
    looks: bool = False


def read_pdf(document: pdfium.PdfDocument, pages: Sequence[int], options: Options) -> Document:
    """The document model of the 0-based `pages` of an open PDF, in that order; pages are read as they are walked.

    Raises Refused 02207 for a damaged page.
    """
    reader = _Reader(document, options)
    outline = _outline(document)
    survey = Survey({(mark.page, normal(mark.title)): mark.level for mark in outline})
    for index in dict.fromkeys(pages):
        reader.survey(index, survey)
    norms = survey.norms()
    title = (document.get_metadata_dict().get("Title") or "").strip()
    facts = Facts(len(document), title, norms.body_size, outline, _language(document))
    return Document(facts, reader.pages(pages, PageLayout(norms)))


class _Reader:
    def __init__(self, document: pdfium.PdfDocument, options: Options) -> None:
        self._document = document
        self._options = options
        self._fonts = Fonts()
        self._kept: dict[int, PageMarks] = {}
        self._room = _WORDS_KEPT

    def survey(self, index: int, survey: Survey) -> None:
        """First pass over one page."""
        with self._opened(index) as page:
            marks, _, _ = self._marks(page, index)
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
        notes: tuple[Note, ...] = read_notes(page, view) if self._options.notes else ()
        backdrop = None
        if self._options.looks:
            inks = text_hidden(objects, view)
            blocks = inked(blocks, inks)
            backdrop = backdrop_of(page, view, objects, self._options.images, self._options.notes)
        return Page(marks.number, marks.width, marks.height, marks.angle, tuple(blocks), notes, backdrop)

    def _image(self, page: pdfium.PdfPage, block: Block, raw: Any, view: View) -> Block | None:
        if not self._options.images or self._options.looks or (block.background and not self._options.backgrounds):
            return None
        image = read_image(page, raw, block.quad.box, view)
        return replace(block, image=image) if image else None

    def _marks(self, page: pdfium.PdfPage, index: int) -> tuple[PageMarks, View, PageObjects]:
        """Words and links of a page; its objects still to be walked."""
        marks = self._kept.pop(index, None)
        if marks is None:
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


def _language(document: pdfium.PdfDocument) -> str:
    """The language the document says it is in (ISO 32000-1, 14.9.2)."""
    length = pdfium_c.FPDFCatalog_GetLanguage(document, None, 0)
    if not 2 < length < 100:
        return ""
    buffer = (pdfium_c.FPDF_WCHAR * (length // 2))()
    pdfium_c.FPDFCatalog_GetLanguage(document, buffer, length)
    text = bytes(buffer).decode("utf-16-le", "replace").split("\0", 1)[0].strip()
    return text if _LANGUAGE.fullmatch(text) else ""


def _outline(document: pdfium.PdfDocument) -> tuple[Bookmark, ...]:
    """The document's outline as far as it points to pages; titles without letters or digits are left out."""
    found: list[Bookmark] = []
    for bookmark in document.get_toc():
        if len(found) >= _MOST_OUTLINE:
            break
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        title = " ".join(bookmark.get_title().split())
        if index is not None and normal(title):
            found.append(Bookmark(min(bookmark.level + 1, 6), title, index + 1))
    return tuple(found)
