"""The content of images, and pictures of page areas."""

from __future__ import annotations

import io
from typing import Any

import PIL.Image
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.reading.pdf.view import Matrix, View

MOST_PIXELS = 16_000_000
"""Pixels of one picture; larger ones are drawn smaller."""

_AREA_SCALE = 3.0  # 216 dpi: formulas stay legible in print


def read_image(page: pdfium.PdfPage, raw: Any, box: Box, view: View) -> Image | None:
    """The picture of an image object, as stored when it is a plain upright JPEG, else as it shows on the page.

    None when PDFium cannot decode it.
    """
    image = pdfium.PdfImage(raw, page=page, pdf=page.pdf)
    try:
        width, height = image.get_px_size()
        if _is_plain_jpeg(image, raw, view):
            return Image(bytes(image.get_data()), "jpg", width, height)
        if not 0 < width * height <= MOST_PIXELS:
            return picture_of(page, box, view)
        bitmap = image.get_bitmap(render=True, scale_to_original=True)
        if bitmap.width * bitmap.height > MOST_PIXELS:
            return picture_of(page, box, view)
        return _png(bitmap.to_pil())
    except (pdfium.PdfiumError, ValueError, ZeroDivisionError, OverflowError, MemoryError):
        return picture_of(page, box, view)


def picture_of(page: pdfium.PdfPage, box: Box, view: View) -> Image | None:
    """A drawing of an area of the page, or None when it is empty or cannot be drawn."""
    if box.width < 1 or box.height < 1:
        return None
    scale = min(_AREA_SCALE, (MOST_PIXELS / box.area) ** 0.5)
    if view.width * view.height * scale * scale > 64 * MOST_PIXELS:
        return None
    crop = (box.left, view.height - box.bottom, view.width - box.right, box.top)
    try:
        bitmap = page.render(scale=scale, rotation=view.turn, crop=tuple(max(c, 0.0) for c in crop))
    except (pdfium.PdfiumError, ValueError):
        return None
    return _png(bitmap.to_pil())


def _is_plain_jpeg(image: pdfium.PdfImage, raw: Any, view: View) -> bool:
    if image.get_filters() != ["DCTDecode"] or pdfium_c.FPDFPageObj_HasTransparency(raw):
        return False
    shown = view.matrix.after(Matrix(*image.get_matrix().get()))
    if not (shown[0] > 0 and shown[3] < 0 and abs(shown[1]) + abs(shown[2]) < 1e-3 * (shown[0] - shown[3])):
        return False
    space = image.get_metadata().colorspace
    return space in (
        pdfium_c.FPDF_COLORSPACE_DEVICERGB,
        pdfium_c.FPDF_COLORSPACE_DEVICEGRAY,
        pdfium_c.FPDF_COLORSPACE_ICCBASED,
    )


def _png(picture: PIL.Image.Image) -> Image:
    buffer = io.BytesIO()
    picture.save(buffer, "png", compress_level=4)
    return Image(buffer.getvalue(), "png", picture.width, picture.height)
