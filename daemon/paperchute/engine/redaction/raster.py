"""A page made a picture, where nothing less takes out what must go; the text that stays lies under it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import closing

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pikepdf import Dictionary, Matrix
from PIL import ImageDraw

from paperchute.engine.document import model
from paperchute.engine.document.geometry import Box
from paperchute.engine.pdf.textlayer.content import LayerWord, PageLayer, Passage
from paperchute.engine.pdf.textlayer.layer import TextLayers
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.view import Matrix as ViewMatrix
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.places import Polygon, letters_on

_DPI = 300.0
_MOST_PIXELS = 60_000_000
_QUALITY = 85


def make_picture(
    pdf: pikepdf.Pdf, page: pikepdf.Page, shown: pdfium.PdfPage, black: Sequence[Polygon], finder: Finder
) -> None:
    """Put a picture of a page in place of all that it draws.

    Args:
        pdf: The document that is written.
        page: The page of it.
        shown: The same page, as PDFium shows it.
        black: What is black on the picture, and of whose text nothing stays, in user space.
        finder: What is looked for: no word with any of it stays in the text below.
    """
    view = View.of(shown)
    scale = min(_DPI / 72, (_MOST_PIXELS / max(view.width * view.height, 1.0)) ** 0.5)
    picture = shown.render(scale=scale, draw_annots=False).to_pil().convert("RGB")
    draw = ImageDraw.Draw(picture)
    to_pixels = Matrix(*view.matrix) @ Matrix(scale, 0, 0, scale, 0, 0)
    for polygon in black:
        draw.polygon([to_pixels.transform(point) for point in polygon], fill="black", outline="black", width=3)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=_QUALITY, dpi=(_DPI, _DPI))
    image = model.Image(out.getvalue(), "jpg", *picture.size)
    words = _words(
        shown, view, [[Matrix(*view.matrix).transform(point) for point in polygon] for polygon in black], finder
    )
    inverse = Matrix(*view.matrix).inverse()
    layer = PageLayer(ViewMatrix(*inverse.shorthand), [Passage("P", words)], [(view.box, image)])
    page.obj.Contents = pdf.make_stream(b"")
    page.obj.Resources = Dictionary()
    if "/StructParents" in page.obj:
        del page.obj["/StructParents"]
    layers = TextLayers(pdf, visible=False, cover=False, structure=None)
    layers.add(page, layer)
    layers.finish()


def _words(
    shown: pdfium.PdfPage, view: View, black: Sequence[Sequence[tuple[float, float]]], finder: Finder
) -> list[LayerWord]:
    found, _is_readable = letters_on(shown, finder)
    turned = {letter.origin for hit in found for letter in hit.letters}
    with closing(shown.get_textpage()) as text:
        handle, count = calls.handle_of(text), max(pdfium_c.FPDFText_CountChars(text), 0)
        said = calls.text(handle, count)
        gone = {place for start, end in finder.find(said) for place in range(start, end)}
        boxes = calls.loose_boxes(handle, range(count))
        baselines = calls.origins(handle, range(count))
        gone.update(place for place, (x, y) in enumerate(baselines.tolist()) if (x, y) in turned)
    words: list[LayerWord] = []
    run: list[int] = []
    covers = [Box(*(edge(values) for edge in (min, max) for values in zip(*p, strict=True))) for p in black]
    for place in range(count + 1):
        if place < count and place not in gone and not said[place].isspace() and said[place] not in "\0\u0002\ufffe":
            left, top, right, bottom = (float(value) for value in boxes[place])
            box = view.rectangle(left, bottom, right, top)
            if not any(cover.holds(*box.center) for cover in covers):
                run.append(place)
                continue
        if run:
            words.append(_word(said, run, boxes, baselines, view))
            run = []
    return words


def _word(said: str, run: Sequence[int], boxes: calls.Floats, baselines: calls.Floats, view: View) -> LayerWord:
    parts = [view.rectangle(left, bottom, right, top) for left, top, right, bottom in boxes[list(run)].tolist()]
    box = Box(
        *map(min, *(part[:2] for part in parts), parts[0][:2]), *map(max, *(part[2:] for part in parts), parts[0][2:])
    )
    x, y = view.matrix.at(*baselines[run[0]].tolist())
    end = view.matrix.at(*baselines[run[-1]].tolist())
    text = "".join(said[place] for place in run)
    if abs(end[1] - y) > abs(end[0] - x):
        angle, length, size = (90 if end[1] > y else 270), box.height, box.width
    else:
        angle, length, size = (180 if end[0] < x - box.width / 2 else 0), box.width, box.height
        x = box.left if angle == 0 else box.right
    return LayerWord(text, x, y, max(length, 0.1), max(size, 1.0), 0.0, box, angle)
