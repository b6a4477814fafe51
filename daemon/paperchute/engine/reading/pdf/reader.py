"""The born-digital PDF reader: a file in, a `Document` out."""

from __future__ import annotations

import pickle
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine import ledger
from paperchute.engine.document.model import Block, Bookmark, Document, Facts, Note, Page, Trait
from paperchute.engine.reading.layout.backgrounds import is_background
from paperchute.engine.reading.layout.blocks import DRAWN, Placed
from paperchute.engine.reading.layout.colours import add_inks
from paperchute.engine.reading.layout.directions import turned_lines, with_stacked
from paperchute.engine.reading.layout.figures import labels_of_figures
from paperchute.engine.reading.layout.initials import with_initials
from paperchute.engine.reading.layout.justified import with_justified
from paperchute.engine.reading.layout.line_numbers import take_line_numbers
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import PageMarks, Word, placed_words
from paperchute.engine.reading.layout.outline import Outline, normal
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.plain import plain_blocks
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.layout.tick_boxes import read_tick_boxes
from paperchute.engine.reading.pdf.annotations import covering, mark_links, read_notes, traits_of
from paperchute.engine.reading.pdf.chars import PageText
from paperchute.engine.reading.pdf.document import OpenPdf, opened_page
from paperchute.engine.reading.pdf.field_values import HELD, unshown, without_ticks
from paperchute.engine.reading.pdf.fields import read_filled
from paperchute.engine.reading.pdf.flat_text import widen
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.pictures import (
    backdrop_of,
    hide_pictures,
    inked,
    picture_of,
    read_image,
    text_hidden,
)
from paperchute.engine.reading.pdf.spelling import UNREADABLE
from paperchute.engine.reading.pdf.structure import read_structure
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.reading.pdf.view import View, upright_turn
from paperchute.engine.reading.pdf.visible import count_unseen, take_unseen
from paperchute.engine.report import counted

_MARKS_KEPT = 8_000
"""Words and rules that stay in memory as they are between the two passes, some 20 to 40 pages in 4 MB; those of
later pages are packed."""
_BYTES_PACKED = 32 << 20
"""Of packed pages, of which a word takes some 30: a million words. Later pages are read twice."""
_MOST_OPENED = 25
"""Pages after which the file is opened anew: PDFium keeps some 10 MB of each 100. It takes no longer than after 100."""
_MOST_OUTLINE = 5_000  # entries: a bound on work on hostile files
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Options:
    """What to read.

    `layout` off: no analysis, lines from top to bottom. `formulas`: displayed formulas as pictures. `looks`: the
    page's look, as `Page.backdrop` and the colours of text; pictures are part of it then, no blocks. `margins`:
    heads, feet and page numbers are told apart; off where they are to stay in the text, and for pages that we
    print. `line_numbers`: those in the margin are told apart; off for pages that we print. `inks`: colours of text
    and of what is behind it, and lines under and through it, for text that flows. `words`: with the words at their
    places (`Page.words`), and without those that nobody sees.
    """

    layout: bool = True
    images: bool = True
    backgrounds: bool = True
    notes: bool = True
    formulas: bool = False
    looks: bool = False
    inks: bool = False
    margins: bool = True
    line_numbers: bool = True
    words: bool = False


class Recogniser(Protocol):
    """Text recognition of pages (`reading.ocr.selective`)."""

    def read(
        self, page: pdfium.PdfPage, index: int, marks: PageMarks, objects: PageObjects, filled: Sequence[Word]
    ) -> PageMarks:
        """The marks of page `index`, recognised where that is wanted; its own where not.

        filled: words that were filled in, which are among the recognised ones.
        """

    def mixed(self, index: int) -> PageMarks | None:
        """The words of a page read before that has recognised ones beside its own."""

    def laid_out(self, index: int, layout: PageLayout) -> Page | None:
        """A page read before that was recognised as a whole."""


def read_pdf(
    document: OpenPdf, pages: Sequence[int], options: Options, recogniser: Recogniser | None = None
) -> Document:
    """The document model of the 0-based `pages` of an open PDF, in that order; pages are read as they are walked.

    Of long documents it is closed on the way, and another opened for it.

    Raises Refused: 02207 for a damaged page, 190005 when recognition fails.
    """
    outline, count, language = read_outline(document), len(document), _language(document)
    title = _CONTROL.sub(" ", document.get_metadata_value("Title")).strip()
    reader = _Reader(document, options, recogniser)
    survey = Survey(Outline({(mark.page, normal(mark.title)): mark.level for mark in outline}))
    different = list(dict.fromkeys(pages))
    # Without recognition the first pass is the quick one, and whoever walks the pages counts.
    for index in different if recogniser is None else counted(different, len(different)):
        reader.survey(index, survey)
    norms = survey.norms()
    facts = Facts(count, title, norms.body_size, outline, language, survey.languages.result)
    layout = PageLayout(norms, not options.looks, options.margins, options.images)
    return Document(facts, reader.pages(pages, layout))


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What was read of one page: its marks, its upright words in lines, its notes; words that were filled in.

    traits: `Page.traits`.
    """

    marks: PageMarks
    lines: list[TextLine]
    notes: tuple[Note, ...]
    filled: list[Word] = field(default_factory=list)
    traits: frozenset[Trait] = frozenset()

    def recognised(self, marks: PageMarks | None) -> _Sheet:
        """The sheet with the marks that recognition gives; None where it read nothing.

        What was filled in is among these, or counts to the words of the page itself.
        """
        if marks is None or self.marks.has_own:
            marks = self.marks
        if self.filled and (marks is self.marks or marks.has_own):
            marks = replace(marks, words=[*marks.words, *self.filled])
        return self if marks is self.marks else _Sheet(marks, _lines(marks), self.notes, traits=self.traits)


class _Reader:
    def __init__(self, document: OpenPdf, options: Options, recogniser: Recogniser | None) -> None:
        self._document = document
        self._options = options
        self._recogniser = recogniser
        self._fonts = Fonts()
        self._opened = 0
        self._kept: dict[int, _Sheet] = {}
        self._room = _MARKS_KEPT
        self._packed: dict[int, bytes] = {}
        self._packed_room = _BYTES_PACKED

    def survey(self, index: int, survey: Survey) -> None:
        """First pass over one page."""
        with self._page_of(index) as page:
            sheet, objects = self._sheet(page, index)
            recogniser = self._recogniser
            found = recogniser.read(page, index, sheet.marks, objects, sheet.filled) if recogniser is not None else None
            sheet = sheet.recognised(found)
        lines = sheet.lines + _vertical(sheet.marks)
        figures = self._options.layout and not self._options.looks
        survey.add(
            index + 1, sheet.marks.height, lines, labels_of_figures(lines, sheet.marks) if figures else frozenset()
        )
        self._keep(index, sheet)

    def pages(self, indices: Sequence[int], layout: PageLayout) -> Iterator[Page]:
        """Second pass."""
        try:
            for index in indices:
                yield self._page(index, layout)
        finally:
            self._document.close()

    def _page_of(self, index: int) -> AbstractContextManager[pdfium.PdfPage]:
        """A page, opened while no other is; at times in the file opened anew."""
        if self._opened == _MOST_OPENED:
            self._document, self._fonts, self._opened = self._document.renewed(), Fonts(), 0
        self._opened += 1
        return opened_page(self._document, index)

    def _keep(self, index: int, sheet: _Sheet) -> None:
        """Keep what was read of a page for the second pass, as far as there is room."""
        size = len(sheet.marks.words) + len(sheet.marks.rules)
        if size <= self._room:
            self._room -= size
            self._kept[index] = sheet
            return
        packed = zlib.compress(pickle.dumps(sheet), zlib.Z_BEST_SPEED) if self._packed_room > 0 else b""
        if packed:
            self._packed_room -= len(packed)
            self._packed[index] = packed

    def _taken(self, index: int) -> _Sheet | None:
        """Return what was kept of a page, which is not any more."""
        packed = self._packed.pop(index, None)
        if packed is None:
            return self._kept.pop(index, None)
        sheet: _Sheet = pickle.loads(zlib.decompress(packed))  # from `_keep`
        return sheet

    def _page(self, index: int, layout: PageLayout) -> Page:
        """The page is opened (again) only where pictures must be taken from it."""
        with ExitStack() as stack:
            sheet, objects, page = self._taken(index), None, None
            if sheet is None:
                page = stack.enter_context(self._page_of(index))
                sheet, objects = self._sheet(page, index)
            mixed = None
            if self._recogniser is not None:
                whole = self._recogniser.laid_out(index, layout)
                if whole is not None:
                    return replace(whole, notes=self._notes_of(index, whole, sheet.notes), traits=sheet.traits)
                mixed = self._recogniser.mixed(index)
            sheet = sheet.recognised(mixed)
            marks = sheet.marks
            placed = (
                layout.blocks(marks, sheet.lines) if self._options.layout else plain_blocks(marks, layout.norms.hyphens)
            )
            if self._options.looks or any(map(self._needs_page, placed)):
                page = page or stack.enter_context(self._page_of(index))
                objects = objects or PageObjects(page, View.of(page, marks.angle))
                placed = [
                    Placed(block) for item in placed if (block := self._pictured(item, page, objects)) is not None
                ]
            blocks = [item.block for item in placed if item.picture is None]
            backdrop = None
            if self._options.looks and page is not None and objects is not None:
                blocks = inked(blocks, text_hidden(objects, objects.view))
                if self._recogniser is not None and not self._options.backgrounds:
                    hide_pictures(objects, (p.key for p in marks.pictures if is_background(p, marks)))
                backdrop = backdrop_of(page, objects.view, objects, self._options.images, self._options.notes)
        words = placed_words(marks) if self._options.words else ()
        ledger.account(marks, blocks)
        return Page(
            *(marks.number, marks.width, marks.height, marks.angle, tuple(blocks), sheet.notes, backdrop, words),
            recognised=mixed is not None,
            unseen=marks.unseen,
            hidden=marks.hidden,
            unread_pictures=marks.unread_pictures,
            unreadable=marks.unreadable > 0 or UNREADABLE in "".join([word.text for word in marks.words]),
            traits=sheet.traits,
            shapes=tuple(marks.shapes) if self._options.inks else (),
        )

    def _notes_of(self, index: int, whole: Page, notes: Sequence[Note]) -> tuple[Note, ...]:
        """The notes of a page that recognition may have turned."""
        if not notes:
            return ()
        with opened_page(self._document, index) as page:
            return *read_notes(page, View.of(page, whole.angle)), *(note for note in notes if note.kind == HELD)

    def _needs_page(self, item: Placed) -> bool:
        if item.picture is not None:
            wanted = self._options.images and not self._options.looks
            return wanted and (self._options.backgrounds or not item.block.background)
        return self._options.formulas and item.block.kind == "formula"

    def _pictured(self, item: Placed, page: pdfium.PdfPage, objects: PageObjects) -> Block | None:
        """The block with its picture; None when it is nothing but a picture and is not wanted or cannot be had."""
        block = item.block
        if not self._needs_page(item):
            return block if item.picture is None else None
        if item.picture is None:
            return replace(block, image=picture_of(page, block.quad.box.grown(3.0), objects.view))
        if item.picture == DRAWN:
            image = picture_of(page, block.quad.box.grown(2.0), objects.view)
        else:
            image = read_image(page, objects, item.picture, block.quad.box)
        return replace(block, image=image) if image else None

    def _sheet(self, page: pdfium.PdfPage, index: int) -> tuple[_Sheet, PageObjects]:
        options = self._options
        inks = options.inks or options.looks or options.words
        marks, objects = read_marks(self._document, page, index, self._fonts, inks, seen=options.words)
        if options.inks:
            add_inks(marks)
        if options.layout:
            if options.line_numbers:
                take_line_numbers(marks)
            if not options.looks:  # else they are part of the look
                read_tick_boxes(marks)
        # Where the look of a page is wanted, stamps are part of it.
        filled = read_filled(self._document, page, index, objects.view, options.notes and not options.looks)
        if options.words and filled:
            added = replace(marks, words=filled, unseen=0)
            take_unseen(page, objects.view, added)
            filled, marks.unseen = added.words, marks.unseen + added.unseen
        if filled:
            marks.words = without_ticks(marks.words, filled)
        held = unshown(self._document, page, objects.view, filled)
        notes = (*read_notes(page, objects.view), *held) if options.notes else ()
        return _Sheet(marks, _lines(marks), notes, filled, _traits(page, held, marks)), objects


def read_marks(
    document: OpenPdf, page: pdfium.PdfPage, index: int, fonts: Fonts, inks: bool = False, seen: bool = False
) -> tuple[PageMarks, PageObjects]:
    """Return what stands on page `index` (0-based) of a document, turned so that most of its text is upright.

    inks: with the colours of words; seen: only what can be seen.
    """
    text, marks, view = _text_of(document, page, index, fonts, inks)
    objects = PageObjects(page, view, text.objects)
    if widen(objects.left_out):
        again = _text_of(document, page, index, fonts, inks)
        if _letters(again[1]) > _letters(marks):  # else these were spaces, which stay what PDFium made of the gaps
            text, marks, view = again
            objects = PageObjects(page, view, text.objects)
    objects.read_into(marks)
    if seen:
        take_unseen(page, view, marks)
    else:
        covers = [objects.view.box] if document.hides_layers else [*objects.covers(), *covering(page, view)]
        marks.hidden = count_unseen(page, objects, marks, text.pale, covers)
    if pdfium_c.FPDFCatalog_IsTagged(document):
        marks.tables = read_structure(page).applied(marks.words)
    return marks, objects


def _text_of(
    document: OpenPdf, page: pdfium.PdfPage, index: int, fonts: Fonts, inks: bool
) -> tuple[PageText, PageMarks, View]:
    """The text of a page, its words as marks, and the view in which most of them are upright."""
    view = View.of(page)
    tagged = bool(pdfium_c.FPDFCatalog_IsTagged(document))
    textpage = page.get_textpage()
    try:
        text = PageText(textpage, fonts, tagged, inks, partial(document.glyphs.of, index))
        words = with_stacked(text.words(view))
        turn = upright_turn(words)
        if turn:
            view = View.of(page, turn)
            words = with_stacked(text.words(view))
        unreadable = text.unreadable()
    finally:
        textpage.close()
    mark_links(document, page, view, words)
    marks = PageMarks(index + 1, view.width, view.height, turn, words, unreadable=unreadable, outside=text.outside)
    return text, marks, view


def _traits(page: pdfium.PdfPage, held: Sequence[Note], marks: PageMarks) -> frozenset[Trait]:
    more: set[Trait] = {"unshown_values"} if held else set()
    return frozenset(traits_of(page) | more | ({"outside"} if marks.outside else set()))


def _letters(marks: PageMarks) -> int:
    return sum(len(word.text) for word in marks.words) + marks.outside


def _lines(marks: PageMarks) -> list[TextLine]:
    return with_initials(with_justified(segments([word for word in marks.words if word.angle == 0])))


def _vertical(marks: PageMarks) -> list[TextLine]:
    """The lines of vertical writing."""
    turned = [word for word in marks.words if word.angle == 90]
    return turned_lines(turned) if any(word.stacked for word in turned) else []


def _language(document: pdfium.PdfDocument) -> str:
    """The language the document says it is in (ISO 32000-1, 14.9.2)."""
    length = pdfium_c.FPDFCatalog_GetLanguage(document, None, 0)
    if not 2 < length < 100:
        return ""
    buffer = (pdfium_c.FPDF_WCHAR * (length // 2))()
    pdfium_c.FPDFCatalog_GetLanguage(document, buffer, length)
    text = bytes(buffer).decode("utf-16-le", "replace").split("\0", 1)[0].strip()
    return text if _LANGUAGE.fullmatch(text) else ""


def read_outline(document: pdfium.PdfDocument) -> tuple[Bookmark, ...]:
    """Read the outline as far as it points to pages; titles without letters or digits are left out."""
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
