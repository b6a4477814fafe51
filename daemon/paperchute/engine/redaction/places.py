"""Where a document shows what is looked for: by PDFium's order, in reading order, and on its pictures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pikepdf import Matrix

from paperchute.engine.comparison.text import Text, Token, text_of
from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Page
from paperchute.engine.reading.ocr.recognised import Seen
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.document import opened, opened_page
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.sight import Point, Sight
from paperchute.engine.redaction.written import readings

Polygon = tuple[Point, ...]

_UNREADABLE = re.compile("[\0\x01\x03-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
"""What stands for glyphs whose letters nobody knows."""
_DPI = 200.0  # common type is then 30 pixels high
_MOST_PIXELS = 24_000_000
_AROUND = 4.0  # points around a picture that are looked at with it
_FEWEST_BARS, _CORNERS = 12, 4  # of a code of two characters, and of a bar
_MARGIN = 0.15  # of a word's height: ink that its box may miss


@dataclass(frozen=True, slots=True)
class Place:
    """A place in user space that shows something of what is looked for.

    letters: how many of it; 0 where that is not known. text: all that was found, as it is compared.
    """

    polygon: Polygon
    letters: int
    text: str


@dataclass(frozen=True, slots=True)
class Letter:
    """A character of what was found: where it begins on its baseline, and about what it covers."""

    origin: Point
    polygon: Polygon


@dataclass(frozen=True, slots=True)
class Hit:
    """What was found once in the text of a page. text: as it is compared."""

    letters: tuple[Letter, ...]
    text: str


def letters_on(page: pdfium.PdfPage, finder: Finder) -> tuple[list[Hit], bool]:
    """Find what a page's text has, whether anybody sees it or not, and whether all of that text can be read.

    PDFium puts what is shown upside down in an order from which words come apart: so the page is read turned too, as
    some of its letters stand upright. Only such letters count then, as others are what comes apart.
    """
    own = page.get_rotation()
    found, said, turns = _hits_on(page, finder, None)
    known = {letter.origin for hit in found for letter in hit.letters}
    try:
        for turn in sorted(turns - {own}):
            page.set_rotation(turn)  # in memory, and of no effect on user space
            for hit in _hits_on(page, finder, turn)[0]:
                origins = {letter.origin for letter in hit.letters}
                if not origins <= known:
                    found.append(hit)
                    known |= origins
    finally:
        page.set_rotation(own)
    return found, _UNREADABLE.search(said) is None


def _hits_on(page: pdfium.PdfPage, finder: Finder, turn: int | None) -> tuple[list[Hit], str, set[int]]:
    """Find what the text has as PDFium gives it; that text; and the turns of a page that set its letters upright.

    turn: only what has letters that this one sets upright counts.
    """
    with closing(page.get_textpage()) as text:
        handle, count = calls.handle_of(text), max(pdfium_c.FPDFText_CountChars(text), 0)
        said = calls.text(handle, count)
        turns = _turns(handle, count)
        found = []
        for start, end in finder.find(said):
            asked = [n for n in range(start, end) if not said[n].isspace() and said[n] not in "\u0002\ufffe"]
            if turn is not None and not any(turns[n] == turn for n in asked):
                continue
            origins, boxes = calls.origins(handle, asked), calls.loose_boxes(handle, asked)
            letters = (
                Letter((float(x), float(y)), _corners(*map(float, (left, bottom, right, top))))
                for (x, y), (left, top, right, bottom) in zip(origins, boxes, strict=True)
            )
            found.append(Hit(tuple(letters), compared(said[start:end])))
        return found, said, {int(one) for one in np.unique(turns[turns >= 0])}


def _turns(handle: calls.Handle, count: int) -> npt.NDArray[np.int64]:
    """By which quarter turns of the page, in degrees, the letters come to stand upright; -1 of what is no letter."""
    along = calls.matrices(handle, range(count))[:, :2] * np.sign(calls.font_sizes(handle, range(count)))[:, None]
    quarters = np.rint(np.degrees(np.arctan2(along[:, 1], along[:, 0])) / 90).astype(np.int64) % 4 * 90
    return np.where(np.abs(along).sum(axis=1) > 0, quarters, -1)


def compared(text: str) -> str:
    """Give a text as it is the same however it is parted and written."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _corners(left: float, bottom: float, right: float, top: float) -> Polygon:
    return (left, bottom), (right, bottom), (right, top), (left, top)


# ---------- in reading order ----------


def places_in_order(path: Path, finder: Finder) -> dict[int, list[Place]]:
    """Find what the paragraphs, cells and margins of a document have, by the 0-based page."""
    found: dict[int, list[Place]] = {}
    angles: list[int] = []
    options = Options(images=False, backgrounds=False, notes=False, words=True)
    with opened(path, path.name, "") as document:
        text = text_of(_noted(read_pdf(document, range(len(document)), options).pages, angles))
    with opened(path, path.name, "") as document:
        for tokens in _paragraphs(text):
            for page, box, letters, said in _found_in(tokens, finder):
                with opened_page(document, page) as shown:
                    inverse = Matrix(*View.of(shown, angles[page]).matrix).inverse()
                corners = _corners(box.left, box.bottom, box.right, box.top)
                place = Place(tuple(inverse.transform(corner) for corner in corners), letters, said)
                found.setdefault(page, []).append(place)
    return found


def _noted(pages: Iterator[Page], angles: list[int]) -> Iterator[Page]:
    for page in pages:
        angles.append(page.angle)
        yield page


def _paragraphs(text: Text) -> Iterator[list[Token]]:
    for tokens in (text.tokens, text.margins):
        for _number, paragraph in groupby(tokens, key=lambda token: token.paragraph):
            yield list(paragraph)


def _found_in(tokens: Sequence[Token], finder: Finder) -> Iterator[tuple[int, Box, int, str]]:
    starts, said = [], ""
    for token in tokens:
        starts.append(len(said))
        said += token.text + " "
    for start, end in finder.find(said):
        for begins, token in zip(starts, tokens, strict=True):
            first, last = max(start - begins, 0), min(end - begins, len(token.text))
            if first >= last:
                continue
            if len(token.places) > 1:  # divided at the end of a line
                for page, box in token.places:
                    yield page, box, 0, compared(said[start:end])
            else:
                page, box = token.places[0]
                yield page, _part(box, first, last, len(token.text)), last - first, compared(said[start:end])


def _part(box: Box, first: int, last: int, count: int) -> Box:
    """About where some of a word's letters stand."""
    step = box.width / count
    return Box(box.left + first * step, box.top, box.left + last * step, box.bottom)


# ---------- on pictures ----------


def places_seen(page: pdfium.PdfPage, areas: Sequence[Polygon] | None, finder: Finder, language: str) -> list[Place]:
    """Recognise what a page shows and find what is looked for.

    Args:
        page: The page, with its annotations.
        areas: What is looked at of it, in user space; None for all.
        finder: What is looked for.
        language: That of the text, as recognition takes it.

    Raises Refused 190005.
    """
    from paperchute.engine.reading.ocr.page import see  # loads large libraries, which pages of text never need
    from paperchute.engine.reading.ocr.pdf_pages import draw

    view = View.of(page)
    scale = min(_DPI / 72, (_MOST_PIXELS / max(view.width * view.height, 1.0)) ** 0.5)
    picture = draw(page, 0, scale)
    to_pixels = Matrix(*view.matrix) @ Matrix(scale, 0, 0, scale, 0, 0)
    if areas is not None:
        kept = np.full_like(picture, 255)
        for polygon in areas:
            xs, ys = zip(*map(to_pixels.transform, polygon), strict=True)
            margin = _AROUND * scale
            left, top = max(int(min(xs) - margin), 0), max(int(min(ys) - margin), 0)
            right, bottom = max(int(max(xs) + margin), 0), max(int(max(ys) + margin), 0)
            kept[top:bottom, left:right] = picture[top:bottom, left:right]
        picture = kept
    seen = see(picture, language, scale * 72)
    return list(_found_on(seen, finder, to_pixels.inverse()))


def places_coded(page: pdfium.PdfPage, finder: Finder) -> Iterator[Place]:
    """Find what the bar codes and matrix codes that a page shows say, such as the IBAN of a payment code.

    Raises Refused 190005.
    """
    from paperchute.engine.imaging.codes import read_every_code
    from paperchute.engine.reading.ocr.pdf_pages import draw

    view = View.of(page)
    scale = min(_DPI / 72, (_MOST_PIXELS / max(view.width * view.height, 1.0)) ** 0.5)
    grey = np.asarray(draw(page, 0, scale).mean(axis=2), np.uint8)
    to_user = (Matrix(*view.matrix) @ Matrix(scale, 0, 0, scale, 0, 0)).inverse()
    for code in read_every_code(grey):
        for text in readings("/URI", code.text):
            for start, end in finder.find(text)[:1]:
                yield Place(tuple(map(to_user.transform, _corners(*code.box))), 0, compared(text[start:end]))


def may_be_coded(sight: Sight) -> bool:
    """Decide whether what a page draws may be a code: a picture, drawn glyphs, or bars enough for one."""
    bars = sum(max(drawing.points, _CORNERS) for drawing in sight.drawings) // _CORNERS
    return bool(sight.pictures) or bars >= _FEWEST_BARS or any(glyph.drawn for glyph in sight.glyphs)


def looked_at(sight: Sight) -> list[Polygon]:
    """Give what may show text that is none: pictures, drawn glyphs, and drawings that are no plain areas."""
    unit = _corners(0, 0, 1, 1)
    found: list[Polygon] = [tuple(map(picture.matrix.transform, unit)) for picture in sight.pictures]
    found += [glyph.corners for glyph in sight.glyphs if glyph.drawn]
    return found + [_corners(*drawing.box) for drawing in sight.drawings if not drawing.is_plain]


def _found_on(seen: Seen, finder: Finder, to_user: Matrix) -> Iterator[Place]:
    said, spans = "", []
    for number, word in enumerate(seen.words):
        if number:
            last = seen.words[number - 1]
            on_line = abs(word.baseline - last.baseline) < word.box.height / 2 and word.box.left >= last.box.left
            said += "" if word.glued and on_line else " " if on_line else "\n"
        spans.append((len(said), word))
        said += word.text
    back = seen.back
    for start, end in finder.find(said):
        for begins, word in spans:
            first, last_ = max(start - begins, 0), min(end - begins, len(word.text))
            if first >= last_:
                continue
            # Letters differ in width, and so a part of a word is taken with a letter around it.
            box = word.box
            if word.angle == 0:
                box = _part(box, max(first - 1, 0) if first else 0, min(last_ + 1, len(word.text)), len(word.text))
            box = box.grown(_MARGIN * min(box.width, box.height))
            polygon = []
            for x, y in _corners(box.left, box.bottom, box.right, box.top):
                u, v = (float(value) for value in back[:, :2] @ (x, y) + back[:, 2])
                polygon.append(to_user.transform((u, v)))
            yield Place(tuple(polygon), last_ - first, compared(said[start:end]))


# ---------- as other readers may have it ----------


def unsaid_copy(path: Path, target: Path) -> bool:
    """Write a copy whose glyphs are not said in other words (ISO 32000-1, 14.9.4); False where they are not.

    PDFium takes the words that a file gives for its glyphs; others take the glyphs.
    """
    import pikepdf

    from paperchute.engine.pdf.document import FAULTS

    changed = False
    with pikepdf.open(path) as pdf:
        for page in pdf.pages:
            with suppress(*FAULTS):
                page.contents_coalesce()
        for item in pdf.objects:
            with suppress(*FAULTS):
                if isinstance(item, pikepdf.Stream) and not _is_picture(item):
                    data = item.read_bytes()
                    if b"/ActualText" in data:
                        item.write(data.replace(b"/ActualText", b"/UnsaidText"))
                        changed = True
                elif isinstance(item, pikepdf.Dictionary) and "/ActualText" in item and "/S" not in item:
                    del item["/ActualText"]
                    changed = True
        if changed:
            pdf.save(target)
    return changed


def _is_picture(item: object) -> bool:
    return bool(item.get("/Subtype") == "/Image")  # type: ignore[attr-defined]
