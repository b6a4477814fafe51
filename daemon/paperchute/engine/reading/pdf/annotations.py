"""Links and annotations of a page."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Note
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.pdf.view import View

MOST_ANNOTATIONS = 5_000
"""Of a page: a bound on work on hostile files."""

_SAFE = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)
_KINDS = {
    pdfium_c.FPDF_ANNOT_TEXT: "text",
    pdfium_c.FPDF_ANNOT_FREETEXT: "freetext",
    pdfium_c.FPDF_ANNOT_LINE: "line",
    pdfium_c.FPDF_ANNOT_SQUARE: "square",
    pdfium_c.FPDF_ANNOT_CIRCLE: "circle",
    pdfium_c.FPDF_ANNOT_POLYGON: "polygon",
    pdfium_c.FPDF_ANNOT_POLYLINE: "polyline",
    pdfium_c.FPDF_ANNOT_HIGHLIGHT: "highlight",
    pdfium_c.FPDF_ANNOT_UNDERLINE: "underline",
    pdfium_c.FPDF_ANNOT_SQUIGGLY: "squiggly",
    pdfium_c.FPDF_ANNOT_STRIKEOUT: "strikeout",
    pdfium_c.FPDF_ANNOT_STAMP: "stamp",
    pdfium_c.FPDF_ANNOT_CARET: "caret",
    pdfium_c.FPDF_ANNOT_INK: "ink",
    pdfium_c.FPDF_ANNOT_FILEATTACHMENT: "fileattachment",
}


def mark_links(document: pdfium.PdfDocument, page: pdfium.PdfPage, view: View, words: list[Word]) -> None:
    """Give the words under web and mail links their address. Other targets (places in the file, scripts) stay out."""
    areas = _link_areas(document, page, view)
    if not areas:
        return
    for word in words:
        x, y = word.box.center
        for box, address in areas:
            if box.holds(x, y):
                word.link = address
                break


def read_notes(page: pdfium.PdfPage, view: View) -> tuple[Note, ...]:
    """The annotations that carry words, top to bottom."""
    notes = []
    for index in range(min(max(pdfium_c.FPDFPage_GetAnnotCount(page), 0), MOST_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            kind, text = _said(annotation)
            if text:
                notes.append(Note(kind, _quad(annotation, view), text, _text(annotation, b"T")))
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    return tuple(sorted(notes, key=lambda note: (note.quad.y1, note.quad.x1)))


def is_told(annotation: Any) -> bool:
    """Whether an annotation is one of those that `read_notes` gives."""
    return bool(_said(annotation)[1])


def _said(annotation: Any) -> tuple[str, str]:
    """The kind of an annotation and its words; none for kinds that carry none."""
    kind = _KINDS.get(pdfium_c.FPDFAnnot_GetSubtype(annotation), "")
    return kind, _text(annotation, b"Contents") if kind else ""


def _link_areas(document: pdfium.PdfDocument, page: pdfium.PdfPage, view: View) -> list[tuple[Box, str]]:
    areas: list[tuple[Box, str]] = []
    place, link = ctypes.c_int(0), pdfium_c.FPDF_LINK()
    rect = pdfium_c.FS_RECTF()
    while len(areas) < MOST_ANNOTATIONS and pdfium_c.FPDFLink_Enumerate(page, place, link):
        action = pdfium_c.FPDFLink_GetAction(link)
        if not action or not pdfium_c.FPDFLink_GetAnnotRect(link, rect):
            continue
        address = _address(document, action)
        if _SAFE.match(address):
            areas.append((view.rectangle(rect.left, rect.bottom, rect.right, rect.top), address))
    return areas


def _address(document: pdfium.PdfDocument, action: Any) -> str:
    length = pdfium_c.FPDFAction_GetURIPath(document, action, None, 0)
    if not 0 < length < 8192:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium_c.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace").strip()


def _text(annotation: Any, key: bytes) -> str:
    length = pdfium_c.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if not 2 < length < 1 << 20:
        return ""
    buffer = (pdfium_c.FPDF_WCHAR * (length // 2))()
    pdfium_c.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    text = bytes(buffer).decode("utf-16-le", "replace").split("\0", 1)[0]
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _quad(annotation: Any, view: View) -> Quad:
    rect = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(annotation, rect)
    return Quad.of(view.rectangle(rect.left, rect.bottom, rect.right, rect.top))
