"""Which pages of a PDF are blank: neither has them text nor any ink of their own."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Name

from paperchute.engine.document.geometry import Box
from paperchute.engine.imaging.blank import DPI, Ink, Pixels, Verdict, ink_of, is_explained, verdict_on
from paperchute.engine.imaging.scans import state_of_pictures
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import RECOGNITION
from paperchute.engine.reading.ocr.pdf_pages import draw, draw_and_see
from paperchute.engine.reading.ocr.recognised import moved
from paperchute.engine.reading.ocr.text_layers import is_surely_read
from paperchute.engine.reading.pdf.document import OpenPdf, opened_page
from paperchute.engine.work import Refused

_LEAST_SIDE = 11.69 * DPI  # pixels: the long side of A4
_ANY_LATIN = "ENGLISH"
"""In this language a page without ink is looked at where none is named: no trained data is searched for one that fits
what shines through it, in mirror writing."""


@dataclass(slots=True)
class BlankPages:
    """0-based indices.

    blank: of pages that nothing stands on; unsure: of those that may be so, unless text is read.
    """

    blank: list[int] = field(default_factory=list)
    unsure: list[int] = field(default_factory=list)


def blank_pages(document: OpenPdf, pdf: pikepdf.Pdf, language: str, damaged: Collection[int]) -> BlankPages:
    """Look for pages with neither text nor ink.

    A page that is damaged, has layers that are not shown, a picture that cannot be decoded, notes, fields or text is
    none: it may hold more than is seen.

    Args:
        document: The document, as it is drawn.
        pdf: The same, as it is stored.
        language: A code of the contract, in which text is looked for.
        damaged: The 0-based indices of pages that do not show all that they were to.
    """
    looks, found = _Looks(document), BlankPages()
    if document.hides_layers:
        return found
    for index, page in enumerate(pdf.pages):
        try:
            if index in damaged or has_more(document, index, page):
                continue
            verdict = _verdict(looks, index, len(pdf.pages))
            if verdict == "written" or state_of_pictures(page) != "whole":
                continue
            if verdict == "unsure":
                found.unsure.append(index)
            elif not _has_faint_text(document, index, looks, language):
                found.blank.append(index)
        except Refused:  # what cannot be drawn is not known to be blank
            continue
    return found


def has_more(document: pdfium.PdfDocument, index: int, page: pikepdf.Page) -> bool:
    """Decide whether a page has what its ink does not tell of: notes, fields, text, or so much paper."""
    if isinstance(page.obj.get(Name.Annots), Array) and len(page.obj.Annots):
        return True
    with opened_page(document, index) as drawn, closing(drawn.get_textpage()) as text:
        width, height = drawn.get_size()
        if width * height * _scale(drawn) ** 2 > RECOGNITION.most_pixels:
            return True
        return bool(text.get_text_range(errors="replace").strip())


def _verdict(looks: _Looks, index: int, count: int) -> Verdict:
    """By itself, else beside its neighbours: either may be the other side of its sheet."""
    alone = verdict_on(looks.at(index), [])
    if alone != "unsure":
        return alone
    others: list[Ink] = []
    for other in (index - 1, index + 1):
        if 0 <= other < count:
            try:
                others.append(looks.at(other))
            except Refused:
                continue
    return verdict_on(looks.at(index), others)


class _Looks:
    """The ink of pages, each drawn once where they are asked for in order."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document
        self._known: dict[int, Ink] = {}

    def at(self, index: int) -> Ink:
        """The ink of a page. Raises Refused 02207, 190005 where it cannot be drawn."""
        if index not in self._known:
            self._known = {known: ink for known, ink in self._known.items() if abs(known - index) <= 2}
            self._known[index] = ink_of(_drawn(self._document, index))
        return self._known[index]


def _drawn(document: pdfium.PdfDocument, index: int) -> Pixels:
    with opened_page(document, index) as page:
        return draw(page, index, _scale(page))


def _scale(page: pdfium.PdfPage) -> float:
    """Pixels a point. A page that says it is small may be a sheet whose scanner named a wrong resolution."""
    width, height = page.get_size()
    return max(DPI / 72, _LEAST_SIDE / max(float(width), float(height), 1.0))


def _has_faint_text(document: pdfium.PdfDocument, index: int, looks: _Looks, language: str) -> bool:
    """Decide whether recognition surely reads a word where the page has no ink that what is behind it explains."""
    ink = looks.at(index)
    with opened_page(document, index) as page:
        width, _height = page.get_size()
        drawn = draw_and_see(page, index, _ANY_LATIN if language == AUTO else language, DPI, straighten=False)
    grow = ink.marks.shape[1] / (width * drawn.scale)
    for word in drawn.seen.words:
        if not is_surely_read(word):
            continue
        left, top, right, bottom = word.box
        corners = moved(drawn.seen.back, np.array([(left, top), (right, top), (right, bottom), (left, bottom)])) * grow
        if not is_explained(ink, Box(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())):
            return True
    return False
