"""How a page looks apart from its letters: what is drawn behind them, and what colours they have."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace

import PIL.Image
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Image, Line
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.colors import text_color
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.pictures import MOST_PIXELS
from paperchute.engine.reading.pdf.view import View

_SCALE = 2.0  # 144 dpi
_LARGE_PNG = 200_000  # bytes; beyond, a photograph is likely, and JPEG is tried
_MOST_INKS = 5_000

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
    """The page as it is drawn now, without pictures or annotations where they are not wanted; None when it is blank
    or cannot be drawn."""
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
    return _encoded(picture)


def hide_pictures(objects: PageObjects, keys: Iterable[int]) -> None:
    """Take pictures, by the keys of their marks, out of what is drawn of the page."""
    for key in keys:
        pdfium_c.FPDFPageObj_SetIsActive(objects.images[key], False)


def _encoded(picture: PIL.Image.Image) -> Image:
    buffer = io.BytesIO()
    picture.save(buffer, "png", compress_level=6)
    if buffer.tell() > _LARGE_PNG:
        smaller = io.BytesIO()
        picture.save(smaller, "jpeg", quality=85)
        if smaller.tell() < buffer.tell():
            return Image(smaller.getvalue(), "jpg", picture.width, picture.height)
    return Image(buffer.getvalue(), "png", picture.width, picture.height)


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
