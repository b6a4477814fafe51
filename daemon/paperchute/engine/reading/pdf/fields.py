"""What is filled in: the fields of forms, stamps and whatever else lies on a page and is no part of its content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.contract import told_of_pages
from paperchute.engine.pdf.document import FAULTS, unlocked
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.pdf.annotations import each_annotation, is_told
from paperchute.engine.reading.pdf.chars import PageText
from paperchute.engine.reading.pdf.field_values import ticks, with_ticks
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.report import warn
from paperchute.language import _

_MOST_FIELDS = 20_000
"""Of a form, each counted as often as it is met: PDFium takes for ever where they share their kids again and again."""

_OWN_WORDS = (pdfium_c.FPDF_ANNOT_STAMP, pdfium_c.FPDF_ANNOT_FILEATTACHMENT)
_NO_TEXT = (pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP)


def show_fields(document: pdfium.PdfDocument, path: Path, password: str) -> None:
    """Have the fields of a form drawn on its pages, those too that say what stands in them and not how it looks.

    Before any page is opened. path, password: of the document's file.
    """
    if document.get_formtype() == pdfium_c.FORMTYPE_NONE:
        return
    try:
        with unlocked(path, password) as pdf:
            few = _has_few_fields(pdf)
    except FAULTS:
        few = False
    if few:
        document.init_forms()


def _has_few_fields(pdf: pikepdf.Pdf) -> bool:
    form = pdf.Root.get("/AcroForm")
    waiting: list[Any] = [form.get("/Fields")] if isinstance(form, pikepdf.Dictionary) else []
    room = _MOST_FIELDS
    while waiting and room > 0:
        fields = waiting.pop()
        for field in fields if isinstance(fields, pikepdf.Array) else ():
            room -= 1
            if isinstance(field, pikepdf.Dictionary) and "/Kids" in field:
                waiting.append(field["/Kids"])
            if room <= 0:
                break
    return room > 0


def read_filled(document: pdfium.PdfDocument, page: pdfium.PdfPage, index: int, view: View, notes: bool) -> list[Word]:
    """The words that annotations of a page show, as a viewer would.

    PDFium gives the text of a page without its annotations (ISO 32000-1, 12.5.5: each has an appearance of its own). A
    copy of the page therefore has its own content taken out, and the appearances put in.
    """
    if not any(_shown(page, notes)):
        return []
    try:
        with closing(pdfium.PdfDocument.new()) as copies:
            copies.import_pages(document, [index])
            with closing(copies[0]) as copy:
                _take_out(copy, notes)
                pdfium_c.FPDFPage_Flatten(copy, pdfium_c.FLAT_NORMALDISPLAY)
            # The appearances are part of its content once the page is opened anew.
            with closing(copies[0]) as copy, closing(copy.get_textpage()) as textpage:
                words = PageText(textpage, Fonts()).words(view)
            return with_ticks(words, ticks(document, page, view))
    except pdfium.PdfiumError:
        warn(_("The content of {pages} is damaged: words may be missing there.", pages=told_of_pages([index + 1])))
        return []


def _take_out(copy: pdfium.PdfPage, notes: bool) -> None:
    """Leave nothing on a page but the annotations whose words are read."""
    unwanted = [number for number, shows in enumerate(_shown(copy, notes)) if not shows]
    for number in reversed(unwanted):
        pdfium_c.FPDFPage_RemoveAnnot(copy, number)
    for number in reversed(range(max(pdfium_c.FPDFPage_CountObjects(copy), 0))):
        item = pdfium_c.FPDFPage_GetObject(copy, number)
        if pdfium_c.FPDFPage_RemoveObject(copy, item):
            pdfium_c.FPDFPageObj_Destroy(item)
    pdfium_c.FPDFPage_GenerateContent(copy)


def _shown(page: pdfium.PdfPage, notes: bool) -> Iterator[bool]:
    """Of each annotation whether its words are read from its appearance.

    Not those of links, nor those that are told as notes; of others than fields only where notes are wanted.
    """
    for annotation in each_annotation(page):
        yield bool(annotation) and _shows(annotation, notes)


def _shows(annotation: Any, notes: bool) -> bool:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium_c.FPDF_ANNOT_WIDGET:
        return True
    # What a stamp says is in its appearance; the note beside it may say who set it, or name the attached file.
    return notes and kind not in _NO_TEXT and (kind in _OWN_WORDS or not is_told(annotation))
