"""What the fields of a form hold beside the words they show: whether a box is ticked, words that do not fit in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Note
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.tick_boxes import EMPTY, TICKED
from paperchute.engine.reading.pdf.annotations import each_annotation, place_of, string_of, text_of
from paperchute.engine.reading.pdf.view import View

_SWITCHES = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_PASSWORD = 1 << 13  # field flag, ISO 32000-1 table 228

HELD = "field"
"""The kind of a note that says what a field holds and does not show."""


def ticks(document: pdfium.PdfDocument, page: pdfium.PdfPage, view: View) -> list[tuple[Box, str]]:
    """The check boxes and radio buttons of a page, where they stand, with the sign of their state."""
    return [
        (place_of(field, view).box, TICKED if string_of(field, b"AS") not in ("", "Off") else EMPTY)
        for field in _fields(document, page)
        if _kind(document, field) in _SWITCHES
    ]


def with_ticks(words: Sequence[Word], found: Sequence[tuple[Box, str]]) -> list[Word]:
    """The words with a sign for each tick box, in the place of the mark that a font draws in it."""
    kept = [word for word in words if not any(box.holds(*word.box.center) for box, _ in found)]
    return [
        *kept,
        *(Word(sign, *box, baseline=box.bottom, size=box.height, font=Font()) for box, sign in found),
    ]


def without_ticks(words: Sequence[Word], filled: Sequence[Word]) -> list[Word]:
    """The words of a page's own content without the empty tick boxes that fields lie over."""
    signs = (EMPTY, TICKED)
    fields = [word.box for word in filled if word.text in signs]
    if not fields:
        return list(words)
    return [word for word in words if word.text not in signs or not any(f.holds(*word.box.center) for f in fields)]


def unshown(document: pdfium.PdfDocument, page: pdfium.PdfPage, view: View, shown: Sequence[Word]) -> list[Note]:
    """Return what fields hold and do not show: the end of a long text, or a value whose look is an older one's.

    Not passwords, nor fields whose own program writes the value otherwise (a number as an amount). shown: the words
    that fields show.
    """
    if document.formenv is None:
        return _left_behind(page, view)
    found = []
    for field in _fields(document, page):
        if _kind(document, field) != pdfium_c.FPDF_FORMFIELD_TEXTFIELD or _is_written_otherwise(document, field):
            continue
        quad, value = place_of(field, view), _value(document, field)
        if not value:
            continue
        seen = "".join(word.text for word in shown if quad.box.grown(1.0).holds(*word.box.center))
        if any(word not in seen for word in re.findall(r"\w+", value)):
            found.append(Note(HELD, quad, value, _name(document, field)))
    return found


def _left_behind(page: pdfium.PdfPage, view: View) -> list[Note]:
    """Return what fields hold whose form was taken out of the document: without a look of their own nobody shows it."""
    return [
        Note(HELD, place_of(field, view), value, string_of(field, b"T"))
        for field in _widgets(page)
        if string_of(field, b"FT") == "Tx"
        and not pdfium_c.FPDFAnnot_HasKey(field, b"AP")
        and (value := string_of(field, b"V").strip())
    ]


def _fields(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[Any]:
    """The fields of a page that are shown."""
    if document.formenv is not None:
        yield from _widgets(page)


def _widgets(page: pdfium.PdfPage) -> Iterator[Any]:
    for annotation in each_annotation(page):
        if annotation and pdfium_c.FPDFAnnot_GetSubtype(annotation) == pdfium_c.FPDF_ANNOT_WIDGET:
            flags = pdfium_c.FPDFAnnot_GetFlags(annotation)
            if not flags & (pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW):
                yield annotation


def _kind(document: pdfium.PdfDocument, field: Any) -> int:
    return int(pdfium_c.FPDFAnnot_GetFormFieldType(document.formenv, field))


def _is_written_otherwise(document: pdfium.PdfDocument, field: Any) -> bool:
    flags = pdfium_c.FPDFAnnot_GetFormFieldFlags(document.formenv, field)
    script = pdfium_c.FPDFAnnot_GetFormAdditionalActionJavaScript(
        document.formenv, field, pdfium_c.FPDF_ANNOT_AACTION_FORMAT, None, 0
    )
    return bool(flags & _PASSWORD) or script > len("\0".encode("utf-16-le"))


def _value(document: pdfium.PdfDocument, field: Any) -> str:
    return text_of(lambda buffer, size: pdfium_c.FPDFAnnot_GetFormFieldValue(document.formenv, field, buffer, size))


def _name(document: pdfium.PdfDocument, field: Any) -> str:
    return text_of(lambda buffer, size: pdfium_c.FPDFAnnot_GetFormFieldName(document.formenv, field, buffer, size))
