"""Pictures of a PDF page: those embedded in it, parts of it drawn, and its look without the text."""

from __future__ import annotations

import ctypes
import io
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import PIL.Image
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Image, Line
from paperchute.engine.reading.encoding import encoded
from paperchute.engine.reading.layout.typography import BOUNDS
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.styles import text_color
from paperchute.engine.reading.pdf.view import Matrix, View
from paperchute.engine.reading.pdf.visible import VISIBLE

MOST_PIXELS = 16_000_000
"""Pixels of one picture; larger ones are drawn smaller."""

_AREA_SCALE = 3.0  # 216 dpi: formulas stay legible in print


def read_image(page: pdfium.PdfPage, objects: PageObjects, key: int, box: Box) -> Image | None:
    """The picture of an image object, by the key of its mark: as stored where the page shows that, else as shown.

    None when PDFium cannot decode it.
    """
    raw, view = objects.images[key], objects.view
    image = pdfium.PdfImage(raw, page=page, pdf=page.pdf)
    try:
        width, height = image.get_px_size()
        stored = _stored(image, raw, view)
        if stored is not None:
            return Image(stored, "jpg", width, height)
        if not 0 < width * height <= MOST_PIXELS:
            return picture_of(page, box, view)
        bitmap = image.get_bitmap(render=True, scale_to_original=True)
        if bitmap.width * bitmap.height > MOST_PIXELS:
            return picture_of(page, box, view)
        picture = bitmap.to_pil()
        del bitmap  # all pixels once more, save where Pillow shares them
        return encoded(_shown_over(picture, page, objects, box) or picture)
    except (pdfium.PdfiumError, ValueError, ZeroDivisionError, OverflowError, MemoryError):
        return picture_of(page, box, view)


def picture_of(page: pdfium.PdfPage, box: Box, view: View) -> Image | None:
    """A drawing of an area of the page, or None when it is empty or cannot be drawn."""
    drawn = _drawn(page, box, view)
    return encoded(drawn) if drawn is not None else None


def _drawn(page: pdfium.PdfPage, box: Box, view: View) -> PIL.Image.Image | None:
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
    drawn: PIL.Image.Image = bitmap.to_pil()
    return drawn


@dataclass(frozen=True, slots=True)
class CoverSettings:
    """How it is told that the page shows something else where a picture lies."""

    side: int = 48
    """Pixels of the side of what is compared."""


COVER = CoverSettings()


def _shown_over(
    picture: PIL.Image.Image, page: pdfium.PdfPage, objects: PageObjects, box: Box
) -> PIL.Image.Image | None:
    """Return what the page shows, but for its text, in the place of a picture most of which lies under something.

    Such as the shadow of a button, which alone is a black spot. None for pictures that are seen, those that are not
    seen through anywhere, and those that the page's edge may cut.
    """
    view = objects.view
    if len(objects.images) > BOUNDS.beside:
        return None
    inner = box.left > 0 and box.top > 0 and box.right < view.width and box.bottom < view.height
    if not inner or view.turn or picture.mode != "RGBA" or picture.getchannel("A").getextrema()[0] == 255:
        return None
    with objects.without_text():
        drawn = _drawn(page, box, view)
    if drawn is None:
        return None
    size = (COVER.side, COVER.side)
    own, shown = (np.asarray(one.resize(size), np.int32) for one in (picture, drawn.convert("RGB")))
    opaque = own[..., 3] == 255
    other = np.abs(own[..., :3] - shown).max(axis=-1) >= VISIBLE.contrast
    return drawn if 2 * np.count_nonzero(other & opaque) > np.count_nonzero(opaque) else None


_PACKED = frozenset({"ASCII85Decode", "ASCIIHexDecode", "FlateDecode", "LZWDecode", "RunLengthDecode"})
"""Filters that a JPEG may be packed in once more."""

_ORIENTATION = 0x0112  # of EXIF: browsers turn a picture by it, PDF does not


def _stored(image: pdfium.PdfImage, raw: Any, view: View) -> bytes | None:
    """The file of a JPEG that the page shows upright and unaltered, in colours that every program shows alike."""
    *packed, last = image.get_filters() or [""]
    if last != "DCTDecode" or not _PACKED.issuperset(packed) or pdfium_c.FPDFPageObj_HasTransparency(raw):
        return None
    shown = view.matrix.after(Matrix(*image.get_matrix().get()))
    if not (shown[0] > 0 and shown[3] < 0 and abs(shown[1]) + abs(shown[2]) < 1e-3 * (shown[0] - shown[3])):
        return None
    facts = image.get_metadata()
    plain = (pdfium_c.FPDF_COLORSPACE_DEVICERGB, pdfium_c.FPDF_COLORSPACE_DEVICEGRAY, pdfium_c.FPDF_COLORSPACE_ICCBASED)
    if facts.colorspace not in plain or facts.bits_per_pixel not in (8, 24) or _is_masked(image):
        return None
    data = bytes(image.get_data(decode_simple=True))
    try:
        with PIL.Image.open(io.BytesIO(data), formats=("JPEG",)) as file:
            same = file.size == image.get_px_size() and file.mode in ("L", "RGB")
            return data if same and file.getexif().get(_ORIENTATION, 1) == 1 else None
    except (OSError, SyntaxError, ValueError, struct.error, PIL.Image.DecompressionBombError):
        return None  # no JPEG, whatever the file says: what the page shows of it is drawn


def _is_masked(image: pdfium.PdfImage) -> bool:
    """Decide whether the picture is seen through somewhere, but for its very edge, which is drawn soft."""
    bitmap = image.get_bitmap(render=True)
    seen = bitmap.to_numpy()
    return bitmap.n_channels == 4 and bool(seen[1:-1, 1:-1, 3].size) and int(seen[1:-1, 1:-1, 3].min()) < 255


_SCALE = 2.0  # 144 dpi
_MOST_INKS = 5_000  # pieces of coloured text of a page: a bound on work

Ink = tuple[Box, str]
"""Where text stands, and its colour as #rrggbb, UNSEEN, or empty for black."""


def text_hidden(objects: PageObjects, view: View) -> list[Ink]:
    """Take all text out of what is drawn of the page, and tell where it was in which colour."""
    inks: list[Ink] = []
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for raw, matrix in objects.walk():
        if pdfium_c.FPDFPageObj_GetType(raw) != pdfium_c.FPDF_PAGEOBJ_TEXT:
            continue
        pdfium_c.FPDFPageObj_SetIsActive(raw, False)
        color = text_color(calls.address_of(raw), pdfium_c.FPDFTextObj_GetTextRenderMode(raw))
        if len(inks) < _MOST_INKS and pdfium_c.FPDFPageObj_GetBounds(raw, left, bottom, right, top):
            inks.append((matrix.box(left.value, bottom.value, right.value, top.value), color))
    return inks


def inked(blocks: Sequence[Block], inks: Sequence[Ink]) -> list[Block]:
    """The blocks with each line in the colour it is printed in, or its words in theirs."""
    if not any(color for _, color in inks):
        return list(blocks)
    return [_inked(block, inks) for block in blocks]


def backdrop_of(page: pdfium.PdfPage, view: View, objects: PageObjects, pictures: bool, notes: bool) -> Image | None:
    """The page as it is drawn now; None when it is blank or cannot be drawn.

    Without pictures or annotations where they are not wanted.
    """
    if not pictures:
        for raw, _ in objects.walk():
            if pdfium_c.FPDFPageObj_GetType(raw) == pdfium_c.FPDF_PAGEOBJ_IMAGE:
                pdfium_c.FPDFPageObj_SetIsActive(raw, False)
    area = max(view.width * view.height, 1.0)
    scale = min(_SCALE, (MOST_PIXELS / area) ** 0.5)
    try:
        bitmap = page.render(scale=scale, rotation=view.turn, draw_annots=notes, may_draw_forms=False)
    except (pdfium.PdfiumError, ValueError):
        return None
    picture = bitmap.to_pil().convert("RGB")
    if all(low == 255 for low, _ in picture.getextrema()):
        return None
    return encoded(picture)


def hide_pictures(objects: PageObjects, keys: Iterable[int]) -> None:
    """Take pictures, by the keys of their marks, out of what is drawn of the page."""
    for key in keys:
        pdfium_c.FPDFPageObj_SetIsActive(objects.images[key], False)


def _inked(block: Block, inks: Sequence[Ink]) -> Block:
    table = block.table
    if table is not None:
        cells = tuple(replace(cell, lines=_lines(cell.lines, inks)) for cell in table.cells)
        return replace(block, table=replace(table, cells=cells))
    items = tuple(replace(item, lines=_lines(item.lines, inks)) for item in block.items)
    return replace(block, lines=_lines(block.lines, inks), items=items)


def _lines(lines: Sequence[Line], inks: Sequence[Ink]) -> tuple[Line, ...]:
    return tuple(_line(line, inks) for line in lines)


def _line(line: Line, inks: Sequence[Ink]) -> Line:
    """The line in the colour of most of it, where its own words say none, as recognised ones."""
    if any(span.style.color for span in line.spans):
        return line
    box = line.quad.box
    shares: dict[str, float] = {}
    for area, color in inks:
        common = box.overlap(area)
        if common:
            shares[color] = shares.get(color, 0.0) + common
    color = max(shares, key=lambda name: shares[name], default="")
    if not color:
        return line
    return replace(line, spans=tuple(replace(s, style=replace(s.style, color=color)) for s in line.spans))
