"""Pictures of text on pages that have text of their own: a screenshot, a table pasted in, a scanned paragraph.

A quick look tells those that may be worth recognising from photographs, drawings and logos; what recognition then says
decides. Light enough for workers that never recognise anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from paperchute.contract.recognition import TextPictureSettings
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.layout.marks import PageMarks


@dataclass(frozen=True, slots=True)
class InsetSettings(TextPictureSettings):
    """Which pictures beside a page's text are taken for text, once they were looked at."""

    remembered: int = 50
    """Pictures whose words are kept, as a letterhead comes on each page: a bound on memory."""


INSETS = InsetSettings()

Grey = npt.NDArray[np.uint8]


def text_pictures(page: pdfium.PdfPage, marks: PageMarks) -> list[tuple[Box, Grey]]:
    """The places of pictures that look like text, on a page that has text of its own, and what they show."""
    least = INSETS.least_area * marks.width * marks.height
    found = []
    for box in _joined(picture.box for picture in marks.pictures[: INSETS.most]):
        if box.area < least or min(box.width, box.height) < INSETS.least_side:
            continue
        own = sum(box.holds(*word.box.center) for word in marks.words)
        if own >= INSETS.own_words:
            continue
        scale = min(INSETS.dpi / 72, (INSETS.most_pixels / box.area) ** 0.5)
        grey = drawn_part(page, marks, box, scale, grey=True)
        if looks_written(grey):
            found.append((box, grey))
    return found


def drawn_part(page: pdfium.PdfPage, marks: PageMarks, box: Box, scale: float, *, grey: bool = False) -> Grey:
    """A part of the page as pixels, `scale` of them a point: (height, width) of grey, or (height, width, 3) of RGB."""
    crop = box.left, marks.height - box.bottom, marks.width - box.right, box.top
    drawn = page.render(
        scale=scale,
        rotation=marks.angle,
        crop=tuple(max(side, 0.0) for side in crop),
        grayscale=grey,
        rev_byteorder=not grey,
    )
    pixels = drawn.to_numpy()
    return pixels.reshape(pixels.shape[0], -1) if grey else np.ascontiguousarray(pixels[:, :, :3])


def looks_written(grey: Grey) -> bool:
    """Decide whether there is paper, and rows with the strokes of letters on it."""
    ink = _ink(grey)
    if ink is None:
        return False
    across = np.count_nonzero(ink[:, 1:] != ink[:, :-1], axis=1)
    down = np.count_nonzero(ink[1:] != ink[:-1], axis=0)  # of text that lies on its side
    return any(int(np.count_nonzero(edges >= INSETS.edges)) >= INSETS.rows for edges in (across, down))


def is_text(grey: Grey, words: Sequence[Box], scale: float) -> bool:
    """Decide whether most of what a picture shows are these words. scale: pixels of `grey` a unit of their boxes."""
    ink = _ink(grey)
    if ink is None or len(words) < INSETS.own_words:
        return False
    ink[ink.mean(axis=1) > PRINT.more] = False
    ink[:, ink.mean(axis=0) > PRINT.more] = False
    inside = np.zeros_like(ink)
    for box in words:
        left, top, right, bottom = (max(round(side * scale), 0) for side in box)
        inside[top : bottom + 1, left : right + 1] = True
    # Pictures of text have 0.7 and more, of 19 charts and drawings with their labels 18 have 0.05 to 0.41.
    return int(np.count_nonzero(ink & inside)) > PRINT.half * int(np.count_nonzero(ink))


def _ink(grey: Grey) -> npt.NDArray[np.bool_] | None:
    """Return where the ink is; None where there is no paper. Paper is what each part of the picture has most of."""
    off = np.zeros(grey.shape, dtype=np.int16)
    inch = round(INSETS.dpi)  # beside which letters are small, and over which a shadow hardly changes
    for top in range(0, grey.shape[0], inch):
        for left in range(0, grey.shape[1], inch):
            part = grey[top : top + inch, left : left + inch]
            off[top : top + inch, left : left + inch] = np.abs(part.astype(np.int16) - np.median(part))
    if np.count_nonzero(off <= INSETS.near) < INSETS.paper * grey.size:
        return None
    ink: npt.NDArray[np.bool_] = off > INSETS.ink
    return ink


def _joined(boxes: Iterable[Box]) -> list[Box]:
    """The boxes, those that touch as one: many programs store a picture in strips."""
    found: list[Box] = []
    for box in boxes:
        touching = [other for other in found if _touch(box, other)]
        for other in touching:
            found.remove(other)
            box = hull([box, other])
        found.append(box)
    return found


def _touch(box: Box, other: Box) -> bool:
    reach = PRINT.soft
    return (
        box.left - other.right < reach
        and other.left - box.right < reach
        and box.top - other.bottom < reach
        and other.top - box.bottom < reach
    )
