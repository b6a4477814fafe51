"""Text that PDFium leaves out of a page's text, as the shapes of its letters are not known and so have no width.

That meets fonts that are not in the file nor on this system, where text is vertical, turned by 90 degrees, or each
letter is an object of its own; and the empty letters of a layer that an earlier recognition laid in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.pdf import calls

_FLAT = 0.01  # points: PDFium leaves out what is narrower
_PEN = 0.1  # points: as wide as text becomes that is given an outline


def widen(left_out: Sequence[int]) -> bool:
    """Give the flat ones of text objects a width, so that PDFium has them in its text the next time.

    left_out: the addresses of those that it left out. Whether there were any. Objects in fonts of the file with ink to
    show have letters with shapes, or are spaces.
    """
    found = False
    looks = map(np.ndarray.tolist, calls.fonts(calls.handles(left_out)))
    for item, font, mode in zip(left_out, *looks, strict=True):
        if mode != pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE and (not font or calls.is_embedded(font)):
            continue
        bounds = calls.bounds(item)
        if bounds is not None and bounds[2] - bounds[0] < _FLAT:
            found = calls.outline(item, mode, _PEN) or found
    return found
