"""Recognition of PDF pages: how they are drawn, and what comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pypdfium2 as pdfium

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN, Page
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.layout.marks import Ink, PageMarks, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.ocr import recognised
from paperchute.engine.reading.ocr.gaps import with_gaps_filled
from paperchute.engine.reading.ocr.insets import INSETS, Grey, drawn_part, is_text
from paperchute.engine.reading.ocr.marks import SeenPage, Spool, page_of, seen_layout, words_of
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.page import RECOGNITION, see
from paperchute.engine.reading.ocr.recognised import Pixels, Seen
from paperchute.engine.reading.ocr.scope import PageFacts, is_whole
from paperchute.engine.reading.ocr.styles import Sizes
from paperchute.engine.reading.pdf.reader import Options
from paperchute.engine.reading.pdf.spelling import UNREADABLE
from paperchute.engine.work import Refused
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class DrawingSettings:
    """How pages of PDFs are drawn to be recognised."""

    dpi: float = 200.0
    """Pixels per inch of a page without pictures: common type is then 30 pixels high."""

    least_side: int = 1_500
    """Pixels of the long side: up to it pages are drawn larger than their pictures."""


DRAWING = DrawingSettings()


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
        self._insets: dict[bytes, list[Word] | None] = {}

    def read(
        self, page: pdfium.PdfPage, index: int, marks: PageMarks, facts: PageFacts, filled: Sequence[Word]
    ) -> PageMarks:
        """The marks of a page after recognition. filled: words that were filled in. Raises Refused 190005."""
        if is_whole(facts, marks):
            return self._read_whole(page, index, marks, facts)
        drawn = draw_and_see(page, index, self._ocr.language, facts.dpi, turn=marks.angle, straighten=False)
        if drawn.seen.turn == 0:
            own = [*facts.kept, *filled]
            words = beside(own, words_of(drawn.seen, drawn.a_point, self._sizes))
            marks = PageMarks(
                marks.number,
                marks.width,
                marks.height,
                marks.angle,
                [*own, *words],
                marks.rules,
                marks.dots,
                marks.pictures,
                outside=marks.outside,
                replaced=sum(not word.glued for word in marks.words) - sum(not word.glued for word in facts.kept),
            )
            self._mixed.put(index, marks)
        return marks

    def fill_gaps(self, page: pdfium.PdfPage, index: int, marks: PageMarks, places: Sequence[Box]) -> PageMarks:
        """The marks with the characters that the file does not name, where the words at `places` show what they are.

        Raises Refused 190005.
        """
        language = self._ocr.language
        drawn = draw_and_see(page, index, language, 0.0, turn=marks.angle, straighten=False, places=places)
        if drawn.seen.turn:
            return marks
        words = with_gaps_filled(marks.words, words_of(drawn.seen, drawn.a_point, self._sizes))
        lost, left = (sum(word.text.count(UNREADABLE) for word in some) for some in (marks.words, words))
        if lost == left:
            return marks
        characters = sum(len(word.text) for word in marks.words)
        unread = round(marks.unreadable * characters) - (lost - left)
        marks = replace(marks, words=words, unreadable=max(unread, 0) / characters, spelled=True)
        self._mixed.put(index, marks)
        return marks

    def read_insets(
        self, page: pdfium.PdfPage, index: int, marks: PageMarks, pictures: Sequence[tuple[Box, Grey]]
    ) -> PageMarks:
        """The marks with the words of these pictures, where they are pictures of text. Raises Refused 190005."""
        found: list[Word] = []
        for box, grey in pictures:
            words = self._inset(page, marks, box, grey)
            if words is None:
                marks.unread_pictures = True
            else:
                found += (moved(word, box.left, box.top) for word in words)
        words = beside(marks.words, found)
        if not words:
            return marks
        if self._options.looks:
            for word in words:
                word.ink = Ink(UNSEEN)  # the picture that shows them stays
        marks = replace(marks, words=[*marks.words, *words], has_insets=True)
        self._mixed.put(index, marks)
        return marks

    def _inset(self, page: pdfium.PdfPage, marks: PageMarks, box: Box, grey: Grey) -> list[Word] | None:
        """The words of a picture, placed from its own corner; None where there are words, and they are not its text."""
        key = hashlib.sha256(b"%d " % grey.shape[1] + grey.tobytes()).digest()
        if key not in self._insets:
            if len(self._insets) >= INSETS.remembered:
                del self._insets[next(iter(self._insets))]
            scale = min(DRAWING.dpi / 72, (DRAWING.dpi / INSETS.dpi) * (INSETS.most_pixels / box.area) ** 0.5)
            part = drawn_part(page, marks, box, scale)
            seen = see(part, self._ocr.language, scale * 72, straighten=False, closely=False)
            is_read = seen.turn == 0 and seen.unsure <= PRINT.slight
            if len(seen.words) < INSETS.own_words:
                self._insets[key] = []
            elif is_read and is_text(grey, [word.box for word in seen.words], grey.shape[1] / box.width / scale):
                self._insets[key] = words_of(seen, scale, self._sizes)
            else:
                self._insets[key] = None
        return self._insets[key]

    def laid_out(self, index: int, layout: PageLayout) -> Page | None:
        """A page that was taken from its picture altogether; None for others."""
        return seen_layout(self._whole.get(index), layout, self._options) if index in self._whole else None

    def mixed(self, index: int) -> PageMarks | None:
        """A page that has its own words and recognised ones."""
        return self._mixed.get(index) if index in self._mixed else None

    def _read_whole(self, page: pdfium.PdfPage, index: int, marks: PageMarks, facts: PageFacts) -> PageMarks:
        drawn = draw_and_see(page, index, self._ocr.language, facts.dpi)
        if self._ocr.automatic and _is_own(facts.kept, drawn, self._sizes):
            return marks
        found = page_of(drawn.seen, marks.number, drawn.a_point, self._sizes, self._options)
        own = _on_picture(facts.own, drawn)
        found.marks.words = [*own, *beside(own, found.marks.words)]
        own_ids = {id(word) for word in facts.own} if own else set()
        found.marks.replaced = sum(not word.glued for word in marks.words if id(word) not in own_ids)
        self._whole.put(index, found)
        return found.marks


def _is_own(kept: Sequence[Word], drawn: DrawnPage, sizes: Sizes) -> bool:
    """Tell if a page that looks like a scan is none, as its own text says as much as its picture, or that nothing."""
    found = words_of(drawn.seen, drawn.a_point, sizes)
    if not kept or drawn.seen.turn or not found:
        return not found
    more = beside(kept, found)
    return sum(len(word.text) for word in more) <= sum(len(word.text) for word in kept)


def _on_picture(own: Sequence[Word], drawn: DrawnPage) -> list[Word]:
    """Return what was typed, filled or stamped into a scan, on the upright picture: nothing reads it as surely.

    Empty where the picture was turned or laid flat, as words are moved and not turned.
    """
    seen = drawn.seen
    if not own or seen.turn or seen.bend is not None:
        return []
    forth = np.asarray(cv2.invertAffineTransform(seen.back), np.float64)
    centers = np.array([word.box.center for word in own])
    shifts = recognised.moved(forth, centers * drawn.scale) / drawn.a_point - centers
    return [moved(word, float(x), float(y)) for word, (x, y) in zip(own, shifts, strict=True)]


def moved(word: Word, x: float, y: float) -> Word:
    """A word that stands further right and further down."""
    left, right, top, bottom = word.left + x, word.right + x, word.top + y, word.bottom + y
    return replace(word, left=left, right=right, top=top, bottom=bottom, baseline=word.baseline + y)


def draw_and_see(
    page: pdfium.PdfPage,
    index: int,
    language: str,
    dpi: float,
    *,
    turn: int = 0,
    straighten: bool = True,
    places: Sequence[Box] = (),
) -> DrawnPage:
    """Draw page `index` and recognise it. dpi: of the page's own picture, 0 for none. places: all that is looked at.

    Raises Refused 190005 when it cannot be drawn.
    """
    scale = (min(max(dpi, PRINT.coarse), PRINT.fine) if dpi else DRAWING.dpi) / 72
    width, height = page.get_size()
    scale = min(scale, (RECOGNITION.most_pixels / max(width * height, 1.0)) ** 0.5)
    if dpi:  # drawn much larger than its picture a page gains nothing, however large it says it is
        scale = min(scale, max(PRINT.twice * dpi / 72, DRAWING.least_side / max(width, height)))
    picture = draw(page, index, scale, turn)
    if places:
        picture = _cut_out(picture, places, scale)
    seen = see(picture, language, scale * 72, straighten=straighten)
    return DrawnPage(seen, scale / seen.pixel, scale, turn)


def _cut_out(picture: Pixels, places: Sequence[Box], scale: float) -> Pixels:
    """The picture with nothing but what is at these places, in points."""
    result = np.full_like(picture, 255)
    for place in places:
        left, top, right, bottom = (max(round(value * scale), 0) for value in place)
        result[top:bottom, left:right] = picture[top:bottom, left:right]
    return result


def beside(kept: Sequence[Word], found: Sequence[Word]) -> list[Word]:
    """The recognised words that the page's own text does not have already."""
    rows: dict[int, list[Word]] = {}
    for word in kept:
        for row in range(int(word.top // PRINT.strip), int(word.bottom // PRINT.strip) + 1):
            rows.setdefault(row, []).append(word)
    result = []
    for word in found:
        x, y = word.box.center
        near = rows.get(int(y // PRINT.strip), [])
        if not any(own.box.holds(x, y, 1.0) or own.box.overlap(word.box) > PRINT.part * word.box.area for own in near):
            result.append(word)
    return result


def draw(page: pdfium.PdfPage, index: int, scale: float, turn: int = 0) -> Pixels:
    """Draw a page as RGB pixels, `scale` of them a point, turned clockwise. Raises Refused 190005."""
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
