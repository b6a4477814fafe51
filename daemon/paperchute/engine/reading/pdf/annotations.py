"""Links and annotations of a page."""

from __future__ import annotations

import ctypes
import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Note, Trait
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.pdf.view import View

MOST_ANNOTATIONS = 5_000
"""Of a page: a bound on work on hostile files."""

_MOST_BYTES = 1 << 20  # of one text: a bound on work

_TAG = re.compile(r"<[^<>]*>")
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
_TRAITS: dict[int, Trait] = {
    pdfium_c.FPDF_ANNOT_FILEATTACHMENT: "files",
    pdfium_c.FPDF_ANNOT_REDACT: "redacted",
}
_COVERING = (
    pdfium_c.FPDF_ANNOT_FREETEXT,
    pdfium_c.FPDF_ANNOT_SQUARE,
    pdfium_c.FPDF_ANNOT_CIRCLE,
    pdfium_c.FPDF_ANNOT_POLYGON,
    pdfium_c.FPDF_ANNOT_INK,
    pdfium_c.FPDF_ANNOT_STAMP,
)


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
    for annotation in each_annotation(page):
        kind, text = _said(annotation) if annotation else ("", "")
        if text:
            notes.append(Note(kind, place_of(annotation, view), text, string_of(annotation, b"T")))
    return tuple(sorted(notes, key=lambda note: (note.quad.y1, note.quad.x1)))


def each_annotation(page: pdfium.PdfPage) -> Iterator[Any]:
    """The annotations of a page, each as long as it is looked at; None for one that cannot be had."""
    for number in range(min(max(pdfium_c.FPDFPage_GetAnnotCount(page), 0), MOST_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, number)
        try:
            yield annotation or None
        finally:
            if annotation:
                pdfium_c.FPDFPage_CloseAnnot(annotation)


def traits_of(page: pdfium.PdfPage) -> set[Trait]:
    """Return what annotations make of a page: files that hang on it, words to be blacked out that were not.

    ISO 32000-2, 12.5.6.15 and 12.5.6.23.
    """
    kinds = {pdfium_c.FPDFAnnot_GetSubtype(annotation) for annotation in each_annotation(page) if annotation}
    return {trait for kind, trait in _TRAITS.items() if kind in kinds}


def covering(page: pdfium.PdfPage, view: View) -> list[Box]:
    """Return where annotations may lie over text: shapes, stamps, boxes of text."""
    return [
        place_of(annotation, view).box
        for annotation in each_annotation(page)
        if annotation and pdfium_c.FPDFAnnot_GetSubtype(annotation) in _COVERING
    ]


def place_of(annotation: Any, view: View) -> Quad:
    """Return where an annotation stands."""
    rect = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(annotation, rect)
    return Quad.of(view.rectangle(rect.left, rect.bottom, rect.right, rect.top))


def string_of(annotation: Any, key: bytes) -> str:
    """A text or name of an annotation; empty where it has none."""
    return text_of(lambda buffer, size: pdfium_c.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def text_of(ask: Callable[[Any, int], int]) -> str:
    """A text that PDFium writes into a buffer, and says the bytes it needs; empty where these are too many."""
    length = ask(None, 0)
    if not 2 < length < _MOST_BYTES:
        return ""
    buffer = (pdfium_c.FPDF_WCHAR * (length // 2))()
    ask(buffer, length)
    text = bytes(buffer).decode("utf-16-le", "replace").split("\0", 1)[0]
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def is_told(annotation: Any) -> bool:
    """Decide whether an annotation is one of those that `read_notes` gives."""
    return bool(_said(annotation)[1])


def _said(annotation: Any) -> tuple[str, str]:
    """The kind of an annotation and its words; none for kinds that carry none."""
    kind = _KINDS.get(pdfium_c.FPDFAnnot_GetSubtype(annotation), "")
    if not kind:
        return "", ""
    # The words of a box of text may stand in it with their looks alone, as XHTML.
    return kind, string_of(annotation, b"Contents") or html.unescape(
        _TAG.sub(" ", string_of(annotation, b"RC"))
    ).strip()


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
