"""Which pages of a PDF say nothing, or not all they show, without recognition.

For the reader process, which parses what anybody may have dropped. It judges as the engine does
(`engine/reading/ocr/scope.py`, `insets.py`), more roughly: it looks at characters and pictures alone, and the engine's
libraries need not be there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from paperchute.contract.recognition import FEW_CHARACTERS, SCANNED_AREA, TEXT_PICTURES, Unread

_MOST_PAGES = 500  # that are looked at: enough to tell, and a bound on time
_MOST_OBJECTS = 2_000  # of a page: a bound on work on drawings
_MOST_PICTURES = 50  # of a document that are drawn: a bound on time
_FEWEST_LINES = 3  # of a picture of text
_GARBLED = 0.1  # the share of characters that say nothing
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x80-\x9f]")


def look_for_unread(document: pypdfium2.PdfDocument) -> Unread:
    """Return what recognition would have to read; of very long documents on the first pages."""
    unread: list[int] = []
    pictured: list[int] = []
    room = _MOST_PICTURES
    for number in range(min(len(document), _MOST_PAGES)):
        try:
            page = document[number]
            if _is_unread(page):
                unread.append(number + 1)
            elif room > 0:
                for box in _pictures(page):
                    room -= 1
                    if _is_bare(page, box) and _looks_written(page, box):
                        pictured.append(number + 1)
                        break
            page.close()
        except pypdfium2.PdfiumError:
            continue  # one broken page does not make the others unreadable
    return Unread(tuple(unread), tuple(pictured))


def _is_unread(page: pypdfium2.PdfPage) -> bool:
    text = "".join(page.get_textpage().get_text_range().split())
    if text and len(_BAD.findall(text)) >= _GARBLED * len(text):
        return True
    if len(text) >= FEW_CHARACTERS:
        return False
    covered, shown = 0.0, False
    for number, item in enumerate(page.get_objects(max_depth=4)):
        if number >= _MOST_OBJECTS:
            break
        shown = shown or item.type != pdfium.FPDF_PAGEOBJ_TEXT
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = item.get_bounds()
            covered += abs(right - left) * abs(top - bottom)
    return covered > SCANNED_AREA * page.get_width() * page.get_height() or (shown and not text)


_Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points of the page, clipped to it."""


def _pictures(page: pypdfium2.PdfPage) -> Iterator[_Box]:
    """The places of pictures that are large enough to be text."""
    width, height = page.get_size()
    x, y, *_ = page.get_bbox()
    is_turned = page.get_rotation() % 180 != 0
    if is_turned:
        width, height = height, width
    shown = 0
    for number, item in enumerate(page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=4)):
        if number >= _MOST_OBJECTS or shown >= TEXT_PICTURES.most:
            break
        left, bottom, right, top = item.get_bounds()
        box = max(left, x), max(bottom, y), min(right, x + width), min(top, y + height)
        wide, high = box[2] - box[0], box[3] - box[1]
        if min(wide, high) >= TEXT_PICTURES.least_side and wide * high >= TEXT_PICTURES.least_area * width * height:
            shown += 1
            yield box


def _is_bare(page: pypdfium2.PdfPage, box: _Box) -> bool:
    """Decide whether no words of the page stand on a picture."""
    return len(page.get_textpage().get_text_bounded(*box).split()) < TEXT_PICTURES.own_words


def _looks_written(page: pypdfium2.PdfPage, box: _Box) -> bool:
    """Decide whether a picture shows paper, and rows with the strokes of letters on it, or columns where it lies."""
    x, y, right, top = page.get_bbox()
    area = (box[2] - box[0]) * (box[3] - box[1])
    scale = min(TEXT_PICTURES.dpi / 72, (TEXT_PICTURES.most_pixels / area) ** 0.5)
    crop = box[0] - x, box[1] - y, right - box[2], top - box[3]
    page.set_rotation(0)  # so that the crop is one of the page as it is written; it is closed after this
    drawn = page.render(scale=scale, crop=tuple(max(side, 0.0) for side in crop), grayscale=True)
    pixels = bytes(drawn.buffer)
    lines = [pixels[n * drawn.stride : n * drawn.stride + drawn.width] for n in range(drawn.height)]
    levels = Counter(b"".join(lines))
    paper = levels.most_common(1)[0][0]
    near = sum(count for level, count in levels.items() if abs(level - paper) <= TEXT_PICTURES.near)
    if near < TEXT_PICTURES.paper * levels.total():
        return False
    marked = b"".join(lines).translate(bytes(abs(level - paper) > TEXT_PICTURES.ink for level in range(256)))
    across = (marked[n : n + drawn.width] for n in range(0, len(marked), drawn.width))
    down = (marked[n :: drawn.width] for n in range(drawn.width))
    return any(_has_lines(bytes(map(_is_written, strips))) for strips in (across, down))


def _has_lines(written: bytes) -> bool:
    """Tell if what is written stands in several lines: a service is not asked to recognise a document for its logo."""
    return sum(written) >= TEXT_PICTURES.rows and (b"\0" + written).count(b"\0\1") >= _FEWEST_LINES


def _is_written(strip: bytes) -> bool:
    return strip.count(b"\0\1") + strip.count(b"\1\0") >= TEXT_PICTURES.edges
