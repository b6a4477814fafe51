"""Words that a page holds and nobody sees: without ink, in the paper's colour, in a hidden layer, behind a picture.

Whoever reads amounts from documents must not be told one that people who look at the page are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from paperchute.contract.recognition import SCANNED_AREA
from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf.objects import PageObjects
from paperchute.engine.reading.pdf.view import View


@dataclass(frozen=True, slots=True)
class VisibleSettings:
    """What counts as seen."""

    scale: float = 1.5
    """Pixels a point of the page that is drawn for it: small type is ten pixels high."""

    most_pixels: int = 4_000_000
    """Of that drawing: a bound on work."""

    contrast: int = 16
    """Of 255: between a word and what is behind it. A pale watermark has 30."""

    smallest: float = 2.0
    """Points: what is printed smaller is read by nobody."""


VISIBLE = VisibleSettings()

Pixels = npt.NDArray[np.uint8]


def take_unseen(page: pdfium.PdfPage, view: View, marks: PageMarks) -> None:
    """Take the words that are not seen out of the marks of a page, and count them.

    The page is drawn, and a word is seen where its place shows any contrast, and a digit where its own does.
    """
    if not marks.words:
        return
    pixels, scale = _drawn(page, view)
    is_scan = _is_scan(view, marks)
    kept: list[Word] = []
    glues = False
    for word in marks.words:
        if _is_seen(word, pixels, scale, is_scan):
            word.glued = word.glued and glues
            kept.append(word)
            glues = True
        else:
            marks.unseen += 1
            glues = False
    marks.words = kept


def count_unseen(
    page: pdfium.PdfPage,
    objects: PageObjects,
    marks: PageMarks,
    pale: Sequence[tuple[Word, bool]],
    covers: Sequence[Box],
) -> int:
    """Return how many of the words that stay in the result nobody sees.

    pale: those without ink, or in a colour that white paper does not show, and whether it is without ink. No words of a
    scan count, nor those without ink over a picture: they are there to be searched. Minute words count.
    covers: where words may not show, as something is painted over them or they are in a hidden layer. What lies over
    them may have a contrast of its own, as photographs have: such words are seen where the page is another without
    them.
    """
    view = objects.view
    minute = [word for word in marks.words if word.size < VISIBLE.smallest and _is_minute(word)]
    covered = _under(covers, marks.words)
    if not (pale or minute or covered) or _is_scan(view, marks):
        return 0
    count = sum(any(map(str.isalnum, word.text)) for word in minute)
    if not (pale or covered):
        return count
    pixels, scale = _drawn(page, view)
    known = {id(word) for word in minute}
    in_doubt: list[Word] = []
    for number, (word, bare) in enumerate([*pale, *covered]):
        if id(word) in known or not any(map(str.isalnum, word.text)):
            continue
        known.add(id(word))
        x, y = word.box.center
        pictured = any(picture.box.holds(x, y) for picture in marks.pictures)
        if (bare and not pictured) or not _has_contrast(_area(word, pixels, scale)):
            count += 1
        elif pictured and number >= len(pale):
            in_doubt.append(word)
    if in_doubt:
        with objects.without_text():
            bare_pixels, _ = _drawn(page, view)
        count += sum(np.array_equal(_area(word, pixels, scale), _area(word, bare_pixels, scale)) for word in in_doubt)
    return count


def painted(page: pdfium.PdfPage, objects: PageObjects, words: Sequence[Word]) -> list[Word]:
    """The words whose letters the page shows: without them their places look otherwise.

    An earlier recognition's layer may have ink and yet none that is seen: it lies under the picture, or its font's
    letters are empty.
    """
    pixels, scale = _drawn(page, objects.view)
    with objects.without_text():
        bare, _ = _drawn(page, objects.view)
    return [word for word in words if not np.array_equal(_area(word, pixels, scale), _area(word, bare, scale))]


def legible(page: pdfium.PdfPage, objects: PageObjects, words: Sequence[Word]) -> list[Word]:
    """The words of text, fields and notes that the page shows on plain ground.

    Over print, letters in the paper's colour change how the page looks too, and nobody reads them.
    """
    if not words:
        return []
    pixels, scale = _drawn(page, objects.view)
    with objects.without_text():
        bare, _ = _drawn(page, objects.view, filled=False)
    return [
        word
        for word in words
        if _has_contrast(_area(word, pixels, scale)) and not _has_contrast(_area(word, bare, scale))
    ]


def _under(covers: Sequence[Box], words: Sequence[Word]) -> list[tuple[Word, bool]]:
    """The words whose middle lies in one of the areas; with ink, as far as is known."""
    if not covers:
        return []
    return [(word, False) for word in words if any(cover.holds(*word.box.center) for cover in covers)]


def _is_minute(word: Word) -> bool:
    """Tell whether a word of a minute size is as small as that says: fonts whose letters are drawings may be larger."""
    long, high = word.right - word.left, word.bottom - word.top
    return max(long, high) < VISIBLE.smallest * max(len(word.text), 1)


def _drawn(page: pdfium.PdfPage, view: View, *, filled: bool = True) -> tuple[Pixels, float]:
    """The page in grey, and its pixels a point. filled: with its fields and notes."""
    scale = min(VISIBLE.scale, (VISIBLE.most_pixels / max(view.width * view.height, 1.0)) ** 0.5)
    drawn = page.render(
        scale=scale, rotation=view.turn, grayscale=True, draw_annots=filled, may_draw_forms=filled
    ).to_numpy()
    return drawn.reshape(drawn.shape[0], -1), scale


def _is_scan(view: View, marks: PageMarks) -> bool:
    """Decide whether pictures cover the page, so that its text layer has no ink of its own."""
    return sum(picture.box.area for picture in marks.pictures) > SCANNED_AREA * view.width * view.height


def _is_seen(word: Word, pixels: Pixels, scale: float, is_scan: bool) -> bool:
    if not any(map(str.isalnum, word.text)):
        return True
    if not is_scan and (word.size < VISIBLE.smallest or (word.ink is not None and word.ink.color == UNSEEN)):
        return False
    area = _area(word, pixels, scale)
    parts = [area]
    if not is_scan and word.angle % 180 == 0:
        letters = np.array_split(area, len(word.text), axis=1)
        parts += [letter for letter, c in zip(letters, word.text, strict=True) if c.isdigit() and letter.size]
    return all(map(_has_contrast, parts))


def _area(word: Word, pixels: Pixels, scale: float) -> Pixels:
    """The pixels of a word."""
    inset = TYPOGRAPHY.touching * (word.bottom - word.top)
    top, bottom = round((word.top + inset) * scale), round((word.bottom - inset) * scale)
    left, right = round(word.left * scale), round(word.right * scale)
    return pixels[max(top, 0) : max(bottom, top + 1, 1), max(left, 0) : max(right, left + 1, 1)]


def _has_contrast(area: Pixels) -> bool:
    return bool(area.size) and int(area.max()) - int(area.min()) >= VISIBLE.contrast
