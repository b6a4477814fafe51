"""Pictures that a page does not show whole: under something else, cut off, on a layer that is off, tiny, mirrored.

Whoever takes a picture out of the file sees all of it, so it is recognised in its own pixels, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
import pikepdf
import pypdfium2 as pdfium
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Matrix, Name, Stream

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.redaction.content import sight_of
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.places import Place, places_seen
from paperchute.engine.redaction.sight import NotFollowed, Picture

_APART = 48  # of 255: the same picture drawn twice by one program is the same
_SCALE = 2.0  # pixels a point
_MOST_PIXELS = 32_000_000  # of a page: one of A0 at this scale
_FEW = 10  # of these pixels, less than a covered letter
_DENSEST = 800.0  # dpi: the page is looked at with 200, and letters of common size are still read at a quarter
_STRETCHED = 1.25  # times as wide, or as high, as its pixels: recognition knows letters by their form
_USUAL = 200.0  # dpi of a picture that says nothing of how large it is meant
_LEAST = 4  # pixels: no letter is lower
_SHORTEST, _LONGEST = 3.0, 14_400.0  # points, of a side of a page (ISO 32000-1, annex C.2)
_HIDING = frozenset({"/Length", "/SMask", "/Mask", "/OC", "/SMaskInData"})

_Pixels = NDArray[np.uint8]


def places_hidden(
    pdf: pikepdf.Pdf, drawn: Sequence[tuple[int, Picture]], shown: pdfium.PdfDocument, path: Path,
    finder: Finder, language: str,
) -> Iterator[tuple[int, Place]]:  # fmt: skip
    """Find what pictures have that their pages do not show whole.

    Args:
        pdf: The document.
        drawn: The 0-based number of a page, and a picture that it draws.
        shown: The same document, as PDFium shows it.
        path: Where a file may be written meanwhile.
        finder: What is looked for.
        language: That of the text, as recognition takes it.

    Yields:
        The number of a page, and a place on it, in user space.

    Raises Refused 190005.
    """
    sheets = pikepdf.new()
    drawn = [(index, picture) for index, picture in drawn if _add_alone(sheets, pdf.pages[index], picture)]
    if not drawn:
        return
    sheets.save(path)
    hidden: list[tuple[int, Picture]] = []
    numbered = enumerate(drawn)
    with closing(pdfium.PdfDocument(path)) as alone:
        for index, of_page in groupby(numbered, lambda one: one[1][0]):
            with closing(shown[index]) as page:
                looks = _grey(page)
                for number, (_index, picture) in of_page:
                    with closing(alone[number]) as sheet:
                        if not _is_shown_whole(page, looks, sheet, picture):
                            hidden.append((index, picture))
    yield from _seen_in(hidden, path, finder, language)
    path.unlink(missing_ok=True)


def keeps_hidden(pdf: pikepdf.Pdf, path: Path, finder: Finder, language: str) -> bool:
    """Decide whether a picture has what is looked for that no page draws by itself: in glyphs, patterns and masks.

    path: where a file may be written meanwhile. Raises Refused 190005.
    """
    followed: set[tuple[int, int]] = set()
    for page in pdf.pages:
        with suppress(NotFollowed):
            pictures = sight_of(page).pictures
            followed |= {one.stream.objgen for whole in pictures for one in _layers(whole) if one.stream is not None}
    hidden = []
    for item in pdf.objects:
        if isinstance(item, Stream) and item.get(Name.Subtype) == Name.Image and item.objgen not in followed:
            hidden.append((0, Picture(item, Matrix())))
    is_hit = any(True for _place in _seen_in(hidden, path, finder, language))
    path.unlink(missing_ok=True)
    return is_hit


def _seen_in(
    hidden: Sequence[tuple[int, Picture]], path: Path, finder: Finder, language: str
) -> Iterator[tuple[int, Place]]:
    """Recognise pictures in their own pixels."""
    sheets = pikepdf.new()
    own = [(index, picture) for index, picture in hidden for one in _layers(picture) if _add_own(sheets, one)]
    if not own:
        return
    sheets.save(path)
    with closing(pdfium.PdfDocument(path)) as document:
        for number, (index, picture) in enumerate(own):
            with closing(document[number]) as page:
                width, height = page.get_size()
                to_user = Matrix(1 / width, 0, 0, 1 / height, 0, 0) @ picture.matrix
                for place in places_seen(page, None, finder, language):
                    yield index, replace(place, polygon=tuple(map(to_user.transform, place.polygon)), letters=0)


def _layers(picture: Picture) -> Iterator[Picture]:
    """A picture, and those that say where it is opaque."""
    yield picture
    for key in (Name.SMask, Name.Mask):
        mask = picture.stream.get(key) if picture.stream is not None else None
        if isinstance(mask, Stream):
            yield replace(picture, stream=mask)


def _add_alone(sheets: pikepdf.Pdf, page: pikepdf.Page, picture: Picture) -> bool:
    """Add a page like another that shows nothing but one of its pictures."""
    try:
        copy = sheets.add_blank_page(page_size=(3, 3))
        copy.obj.MediaBox = Array([float(edge) for edge in page.mediabox])
        copy.obj.CropBox = Array([float(edge) for edge in page.cropbox])
        for key in (Name.Rotate, Name.UserUnit):
            if key in page.obj:
                copy.obj[key] = page.obj[key]
        _draw(sheets, copy, picture, picture.matrix)
    except FAULTS:
        del sheets.pages[-1]
        return False
    return True


def _add_own(sheets: pikepdf.Pdf, picture: Picture) -> bool:
    """Add a page that is a picture, without what hides parts of it; False where that cannot show letters."""
    try:
        columns, rows = _size(picture)
        if min(columns, rows) < _LEAST:
            return False
        wide, _high = _drawn_size(picture.matrix)
        if not wide or columns / wide * 72 > _DENSEST:
            wide = columns / _USUAL * 72
        wide, high = (min(max(side, _SHORTEST), _LONGEST) for side in (wide, wide * rows / columns))
        page = sheets.add_blank_page(page_size=(wide, high))
        _draw(sheets, page, picture, Matrix(wide, 0, 0, high, 0, 0))
    except FAULTS:
        return False
    return True


def _draw(sheets: pikepdf.Pdf, page: pikepdf.Page, picture: Picture, matrix: Matrix) -> None:
    """Have a page draw a picture, without what hides parts of it. Raises one of FAULTS."""
    drawn = b"/I Do" if picture.inline is None else pikepdf.unparse_content_stream([picture.inline])
    if picture.stream is not None:
        bare, own = sheets.copy_foreign(picture.stream), sheets.make_stream(picture.stream.read_raw_bytes())
        for key in set(bare.keys()) - _HIDING:
            own[key] = bare[key]
        page.obj.Resources = Dictionary(XObject=Dictionary(I=own))
    page.obj.Contents = sheets.make_stream(b"q %s cm %s\nQ" % (matrix.encode(), drawn))


def _size(picture: Picture) -> tuple[int, int]:
    """Pixels across and down."""
    if picture.inline is not None:
        return picture.inline.iimage.width, picture.inline.iimage.height
    return (int(picture.stream.Width), int(picture.stream.Height)) if picture.stream is not None else (0, 0)


def _drawn_size(matrix: Matrix) -> tuple[float, float]:
    """Points across and down."""
    return math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d)


def _is_shown_whole(page: pdfium.PdfPage, looks: _Pixels, sheet: pdfium.PdfPage, picture: Picture) -> bool:
    """Decide whether a page, which `looks` so, looks as one of its pictures does alone where that lies."""
    view, matrix = View.of(page), picture.matrix
    places = np.array([view.matrix.at(*matrix.transform(corner)) for corner in ((0, 0), (1, 0), (1, 1), (0, 1))])
    wide, high = _drawn_size(matrix)
    columns, rows = _size(picture)
    is_cut = (places < -1).any() or (places > (view.width + 1, view.height + 1)).any()
    is_mirrored = matrix.a * matrix.d <= matrix.b * matrix.c
    if is_cut or is_mirrored or not wide or not high or columns / wide * 72 > _DENSEST:
        return False
    if not 1 / _STRETCHED <= wide * rows / (high * columns) <= _STRETCHED:
        return False
    other = _grey(sheet)
    if looks.shape != other.shape:
        return False
    within = np.zeros(looks.shape, np.uint8)
    cv2.fillPoly(within, [np.rint(places * _scale(page)).astype(np.int32)], 1.0)
    within = np.asarray(cv2.erode(within, np.ones((5, 5), np.uint8)), np.uint8)  # its edges it shares with others
    apart = np.abs(looks.astype(np.int16) - other) > _APART
    return bool(within.any()) and int((apart & (within > 0)).sum()) <= _FEW


def _grey(page: pdfium.PdfPage) -> _Pixels:
    return np.asarray(page.render(scale=_scale(page), grayscale=True).to_numpy().squeeze(), np.uint8)


def _scale(page: pdfium.PdfPage) -> float:
    """Pixels a point: fewer on a page that is larger than paper is."""
    width, height = page.get_size()
    return float(min(_SCALE, math.sqrt(_MOST_PIXELS / (width * height))))
