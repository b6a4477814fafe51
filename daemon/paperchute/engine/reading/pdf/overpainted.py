"""Pictures that a page paints over each other: those below, which nobody sees, are left out where there are too many.

One picture costs a file some kilobytes, however often it is painted, and PDFium scales it each time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine import report
from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.objects import OBJECTS
from paperchute.engine.reading.pdf.view import Matrix, View
from paperchute.language import _

_MOST_PIXELS = 200_000_000
"""Of all pictures of a page, as stored and as painted: PDFium takes a second for them. Twenty pictures over each other
that fill an A4 page have them; what is stored in a large file is its own, so it may have more."""
_PIXELS_A_BYTE = 20  # of a file; JPEG has 10 at most
_LARGEST = 1_000_000_000  # pixels of one picture: a drawing of A0 at 600 dpi has 560 million
_PIXELS_A_POINT = (300 / 72) ** 2  # of area, as drawn for recognition


def hide_overpainted(page: pdfium.PdfPage, index: int, path: Path) -> None:
    """Take pictures out of what a page shows, the lowest first, until it can be drawn; a warning says so.

    Args:
        page: The page, just opened.
        index: Its number, 0-based.
        path: Of its file.
    """
    view = View.of(page)
    images = list(_images(page, view.matrix))
    if not images:
        return
    sizes = np.array([_pixels(address, matrix, view.box) for address, matrix in images])
    room = _MOST_PIXELS + _PIXELS_A_BYTE * path.stat().st_size
    if sizes[:, 0].max() <= _LARGEST and sizes.sum() <= room:
        return
    hidden = 0
    for (address, _matrix), (stored, painted) in zip(reversed(images), sizes[::-1].tolist(), strict=True):
        if stored > _LARGEST or room <= 0:
            pdfium_c.FPDFPageObj_SetIsActive(ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT), False)
            hidden += 1
        else:
            room -= stored + painted
    if hidden:
        report.warn(
            _(
                "Page {number} is drawn without some of its pictures ({count}): they are larger, or lie over each "
                "other more often, than can be drawn.",
                count=hidden,
                number=index + 1,
            )
        )


def _images(page: pdfium.PdfPage, matrix: Matrix) -> Iterator[tuple[int, Matrix]]:
    """The addresses of a page's pictures as they are painted, each with the map from where it stands to the view."""
    room = OBJECTS.most
    count = min(max(pdfium_c.FPDFPage_CountObjects(page), 0), room)
    open_ones = [(_not_text(calls.page_objects(calls.handle_of(page), count)), matrix)]
    while open_ones:
        objects, matrix = open_ones[-1]
        address, kind = next(objects, (0, -1))
        if not address:
            open_ones.pop()
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            yield address, matrix
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and len(open_ones) <= OBJECTS.deepest_form:
            room -= count
            form: Any = ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)
            count = min(max(pdfium_c.FPDFFormObj_CountObjects(form), 0), room)
            within = matrix.after(Matrix._make(calls.matrix_of(address) or Matrix()))
            open_ones.append((_not_text(calls.form_objects(address, count)), within))


def _not_text(items: list[int]) -> Iterator[tuple[int, int]]:
    """Objects, each with its kind, but for text."""
    kinds = calls.kinds(items)
    return ((item, kind) for item, kind in zip(items, kinds, strict=True) if kind != pdfium_c.FPDF_PAGEOBJ_TEXT)


def _pixels(address: int, matrix: Matrix, page: Box) -> tuple[float, float]:
    """Of a picture: those stored, and those that it takes on the page."""
    width, height = ctypes.c_uint(), ctypes.c_uint()
    handle: Any = ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)
    pdfium_c.FPDFImageObj_GetImagePixelSize(handle, width, height)
    box = matrix.after(Matrix._make(calls.matrix_of(address) or Matrix())).box(0, 0, 1, 1)
    return float(width.value) * height.value, box.overlap(page) * _PIXELS_A_POINT
