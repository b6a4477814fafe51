"""Which pages of a PDF say nothing without recognition. For the reader process, which parses what anybody may drop.

It judges as the engine does (`engine/reading/ocr/scope.py`), more roughly: it looks at characters and pictures alone.
"""

from __future__ import annotations

import re

import pypdfium2
import pypdfium2.raw as pdfium

from paperchute.contract.recognition import FEW_CHARACTERS, SCANNED_AREA

_MOST_PAGES = 500  # that are looked at: enough to tell, and a bound on time
_MOST_OBJECTS = 2_000  # of a page: a bound on work on drawings
_GARBLED = 0.1  # the share of characters that say nothing
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x80-\x9f]")


def unread_pages(document: pypdfium2.PdfDocument) -> list[int]:
    """The numbers, from 1, of pages that are scans or whose text is no text; of very long documents the first ones."""
    found = []
    for number in range(min(len(document), _MOST_PAGES)):
        try:
            page = document[number]
            if _is_unread(page):
                found.append(number + 1)
            page.close()
        except pypdfium2.PdfiumError:
            continue  # one broken page does not make the others unreadable
    return found


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
